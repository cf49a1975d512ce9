// SPDX-License-Identifier: MIT
// Memory in which the clusters of a kernel meet (../split_keys/exchange.cuh), which callers need not know of. A stream
// has one of its own, since its kernels run one after the other; so has a stream in a graph that is being captured, and
// that one lives as long as the graph and all that is made of it.
#pragma once

#include <cuda_runtime_api.h>

namespace assay::attention::library {

struct ExchangeMemory {
  unsigned int* arrivals;  // zeros
  void* partials;
};

// The stream's, on the current device; allocated when it is first asked for. Both null where there is none: too many
// streams and graphs have one, or the driver gave no memory.
ExchangeMemory exchange_memory(int device, cudaStream_t stream);

}  // namespace assay::attention::library
