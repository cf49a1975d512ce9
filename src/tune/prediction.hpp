// SPDX-License-Identifier: MIT
// Time from counters, by one fixed formula that is never fitted: the busiest pipe's cycles on an SM, times what the
// last wave wastes, divided by how well the active warps hide latency, 1 - exp(-warps per scheduler / 2). Only ratios
// between configurations of one space mean something.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/counter_table.hpp"

namespace assay::tune {

// What a counter is, as far as the formula cares. Instructions are those of warps, in the whole grid.
enum class Quantity {
  instructions,
  float_instructions,
  double_instructions,
  integer_instructions,
  special_instructions,
  tensor_instructions,
  memory_instructions,
  shared_wavefronts,
  global_requests,
  l2_sectors,
  dram_sectors,
  local_sectors,
  registers,
  shared_bytes,
  block_threads,
  grid_blocks,
  grid_threads,
  occupancy,     // a fraction of the warps that an SM can hold
  active_warps,  // per SM
};

struct KnownCounter {
  Quantity quantity;
  double scale = 1;  // the counter times this is the quantity
};

// By its name: Nsight Compute's, CUPTI's, the older profiler's, KTT's or our own. Nothing for what the formula has no
// use for.
std::optional<KnownCounter> recognise_counter(std::string_view name);

// Rates of the GPU, per SM and clock. The defaults are a middling one: they matter only where two pipes are close.
struct PipeRates {
  double sms = 80;
  double float_lanes = 96;
  double double_lanes = 8;
  double integer_lanes = 64;
  double special_lanes = 16;
  double tensor_instructions = 0.5;
  double l2_bytes = 48;
  double dram_bytes = 10;
  double max_warps = 48;
  double max_blocks = 24;
  double registers = 65536;
  double shared_bytes = 100 * 1024;
};

// The predicted time of one row, in cycles; NaN where no work was counted.
double predict_row(const CounterTable& table, size_t row, const PipeRates& rates);

// The predicted time of each row, in cycles; NaN where its counters are missing. Empty if the table has too little: no
// counter of work at all.
std::vector<double> predict_cycles(const CounterTable& table, const PipeRates& rates = {});

}  // namespace assay::tune
