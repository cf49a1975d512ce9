// SPDX-License-Identifier: MIT
// What a call must fulfil before any kernel is thought of, and which GPUs have which kernels. Knows no CUDA.
#pragma once

#include "assay_attention.h"

namespace assay::attention::library {

// Copies the caller's struct, of whatever version, into `known` and checks it. Strides of dimensions of size 1 become
// ones that every kernel accepts. Null tensors are an error only where `tensors_needed`.
// A code of assay_attention.h; the text is in last_failure().
int check_call(const assay_attention_call* call, bool tensors_needed, assay_attention_call& known);

// The same for an addition to a cache, whose tensors must be there.
int check_append(const assay_attention_append_call* call, assay_attention_append_call& known);

enum class Family {
  none,
  warp,               // mma.sync, sm_80 and later
  hopper,             // wgmma and TMA, sm_90
  split_keys,         // few queries and many keys, sm_90
  serving_tiles,      // sequences, pages, windows, capped scores: ../serving, sm_80 and later
  serving_streaming,  // the same with wgmma, sm_90
  serving_split       // the same for few queries, sm_90
};

// The family that computes a checked call on a GPU of this compute capability (major * 10 + minor).
Family family_of(const assay_attention_call& call, int compute_capability, int multiprocessors = 132);

// The same on Hopper, as if there were no kernels for few queries and, if so wanted, none for many short sequences.
Family family_of_long_queries(const assay_attention_call& call, int multiprocessors, bool in_pairs = true);

// Fails with what is wrong about this compute capability.
int fail_no_kernels(int compute_capability);

}  // namespace assay::attention::library
