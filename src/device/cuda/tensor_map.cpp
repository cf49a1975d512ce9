// SPDX-License-Identifier: MIT
#include "device/cuda/tensor_map.hpp"

#include <array>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace assay::device::cuda {
namespace {

constexpr size_t kMostDimensions = 5;
constexpr uint64_t kAlignment = 16;  // of addresses and strides

struct ElementType {
  std::string_view name;
  CUtensorMapDataType type;
  uint64_t bytes;
};

// Where the driver has no type of its own, one of the same size: copies do not look inside elements.
constexpr std::array<ElementType, 14> kTypes = {{
    {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
    {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
    {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},
    {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8},
    {"e4m3", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
    {"e5m2", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
    {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
    {"i8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
    {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2},
    {"i16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2},
    {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4},
    {"i32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4},
    {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8},
    {"i64", CU_TENSOR_MAP_DATA_TYPE_INT64, 8},
}};

const ElementType* find_type(std::string_view name) {
  for (const ElementType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
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

Error refused(std::string message) {
  return Error{"tensor map: " + std::move(message), {}, "the CUDA driver guide, cuTensorMapEncodeTiled, has the rules"};
}

Result<void> check_request(const TensorMapRequest& request, const ElementType* type) {
  const size_t rank = request.dims.size();
  if (type == nullptr) return refused(fmt::format("there are none of type {}", request.dtype));
  if (rank == 0 || rank > kMostDimensions)
    return refused(fmt::format("{} dimensions; one to {} are possible", rank, kMostDimensions));
  if (request.stride_bytes.size() != rank || request.box.size() != rank || request.element_strides.size() != rank)
    return refused(
        fmt::format("the tensor has {} dimensions; strides, box and element strides must have as many", rank));
  if (request.stride_bytes.back() != type->bytes) return refused("the last dimension must be contiguous");
  if (request.address % kAlignment != 0)
    return refused(fmt::format("the tensor's address 0x{:x} is not a multiple of {}", request.address, kAlignment));
  for (size_t i = 0; i + 1 < rank; ++i) {
    if (request.stride_bytes[i] % kAlignment != 0)
      return refused(fmt::format("the stride of dimension {} is {} bytes; it must be a multiple of {}", i + 1,
                                 request.stride_bytes[i], kAlignment));
  }
  return {};
}

}  // namespace

Result<std::vector<std::byte>> encode_tensor_map(const Driver& driver, const TensorMapRequest& request) {
  if (driver.cuTensorMapEncodeTiled == nullptr) {
    return Error{"this driver knows no tensor maps",
                 {},
                 "they came with CUDA 12.0: install a newer driver",
                 ExitCode::environment};
  }
  const ElementType* type = find_type(request.dtype);
  ASSAY_CHECK(check_request(request, type));
  // The driver counts dimensions from the contiguous one.
  const size_t rank = request.dims.size();
  const std::vector<uint64_t> dims(request.dims.rbegin(), request.dims.rend());
  const std::vector<uint64_t> strides(request.stride_bytes.rbegin() + 1, request.stride_bytes.rend());
  const std::vector<uint32_t> box(request.box.rbegin(), request.box.rend());
  const std::vector<uint32_t> element_strides(request.element_strides.rbegin(), request.element_strides.rend());
  CUtensorMap map{};
  ASSAY_CHECK(driver.check(
      driver.cuTensorMapEncodeTiled(
          &map, type->type, static_cast<uint32_t>(rank),
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
