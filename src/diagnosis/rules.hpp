// SPDX-License-Identifier: MIT
// The functions of the rules: when one applies and what it has seen, and the launch without its cost.
#pragma once

#include <optional>

#include "diagnosis/diagnosis.hpp"

namespace assay::diagnosis {

using Seen = std::optional<Evidence>;

Seen not_enough_blocks(const Case& about);
void enough_blocks(Case& about);
Seen starting_blocks(const Case& about);
void few_blocks(Case& about);
Seen launch_bound(const Case& about);
void without_launch(Case& about);
Seen dram_bound(const Case& about);
void without_dram(Case& about);
Seen uncoalesced(const Case& about);
void coalesced(Case& about);
Seen above_compulsory(const Case& about);
void compulsory_only(Case& about);
Seen same_sector_twice(const Case& about);
void each_sector_once(Case& about);
Seen silent_stores(const Case& about);
void no_silent_stores(Case& about);
Seen overwritten_stores(const Case& about);
void stored_once(Case& about);
Seen atomics(const Case& about);
void no_atomics(Case& about);
Seen narrow_accesses(const Case& about);
void wide_accesses(Case& about);
Seen local_memory(const Case& about);
void no_local_memory(Case& about);
Seen bank_conflicts(const Case& about);
void no_conflicts(Case& about);
Seen shared_bandwidth(const Case& about);
void half_the_shared_traffic(Case& about);
Seen tensor_idle(const Case& about);
void on_tensor_cores(Case& about);
Seen special_functions(const Case& about);
void no_special_functions(Case& about);
Seen double_precision(const Case& about);
void single_precision(Case& about);
Seen conversions(const Case& about);
void no_conversions(Case& about);
Seen divergence(const Case& about);
void converged(Case& about);
Seen address_arithmetic(const Case& about);
void no_address_arithmetic(Case& about);
Seen integer_work(const Case& about);
void no_integer_work(Case& about);
Seen excess_arithmetic(const Case& about);
void needed_arithmetic(Case& about);
Seen shuffles(const Case& about);
void no_shuffles(Case& about);
Seen latency(const Case& about);
void no_latency(Case& about);
Seen uneven_blocks(const Case& about);
void even_blocks(Case& about);
Seen uneven_warps(const Case& about);
void even_warps(Case& about);
Seen barriers(const Case& about);
void no_barriers(Case& about);
Seen debug_build(const Case& about);
void optimised(Case& about);
Seen workspace(const Case& about);
void no_workspace(Case& about);

}  // namespace assay::diagnosis
