// SPDX-License-Identifier: MIT
#include "check/poison.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>

#include "check/element.hpp"

namespace assay::check {

using spec::DType;

std::array<uint8_t, 8> poison_pattern(DType type, Poison poison) {
  if (poison == Poison::a5) return {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};
  if (poison == Poison::ff) return {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  switch (type) {  // little-endian: the exponent is in the last byte that counts
    case DType::f16:
      return {0x5a, 0x7e};
    case DType::bf16:
      return {0xda, 0x7f};
    case DType::f32:
      return {0x5a, 0x5a, 0xda, 0x7f};
    case DType::f64:
      return {0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0xfa, 0x7f};
    case DType::e4m3:
      return {0x7f};  // the only NaN
    case DType::e5m2:
      return {0x7e};
    default:
      return {0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a};
  }
}

void fill_with_poison(DType type, Poison poison, std::span<uint8_t> buffer) {
  const auto pattern = poison_pattern(type, poison);
  const auto size = static_cast<size_t>(spec::size_bytes(type));
  for (size_t i = 0; i < buffer.size(); ++i) buffer[i] = pattern[i % size];
}

std::vector<int64_t> still_poisoned(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer,
                                    Poison poison) {
  assert(buffer.size() >= static_cast<size_t>(tensor.bytes));
  const auto pattern = poison_pattern(tensor.dtype, poison);
  const auto size = static_cast<size_t>(spec::size_bytes(tensor.dtype));
  const std::vector<int64_t> offsets = element_offsets(tensor);
  std::vector<int64_t> positions;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (spec::is_packed(tensor.dtype)) {
      const int shift = i % 2 == 0 ? 0 : 4;
      if (((buffer[static_cast<size_t>(offsets[i])] ^ pattern[0]) >> shift & 0xf) == 0)
        positions.push_back(static_cast<int64_t>(i));
      continue;
    }
    if (std::memcmp(buffer.data() + offsets[i], pattern.data(), size) == 0)
      positions.push_back(static_cast<int64_t>(i));
  }
  return positions;
}

std::vector<int64_t> unwritten(const spec::ResolvedTensor& tensor, std::span<const uint8_t> after_first,
                               std::span<const uint8_t> after_a5, Poison first) {
  const std::vector<int64_t> once = still_poisoned(tensor, after_first, first);
  const std::vector<int64_t> again = still_poisoned(tensor, after_a5, Poison::a5);
  std::vector<int64_t> both;
  std::set_intersection(once.begin(), once.end(), again.begin(), again.end(), std::back_inserter(both));
  return both;
}

std::optional<int64_t> first_written_gap(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer,
                                         Poison poison) {
  assert(buffer.size() >= static_cast<size_t>(tensor.bytes));
  if (tensor.elements == tensor.span) return std::nullopt;  // dense: no gaps
  const auto pattern = poison_pattern(tensor.dtype, poison);
  const auto size = static_cast<size_t>(spec::size_bytes(tensor.dtype));
  std::vector<bool> is_element(static_cast<size_t>(tensor.bytes) / size, false);
  for (const int64_t offset : element_offsets(tensor)) is_element[static_cast<size_t>(offset) / size] = true;
  for (size_t i = 0; i < is_element.size() * size; ++i) {
    if (!is_element[i / size] && buffer[i] != pattern[i % size]) return static_cast<int64_t>(i);
  }
  return std::nullopt;
}

}  // namespace assay::check
