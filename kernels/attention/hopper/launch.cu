// SPDX-License-Identifier: MIT
// Host side of the Hopper kernels: the table of variants, launch.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <cuda_runtime.h>
#include <iterator>
#include <mutex>
#include <type_traits>

#include "choice.hpp"
#include "hopper_attention.h"
#include "launch_params.hpp"
#include "own_tiles.cuh"
#include "pairs.cuh"
#include "resident.cuh"
#include "split_streaming.cuh"
#include "streaming.cuh"
#include "streaming_heads.cuh"

namespace assay::attention::hopper {
namespace {

constexpr bool full = false;
constexpr bool causal = true;
using half = __half;
using bf16 = __nv_bfloat16;

template <class Config>
const char* launch_resident(const Call& call, cudaStream_t stream) {
  Params params;
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  dim3 grid(static_cast<unsigned>(ceil_div(call.query_rows, kTileRows * Config::kTiles)),
            static_cast<unsigned>(call.query_heads), static_cast<unsigned>(call.batch));
  return launch_kernel(resident::resident_attention<Config>, params, grid, Config::kThreads,
                       sizeof(typename Config::Shared), call.overlap_previous != 0, stream);
}

// A persistent grid: one block per multiprocessor, or fewer if there is less work.
template <class Config>
const char* launch_streaming(const Call& call, cudaStream_t stream) {
  Params params;
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  if (const char* error =
          encode(params.output, call, call.output, call.output_strides, call.query_heads, call.query_rows, kTileRows)) {
    return error;
  }
  int multiprocessors = 0;
  if (const char* error = count_multiprocessors(multiprocessors)) return error;
  params.row_tiles = ceil_div(call.query_rows, Config::kRows);
  const int64_t pieces = grid_pieces(call, params.row_tiles, multiprocessors);
  const auto blocks = static_cast<int>(std::min<int64_t>(pieces, multiprocessors));
  params.paired_rounds =
      in_pairs(call, params.row_tiles, multiprocessors) ? paired_rounds(static_cast<int>(pieces), blocks) : -1;
  return launch_kernel(streaming_attention<Config>, params, dim3(static_cast<unsigned>(blocks)), Config::kThreads,
                       sizeof(typename Config::Shared), call.overlap_previous != 0, stream);
}

// A persistent grid: one block per multiprocessor, each with two heads at a time.
template <class Config>
const char* launch_streaming_heads(const Call& call, cudaStream_t stream) {
  Params params;
  int multiprocessors = 0;
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  if (const char* error = count_multiprocessors(multiprocessors)) return error;
  params.row_tiles = 1;
  params.paired_rounds = -1;
  const int64_t pairs = (int64_t{call.batch} * call.query_heads + 1) / 2;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(pairs, multiprocessors));
  return launch_kernel(streaming_heads_attention<Config>, params, dim3(blocks), Config::kThreads,
                       sizeof(typename Config::Shared), call.overlap_previous != 0, stream);
}

// A persistent grid: one block per multiprocessor, or fewer if there are fewer (batch, head) pairs.
template <class Config>
const char* launch_pairs(const Call& call, cudaStream_t stream) {
  Params params{};
  int multiprocessors = 0;
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  if (const char* error = count_multiprocessors(multiprocessors)) return error;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(int64_t{call.batch} * call.query_heads, multiprocessors));
  return launch_kernel(pairs::pairs_attention<Config>, params, dim3(blocks), Config::kThreads,
                       sizeof(typename Config::Shared), call.overlap_previous != 0, stream);
}

// A persistent grid: one block per multiprocessor, or fewer if there are fewer tiles.
template <class Config>
const char* launch_own_tiles(const Call& call, cudaStream_t stream) {
  Params params{};
  int multiprocessors = 0;
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  if (const char* error = count_multiprocessors(multiprocessors)) return error;
  params.row_tiles = ceil_div(call.query_rows, kTileRows);
  const int64_t tiles = int64_t{params.row_tiles} * call.query_heads * call.batch;
  if (tiles > INT32_MAX) return "too many tiles";
  return launch_kernel(own_tiles::own_tiles_attention<Config>, params,
                       dim3(static_cast<unsigned>(std::min<int64_t>(tiles, multiprocessors))), Config::kThreads,
                       sizeof(typename Config::Shared), call.overlap_previous != 0, stream);
}

// Clusters of a kernel that the current device runs at a time; those of a usual one where the driver does not say.
template <class Config, bool kCausal>
SplitSlots ask_for_slots(int multiprocessors) {
  SplitSlots slots = usual_split_slots(multiprocessors);
  auto* kernel = reinterpret_cast<const void*>(split_streaming_attention<Config, kCausal>);
  if (SharedMemoryLimit::allow(kernel, sizeof(typename Config::Shared)) != cudaSuccess) return slots;
  for (int cluster = 2; cluster <= kLargestCluster; ++cluster) {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(cluster));
    config.blockDim = dim3(Config::kThreads);
    config.dynamicSmemBytes = sizeof(typename Config::Shared);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0) {
      slots[cluster] = clusters;
    }
  }
  (void)cudaGetLastError();
  return slots;
}

