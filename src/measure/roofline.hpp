// SPDX-License-Identifier: MIT
// The time that no kernel can beat on a GPU: operations at the peak rate, bytes at the peak bandwidth. What is faster
// did not do the work.
#pragma once

#include <optional>

#include "gpu/gpu_model.hpp"
#include "measure/protocol.hpp"

namespace assay::measure {

struct Work {
  std::optional<double> flops;  // of one call
  std::optional<double> bytes;  // that must be read or written at least once
  double output_bytes = 0;      // of them; they may still lie in the cache when the call ends
  bool eight_bit = false;       // some operand has 8 bits: tensor cores do twice as many of those
};

struct Floor {
  double us = 0;  // 0: nothing is known of the work or of the GPU
  double compute_us = 0;
  double memory_us = 0;
};

// `clock_mhz` is the highest clock that was seen, if one was: the peak grows with it. In a warm cache bytes may come
// from L2, whose bandwidth is not the memory's; four times the memory's is more than any GPU of the table has.
Floor floor_of(const Work& work, const gpu::GpuModel& model, Cache cache, double clock_mhz);

}  // namespace assay::measure
