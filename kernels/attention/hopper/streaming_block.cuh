// SPDX-License-Identifier: MIT
// What the blocks of streaming kernels have in common: their sizes, their shared memory and its barriers, and how they
// share out registers.
#pragma once

#include "mbarrier.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

// Two buffers for the queries of a tile: those of the next one arrive while this one is worked on, and its output is
// staged where its queries were. One buffer leaves room for more keys: each consumer then hands its queries back after
// the last scores of a tile, and writes its output from registers.
//
// Turns: consumers that share out the places of the ring (consumer_warpgroup.cuh).
template <class ElementType, int kHeadDimension, int kConsumerGroups, int kKeyBlockRows, int kStageCount,
          int kQueryBufferCount = 2, int kTurnCount = 1>
struct StreamingBlock {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kConsumers = kConsumerGroups;
  static constexpr int kKeyBlock = kKeyBlockRows;
  static constexpr int kStages = kStageCount;
  static constexpr int kQueryBuffers = kQueryBufferCount;
  static constexpr int kTurns = kTurnCount;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kRows = kConsumers * kTileRows;
  static constexpr int kPanels = (kHeadDim + kPanelColumns - 1) / kPanelColumns;
  static constexpr int kStoredColumns = kPanels * kPanelColumns;  // of a row in shared memory
  static_assert(kQueryBuffers == 2 || (kQueryBuffers == 1 && kConsumers == 2));
  static_assert(kTurns == 1 || kTurns == kConsumers);
};

// Block: a StreamingBlock. TileWork: what warps tell each other of a tile.
template <class Block, class TileWork>
struct alignas(1024) StreamingShared {
  using Element = typename Block::Element;

  Element query[Block::kQueryBuffers][Block::kConsumers][kTileRows * Block::kStoredColumns];
  Element key[Block::kStages][Block::kKeyBlock * Block::kStoredColumns];
  Element value[Block::kStages][Block::kKeyBlock * Block::kStoredColumns];
  TileWork work[4 / Block::kQueryBuffers];  // the tiles of the queries; none: the end. One buffer: two per consumer
  Mbarrier query_full[2];                   // of a buffer, or of a consumer where there is one
  Mbarrier query_empty[2];
  Mbarrier output_full[2];  // staged where the queries were
  Mbarrier key_full[Block::kStages];
  Mbarrier key_empty[Block::kStages];
  Mbarrier value_full[Block::kStages];
  Mbarrier value_empty[Block::kStages];

  // By one thread. Who fills a place arrives once, who reads it once per warp of the consumers.
  __device__ __forceinline__ void init_barriers() {
    for (int buffer = 0; buffer < 2; ++buffer) {
      query_full[buffer].init(1);
      query_empty[buffer].init(Block::kQueryBuffers == 2 ? 1 : 4);
      output_full[buffer].init(Block::kConsumers * 4);
    }
    for (int stage = 0; stage < Block::kStages; ++stage) {
      key_full[stage].init(1);
      key_empty[stage].init(Block::kConsumers / Block::kTurns * 4);
      value_full[stage].init(1);
      value_empty[stage].init(Block::kConsumers / Block::kTurns * 4);
    }
    publish_mbarriers();
  }
};

// PTX ISA "setmaxnreg"
template <int kRegisters>
__device__ __forceinline__ void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace assay::attention::hopper
