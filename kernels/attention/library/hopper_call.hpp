// SPDX-License-Identifier: MIT
// The library's call as the Hopper kernels take it.
#pragma once

#include <algorithm>

#include "../hopper/hopper_attention.h"
#include "assay_attention.h"

namespace assay::attention::library {

inline hopper_attention_call hopper_call(const assay_attention_call& call) {
  hopper_attention_call to{};
  to.query = call.query;
  to.key = call.key;
  to.value = call.value;
  to.output = call.output;
  to.log_sum_exp = call.log_sum_exp;
  std::copy_n(call.query_strides, 3, to.query_strides);
  std::copy_n(call.key_strides, 3, to.key_strides);
  std::copy_n(call.value_strides, 3, to.value_strides);
  std::copy_n(call.output_strides, 3, to.output_strides);
  to.batch = call.batch;
  to.query_heads = call.query_heads;
  to.key_heads = call.key_heads;
  to.query_rows = call.query_rows;
  to.key_rows = call.key_rows;
  to.head_dim = call.head_dim;
  to.causal = (call.flags & ASSAY_ATTENTION_CAUSAL) != 0;
  to.bf16 = call.dtype == ASSAY_ATTENTION_BF16;
  to.scale = call.scale;
  to.overlap_previous = (call.flags & ASSAY_ATTENTION_OVERLAP_PREVIOUS) != 0;
  return to;
}

}  // namespace assay::attention::library
