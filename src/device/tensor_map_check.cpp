// SPDX-License-Identifier: MIT
#include "device/tensor_map_check.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace assay::device {
namespace {

constexpr size_t kMostDimensions = 5;
constexpr uint64_t kAlignment = 16;  // of addresses and strides
constexpr uint32_t kWidestBox = 256;
constexpr uint32_t kLongestStep = 8;

struct ElementSize {
  std::string_view name;
  uint64_t bytes;
  bool has_nan = false;  // for TMA, which knows no 8-bit floats
};
constexpr std::array kSizes = {
    ElementSize{"f16", 2, true}, ElementSize{"bf16", 2, true}, ElementSize{"f32", 4, true}, ElementSize{"f64", 8, true},
    ElementSize{"e4m3", 1},      ElementSize{"e5m2", 1},       ElementSize{"u8", 1},        ElementSize{"i8", 1},
    ElementSize{"u16", 2},       ElementSize{"i16", 2},        ElementSize{"u32", 4},       ElementSize{"i32", 4},
    ElementSize{"u64", 8},       ElementSize{"i64", 8},
};

const ElementSize* size_of(std::string_view name) {
  const auto* const found = std::ranges::find(kSizes, name, &ElementSize::name);
  return found == kSizes.end() ? nullptr : found;
}

Result<void> check_box(const TensorMapRequest& request, uint64_t element_bytes) {
  for (size_t i = 0; i < request.box.size(); ++i) {
    if (request.box[i] == 0 || request.box[i] > kWidestBox)
      return tensor_map_refused(fmt::format("the box has {} elements in dimension {}; 1 to {} are possible",
                                            request.box[i], i + 1, kWidestBox));
    if (request.element_strides[i] == 0 || request.element_strides[i] > kLongestStep)
      return tensor_map_refused(fmt::format("the element stride of dimension {} is {}; 1 to {} are possible", i + 1,
                                            request.element_strides[i], kLongestStep));
  }
  const uint64_t row_bytes = request.box.back() * element_bytes;
  if (row_bytes % kAlignment != 0)
    return tensor_map_refused(
        fmt::format("a row of the box has {} bytes; it must be a multiple of {}", row_bytes, kAlignment));
  if (request.swizzle != 0 && row_bytes > static_cast<uint64_t>(request.swizzle))
    return tensor_map_refused(
        fmt::format("a row of the box has {} bytes, more than the swizzle's {}", row_bytes, request.swizzle));
  return {};
}

}  // namespace

Error tensor_map_refused(std::string message) {
  return Error{"tensor map: " + std::move(message), {}, "the CUDA driver guide, cuTensorMapEncodeTiled, has the rules"};
}

Result<uint64_t> check_tensor_map(const TensorMapRequest& request) {
  const size_t rank = request.dims.size();
  const ElementSize* const element = size_of(request.dtype);
  if (element == nullptr) return tensor_map_refused(fmt::format("there are none of type {}", request.dtype));
  const uint64_t element_bytes = element->bytes;
  if (request.out_of_bounds_nan && !element->has_nan)
    return tensor_map_refused(fmt::format("NaN as filling, and {} has none", request.dtype));
  if (rank == 0 || rank > kMostDimensions)
    return tensor_map_refused(fmt::format("{} dimensions; one to {} are possible", rank, kMostDimensions));
  if (request.stride_bytes.size() != rank || request.box.size() != rank || request.element_strides.size() != rank)
    return tensor_map_refused(
        fmt::format("the tensor has {} dimensions; strides, box and element strides must have as many", rank));
  if (request.stride_bytes.back() != element_bytes) return tensor_map_refused("the last dimension must be contiguous");
  if (request.address % kAlignment != 0)
    return tensor_map_refused(
        fmt::format("the tensor's address 0x{:x} is not a multiple of {}", request.address, kAlignment));
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (request.stride_bytes[i] % kAlignment != 0)
      return tensor_map_refused(fmt::format("the stride of dimension {} is {} bytes; it must be a multiple of {}",
                                            i + 1, request.stride_bytes[i], kAlignment));
  }
  ASSAY_CHECK(check_box(request, element_bytes));
  return element_bytes;
}

}  // namespace assay::device
