// SPDX-License-Identifier: MIT
// Time from counters, by one fixed formula that is never fitted: the busiest pipe's cycles on an SM, times what the
// last wave wastes, divided by how well the active warps hide latency, 1 - exp(-warps per scheduler / 2). Only ratios
// between configurations of one space mean something. What the formula is made of (a demand) is kept apart, so that a
// search can learn rates from what it measures (fitted_formula.hpp).
#pragma once

#include <array>
#include <vector>

#include "tune/counter_names.hpp"
#include "tune/counter_table.hpp"

namespace assay::tune {

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

// Of what an SM can hold: three kinds of GPUs. Which one it is shows in what is measured.
const std::array<PipeRates, 3>& kinds_of_gpus();

inline constexpr size_t kPipes = 11;
inline constexpr float kNoWork = -60;  // the logarithm of no cycles at all

// What one configuration asks of a GPU.
struct Demand {
  std::array<float, kPipes> log_cycles;                // of each pipe, per SM; kNoWork where nothing was counted
  float log_tail = 0;                                  // of what the last wave costs over a full one
  float warps = -1;                                    // per scheduler; negative: not known
  float registers = 0, shared_bytes = 0, threads = 0;  // of a thread, of a block, of a block; 0: not known
  bool fits = true;  // false: no GPU can launch a block of so many registers, threads or bytes

  bool known() const;  // some work was counted
};

// One row per configuration. Empty if the table has too little: no counter of work at all.
std::vector<Demand> demands(const CounterTable& table, const PipeRates& rates = {});

// For each of the kinds of GPUs; empty where `demands` is.
std::vector<std::vector<Demand>> demands_by_kind(const CounterTable& table);

// The logarithm of the predicted cycles; NaN where nothing is known.
double log_cycles(const Demand& demand);

// The predicted time of one row, in cycles; NaN where no work was counted.
double predict_row(const CounterTable& table, size_t row, const PipeRates& rates);

// The predicted time of each row, in cycles; NaN where its counters are missing. Empty if the table has too little.
std::vector<double> predict_cycles(const CounterTable& table, const PipeRates& rates = {});

}  // namespace assay::tune
