// SPDX-License-Identifier: MIT
// The catalogue, one row a mutation. Injections 1 to 30 and ablations 1 to 15 are the experiments of docs/invert.md;
// those behind them take single causes away, or add blocks, where the others show only that something costs.
#include <algorithm>
#include <array>

#include "invert/editor.hpp"
#include "invert/families.hpp"

namespace assay::invert {
namespace {

constexpr Kind kAdd = Kind::injection;
constexpr Kind kRemove = Kind::ablation;
constexpr int kThreeDoses[] = {1, 2, 4};

const std::array kRows = {
    Row{"extra_special_functions", kAdd, 1, "special functions", "one ex2 on a rotating dummy per special function",
        "special functions are full", "a special function", kEachDose, more_special_functions},
    Row{"extra_fma", kAdd, 2, "FMA and issue slots", "fma on dummies per product of matrices, loop or store",
        "issue slots or the FMA pipe are full", "a product, a loop or a store", kEachDose, more_fma},
    Row{"extra_alu", kAdd, 3, "ALU and issue slots", "lop3 on dummies per product of matrices, loop or store",
        "issue slots or the ALU pipe are full", "a product, a loop or a store", kEachDose, more_alu},
    Row{"extra_products", kAdd, 4, "tensor cores", "each mma and wgmma again, into its own sums",
        "tensor cores are full", "mma or wgmma", kEachDose, more_products},
    Row{"extra_shared_reads", kAdd, 5, "shared memory reads",
        "each ld.shared (volatile) and ldmatrix again, one result used", "shared memory's bandwidth is full",
        "ld.shared or ldmatrix", kEachDose, more_shared_reads},
    Row{"extra_shared_writes", kAdd, 6, "shared memory writes", "each st.shared again, volatile; each stmatrix again",
        "the same, of stores", "st.shared or stmatrix", kEachDose, more_shared_writes},
    Row{"bank_conflicts", kAdd, 7, "bank conflicts", "bits of bank and row change places: 2, 4 and 8 lanes in a bank",
        "what the layout in shared memory earns", "shared memory of a few rows", kThreeDoses, more_bank_conflicts},
    Row{"extra_l2_reads", kAdd, 8, "global reads", "each load of global memory again, volatile, one result used",
        "L2 or LSU are full", "ld.global", kEachDose, more_l2_reads},
    Row{"extra_dram_reads", kAdd, 9, "global reads", "each load again, from a buffer beside the tensors",
        "DRAM's bandwidth is full", "ld.global", kEachDose, more_dram_reads},
    Row{"extra_writes", kAdd, 10, "global writes", "each store to global memory again, volatile",
        "the bandwidth of writes is full", "st.global", kEachDose, more_writes},
    Row{"uncoalesced", kAdd, 11, "coalescing", "%tid transposed between lanes and 2, 4, 8 or 16 warps",
        "what coalescing earns", "a one-dimensional block of several warps", kEachDose, transposed_threads},
    Row{"misaligned", kAdd, 12, "coalescing", "tensors begin 4 to 16 bytes later", "one more sector per request",
        "accesses narrower than 32 bytes", kOneDose, misaligned},
    Row{"narrow_accesses", kAdd, 13, "coalescing", "vector accesses in 2 and in 4 pieces", "the value of wide accesses",
        "vector accesses to global memory", kTwoDoses, narrow_accesses},
    Row{"not_staged", kAdd, 14, "staging", "each ld.shared from a buffer in global memory instead",
        "the value of shared memory", "ld.shared", kOneDose, not_staged},
    Row{"no_overlap", kAdd, 15, "asynchronous copies", "cp.async.wait_group 0 after each commit",
        "the value of the pipeline", "groups of cp.async", kOneDose, no_overlap},
    Row{"fewer_stages",
        kAdd,
        16,
        "asynchronous copies",
        "the tunable of stages, one step down",
        "the depth needed",
        "a tunable whose name has STAGE",
        kOneDose,
        nullptr,
        {"STAGE"}},
    Row{"extra_barriers", kAdd, 17, "barriers", "each barrier of the block again", "synchronisation", "bar.sync",
        kEachDose, more_barriers},
    Row{"skewed_warps", kAdd, 18, "barriers", "16 dependent additions in the first warp before each barrier",
        "how much imbalance costs", "bar.sync and several warps", kEachDose, skewed_warps},
    Row{"diverged", kAdd, 19, "divergence", "even and odd lanes diverge through the innermost loops",
        "issue slots, and latency of half-empty warps", "instructions that lanes can execute apart", kOneDose,
        diverged},
    Row{"fewer_registers",
        kAdd,
        20,
        "registers and local memory",
        ".maxnreg of 3/4 and 1/2",
        "spills",
        "ptxas",
        kTwoDoses,
        fewer_registers,
        {},
        "what ptxas spills is not in the PTX: only a GPU can tell"},
    Row{"lower_occupancy", kAdd, 21, "occupancy", "more dynamic shared memory: 1, 2, 4 or 8 blocks fewer on an SM",
        "warps hide latency", "several blocks on an SM", kEachDose, fewer_blocks_per_sm},
    Row{"smaller_blocks", kAdd, 22, "launch and blocks", "blocks of 1/2 and 1/4 of the threads, so many more of them",
        "what a block costs", "threads that do not work together, or a tunable", kTwoDoses, half_blocks},
    Row{"one_block_more", kAdd, 23, "launch and blocks", "whole waves and one block, against whole waves", "the tail",
        "a one-dimensional grid of at least a wave", kOneDose, one_block_more},
    Row{"block_order", kAdd, 24, "block order", "%ctaid.x strided by the golden ratio",
        "locality in the L2 that the order earns", "four blocks along x", kOneDose, other_block_order},
    Row{"cold_caches",
        kAdd,
        25,
        "caches across calls",
        "caches flushed before each call",
        "reuse across calls",
        "a GPU",
        kOneDose,
        cold_caches,
        {},
        "only a GPU can tell"},
    Row{"contended_atomics", kAdd, 26, "atomics", "atomics all to one address", "contention",
        "atomics whose result nobody wants", kOneDose, contended_atomics},
    Row{"through_f64", kAdd, 27, "float64", "1/8, 1/4, 1/2 and all of the f32 arithmetic through f64",
        "how an accident with double would hurt", "f32 arithmetic", kEachDose, through_f64},
    Row{"larger_code", kAdd, 28, "code size", "innermost loops 2, 3, 5 and 9 times behind each other, branches kept",
        "the instruction cache", "a loop", kEachDose, larger_code},
    Row{"split_launch", kAdd, 29, "launch and blocks", "two launches of half the grid", "launch overhead", "two blocks",
        kOneDose, split_launch},
    Row{"smaller_copies", kAdd, 30, "asynchronous copies", "multicast block by block; bulk copies in 2 and 4 pieces",
        "the efficiency of TMA", "multicast, or bulk copies without a tensor map", kTwoDoses, smaller_copies},
    Row{"more_blocks", kAdd, 31, "idle SMs", "the whole grid once, 2, 4 and 8 times more",
        "low cost: SMs are idle that more blocks could use", "%ctaid.x", kEachDose, more_blocks},

    Row{"no_special_functions", kRemove, 1, "special functions", "ex2, rcp, rsqrt and the like become mov",
        "special functions", "a special function", kOneDose, no_special_functions},
    Row{"no_products", kRemove, 2, "tensor cores", "d = c, and one lop3 over a register of a and of b", "tensor cores",
        "mma or wgmma", kOneDose, no_products},
    Row{"no_shared_reads", kRemove, 3, "shared memory reads", "results that ptxas cannot know, made of the address",
        "reads of shared memory", "ld.shared or ldmatrix", kOneDose, no_shared_reads},
    Row{"no_global_reads", kRemove, 4, "global reads", "results that ptxas cannot know, made of the address",
        "reads of global memory", "ld.global", kOneDose, no_global_reads},
    Row{"no_copies", kRemove, 5, "asynchronous copies", "copies dropped, commits and waits kept; nothing is expected",
        "asynchronous copies", "cp.async or bulk copies", kOneDose, no_copies},
    Row{"no_stores", kRemove, 6, "global writes", "under a predicate that is false, which ptxas cannot know",
        "stores to global memory", "st.global", kOneDose, no_stores},
    Row{"no_barriers", kRemove, 7, "barriers", "bar.sync dropped", "barriers", "bar.sync", kOneDose, no_barriers},
    Row{"no_shuffles", kRemove, 8, "shuffles", "shuffles, votes and redux give back their operand",
        "work between the lanes of a warp", "shfl, vote or redux", kOneDose, no_shuffles},
    Row{"no_conversions", kRemove, 9, "conversions", "cvt, min, max and selp of floating numbers become mov",
        "conversions, extrema and masks", "such instructions", kOneDose, no_conversions},
    Row{"no_addresses", kRemove, 10, "address arithmetic", "one address for each thread; what made the others goes",
        "address arithmetic", "accesses to global memory", kOneDose, no_addresses},
    Row{"half_the_loop", kRemove, 11, "loop", "half the rounds of the loop that runs most",
        "the growing part of the time", "a loop of as many rounds in each warp", kOneDose, half_the_loop},
    Row{"nothing_left", kRemove, 12, "launch and blocks", "every thread leaves at once",
        "launch and blocks: the floor of this launch", "nothing", kOneDose, nothing_left},
    Row{"no_atomics", kRemove, 13, "atomics", "atomics become stores to a word of the thread's own", "atomics",
        "red or atom", kOneDose, no_atomics},
    Row{"no_bounds_checks",
        kRemove,
        14,
        "bounds checks",
        "branches that no lane takes at this shape go",
        "bounds checks",
        "such a branch",
        kOneDose,
        no_bounds_checks,
        {},
        "ptxas may move loads across what was a branch: only a GPU can tell"},
    Row{"no_local_memory", kRemove, 15, "registers and local memory",
        "ld.local and st.local taken away; a limit on registers that makes spills is lifted", "local memory",
        "local memory or spills", kOneDose, no_local_memory},
    Row{"coalesced", kRemove, 16, "coalescing", "each access at consecutive words of another buffer",
        "accesses that are not coalesced", "accesses to global memory", kOneDose, coalesced},
    Row{"no_bank_conflicts", kRemove, 17, "bank conflicts", "each lane at its own words of one row", "bank conflicts",
        "shared memory", kOneDose, no_bank_conflicts},
    Row{"f64_as_f32", kRemove, 18, "float64", "float64 arithmetic on halves of the registers, as float32",
        "float64 arithmetic", "f64 arithmetic", kOneDose, f64_as_f32},
    Row{"converged", kRemove, 19, "divergence", "whole warps take a branch where lanes did, as large a share",
        "lanes that wait for others", "a branch that parts the lanes of a warp", kOneDose, converged},
    Row{"no_divisions", kRemove, 20, "integer divisions",
        "a remainder becomes an and, a quotient zero, unknown to ptxas", "divisions of integers",
        "div or rem of integers of 32 or 64 bits", kOneDose, no_divisions},
};

}  // namespace

std::string_view to_string(Kind kind) {
  return kind == Kind::injection ? "injection" : "ablation";
}

std::span<const Row> catalogue() {
  return kRows;
}

const Row* find_row(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &Row::name);
  return found == kRows.end() ? nullptr : &*found;
}

}  // namespace assay::invert
