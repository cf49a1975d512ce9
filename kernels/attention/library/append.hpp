// SPDX-License-Identifier: MIT
// New keys and values into a cache.
#pragma once

#include <cuda_runtime_api.h>

#include "assay_attention.h"

namespace assay::attention::library {

inline constexpr int kAppendThreads = 256;

// What the kernel gets is the caller's struct, checked.
using AppendParams = assay_attention_append_call;

// One kernel onto the stream; a code of assay_attention.h.
int launch_append(const assay_attention_append_call& call, cudaStream_t stream);

}  // namespace assay::attention::library
