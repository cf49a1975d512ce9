// SPDX-License-Identifier: MIT
// Whether a call was measured to be faster than PyTorch's SDPA. The tables are generated from those that ship with the
// Python package (measured.py); a shape outside of them was not measured. Knows no CUDA.
#pragma once

#include "assay_attention.h"

namespace assay::attention::library {

// What the trees ask about, in the order of FEATURES in python/assay_attention/decision.py.
enum class Feature { heads, group, query_rows, key_rows, rows_differ, head_dim, tiles, causal, bf16, rows_first };

// A node of a decision tree: where to go if the feature is at most a value, and where if it is more. Indices of nodes;
// a verdict v of assay_attention.h (ASSAY_ATTENTION_NOT_MEASURED ...) is -1 - v.
struct MeasuredNode {
  Feature feature;
  int at_most;
  short then;
  short otherwise;
};

struct MeasuredGpu {
  int compute_capability;
  const char* name;
  const MeasuredNode* nodes;
  int root;  // as MeasuredNode::then
};

// The verdict on a checked call for a GPU, by its name and compute capability (major * 10 + minor).
int measured_verdict(const assay_attention_call& call, int compute_capability, const char* gpu);

}  // namespace assay::attention::library
