// SPDX-License-Identifier: MIT
// The warps of the streaming kernel that bring queries, keys and values from wherever they are (packed sequences,
// pages) into the panels that wgmma reads. By cp.async, 16 bytes a lane: rows that a sequence does not have become
// zeros, whatever lies there.
//
// A warp has the copies of one tile in flight while those of the tile before arrive; a tile is announced when its
// copies are done and published to the asynchronous proxy, by which wgmma reads.
#pragma once

#include "../../primitives/async_copy.cuh"
#include "../../primitives/swizzle.cuh"
#include "../hopper/tensor_copy.cuh"
#include "../hopper/warpgroup_tile.cuh"
#include "paged_keys.cuh"
#include "streaming_walk.cuh"

namespace assay::attention::serving::streaming {

using namespace hopper;

constexpr int kPanelChunks = kPanelColumns / 8;

// This lane's 16 bytes of rows of four at a time: eight lanes take the eight chunks of a panel's row.
struct LanePlace {
  int row;
  int chunk;

  __device__ __forceinline__ LanePlace()
      : row(static_cast<int>(threadIdx.x) % 32 / kPanelChunks), chunk(static_cast<int>(threadIdx.x) % kPanelChunks) {}

  // PTX ISA, "cp.async": of 16 bytes the first `bytes` are read, the others become zero.
  __device__ __forceinline__ static void copy(uint32_t s_destination, const void* g_source, int bytes) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(s_destination), "l"(g_source),
                 "r"(bytes)
                 : "memory");
  }
};

// Kernel rows of a tile of kTileHeight rows from `first_row` of the tile on, kUnitRows of them. g_row: of this lane's
// first row; rows: how many of these there are.
template <class Config, int kTileHeight, int kUnitRows>
__device__ __forceinline__ void copy_rows(LanePlace lane, uint32_t s_tile, int first_row, const char* g_row,
                                          int64_t row_bytes, int rows, int row_chunks) {
  constexpr int kChunks = Config::kHeadDim / 8;
#pragma unroll
  for (int pass = 0; pass < kUnitRows / 4; ++pass) {
    const int row = pass * 4 + lane.row;  // first_row is a multiple of eight
    const uint32_t s_row =
        s_tile + static_cast<uint32_t>((first_row + row) * kPanelRowBytes + (lane.chunk ^ (row % 8)) * kChunkBytes);
    const bool inside = row < rows;
#pragma unroll
    for (int panel = 0; panel < Config::kPanels; ++panel) {
      const int chunk = panel * kPanelChunks + lane.chunk;
      if (kChunks % kPanelChunks != 0 && chunk >= kChunks) continue;
      LanePlace::copy(s_row + panel * kTileHeight * kPanelRowBytes, g_row + panel * kPanelRowBytes,
                      inside && chunk < row_chunks ? kChunkBytes : 0);
    }
    g_row += 4 * row_bytes;
  }
}

// Tiles whose copies were issued and that nobody has been told of yet: none or one.
class InFlight {
 public:
  // The copies issued since the last call are this barrier's.
  __device__ __forceinline__ void add(Mbarrier& full) {
    commit_copies();
    if (full_ != nullptr) announce<1>();
    full_ = &full;
  }
  // Before waiting for somebody who may be waiting for these.
  __device__ __forceinline__ void finish() {
    if (full_ != nullptr) announce<0>();
    full_ = nullptr;
  }

 private:
  template <int kNewer>
  __device__ __forceinline__ void announce() {
    wait_for_copies<kNewer>();
    publish_to_copy_engine();
    __syncwarp();
    if (threadIdx.x % 32 == 0) full_->arrive();
  }
  Mbarrier* full_ = nullptr;
};

