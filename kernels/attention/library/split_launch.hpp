// SPDX-License-Identifier: MIT
// Launch of the kernels for few queries and many keys.
#pragma once

#include <cuda_runtime_api.h>
#include <initializer_list>

#include "../split_keys/plan.hpp"
#include "assay_attention.h"
#include "devices.hpp"
#include "exchange_memory.hpp"
#include "split_kernels.hpp"

namespace assay::attention::library {

split_keys::Shape split_shape(const assay_attention_call& call);

// The kernel for a checked call that is laid out like this; null if there is none.
const SplitKernel* find_split_kernel(const assay_attention_call& call, const split_keys::Plan& plan);

// What a device holds of clusters. Asks the driver at the first call.
const split_keys::ClusterSlots& cluster_slots(const DeviceFacts& device);

// One kernel onto the stream, laid out as planned; a code of assay_attention.h. `memory`: where the clusters of the
// plan share pieces.
int launch_split_kernel(const SplitKernel& kernel, const split_keys::Plan& plan, const ExchangeMemory& memory,
                        const assay_attention_call& call, cudaStream_t stream);

// Calls visit(kernel, number) for each.
template <typename Visit>
void for_each_split_kernel(Visit visit) {
  int number = 0;
  for (const SplitKernelList& list :
       {split_kernels_d64(), split_kernels_d96(), split_kernels_d128(), split_kernels_d256()}) {
    for (int i = 0; i < list.count; ++i) visit(list.kernels[i], number++);
  }
}

}  // namespace assay::attention::library

// For tests and measurements, not in the public header: as assay_attention_forward, laid out as asked (Plan in
// ../split_keys/plan.hpp). warps 0: by a kernel of the other families, with slabs 1 split_streaming, 2
// split_halves, 3 streaming_heads, with so many blocks in a cluster (0: as planned); warps below 0: as planned. sharers
// below 1: as many as run at a time; clusters below 0: likewise. cluster 0: warps work alone, and blocks share pieces
// if sharers is above 1.
extern "C" ASSAY_ATTENTION_API int assay_attention_testing_split_keys(const assay_attention_call* call, int slabs,
                                                                      int warps, int cluster, int sharers, int clusters,
                                                                      void* stream);
