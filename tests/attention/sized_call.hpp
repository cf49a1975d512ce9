// SPDX-License-Identifier: MIT
// A call of the attention library with sizes and pointers, to which a test adds strides.
#pragma once

#include "assay_attention.h"

namespace assay::attention::library {

alignas(16) inline char memory[64];  // where the tensors are said to lie

// Eight heads on two key heads, at most 100 queries and 300 keys.
inline assay_attention_call sized_call(int batch) {
  assay_attention_call call{};
  call.struct_size = sizeof call;
  call.query = memory;
  call.key = memory + 16;
  call.value = memory + 32;
  call.output = memory + 48;
  call.batch = batch;
  call.query_heads = 8;
  call.key_heads = 2;
  call.query_rows = 100;
  call.key_rows = 300;
  call.head_dim = 64;
  call.scale = 0.125f;
  return call;
}

}  // namespace assay::attention::library
