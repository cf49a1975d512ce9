// SPDX-License-Identifier: MIT
// The thread of the streaming kernel that stores finished tiles, so that no consumer waits for global memory.
#pragma once

#include "schedule.cuh"
#include "tensor_copy.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

template <class Config>
struct StreamingWriter {
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
#pragma unroll
      for (int group = 0; group < Config::kConsumers; ++group) {
#pragma unroll
        for (int panel = 0; panel < Config::kPanels; ++panel) {
          store_tile(params.output,
                     {panel * kPanelColumns, work.tile * Config::kRows + group * kTileRows, work.head, work.batch},
                     shared.query[buffer][group] + panel * kTileRows * kPanelColumns);
        }
      }
      wait_stores_read();
      shared.query_empty[buffer].arrive();
    }
  }
};

}  // namespace assay::attention::hopper
