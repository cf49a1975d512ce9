// SPDX-License-Identifier: MIT
#include "check/red_zone.hpp"

#include <cassert>
#include <fmt/format.h>
#include <vector>

#include "base/random.hpp"

namespace assay::check {
namespace {

using spec::DType;

// Bits that make an element of the type a NaN; the others may be anything. Little-endian, per byte of an element.
struct ForcedBits {
  uint8_t last;         // of the byte with sign and exponent
  uint8_t before_last;  // of the byte before it
};

ForcedBits nan_bits(DType type) {
  switch (type) {
    case DType::f16:
      return {0x7e, 0x00};
    case DType::bf16:
    case DType::f32:
      return {0x7f, 0xc0};
    case DType::f64:
      return {0x7f, 0xf8};
    case DType::e4m3:
      return {0x7f, 0x00};
    case DType::e5m2:
      return {0x7e, 0x00};
    default:
      return {0x00, 0x00};
  }
}

uint64_t guard_seed(uint64_t seed, bool before) {
  return seed * 2 + (before ? 1 : 0);
}

std::vector<uint8_t> guard(DType type, uint64_t seed, bool before, int64_t bytes) {
  std::vector<uint8_t> pattern(static_cast<size_t>(bytes));
  fill_with_guard(type, guard_seed(seed, before), pattern);
  return pattern;
}

}  // namespace

void fill_with_guard(DType type, uint64_t seed, std::span<uint8_t> bytes) {
  const auto size = static_cast<size_t>(spec::size_bytes(type));
  const ForcedBits forced = nan_bits(type);
  Random random(seed);
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto byte = static_cast<uint8_t>(random.next() >> 56);
    if (i % size == size - 1) byte = static_cast<uint8_t>(byte | forced.last);
    if (size > 1 && i % size == size - 2) byte = static_cast<uint8_t>(byte | forced.before_last);
    bytes[i] = byte;
  }
}

void arm(const RedZoneLayout& layout, DType type, uint64_t seed, std::span<uint8_t> allocation) {
  assert(allocation.size() == static_cast<size_t>(layout.total_bytes()));
  fill_with_guard(type, guard_seed(seed, true), allocation.first(static_cast<size_t>(layout.payload_offset())));
  fill_with_guard(type, guard_seed(seed, false), allocation.subspan(static_cast<size_t>(layout.payload_end())));
}

std::optional<RedZoneDamage> inspect(const RedZoneLayout& layout, DType type, uint64_t seed,
                                     std::span<const uint8_t> allocation) {
  assert(allocation.size() == static_cast<size_t>(layout.total_bytes()));
  const int64_t behind_bytes = layout.total_bytes() - layout.payload_end();
  const std::vector<uint8_t> before = guard(type, seed, true, layout.payload_offset());
  const std::vector<uint8_t> behind = guard(type, seed, false, behind_bytes);
  std::optional<int64_t> nearest_before, nearest_behind;
  int64_t damaged = 0;
  for (int64_t i = 0; i < layout.payload_offset(); ++i) {
    if (allocation[static_cast<size_t>(i)] == before[static_cast<size_t>(i)]) continue;
    ++damaged;
    nearest_before = layout.payload_offset() - 1 - i;
  }
  for (int64_t i = behind_bytes; i-- > 0;) {
    if (allocation[static_cast<size_t>(layout.payload_end() + i)] == behind[static_cast<size_t>(i)]) continue;
    ++damaged;
    nearest_behind = i;
  }
  if (damaged == 0) return std::nullopt;
  if (nearest_behind) return RedZoneDamage{false, *nearest_behind, damaged};
  return RedZoneDamage{true, *nearest_before, damaged};
}

std::string describe(const std::string& tensor_name, const RedZoneDamage& damage) {
  const std::string where = damage.distance == 0 ? "right" : fmt::format("{} bytes", damage.distance);
  return fmt::format("the kernel wrote {} {} the buffer of '{}' ({} bytes damaged around it)", where,
                     damage.before ? "before" : "behind", tensor_name, damage.damaged_bytes);
}

}  // namespace assay::check