// Asked for once per device, by the first kernel that needs it: all have one block on a multiprocessor.
const SplitSlots& split_slots(int multiprocessors) {
  constexpr int kDevices = 64;
  static SplitSlots known[kDevices];
  static std::once_flag asked[kDevices];
  int device = 0;
  cudaGetDevice(&device);
  const int index = std::clamp(device, 0, kDevices - 1);
  std::call_once(asked[index],
                 [&] { known[index] = ask_for_slots<SplitStreamingConfig<half, 128, 128, 3>, full>(multiprocessors); });
  return known[index];
}

// One cluster for each tile.
template <class Config, bool kCausal>
const char* launch_split_streaming(const Call& call, cudaStream_t stream) {
  Params params;
  int multiprocessors = 0;
  if (const char* error = count_multiprocessors(multiprocessors)) return error;
  const int cluster = call.cluster != 0 ? call.cluster : plan_split(call, split_slots(multiprocessors)).cluster;
  if (cluster < 1 || cluster > kLargestCluster) return "clusters have 1 to 8 blocks";
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  params.head_rows_log2 = head_rows_log2(call.query_rows);
  if (params.head_rows_log2 != kSplitTileRowsLog2) {
    const int head_rows = 1 << params.head_rows_log2;
    if (const char* error = encode(params.query, call, call.query, call.query_strides, call.query_heads,
                                   call.query_rows, head_rows, kTileRows / head_rows)) {
      return error;
    }
  }
  params.row_tiles = ceil_div(call.query_rows, kSplitTileRows);
  const int64_t blocks = split_tiles(call) * cluster;
  if (blocks > INT32_MAX) return "too many tiles";
  return launch_kernel(split_streaming_attention<Config, kCausal>, params, dim3(static_cast<unsigned>(blocks)),
                       Config::kThreads, sizeof(typename Config::Shared), call.overlap_previous != 0, stream, cluster);
}

struct Variant {
  Kernel kernel;
  const char* name;
  int head_dim;
  bool clips;          // stores no columns beyond those of the call
  int query_capacity;  // 0: any
  int key_capacity;    // 0: any
  bool bf16;
  bool causal;
  const char* (*launch)(const Call&, cudaStream_t);
};

#define RESIDENT(KERNEL, ELEMENT, MASK, ROWS, SPLITS, PASSES)        \
  {Kernel::KERNEL,                                                   \
   "resident_" #ELEMENT "_" #ROWS "x" #SPLITS "x" #PASSES "_" #MASK, \
   64,                                                               \
   false,                                                            \
   0,                                                                \
   512,                                                              \
   std::is_same_v<ELEMENT, bf16>,                                    \
   MASK,                                                             \
   launch_resident<resident::ResidentConfig<ELEMENT, ROWS, SPLITS, PASSES, MASK>>}

// A kernel that clips. LENGTH: of queries and keys, at most; 0: any
#define CLIPPING(KERNEL, NAME, ELEMENT, MASK, DIM, LENGTH, ...)                     \
  {Kernel::KERNEL, NAME "_" #ELEMENT "_d" #DIM "_" #MASK, DIM,  true,       LENGTH, \
   LENGTH,         std::is_same_v<ELEMENT, bf16>,         MASK, __VA_ARGS__}

// BUFFERS: of queries
#define STREAMING(KERNEL, ELEMENT, MASK, DIM, CONSUMERS, KEYS, STAGES, BUFFERS) \
  CLIPPING(KERNEL, #KERNEL, ELEMENT, MASK, DIM, 0,                              \
           launch_streaming<StreamingConfig<ELEMENT, DIM, CONSUMERS, KEYS, STAGES, MASK, BUFFERS>>)

#define PAIRS(ELEMENT, MASK, LENGTH, DIM)                                \
  CLIPPING(pairs_##LENGTH, "pairs_" #LENGTH, ELEMENT, MASK, DIM, LENGTH, \
           launch_pairs<pairs::PairsConfig<ELEMENT, DIM, LENGTH, MASK>>)

#define OWN_TILES(KERNEL, ELEMENT, MASK, DIM, LONG) \
  CLIPPING(KERNEL, #KERNEL, ELEMENT, MASK, DIM, 0,  \
           launch_own_tiles<own_tiles::OwnTilesConfig<ELEMENT, DIM, MASK, LONG>>)

#define SPLIT(ELEMENT, MASK, DIM, KEYS, STAGES)                       \
  CLIPPING(split_streaming, "split_streaming", ELEMENT, MASK, DIM, 0, \
           launch_split_streaming<SplitStreamingConfig<ELEMENT, DIM, KEYS, STAGES>, MASK>)

