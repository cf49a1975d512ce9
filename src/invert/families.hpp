// SPDX-License-Identifier: MIT
// The mutations, one function for each row of the catalogue.
#pragma once

#include "invert/mutation.hpp"

namespace assay::invert {

// arithmetic.cpp
Outcome more_special_functions(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_fma(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_alu(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_products(const KernelText& prepared, const Facts& facts, int dose);
Outcome through_f64(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_special_functions(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_products(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_conversions(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_divisions(const KernelText& prepared, const Facts& facts, int dose);
Outcome f64_as_f32(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_shuffles(const KernelText& prepared, const Facts& facts, int dose);

// shared_memory.cpp
Outcome more_shared_reads(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_shared_writes(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_bank_conflicts(const KernelText& prepared, const Facts& facts, int dose);
Outcome not_staged(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_shared_reads(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_bank_conflicts(const KernelText& prepared, const Facts& facts, int dose);

// global_memory.cpp
Outcome more_l2_reads(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_dram_reads(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_writes(const KernelText& prepared, const Facts& facts, int dose);
Outcome narrow_accesses(const KernelText& prepared, const Facts& facts, int dose);
Outcome contended_atomics(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_global_reads(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_stores(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_atomics(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_local_memory(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_addresses(const KernelText& prepared, const Facts& facts, int dose);
Outcome coalesced(const KernelText& prepared, const Facts& facts, int dose);

// copies.cpp
Outcome no_overlap(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_copies(const KernelText& prepared, const Facts& facts, int dose);
Outcome smaller_copies(const KernelText& prepared, const Facts& facts, int dose);

// control.cpp
Outcome more_barriers(const KernelText& prepared, const Facts& facts, int dose);
Outcome skewed_warps(const KernelText& prepared, const Facts& facts, int dose);
Outcome diverged(const KernelText& prepared, const Facts& facts, int dose);
Outcome larger_code(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_barriers(const KernelText& prepared, const Facts& facts, int dose);
Outcome half_the_loop(const KernelText& prepared, const Facts& facts, int dose);
Outcome nothing_left(const KernelText& prepared, const Facts& facts, int dose);
Outcome no_bounds_checks(const KernelText& prepared, const Facts& facts, int dose);
Outcome converged(const KernelText& prepared, const Facts& facts, int dose);

// launch.cpp
Outcome transposed_threads(const KernelText& prepared, const Facts& facts, int dose);
Outcome misaligned(const KernelText& prepared, const Facts& facts, int dose);
Outcome fewer_registers(const KernelText& prepared, const Facts& facts, int dose);
Outcome fewer_blocks_per_sm(const KernelText& prepared, const Facts& facts, int dose);
Outcome half_blocks(const KernelText& prepared, const Facts& facts, int dose);
Outcome one_block_more(const KernelText& prepared, const Facts& facts, int dose);
Outcome other_block_order(const KernelText& prepared, const Facts& facts, int dose);
Outcome cold_caches(const KernelText& prepared, const Facts& facts, int dose);
Outcome split_launch(const KernelText& prepared, const Facts& facts, int dose);
Outcome more_blocks(const KernelText& prepared, const Facts& facts, int dose);

}  // namespace assay::invert