// PTX ISA "mbarrier.test_wait"
__device__ __forceinline__ bool is_complete(Mbarrier& barrier, uint32_t parity) {
  uint32_t done;
  asm volatile(
      "{\n.reg .pred done;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n}\n"
      : "=r"(done)
      : "r"(shared_address(&barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

// A warp that loads keys, or one that loads values.
template <class Config, bool kValues>
struct KeyLoader {
  typename Config::Shared& shared;
  const Params& params;
  RingCursor<Config::kStages> cursor;
  InFlight in_flight;

  __device__ __forceinline__ void run() {
    TileWalk<Config> walk(params);
    TileWork work;
    while (walk.next(work)) {
      const PagedKeys keys(params, Sequence(params, work.batch), work.head / params.group);
#pragma unroll 1
      for (int block = work.last_block; block >= work.first_block; --block) load(keys, block);
    }
    in_flight.finish();
  }

 private:
  __device__ __forceinline__ void load(const PagedKeys& keys, int block) {
    constexpr int kUnits = Config::kKeyBlock / kPageUnit;
    Mbarrier& empty = kValues ? shared.value_empty[cursor.stage] : shared.key_empty[cursor.stage];
    // All lanes must agree on whether to wait.
    if (__any_sync(~0u, !is_complete(empty, cursor.parity ^ 1))) {
      in_flight.finish();
      empty.wait(cursor.parity ^ 1);
    }
    const LanePlace lane;
    const uint32_t s_tile = shared_address(kValues ? shared.value[cursor.stage] : shared.key[cursor.stage]);
    const int64_t row_bytes = kValues ? keys.value_row_bytes() : keys.key_row_bytes();
    UnitWalk walk(params, keys, block * kUnits);
#pragma unroll 1
    for (int unit = 0; unit < kUnits; ++unit) {
      const UnitPlace place = walk.take(keys);
      const char* g_row =
          (kValues ? keys.value_row(place, lane.row) : keys.key_row(place, lane.row)) + lane.chunk * kChunkBytes;
      copy_rows<Config, Config::kKeyBlock, kPageUnit>(lane, s_tile, unit * kPageUnit, g_row, row_bytes,
                                                      keys.rows - (block * kUnits + unit) * kPageUnit,
                                                      params.row_chunks);
    }
    in_flight.add(kValues ? shared.value_full[cursor.stage] : shared.key_full[cursor.stage]);
    cursor.advance();
  }
};

// The warp that loads queries and says which tile comes.
template <class Config>
struct QueryLoader {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;

  __device__ __forceinline__ void run() {
    TileWalk<Config> walk(params);
    RingCursor<2> cursor;
    TileWork work;
    bool more = true;
    for (; more; cursor.advance()) {
      more = walk.next(work);
      shared.query_empty[cursor.stage].wait(cursor.parity ^ 1);
      if (threadIdx.x % 32 == 0) shared.work[cursor.stage] = work;
      if (more) load(work, cursor.stage);
      commit_copies();
      wait_for_copies<0>();
      publish_to_copy_engine();
      __syncwarp();
      if (threadIdx.x % 32 == 0) shared.query_full[cursor.stage].arrive();
    }
  }

 private:
  __device__ __forceinline__ void load(const TileWork& work, int buffer) {
    const LanePlace lane;
    const Sequence sequence = sequence_of(params, work);
    const int64_t row_bytes = params.query_strides[2] * int64_t{sizeof(Element)};
#pragma unroll 1
    for (int group = 0; group < Config::kConsumers; ++group) {
      const int first_row = work.tile * Config::kRows + group * kTileRows;
      const char* g_row = reinterpret_cast<const char*>(
          static_cast<const Element*>(params.query) +
          sequence.query_offset(params, params.query_strides, work.head, first_row + lane.row) + lane.chunk * 8);
      const uint32_t s_tile = shared_address(shared.query[buffer][group]);
#pragma unroll 1
      for (int unit = 0; unit < kTileRows / kPageUnit; ++unit) {
        copy_rows<Config, kTileRows, kPageUnit>(lane, s_tile, unit * kPageUnit, g_row, row_bytes,
                                                work.queries - first_row - unit * kPageUnit, params.row_chunks);
        g_row += kPageUnit * row_bytes;
      }
    }
  }
};

// The warp that stores finished tiles, so that no consumer waits for global memory. Rows of other sequences stay.
template <class Config>
struct Writer {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;

  __device__ __forceinline__ void run() {
    RingCursor<2> cursor;
    for (;; cursor.advance()) {
      const int buffer = cursor.stage;
      shared.query_full[buffer].wait(cursor.parity);
      const TileWork work = shared.work[buffer];
      if (work.tile < 0) return;
      shared.output_full[buffer].wait(cursor.parity);
#pragma unroll 1
      for (int group = 0; group < Config::kConsumers; ++group) {
        write(work, work.tile * Config::kRows + group * kTileRows, shared.query[buffer][group]);
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) shared.query_empty[buffer].arrive();
    }
  }

 private:
  __device__ __forceinline__ void write(const TileWork& work, int first_row, const void* s_tile) const {
    const LanePlace lane;
    const int64_t offset =
        sequence_of(params, work).query_offset(params, params.output_strides, work.head, first_row + lane.row);
    auto* g_row = static_cast<Element*>(params.output) + offset + lane.chunk * 8;
    const int rows = min(kTileRows, work.queries - first_row);
#pragma unroll(Config::kPanels > 2 ? 1 : 4)  // registers are few
    for (int row = lane.row; row < rows; row += 4) {
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        const auto* s_chunk = static_cast<const uint8_t*>(s_tile) + (panel * kTileRows + row) * kPanelRowBytes +
                              (lane.chunk ^ (row % 8)) * kChunkBytes;
        if (panel * kPanelChunks + lane.chunk < params.row_chunks) {
          *reinterpret_cast<uint4*>(g_row + panel * kPanelColumns) = *reinterpret_cast<const uint4*>(s_chunk);
        }
      }
      g_row += 4 * params.output_strides[2];
    }
  }
};

}  // namespace assay::attention::serving::streaming
