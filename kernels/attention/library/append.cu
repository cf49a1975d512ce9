// SPDX-License-Identifier: MIT
#include "append.cuh"
#include "failure.hpp"

namespace assay::attention::library {

int launch_append(const assay_attention_append_call& call, cudaStream_t stream) {
  const int64_t chunks = int64_t{call.batch} * call.new_rows * call.key_heads * (call.head_dim / 8);
  const int64_t blocks = (chunks + kAppendThreads - 1) / kAppendThreads;
  if (blocks > 0x7fffffff) return fail(ASSAY_ATTENTION_UNSUPPORTED, "too many new rows for one call; split the batch");
  append_rows<<<static_cast<unsigned>(blocks), kAppendThreads, 0, stream>>>(call);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return ASSAY_ATTENTION_OK;
  return fail(ASSAY_ATTENTION_CUDA_FAILED, "append_rows: %s", cudaGetErrorString(status));
}

}  // namespace assay::attention::library
