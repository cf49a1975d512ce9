// SPDX-License-Identifier: MIT
// The library's call as the Hopper kernels take it.
#pragma once

#include "../hopper/hopper_attention.h"
#include "assay_attention.h"
#include "call_tensors.hpp"

namespace assay::attention::library {

inline hopper_attention_call hopper_call(const assay_attention_call& call) {
  hopper_attention_call to{};
  copy_tensors(call, to);
  to.batch = call.batch;
  to.query_heads = call.query_heads;
  to.key_heads = call.key_heads;
  to.query_rows = call.query_rows;
  to.key_rows = call.key_rows;
  to.head_dim = call.head_dim;
  to.causal = is_causal(call);
  to.bf16 = is_bf16(call);
  to.scale = call.scale;
  to.overlap_previous = overlaps_previous(call);
  return to;
}

}  // namespace assay::attention::library

// For tests and measurements, not in the public header: as assay_attention_forward, by the kernels for many short
// sequences, or by what would be taken if there were none.
extern "C" ASSAY_ATTENTION_API int assay_attention_testing_pairs(const assay_attention_call* call, int in_pairs,
                                                                 void* stream);

// The same by the kernels whose consumers have tiles of their own (../hopper/own_tiles.cuh), by that for more keys
// where `is_long` is not 0.
extern "C" ASSAY_ATTENTION_API int assay_attention_testing_own_tiles(const assay_attention_call* call, int is_long,
                                                                     void* stream);