#define HALVES(ELEMENT, DIM, KEYS, STAGES)                      \
  CLIPPING(split_halves, "split_halves", ELEMENT, full, DIM, 0, \
           launch_split_streaming<SplitStreamingConfig<ELEMENT, DIM, KEYS, STAGES, true>, full>)

#define HEADS(ELEMENT, DIM, KEYS, STAGES)         \
  {Kernel::streaming_heads,                       \
   "streaming_heads_" #ELEMENT "_d" #DIM "_full", \
   DIM,                                           \
   true,                                          \
   kTileRows,                                     \
   0,                                             \
   std::is_same_v<ELEMENT, bf16>,                 \
   full,                                          \
   launch_streaming_heads<StreamingHeadsConfig<ELEMENT, DIM, KEYS, STAGES>>}

#define ALL_HEADS(ELEMENT)                                                                                          \
  HEADS(ELEMENT, 64, 128, 4), HEADS(ELEMENT, 96, 128, 3), HEADS(ELEMENT, 128, 128, 3), HEADS(ELEMENT, 192, 112, 2), \
      HEADS(ELEMENT, 256, 80, 2)

#define ALL_HALVES(ELEMENT)                                                               \
  HALVES(ELEMENT, 64, 128, 4), HALVES(ELEMENT, 96, 128, 3), HALVES(ELEMENT, 128, 128, 3), \
      HALVES(ELEMENT, 192, 112, 2), HALVES(ELEMENT, 256, 80, 2)

#define ALL_SPLIT(ELEMENT, MASK)                                                                         \
  SPLIT(ELEMENT, MASK, 64, 128, 4), SPLIT(ELEMENT, MASK, 96, 128, 3), SPLIT(ELEMENT, MASK, 128, 128, 3), \
      SPLIT(ELEMENT, MASK, 192, 112, 2), SPLIT(ELEMENT, MASK, 256, 80, 2)

#define ALL_OWN_TILES(ELEMENT, MASK)                                                                       \
  OWN_TILES(own_tiles, ELEMENT, MASK, 64, false), OWN_TILES(own_tiles, ELEMENT, MASK, 96, false),          \
      OWN_TILES(own_tiles, ELEMENT, MASK, 128, false), OWN_TILES(own_tiles, ELEMENT, MASK, 192, false),    \
      OWN_TILES(own_tiles, ELEMENT, MASK, 256, false), OWN_TILES(own_tiles_long, ELEMENT, MASK, 96, true), \
      OWN_TILES(own_tiles_long, ELEMENT, MASK, 128, true)

#define ALL_PAIRS(ELEMENT, MASK)                                                             \
  PAIRS(ELEMENT, MASK, 64, 64), PAIRS(ELEMENT, MASK, 64, 96), PAIRS(ELEMENT, MASK, 64, 128), \
      PAIRS(ELEMENT, MASK, 128, 64), PAIRS(ELEMENT, MASK, 128, 96), PAIRS(ELEMENT, MASK, 128, 128)

#define BOTH_MASKS(ELEMENT, MASK)                                                                                      \
  RESIDENT(resident_1x4, ELEMENT, MASK, 1, 4, 1), RESIDENT(resident_4x1, ELEMENT, MASK, 4, 1, 1),                      \
      RESIDENT(resident_4x1_twice, ELEMENT, MASK, 4, 1, 2), STREAMING(streaming_2, ELEMENT, MASK, 64, 2, 128, 3, 2),   \
      STREAMING(streaming_3, ELEMENT, MASK, 64, 3, 128, 3, 2), STREAMING(streaming_4, ELEMENT, MASK, 64, 4, 64, 4, 2), \
      STREAMING(streaming_2, ELEMENT, MASK, 96, 2, 128, 2, 2),                                                         \
      STREAMING(streaming_2, ELEMENT, MASK, 128, 2, 128, 2, 2),                                                        \
      STREAMING(streaming_2, ELEMENT, MASK, 192, 2, 80, 2, 2),                                                         \
      STREAMING(streaming_2, ELEMENT, MASK, 256, 2, 48, 2, 2),                                                         \
      STREAMING(streaming_wide, ELEMENT, MASK, 192, 2, 112, 2, 1),                                                     \
      STREAMING(streaming_wide, ELEMENT, MASK, 256, 2, 80, 2, 1)

#define ALL_KERNELS(ELEMENT)                                                                                \
  BOTH_MASKS(ELEMENT, full), BOTH_MASKS(ELEMENT, causal), RESIDENT(resident_2x2, ELEMENT, causal, 2, 2, 1), \
      ALL_PAIRS(ELEMENT, full), ALL_PAIRS(ELEMENT, causal), ALL_OWN_TILES(ELEMENT, full),                   \
      ALL_OWN_TILES(ELEMENT, causal), ALL_SPLIT(ELEMENT, full), ALL_SPLIT(ELEMENT, causal),                 \
      ALL_HALVES(ELEMENT), ALL_HEADS(ELEMENT)

