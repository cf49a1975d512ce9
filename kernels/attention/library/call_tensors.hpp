// SPDX-License-Identifier: MIT
// The tensors of a call, for the parameters of a kernel.
#pragma once

#include <algorithm>

#include "assay_attention.h"

namespace assay::attention::library {

// Where they are and their strides. To: any structure that names them as the call does.
template <typename To>
void copy_tensors(const assay_attention_call& call, To& to) {
  to.query = call.query;
  to.key = call.key;
  to.value = call.value;
  to.output = call.output;
  to.log_sum_exp = call.log_sum_exp;
  std::copy_n(call.query_strides, 3, to.query_strides);
  std::copy_n(call.key_strides, 3, to.key_strides);
  std::copy_n(call.value_strides, 3, to.value_strides);
  std::copy_n(call.output_strides, 3, to.output_strides);
}

inline bool is_causal(const assay_attention_call& call) {
  return (call.flags & ASSAY_ATTENTION_CAUSAL) != 0;
}
inline bool is_bf16(const assay_attention_call& call) {
  return call.dtype == ASSAY_ATTENTION_BF16;
}
inline bool overlaps_previous(const assay_attention_call& call) {
  return (call.flags & ASSAY_ATTENTION_OVERLAP_PREVIOUS) != 0;
}

}  // namespace assay::attention::library
