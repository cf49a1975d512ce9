// SPDX-License-Identifier: MIT
// The rules, one a row: when a rule applies and what is its evidence, what the launch is without its cost, what to do.
#include "diagnosis/rules.hpp"

#include <array>

namespace assay::diagnosis {
namespace {

constexpr std::array kRules = {
    Rule{"debug_build", "Built for debugging", debug_build, optimised, "build without -G and with optimisation"},
    Rule{"not_enough_blocks", "Not enough blocks", not_enough_blocks, enough_blocks,
         "parallelise over the missing axis; split the longest loop over blocks (split-K); persistent blocks for a "
         "ragged last wave"},
    Rule{"dram_bound", "At the bandwidth of DRAM", dram_bound, without_dram,
         "little inside this kernel can help: fuse it with its neighbours, or use a narrower type", false, true},
    Rule{"above_compulsory", "Data is read more often than it must be", above_compulsory, compulsory_only,
         "tile: keep it in shared memory or registers while all who need it use it; order blocks so that neighbours "
         "share"},
    Rule{"uncoalesced", "Accesses to global memory are not coalesced", uncoalesced, coalesced,
         "let neighbouring lanes touch neighbouring words: transpose through shared memory, use vector loads, or map "
         "threads to data another way"},
    Rule{"bank_conflicts", "Bank conflicts in shared memory", bank_conflicts, no_conflicts,
         "pad rows by 4 or 16 bytes, swizzle by 16 bytes, or load with ldmatrix"},
    Rule{"shared_bandwidth", "The bandwidth of shared memory is full", shared_bandwidth, half_the_shared_traffic,
         "larger tiles in registers, so that each value loaded is used more often; wider loads; ldmatrix"},
    Rule{"tensor_idle", "The tensor cores could do this faster", tensor_idle, on_tensor_cores,
         "use matrix instructions: mma on Ampere and Ada, wgmma on Hopper, with a larger N"},
    Rule{"special_functions", "The special function unit is full", special_functions, no_special_functions,
         "exp2 with the scale folded in, a polynomial on the FMA pipe for a share of them, fewer rescalings"},
    Rule{"double_precision", "float64 arithmetic", double_precision, single_precision,
         "float32 where it is accurate enough; look for constants without f and for functions that take double"},
    Rule{"conversions", "Conversions between types", conversions, no_conversions,
         "keep values in one type through the loop and convert once; packed conversions; integer arithmetic or a table "
         "for narrow integers"},
    Rule{"latency", "Latency: warps wait, and nothing is busy", latency, no_latency,
         "more independent work for each warp (unroll, several sums), loads issued earlier (stages), more warps if "
         "registers and shared memory allow",
         true},
    Rule{"local_memory", "Local memory: spills or arrays", local_memory, no_local_memory,
         "smaller tiles or other launch bounds against spills; constant indices (unrolled loops) or shared memory for "
         "arrays"},
    Rule{"shuffles", "Shuffles between lanes", shuffles, no_shuffles,
         "more work for each lane before lanes exchange, redux where it serves, shared memory for long ways"},
    Rule{"divergence", "Lanes of a warp diverge", divergence, converged,
         "sort work so that the lanes of a warp take the same way, or give each case to warps of its own"},
    Rule{"barriers", "Barriers", barriers, no_barriers,
         "drop those that protect nothing; __syncwarp where a warp keeps to itself; named barriers; double buffering"},
    Rule{"uneven_warps", "Most warps of a block wait for few", uneven_warps, even_warps,
         "deal this part over all warps of the block: partial results of each warp in shared memory, then a short last "
         "step; or give the others work that does not depend on it"},
    Rule{"atomics", "Atomics", atomics, no_atomics,
         "reduce in registers, in the warp and in shared memory first; one atomic for each block"},
    Rule{"silent_stores", "Stores that change nothing", silent_stores, no_silent_stores,
         "write once, when the value is final"},
    Rule{"overwritten_stores", "The same words are written again and again", overwritten_stores, stored_once,
         "keep the value in a register and store it once, behind the loop"},
    Rule{"same_sector_twice", "The same data is asked for again and again", same_sector_twice, each_sector_once,
         "keep it in registers or shared memory; wider loads"},
    Rule{"narrow_accesses", "Accesses of few bytes for each lane", narrow_accesses, wide_accesses,
         "let each lane load and store 16 bytes at once (uint4, or 4 at least) and take them apart in registers; dp4a "
         "and half2 work on several values at once"},
    Rule{"address_arithmetic", "Address arithmetic", address_arithmetic, no_address_arithmetic,
         "divisions out of the loop, 32-bit indices, pointers that are advanced"},
    Rule{"integer_work", "Integer arithmetic and comparisons", integer_work, no_integer_work,
         "take what does not change out of the loop; unroll short loops; multiply by a reciprocal instead of dividing, "
         "or divide by a constant; 32 bits instead of 64; several narrow values in one instruction",
         true},
    Rule{"excess_arithmetic", "More floating-point arithmetic than the problem has", excess_arithmetic,
         needed_arithmetic,
         "cheaper functions (approximate ones, -use_fast_math), a product with the reciprocal instead of a division; "
         "compute once what several results need, or take it from a table",
         true},
    Rule{"uneven_blocks", "Some blocks take much longer than others", uneven_blocks, even_blocks,
         "deal the work evenly: split the longest pieces over several blocks, start them first, or let blocks fetch "
         "pieces from a counter"},
    Rule{"starting_blocks", "Starting blocks is a large part of the time", starting_blocks, few_blocks,
         "more work for each thread, larger blocks, persistent blocks"},
    Rule{"launch", "Most of the time is the launch", launch_bound, without_launch,
         "launch from a CUDA graph, overlap with programmatic dependent launch, fuse with its neighbours", true},
    Rule{"workspace", "More device memory than the problem has", workspace, no_workspace,
         "reuse buffers, keep partial results on the chip"},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

}  // namespace assay::diagnosis
