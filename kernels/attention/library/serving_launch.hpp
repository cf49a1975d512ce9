// SPDX-License-Identifier: MIT
// Choice and launch of the kernels for sequences, pages, windows and capped scores.
#pragma once

#include <cuda_runtime_api.h>
#include <initializer_list>

#include "../split_keys/plan.hpp"
#include "assay_attention.h"
#include "serving_kernels.hpp"

namespace assay::attention::library {

// The kernel for a checked call on a GPU with so many multiprocessors. Never null.
const ServingKernel* choose_serving_tiles(const assay_attention_call& call, int multiprocessors);

// The same of the streaming kernels, for Hopper.
const ServingKernel* choose_serving_streaming(const assay_attention_call& call);

// The same for few queries, laid out like this.
split_keys::Shape serving_shape(const assay_attention_call& call);
const ServingKernel* find_serving_split(const assay_attention_call& call, const split_keys::Plan& plan);

// One kernel onto the stream; a code of assay_attention.h. cluster: blocks that share keys, for few queries.
int launch_serving(const ServingKernel& kernel, int cluster, int multiprocessors, const assay_attention_call& call,
                   cudaStream_t stream);

// Calls visit(kernel, number) for each.
template <typename Visit>
void for_each_serving_kernel(Visit visit) {
  int number = 0;
  for (const ServingKernelList& list :
       {serving_tiles_d64(), serving_tiles_d128(), serving_tiles_d192(), serving_tiles_d256(), serving_streaming_d64(),
        serving_streaming_d128(), serving_streaming_d256(), serving_split_d64(), serving_split_d128(),
        serving_split_d256()}) {
    for (int i = 0; i < list.count; ++i) visit(list.kernels[i], number++);
  }
}

}  // namespace assay::attention::library

// For tests, not in the public header: as assay_attention_forward, by the kernels for Ampere whatever the GPU.
extern "C" ASSAY_ATTENTION_API int assay_attention_testing_serving_tiles(const assay_attention_call* call,
                                                                         void* stream);
