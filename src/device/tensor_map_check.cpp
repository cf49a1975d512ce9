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
constexpr uint32_t kMostPixels = 1024;
constexpr size_t kFewestIm2colDimensions = 3;  // images, columns, channels

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

// What of the contiguous dimension a copy moves.
Result<void> check_row(const TensorMapRequest& request, std::string_view what, uint64_t bytes) {
  if (bytes % kAlignment != 0)
    return tensor_map_refused(fmt::format("{} has {} bytes; it must be a multiple of {}", what, bytes, kAlignment));
  if (request.swizzle != 0 && bytes > static_cast<uint64_t>(request.swizzle))
    return tensor_map_refused(fmt::format("{} has {} bytes, more than the swizzle's {}", what, bytes, request.swizzle));
  return {};
}

Result<void> check_element_strides(const TensorMapRequest& request) {
  for (size_t i = 0; i < request.element_strides.size(); ++i) {
    if (request.element_strides[i] == 0 || request.element_strides[i] > kLongestStep)
      return tensor_map_refused(fmt::format("the element stride of dimension {} is {}; 1 to {} are possible", i + 1,
                                            request.element_strides[i], kLongestStep));
  }
  return {};
}

Result<void> check_box(const TensorMapRequest& request, uint64_t element_bytes) {
  for (size_t i = 0; i < request.box.size(); ++i) {
    if (request.box[i] == 0 || request.box[i] > kWidestBox)
      return tensor_map_refused(fmt::format("the box has {} elements in dimension {}; 1 to {} are possible",
                                            request.box[i], i + 1, kWidestBox));
  }
  return check_row(request, "a row of the box", request.box.back() * element_bytes);
}

// All corners together have 16 bits: as many for each dimension as there are dimensions to share them.
Result<void> check_corner(std::string_view which, const std::vector<int>& corner, size_t dimensions) {
  if (corner.size() != dimensions)
    return tensor_map_refused(
        fmt::format("the {} corner has {} dimensions; the tensor has {} between images and channels", which,
                    corner.size(), dimensions));
  const int reach = dimensions == 1 ? 32768 : dimensions == 2 ? 128 : 16;
  for (const int at : corner) {
    if (at < -reach || at >= reach)
      return tensor_map_refused(fmt::format("the {} corner has {}; {} to {} are possible with {} dimensions", which, at,
                                            -reach, reach - 1, dimensions + 2));
  }
  return {};
}

Result<void> check_im2col(const TensorMapRequest& request, uint64_t element_bytes) {
  const Im2colRequest& im2col = *request.im2col;
  const size_t rank = request.dims.size();
  if (rank < kFewestIm2colDimensions)
    return tensor_map_refused(fmt::format("im2col with {} dimensions; {} to {} are possible", rank,
                                          kFewestIm2colDimensions, kMostDimensions));
  ASSAY_CHECK(check_corner("lower", im2col.lower, rank - 2));
  ASSAY_CHECK(check_corner("upper", im2col.upper, rank - 2));
  for (size_t i = 0; i + 2 < rank; ++i) {
    const auto size = static_cast<int64_t>(request.dims[i + 1]);
    if (size + im2col.upper[i] - im2col.lower[i] <= 0)
      return tensor_map_refused(
          fmt::format("the corners {} and {} leave nothing of dimension {}, which has {} elements", im2col.lower[i],
                      im2col.upper[i], i + 2, size));
  }
  if (im2col.channels == 0 || im2col.channels > kWidestBox)
    return tensor_map_refused(fmt::format("{} channels of a pixel; 1 to {} are possible", im2col.channels, kWidestBox));
  if (im2col.pixels == 0 || im2col.pixels > kMostPixels)
    return tensor_map_refused(fmt::format("{} pixels; 1 to {} are possible", im2col.pixels, kMostPixels));
  return check_row(request, "a pixel", im2col.channels * element_bytes);
}

}  // namespace

Error tensor_map_refused(std::string message) {
  return Error{"tensor map: " + std::move(message),
               {},
               "the CUDA driver guide has the rules: cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col"};
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
  const bool has_box = request.im2col || request.box.size() == rank;
  if (request.stride_bytes.size() != rank || !has_box || request.element_strides.size() != rank)
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
  ASSAY_CHECK(check_element_strides(request));
  ASSAY_CHECK(request.im2col ? check_im2col(request, element_bytes) : check_box(request, element_bytes));
  return element_bytes;
}

}  // namespace assay::device