const Variant kVariants[] = {ALL_KERNELS(half), ALL_KERNELS(bf16)};

// Columns beyond head_dim are loaded as zeros by every kernel, but not all of them leave them out of what they store.
// Where two fit, the table has the smaller one first, which is what the choice takes.
bool fits(const Variant& variant, int head_dim) {
  if (head_dim == variant.head_dim) return true;
  return variant.clips && head_dim > variant.head_dim - 64 && head_dim < variant.head_dim && head_dim % 8 == 0;
}

const char* check(const Variant& variant, const Call& call) {
  if (!fits(variant, call.head_dim)) return "this variant is for another head_dim";
  if ((call.causal != 0) != variant.causal) return "this variant is for the other kind of mask";
  if ((call.bf16 != 0) != variant.bf16) return "this variant is for another element type";
  if (variant.kernel == Kernel::split_halves && !in_halves(call)) return "the rows fill more than half a tile";
  if (variant.query_capacity != 0 && call.query_rows > variant.query_capacity)
    return "too many queries for this variant";
  if (variant.key_capacity != 0 && call.key_rows > variant.key_capacity) return "too many keys for this variant";
  if (call.batch < 1 || call.query_rows < 1 || call.key_rows < 1 || call.key_heads < 1 ||
      call.query_heads < call.key_heads || call.query_heads % call.key_heads != 0) {
    return "sizes must be positive, query_heads a multiple of key_heads";
  }
  if (call.query_heads > 65535 || call.batch > 65535) return "at most 65535 heads and batches";
  if (!(call.scale > 0.0f) || !std::isfinite(call.scale)) return "scale must be positive and finite";
  for (const void* pointer : {call.query, call.key, call.value, static_cast<const void*>(call.output)}) {
    if (reinterpret_cast<uintptr_t>(pointer) % 16 != 0) return "tensors must start at a multiple of 16 bytes";
  }
  for (const auto* strides : {&call.query_strides, &call.key_strides, &call.value_strides, &call.output_strides}) {
    for (int64_t stride : *strides) {
      if (stride < 0 || stride % 8 != 0) return "strides must be multiples of 8 elements";
    }
  }
  return nullptr;
}

int multiprocessors_of_device() {
  int device = 0;
  int multiprocessors = 132;
  if (cudaGetDevice(&device) == cudaSuccess) {
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  return multiprocessors;
}

// The first variant that computes the call and is wanted, or -1.
template <class Wanted>
int find_variant(const Call& call, Wanted wanted) {
  const auto* found = std::find_if(std::begin(kVariants), std::end(kVariants), [&](const Variant& variant) {
    return wanted(variant) && check(variant, call) == nullptr;
  });
  return found == std::end(kVariants) ? -1 : static_cast<int>(found - std::begin(kVariants));
}

int find_kernel(const Call& call, Kernel kernel) {
  return find_variant(call, [&](const Variant& variant) { return variant.kernel == kernel; });
}

}  // namespace
}  // namespace assay::attention::hopper

namespace hopper = assay::attention::hopper;
using assay::attention::hopper::check;
using assay::attention::hopper::kVariants;

extern "C" {

int hopper_attention_variants(void) {
  return static_cast<int>(std::size(kVariants));
}

const char* hopper_attention_name(int variant) {
  return variant >= 0 && variant < hopper_attention_variants() ? kVariants[variant].name : nullptr;
}

int hopper_attention_supports(int variant, const hopper_attention_call* call) {
  return variant >= 0 && variant < hopper_attention_variants() && check(kVariants[variant], *call) == nullptr;
}

int hopper_attention_choose(const hopper_attention_call* call) {
  return hopper::find_kernel(*call, hopper::choose(*call, hopper::multiprocessors_of_device()));
}

int hopper_attention_choose_long(const hopper_attention_call* call) {
  return hopper::find_kernel(*call, hopper::choose_long(*call, hopper::multiprocessors_of_device()));
}

int hopper_attention_find(const char* beginning, const hopper_attention_call* call) {
  return hopper::find_variant(
      *call, [&](const auto& variant) { return std::strncmp(variant.name, beginning, std::strlen(beginning)) == 0; });
}

const char* hopper_attention_launch(int variant, const hopper_attention_call* call, void* stream) {
  if (variant < 0 || variant >= hopper_attention_variants()) return "no such variant";
  const char* error = check(kVariants[variant], *call);
  if (error != nullptr) return error;
  return kVariants[variant].launch(*call, static_cast<cudaStream_t>(stream));
}
}
