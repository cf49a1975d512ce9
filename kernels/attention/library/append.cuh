// SPDX-License-Identifier: MIT
// New keys and values into a cache: a thread for each 16 bytes of a row.
#pragma once

#include <cstdint>

#include "append.hpp"

namespace assay::attention::library {

__device__ __forceinline__ void run_append(const AppendParams& params) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");  // PTX ISA "griddepcontrol": attention may be set up
#endif
  constexpr int kChunkElements = 8;
  const int row_chunks = params.head_dim / kChunkElements;
  const int64_t chunks = int64_t{params.batch} * params.new_rows * params.key_heads * row_chunks;
  const int64_t item = int64_t{blockIdx.x} * kAppendThreads + threadIdx.x;
  if (item >= chunks) return;
  const int chunk = static_cast<int>(item % row_chunks);
  const int64_t above = item / row_chunks;
  const int head = static_cast<int>(above % params.key_heads);
  const int row = static_cast<int>(above / params.key_heads % params.new_rows);
  const int batch = static_cast<int>(above / params.key_heads / params.new_rows);

  const int64_t length = params.key_lengths != nullptr ? params.key_lengths[batch] : 0;
  const int64_t target = length + params.first_row + row;
  if (target < 0 || target >= params.key_rows) return;
  int64_t page = batch;
  int64_t row_of_page = target;
  if (params.block_table != nullptr) {
    page = params.block_table[batch * params.block_table_stride + target / params.page_rows];
    row_of_page = target % params.page_rows;
  }
  const auto copy = [&](const void* g_from, const int64_t(&from)[3], void* g_to, const int64_t(&to)[3]) {
    const int64_t source = batch * from[0] + head * from[1] + row * from[2] + chunk * kChunkElements;
    const int64_t place = page * to[0] + head * to[1] + row_of_page * to[2] + chunk * kChunkElements;
    *reinterpret_cast<uint4*>(static_cast<uint16_t*>(g_to) + place) =
        *reinterpret_cast<const uint4*>(static_cast<const uint16_t*>(g_from) + source);
  };
  copy(params.new_key, params.new_key_strides, params.key, params.key_strides);
  copy(params.new_value, params.new_value_strides, params.value, params.value_strides);
}

__global__ void __launch_bounds__(kAppendThreads) append_rows(const __grid_constant__ AppendParams params) {
  run_append(params);
}

}  // namespace assay::attention::library
