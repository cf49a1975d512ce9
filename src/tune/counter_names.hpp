// SPDX-License-Identifier: MIT
// What a counter is by its name: Nsight Compute's, CUPTI's, the older profiler's, KTT's or our own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::tune {

// What a counter is, as far as the formula cares. Instructions are those of warps, in the whole grid.
enum class Quantity {
  instructions,
  float_instructions,
  half_instructions,
  double_instructions,
  integer_instructions,
  special_instructions,
  conversion_instructions,  // on the pipe of the special ones
  tensor_instructions,
  memory_instructions,
  control_instructions,
  other_instructions,
  shared_wavefronts,
  global_requests,
  l1_transactions,  // of older profilers: requests and what they need more
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
inline constexpr size_t kQuantities = static_cast<size_t>(Quantity::active_warps) + 1;

struct KnownCounter {
  Quantity quantity;
  double scale = 1;  // the counter times this is the quantity
};

// Nothing for what the formula has no use for.
std::optional<KnownCounter> recognise_counter(std::string_view name);

// The name without what tells loads from stores: "l1tex__t_sectors_op_ld" and "..._op_st" are parts of one amount,
// "lts__t_sectors" and "dram__sectors" are amounts of their own. `part` says whether there was anything to leave out.
struct CounterFamily {
  std::string name;
  bool part = false;
};
CounterFamily counter_family(std::string_view name);

}  // namespace assay::tune
