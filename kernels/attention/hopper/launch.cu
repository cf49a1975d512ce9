// SPDX-License-Identifier: MIT
// Host side of the Hopper kernels: the table of variants, launch.
#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>
#include <iterator>
#include <type_traits>

#include "choice.hpp"
#include "hopper_attention.h"
#include "launch_params.hpp"
#include "resident.cuh"
#include "streaming.cuh"

namespace assay::attention::hopper {
namespace {

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

struct Variant {
  Kernel kernel;
  const char* name;
  int head_dim;
  int key_capacity;  // 0: any
  bool bf16;
  bool causal;
  const char* (*launch)(const Call&, cudaStream_t);
};

constexpr bool full = false;
constexpr bool causal = true;
using half = __half;
using bf16 = __nv_bfloat16;

#define RESIDENT(KERNEL, ELEMENT, MASK, ROWS, SPLITS, PASSES)        \
  {Kernel::KERNEL,                                                   \
   "resident_" #ELEMENT "_" #ROWS "x" #SPLITS "x" #PASSES "_" #MASK, \
   64,                                                               \
   512,                                                              \
   std::is_same_v<ELEMENT, bf16>,                                    \
   MASK,                                                             \
   launch_resident<resident::ResidentConfig<ELEMENT, ROWS, SPLITS, PASSES, MASK>>}

#define STREAMING(KERNEL, ELEMENT, MASK, DIM, CONSUMERS, KEYS, STAGES) \
  {Kernel::KERNEL,                                                     \
   #KERNEL "_" #ELEMENT "_d" #DIM "_" #MASK,                           \
   DIM,                                                                \
   0,                                                                  \
   std::is_same_v<ELEMENT, bf16>,                                      \
   MASK,                                                               \
   launch_streaming<StreamingConfig<ELEMENT, DIM, CONSUMERS, KEYS, STAGES, MASK>>}

#define BOTH_MASKS(ELEMENT, MASK)                                                                                  \
  RESIDENT(resident_1x4, ELEMENT, MASK, 1, 4, 1), RESIDENT(resident_4x1, ELEMENT, MASK, 4, 1, 1),                  \
      RESIDENT(resident_4x1_twice, ELEMENT, MASK, 4, 1, 2), STREAMING(streaming_2, ELEMENT, MASK, 64, 2, 128, 3),  \
      STREAMING(streaming_3, ELEMENT, MASK, 64, 3, 128, 3), STREAMING(streaming_4, ELEMENT, MASK, 64, 4, 64, 4),   \
      STREAMING(streaming_2, ELEMENT, MASK, 96, 2, 128, 2), STREAMING(streaming_2, ELEMENT, MASK, 128, 2, 128, 2), \
      STREAMING(streaming_2, ELEMENT, MASK, 192, 2, 80, 2), STREAMING(streaming_2, ELEMENT, MASK, 256, 2, 48, 2)

#define ALL_KERNELS(ELEMENT) \
  BOTH_MASKS(ELEMENT, full), BOTH_MASKS(ELEMENT, causal), RESIDENT(resident_2x2, ELEMENT, causal, 2, 2, 1)

const Variant kVariants[] = {ALL_KERNELS(half), ALL_KERNELS(bf16)};

// Columns beyond head_dim are loaded as zeros by every kernel, but only the streaming kernels leave them out of what
// they store. Where two fit, the table has the smaller one first, which is what the choice takes.
bool fits(const Variant& variant, int head_dim) {
  if (head_dim == variant.head_dim) return true;
  const bool clips = variant.key_capacity == 0;
  return clips && head_dim > variant.head_dim - 64 && head_dim < variant.head_dim && head_dim % 8 == 0;
}

const char* check(const Variant& variant, const Call& call) {
  if (!fits(variant, call.head_dim)) return "this variant is for another head_dim";
  if ((call.causal != 0) != variant.causal) return "this variant is for the other kind of mask";
  if ((call.bf16 != 0) != variant.bf16) return "this variant is for another element type";
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

}  // namespace
}  // namespace assay::attention::hopper

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
  int device = 0;
  int multiprocessors = 132;
  if (cudaGetDevice(&device) == cudaSuccess) {
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  const auto wanted = assay::attention::hopper::choose(*call, multiprocessors);
  for (int variant = 0; variant < hopper_attention_variants(); ++variant) {
    if (kVariants[variant].kernel == wanted && hopper_attention_supports(variant, call)) return variant;
  }
  return -1;
}

const char* hopper_attention_launch(int variant, const hopper_attention_call* call, void* stream) {
  if (variant < 0 || variant >= hopper_attention_variants()) return "no such variant";
  const char* error = check(kVariants[variant], *call);
  if (error != nullptr) return error;
  return kVariants[variant].launch(*call, static_cast<cudaStream_t>(stream));
}
}
