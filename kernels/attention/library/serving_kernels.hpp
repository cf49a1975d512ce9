// SPDX-License-Identifier: MIT
// The kernels of ../serving that the library holds, a table for each source.
#pragma once

#include "../serving/params.hpp"

namespace assay::attention::library {

enum class ServingKind {
  tiles,     // a block for each tile of queries
  split,     // few queries: a cluster shares the keys of a tile of packed rows
  streaming  // a block for each multiprocessor goes from tile to tile
};

struct ServingKernel {
  const char* name;
  int head_dim;  // the largest that it takes
  int rows;      // of a tile
  ServingKind kind;
  bool bf16;
  int threads;
  int shared_bytes;
  void (*function)(serving::Params);
};

struct ServingKernelList {
  const ServingKernel* kernels;
  int count;
};

ServingKernelList serving_tiles_d64();
ServingKernelList serving_tiles_d128();
ServingKernelList serving_tiles_d192();
ServingKernelList serving_tiles_d256();
ServingKernelList serving_streaming_d64();
ServingKernelList serving_streaming_d128();
ServingKernelList serving_streaming_d256();
ServingKernelList serving_split_d64();
ServingKernelList serving_split_d128();
ServingKernelList serving_split_d256();

}  // namespace assay::attention::library
