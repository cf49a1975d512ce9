// SPDX-License-Identifier: MIT
// For kernels whose scores may be capped before the softmax: these are not.
#pragma once

namespace assay::attention {

struct NoCap {
  template <typename Params>
  __device__ __forceinline__ explicit NoCap(const Params&) {}

  template <typename Params>
  __device__ __forceinline__ static float softmax_scale(const Params& params) {
    return params.scale;
  }

  template <typename Scores>
  __device__ __forceinline__ void apply(Scores&) const {}
};

}  // namespace assay::attention
