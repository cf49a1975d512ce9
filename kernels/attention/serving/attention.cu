// SPDX-License-Identifier: MIT
// The kernels of this folder under names that launch.cpp chooses from: tile_, split_ and stream_<type>_d<D>.
#include "../../primitives/element.cuh"
#include "split_attention.cuh"
#include "streaming.cuh"
#include "tile_attention.cuh"

// Of the kernels for few queries: slabs of 16 packed rows, and warps of a block. With 4 warps the tiles are short too.
#ifndef SLABS
#define SLABS 1
#endif
#ifndef WARPS
#define WARPS 8
#endif
#if WARPS == 4
#define TILE_ROWS 64
#else
#define TILE_ROWS 128
#endif

using namespace assay::attention;

#define TILE_ENTRY(TYPE, DIM, ROWS, KEYS, STAGES)                                                    \
  using TileConfig_##TYPE##_d##DIM = serving::TileConfig<assay::TYPE, DIM, ROWS, KEYS, STAGES>;      \
  extern "C" __global__ void __launch_bounds__(128, TileConfig_##TYPE##_d##DIM::kBlocksPerProcessor) \
      tile_##TYPE##_d##DIM(const __grid_constant__ serving::Params params) {                         \
    serving::run_tiles<TileConfig_##TYPE##_d##DIM>(params);                                          \
  }

#define SPLIT_ENTRY(TYPE, DIM, SLABS, WARPS)                                                                 \
  using SplitConfig_##TYPE##_d##DIM = serving::SplitConfig<assay::TYPE, DIM, SLABS, WARPS>;                  \
  extern "C" __global__ void __launch_bounds__(32 * WARPS, SplitConfig_##TYPE##_d##DIM::kBlocksPerProcessor) \
      split_##TYPE##_d##DIM(const __grid_constant__ serving::Params params) {                                \
    serving::run_split<SplitConfig_##TYPE##_d##DIM>(params);                                                 \
  }

#define STREAM_ENTRY(TYPE, DIM, KEYS, STAGES)                                                              \
  extern "C" __global__ void __launch_bounds__(384, 1)                                                     \
      stream_##TYPE##_d##DIM(const __grid_constant__ serving::Params params) {                             \
    serving::streaming::run_streaming<serving::streaming::Config<assay::TYPE, DIM, KEYS, STAGES>>(params); \
  }

#define FOR_BOTH_TYPES(ENTRY, ...) ENTRY(f16, __VA_ARGS__) ENTRY(bf16, __VA_ARGS__)

FOR_BOTH_TYPES(TILE_ENTRY, 64, TILE_ROWS, 64, 2)
FOR_BOTH_TYPES(SPLIT_ENTRY, 64, SLABS, WARPS)
FOR_BOTH_TYPES(SPLIT_ENTRY, 128, SLABS, WARPS)
// What has no other size.
#if SLABS == 1 && WARPS == 8
FOR_BOTH_TYPES(TILE_ENTRY, 128, 64, 64, 1)
FOR_BOTH_TYPES(TILE_ENTRY, 192, 64, 64, 1)
FOR_BOTH_TYPES(TILE_ENTRY, 256, 64, 32, 1)
FOR_BOTH_TYPES(SPLIT_ENTRY, 256, 1, 4)
FOR_BOTH_TYPES(STREAM_ENTRY, 64, 128, 3)
FOR_BOTH_TYPES(STREAM_ENTRY, 96, 128, 2)
FOR_BOTH_TYPES(STREAM_ENTRY, 128, 128, 2)
FOR_BOTH_TYPES(STREAM_ENTRY, 192, 80, 2)
FOR_BOTH_TYPES(STREAM_ENTRY, 256, 48, 2)
#endif
