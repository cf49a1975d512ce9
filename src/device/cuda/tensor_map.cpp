// SPDX-License-Identifier: MIT
#include "device/cuda/tensor_map.hpp"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "device/tensor_map_check.hpp"

namespace assay::device::cuda {
namespace {

struct ElementType {
  std::string_view name;
  CUtensorMapDataType type;
};

// Where the driver has no type of its own, one of the same size: copies do not look inside elements.
constexpr std::array<ElementType, 14> kTypes = {{
    {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
    {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
    {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
    {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
    {"e4m3", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"e5m2", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"i8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
    {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
    {"i16", CU_TENSOR_MAP_DATA_TYPE_UINT16},
    {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32},
    {"i32", CU_TENSOR_MAP_DATA_TYPE_INT32},
    {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64},
    {"i64", CU_TENSOR_MAP_DATA_TYPE_INT64},
}};

Result<CUtensorMapDataType> type_of(const std::string& name) {
  for (const ElementType& type : kTypes) {
    if (type.name == name) return type.type;
  }
  return Error{fmt::format("tensor map: there are none of type {}", name)};
}

CUtensorMapSwizzle swizzle_of(int bytes) {
  switch (bytes) {
    case 32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

CUtensorMapInterleave interleave_of(int bytes) {
  if (bytes == 16) return CU_TENSOR_MAP_INTERLEAVE_16B;
  return bytes == 32 ? CU_TENSOR_MAP_INTERLEAVE_32B : CU_TENSOR_MAP_INTERLEAVE_NONE;
}

CUtensorMapL2promotion promotion_of(int bytes) {
  switch (bytes) {
    case 64:
      return CU_TENSOR_MAP_L2_PROMOTION_L2_64B;
    case 128:
      return CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    case 256:
      return CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    default:
      return CU_TENSOR_MAP_L2_PROMOTION_NONE;
  }
}

CUtensorMapFloatOOBfill fill_of(const TensorMapRequest& request) {
  return request.out_of_bounds_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                   : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
}

// The driver counts dimensions from the contiguous one.
template <class Number>
std::vector<Number> inward(const std::vector<Number>& numbers) {
  return {numbers.rbegin(), numbers.rend()};
}

Result<void> encode(const Driver& driver, const TensorMapRequest& request, CUtensorMapDataType type, CUtensorMap& map) {
  const auto rank = static_cast<uint32_t>(request.dims.size());
  auto* const address = reinterpret_cast<void*>(request.address);  // NOLINT(performance-no-int-to-ptr): of the GPU
  const auto dims = inward(request.dims);
  const std::vector<uint64_t> strides(request.stride_bytes.rbegin() + 1, request.stride_bytes.rend());
  const auto element_strides = inward(request.element_strides);
  if (!request.im2col) {
    return driver.check(driver.cuTensorMapEncodeTiled(&map, type, rank, address, dims.data(), strides.data(),
                                                      inward(request.box).data(), element_strides.data(),
                                                      interleave_of(request.interleave), swizzle_of(request.swizzle),
                                                      promotion_of(request.l2_promotion), fill_of(request)),
                        "cuTensorMapEncodeTiled");
  }
  const Im2colRequest& im2col = *request.im2col;
  return driver.check(
      driver.cuTensorMapEncodeIm2col(&map, type, rank, address, dims.data(), strides.data(),
                                     inward(im2col.lower).data(), inward(im2col.upper).data(), im2col.channels,
                                     im2col.pixels, element_strides.data(), interleave_of(request.interleave),
                                     swizzle_of(request.swizzle), promotion_of(request.l2_promotion), fill_of(request)),
      "cuTensorMapEncodeIm2col");
}

}  // namespace

Result<std::vector<std::byte>> encode_tensor_map(const Driver& driver, const TensorMapRequest& request) {
  if (driver.cuTensorMapEncodeTiled == nullptr || driver.cuTensorMapEncodeIm2col == nullptr) {
    return Error{"this driver has no tensor maps",
                 {},
                 "they came with CUDA 12.0: install a newer driver",
                 ExitCode::environment};
  }
  ASSAY_CHECK(check_tensor_map(request));
  ASSAY_TRY(const CUtensorMapDataType type, type_of(request.dtype));
  CUtensorMap map{};
  ASSAY_CHECK(encode(driver, request, type, map));
  std::vector<std::byte> bytes(kTensorMapBytes);
  std::memcpy(bytes.data(), &map, bytes.size());
  return bytes;
}

}  // namespace assay::device::cuda
