// SPDX-License-Identifier: MIT
// What the host does for every launch of a kernel of this folder: tensor maps, the parameters of a call, the launch
// itself. Functions return what went wrong, or null.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

#include "hopper_attention.h"
#include "params.hpp"
#include "shared_memory_limit.hpp"
#include "tensor_map_cache.hpp"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

using Call = hopper_attention_call;

inline thread_local char error_text[256];

inline const char* describe(const char* what, cudaError_t status) {
  std::snprintf(error_text, sizeof error_text, "%s: %s", what, cudaGetErrorString(status));
  return error_text;
}

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// The driver's entry point through the runtime, so that the library does not link against the driver.
inline EncodeTiled encode_tiled() {
  static const EncodeTiled function = [] {
    void* pointer = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaError_t status =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &pointer, 12000, cudaEnableDefault, &found);
    return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<EncodeTiled>(pointer)
                                                                         : nullptr;
  }();
  return function;
}

// What the L2 cache fetches beyond the bytes of a box. Nothing: with 256 bytes, memory gave 4.1 TB/s instead of 4.4.
// But where rows lie one behind the other and end within a line, that line has the beginning of the next row.
inline CUtensorMapL2promotion promotion(int head_dim, int64_t row_stride) {
  const bool shares_lines = row_stride == head_dim && head_dim % kPanelColumns != 0;
  return shares_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

// A box has box_rows rows of each of box_heads heads.
inline const char* encode(CUtensorMap& map, const Call& call, const void* base, const int64_t (&strides)[3], int heads,
                          int rows, int box_rows, int box_heads = 1) {
  thread_local TensorMapCache cache;
  const TensorMapKey key{base,
                         {strides[0], strides[1], strides[2]},
                         call.batch,
                         heads,
                         rows,
                         call.head_dim,
                         static_cast<int16_t>(box_rows),
                         static_cast<int16_t>(box_heads),
                         call.bf16 != 0};
  if (const CUtensorMap* known = cache.find(key)) {
    map = *known;
    return nullptr;
  }
  const cuuint64_t sizes[4] = {static_cast<cuuint64_t>(call.head_dim), static_cast<cuuint64_t>(rows),
                               static_cast<cuuint64_t>(heads), static_cast<cuuint64_t>(call.batch)};
  const cuuint64_t byte_strides[3] = {static_cast<cuuint64_t>(strides[2]) * 2, static_cast<cuuint64_t>(strides[1]) * 2,
                                      static_cast<cuuint64_t>(strides[0]) * 2};
  const cuuint32_t box[4] = {kPanelColumns, static_cast<cuuint32_t>(box_rows), static_cast<cuuint32_t>(box_heads), 1};
  const cuuint32_t steps[4] = {1, 1, 1, 1};
  EncodeTiled function = encode_tiled();
  if (function == nullptr) return "the driver has no cuTensorMapEncodeTiled (needs CUDA 12 or newer)";
  CUresult status =
      function(&map, call.bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4,
               const_cast<void*>(base), sizes, byte_strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, promotion(call.head_dim, strides[2]), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status == CUDA_SUCCESS) {
    cache.insert(key, map);
    return nullptr;
  }
  std::snprintf(error_text, sizeof error_text, "cuTensorMapEncodeTiled failed with code %d", static_cast<int>(status));
  return error_text;
}

inline const char* fill(Params& params, const Call& call, int key_block) {
  const struct {
    CUtensorMap& map;
    const void* base;
    const int64_t (&strides)[3];
    int heads, rows, box_rows;
  } tensors[] = {{params.query, call.query, call.query_strides, call.query_heads, call.query_rows, kTileRows},
                 {params.key, call.key, call.key_strides, call.key_heads, call.key_rows, key_block},
                 {params.value, call.value, call.value_strides, call.key_heads, call.key_rows, key_block}};
  for (const auto& tensor : tensors) {
    const char* error =
        encode(tensor.map, call, tensor.base, tensor.strides, tensor.heads, tensor.rows, tensor.box_rows);
    if (error != nullptr) return error;
  }
  params.g_output = call.output;
  params.output_batch_stride = call.output_strides[0];
  params.output_head_stride = call.output_strides[1];
  params.output_row_stride = call.output_strides[2];
  params.g_log_sum_exp = call.log_sum_exp;
  params.head_dim = call.head_dim;
  params.query_rows = call.query_rows;
  params.key_rows = call.key_rows;
  params.query_heads = call.query_heads;
  params.batch = call.batch;
  params.heads_per_key_head = call.query_heads / call.key_heads;
  params.scale_log2 = call.scale * 1.4426950408889634f;
  return nullptr;
}

// `cluster`: blocks of one.
inline const char* launch_kernel(void (*kernel)(Params), const Params& params, dim3 grid, int threads,
                                 size_t shared_bytes, bool overlap, cudaStream_t stream, int cluster = 1) {
  cudaLaunchAttribute attributes[2];
  unsigned count = 0;
  if (overlap) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = static_cast<unsigned>(cluster);
    attributes[count].val.clusterDim.y = 1;
    attributes[count++].val.clusterDim.z = 1;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  const cudaError_t status =
      launch_with_shared_memory(reinterpret_cast<const void*>(kernel), static_cast<int>(shared_bytes),
                                [&] { return cudaLaunchKernelEx(&config, kernel, params); });
  return status == cudaSuccess ? nullptr : describe("cudaLaunchKernelEx", status);
}

inline const char* count_multiprocessors(int& count) {
  int device = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return status == cudaSuccess ? nullptr : describe("cudaDeviceGetAttribute", status);
}

}  // namespace assay::attention::hopper
