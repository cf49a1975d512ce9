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

}  // namespace

Result<std::vector<std::byte>> encode_tensor_map(const Driver& driver, const TensorMapRequest& request) {
  if (driver.cuTensorMapEncodeTiled == nullptr) {
    return Error{"this driver has no tensor maps",
                 {},
                 "they came with CUDA 12.0: install a newer driver",
                 ExitCode::environment};
  }
  ASSAY_CHECK(check_tensor_map(request));
  ASSAY_TRY(const CUtensorMapDataType type, type_of(request.dtype));
  // The driver counts dimensions from the contiguous one.
  const size_t rank = request.dims.size();
  const std::vector<uint64_t> dims(request.dims.rbegin(), request.dims.rend());
  const std::vector<uint64_t> strides(request.stride_bytes.rbegin() + 1, request.stride_bytes.rend());
  const std::vector<uint32_t> box(request.box.rbegin(), request.box.rend());
  const std::vector<uint32_t> element_strides(request.element_strides.rbegin(), request.element_strides.rend());
  CUtensorMap map{};
  ASSAY_CHECK(driver.check(
      driver.cuTensorMapEncodeTiled(
          &map, type, static_cast<uint32_t>(rank),
          reinterpret_cast<void*>(request.address),  // NOLINT(performance-no-int-to-ptr): an address of the GPU
          dims.data(), strides.data(), box.data(), element_strides.data(), interleave_of(request.interleave),
          swizzle_of(request.swizzle), promotion_of(request.l2_promotion),
          request.out_of_bounds_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
                                    : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      "cuTensorMapEncodeTiled"));
  std::vector<std::byte> bytes(kTensorMapBytes);
  std::memcpy(bytes.data(), &map, bytes.size());
  return bytes;
}

}  // namespace assay::device::cuda
