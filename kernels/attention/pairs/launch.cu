// SPDX-License-Identifier: MIT
// Host side of the kernels for many short sequences, as a library for bench.py alone: attention routes nothing to them.
#include <algorithm>
#include <iterator>
#include <type_traits>

#include "../hopper/launch_params.hpp"
#include "../hopper/pairs.cuh"

namespace assay::attention::hopper::pairs {
namespace {

// A persistent grid: one block per multiprocessor, or fewer if there are fewer pairs.
template <class Config>
const char* launch(const Call& call, cudaStream_t stream) {
  Params params{};
  int multiprocessors = 0;
  if (const char* error = fill(params, call, Config::kKeyBlock)) return error;
  if (const char* error = count_multiprocessors(multiprocessors)) return error;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(int64_t{call.batch} * call.query_heads, multiprocessors));
  return launch_kernel(pairs_attention<Config>, params, dim3(blocks), Config::kThreads, sizeof(typename Config::Shared),
                       call.overlap_previous != 0, stream);
}

struct Variant {
  int head_dim;  // the largest that it takes
  int length;
  bool bf16;
  bool causal;
  const char* (*launch)(const Call&, cudaStream_t);
};

#define VARIANT(ELEMENT, DIM, LENGTH, CAUSAL) \
  {DIM, LENGTH, std::is_same_v<ELEMENT, __nv_bfloat16>, CAUSAL, launch<PairsConfig<ELEMENT, DIM, LENGTH, CAUSAL>>}
#define VARIANTS(DIM, LENGTH)                                                                                          \
  VARIANT(__half, DIM, LENGTH, false), VARIANT(__half, DIM, LENGTH, true), VARIANT(__nv_bfloat16, DIM, LENGTH, false), \
      VARIANT(__nv_bfloat16, DIM, LENGTH, true)

// The smallest that fits comes first.
const Variant kVariants[] = {VARIANTS(64, 64),  VARIANTS(96, 64),  VARIANTS(128, 64),
                             VARIANTS(64, 128), VARIANTS(96, 128), VARIANTS(128, 128)};

}  // namespace
}  // namespace assay::attention::hopper::pairs

// Null, or what went wrong.
extern "C" const char* pairs_attention_launch(const hopper_attention_call* call, void* stream) {
  using assay::attention::hopper::pairs::kVariants;
  const auto* found = std::find_if(std::begin(kVariants), std::end(kVariants), [&](const auto& variant) {
    return call->head_dim <= variant.head_dim && call->query_rows <= variant.length &&
           call->key_rows <= variant.length && (call->bf16 != 0) == variant.bf16 &&
           (call->causal != 0) == variant.causal;
  });
  if (found == std::end(kVariants)) return "at most 128 queries, 128 keys and 128 columns";
  return found->launch(*call, static_cast<cudaStream_t>(stream));
}
