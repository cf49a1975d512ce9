// SPDX-License-Identifier: MIT
// A piece of work whose keys several clusters share: each leaves its partial result in global memory, and the one that
// comes last merges all of them, in the order of their keys whoever is last, so that the same input gives the same bits
// on every run. Nobody waits.
//
// Block r of every cluster has the same share of the piece's quads (partial_results.cuh), so that blocks of a rank meet
// each other and no others. `arrivals` counts them, at the cluster in which the piece begins: of the pieces that begin
// there only the last can go on in the next cluster. Whoever is last sets the count back to 0 for the next call.
#pragma once

#include <cstdint>

#include "../../primitives/cluster.cuh"
#include "partial_results.cuh"

namespace assay::attention::split_keys {

// The clusters that share a piece are neighbours.
struct Sharers {
  int cluster;  // this one
  int number;   // of this one among them
  int count;
};

// What one cluster found.
template <int kRows, int kHeadDim>
struct SharedPartial {
  static constexpr int kRowQuads = kHeadDim / 4;

  float4 output[kRows * kRowQuads];
  float2 origin_and_sum[kLargestCluster][kRows];  // each block writes those of its own share
};

// PTX ISA, "atom": what the block wrote before its barrier is seen by whoever counts after it, and the other way round.
__device__ __forceinline__ uint32_t count_arrival(uint32_t* g_count) {
  uint32_t before;
  asm volatile("atom.global.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(g_count) : "memory");
  return before;
}

template <typename Element, int kRows, int kHeadDim, int kThreads>
class Exchange {
  using Partial = SharedPartial<kRows, kHeadDim>;
  using Arrivals = Inbox<kRows, kHeadDim>;
  static constexpr int kRowQuads = Partial::kRowQuads;
  static constexpr int kAtOnce = 8;  // partial results that are on their way to a thread

 public:
  template <typename Call>
  __device__ __forceinline__ Exchange(const Call& params, const Sharers& sharers, int rows)
      : sharers_(sharers),
        rows_(rows),
        g_partials_(static_cast<Partial*>(params.exchange) + 2 * first_cluster()),
        g_arrivals_(params.arrivals + first_cluster() * kLargestCluster + cluster_rank()) {}

  // This block's share of what its cluster found becomes output, if it is the last of its rank. Every thread of the
  // block must call it. Found: Inbox, or another that visits the quads of this block's share.
  template <typename Found, typename Call, typename Rows>
  __device__ __forceinline__ void merge(const Found& found, const Call& params, const Rows& packed) {
    const int first_quad = cluster_rank() * Arrivals::share_of(rows_);
    found.template for_each_quad<kThreads>(rows_, [&](int quad, const float4& merged, float highest, float total) {
      Partial& g_partial = partial_of(sharers_.number);
      g_partial.output[quad] = merged;
      if (quad % kRowQuads == 0 || quad == first_quad)
        g_partial.origin_and_sum[cluster_rank()][quad / kRowQuads] = make_float2(highest, total);
    });
    if (!is_last()) return;
    const int end_quad = min(first_quad + Arrivals::share_of(rows_), rows_ * kRowQuads);
    for (int quad = first_quad + static_cast<int>(threadIdx.x); quad < end_quad; quad += kThreads) {
      const Merged all = merge_quad(quad);
      Arrivals::template store<Element>(params, packed, quad / kRowQuads, quad % kRowQuads * 4, all.output, all.highest,
                                        all.total);
    }
  }

 private:
  struct Merged {
    float4 output;
    float highest;
    float total;
  };

  __device__ __forceinline__ int first_cluster() const { return sharers_.cluster - sharers_.number; }

  // A cluster's share begins within at most one piece and ends within at most one: two places each.
  __device__ __forceinline__ Partial& partial_of(int number) const { return g_partials_[2 * number + (number == 0)]; }

  __device__ __forceinline__ bool is_last() const {
    bool last = false;
    __syncthreads();  // all of the block's share is written
    if (threadIdx.x == 0) {
      last = count_arrival(g_arrivals_) == static_cast<uint32_t>(sharers_.count - 1);
      if (last) *g_arrivals_ = 0;
    }
    return __syncthreads_or(last) != 0;
  }

  // Of all sharers, some at a time: what is merged shrinks as a larger score comes.
  __device__ __forceinline__ Merged merge_quad(int quad) const {
    Merged all{make_float4(0.0f, 0.0f, 0.0f, 0.0f), -INFINITY, 0.0f};
#pragma unroll 1
    for (int first = 0; first < sharers_.count; first += kAtOnce) {
      float4 output[kAtOnce];
      float2 origin_and_sum[kAtOnce];
      float highest = all.highest;
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (first + i >= sharers_.count) break;
        const Partial& g_partial = partial_of(first + i);
        output[i] = __ldcg(&g_partial.output[quad]);
        origin_and_sum[i] = __ldcg(&g_partial.origin_and_sum[cluster_rank()][quad / kRowQuads]);
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (first + i < sharers_.count) highest = fmaxf(highest, origin_and_sum[i].x);
      const float shrink = exp2_approximate(all.highest - highest);
      all.total *= shrink;
      all.output =
          make_float4(all.output.x * shrink, all.output.y * shrink, all.output.z * shrink, all.output.w * shrink);
      all.highest = highest;
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        if (first + i >= sharers_.count) break;
        const float weight = exp2_approximate(origin_and_sum[i].x - highest);
        all.total += weight * origin_and_sum[i].y;
        add(all.output, weight, output[i]);
      }
    }
    return all;
  }

  Sharers sharers_;
  int rows_;
  Partial* g_partials_;
  uint32_t* g_arrivals_;
};

}  // namespace assay::attention::split_keys
