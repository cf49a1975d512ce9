// SPDX-License-Identifier: MIT
#include "gpu/occupancy.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace assay::gpu {
namespace {

constexpr int kLanes = 32;
constexpr int kUnlimited = std::numeric_limits<int>::max();

int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int64_t warps_of(const BlockNeeds& needs) {
  return (needs.threads + kLanes - 1) / kLanes;
}

int64_t registers_per_warp(const GpuModel& model, int registers_per_thread) {
  return round_up(int64_t{registers_per_thread} * kLanes, model.register_allocation_unit);
}

// The register file is split between the partitions of an SM, and a block's warps are dealt out to them in turn:
// a block takes as much as if its number of warps were a multiple of the partitions.
int64_t registers_of_block(const GpuModel& model, const BlockNeeds& needs, int registers_per_thread) {
  return registers_per_warp(model, registers_per_thread) * round_up(warps_of(needs), model.warp_allocation_granularity);
}

int blocks_by_registers(const GpuModel& model, const BlockNeeds& needs) {
  const int64_t per_warp = registers_per_warp(model, *needs.registers_per_thread);
  if (per_warp == 0) return kUnlimited;
  const int64_t warps_per_partition = model.registers_per_sm / model.warp_allocation_granularity / per_warp;
  return static_cast<int>(warps_per_partition * model.warp_allocation_granularity / warps_of(needs));
}

int blocks_by_shared(const GpuModel& model, const BlockNeeds& needs) {
  const int64_t bytes = *needs.static_shared_bytes + needs.dynamic_shared_bytes + model.shared_bytes_reserved_per_block;
  return static_cast<int>(model.shared_bytes_per_sm / round_up(bytes, model.shared_allocation_granularity));
}

Occupancy refuse(std::string reason) {
  return {.fit = Fit::does_not_fit,
          .reason = std::move(reason),
          .blocks_per_sm = 0,
          .warps_per_sm = 0,
          .percent = 0,
          .limiters = {}};
}

// The reason why no block can run, or "".
std::string obstacle(const GpuModel& model, const BlockNeeds& needs) {
  if (needs.threads <= 0) return fmt::format("a block of {} threads cannot be launched", needs.threads);
  if (needs.threads > model.max_threads_per_block) {
    return fmt::format("a block of {} threads is more than the {} that a block may have", needs.threads,
                       model.max_threads_per_block);
  }
  if (needs.max_threads && needs.threads > *needs.max_threads) {
    return fmt::format("a block of {} threads is more than the {} for which the kernel was compiled (launch bounds)",
                       needs.threads, *needs.max_threads);
  }
  const int64_t known_static = needs.static_shared_bytes.value_or(0);
  if (needs.dynamic_shared_bytes < 0 || known_static < 0) return "a negative size of shared memory";
  // Compared without a sum, which could overflow for absurd sizes.
  if (known_static > model.shared_bytes_per_block) {
    return fmt::format("{} bytes of static shared memory are more than the {} that a block may have", known_static,
                       model.shared_bytes_per_block);
  }
  if (needs.dynamic_shared_bytes > model.shared_bytes_per_block_optin - known_static) {
    return fmt::format("{} bytes of shared memory ({} static + {} dynamic) are more than the {} that a block may have",
                       static_cast<uint64_t>(known_static) + static_cast<uint64_t>(needs.dynamic_shared_bytes),
                       known_static, needs.dynamic_shared_bytes, model.shared_bytes_per_block_optin);
  }
  if (!needs.registers_per_thread) return "";
  const int registers = *needs.registers_per_thread;
  if (registers < 0 || registers > model.max_registers_per_thread) {
    return fmt::format("{} registers per thread are more than the {} that a thread may have", registers,
                       model.max_registers_per_thread);
  }
  if (const int64_t total = registers_of_block(model, needs, registers); total > model.registers_per_sm) {
    return fmt::format("{} registers ({} per thread, {} threads, as allocated) are more than the {} of an SM", total,
                       registers, needs.threads, model.registers_per_sm);
  }
  return "";
}

// Registers that are not known leave the verdict open only if some legal number of them would not fit.
bool registers_could_prevent(const GpuModel& model, const BlockNeeds& needs) {
  return !needs.registers_per_thread &&
         registers_of_block(model, needs, model.max_registers_per_thread) > model.registers_per_sm;
}

void judge_fit(const GpuModel& model, const BlockNeeds& needs, Occupancy& result) {
  if (!needs.static_shared_bytes) {
    result.reason = "the static shared memory of the kernel is not known";
    return;
  }
  if (registers_could_prevent(model, needs)) {
    result.reason = "the number of registers is not known";
    return;
  }
  const int64_t shared = *needs.static_shared_bytes + needs.dynamic_shared_bytes;
  result.fit = Fit::fits;
  if (shared > model.shared_bytes_per_block) {
    result.fit = Fit::fits_with_optin;
    result.reason =
        fmt::format("{} bytes of shared memory are more than the {} of a plain launch, within the {} of an opt-in",
                    shared, model.shared_bytes_per_block, model.shared_bytes_per_block_optin);
  }
}

void count_blocks(const GpuModel& model, const BlockNeeds& needs, Occupancy& result) {
  if (!needs.registers_per_thread || !needs.static_shared_bytes) return;
  const auto warps = static_cast<int>(warps_of(needs));
  struct Bound {
    Limiter limiter;
    int blocks;
  };
  const Bound bounds[] = {
      {Limiter::registers, blocks_by_registers(model, needs)},
      {Limiter::shared_memory, blocks_by_shared(model, needs)},
      {Limiter::threads, model.max_warps_per_sm / warps},
      {Limiter::blocks, model.max_blocks_per_sm},
      {Limiter::barriers,
       model.barriers_per_sm > 0 && needs.barriers > 0 ? model.barriers_per_sm / needs.barriers : kUnlimited},
  };
  const int blocks = std::ranges::min_element(bounds, {}, &Bound::blocks)->blocks;
  for (const Bound& bound : bounds) {
    if (bound.blocks == blocks) result.limiters.push_back(bound.limiter);
  }
  result.blocks_per_sm = blocks;
  result.warps_per_sm = blocks * warps;
  result.percent = 100.0 * *result.warps_per_sm / model.max_warps_per_sm;
}

}  // namespace

std::string_view to_string(Fit fit) {
  switch (fit) {
    case Fit::fits:
      return "fits";
    case Fit::fits_with_optin:
      return "fits with opt-in";
    case Fit::does_not_fit:
      return "does not fit";
    case Fit::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view to_string(Limiter limiter) {
  switch (limiter) {
    case Limiter::registers:
      return "registers";
    case Limiter::shared_memory:
      return "shared memory";
    case Limiter::threads:
      return "threads";
    case Limiter::blocks:
      return "blocks";
    case Limiter::barriers:
      return "barriers";
  }
  return "unknown";
}

Occupancy occupancy(const GpuModel& model, const BlockNeeds& needs) {
  if (std::string reason = obstacle(model, needs); !reason.empty()) return refuse(std::move(reason));
  Occupancy result;
  judge_fit(model, needs, result);
  count_blocks(model, needs, result);
  return result;
}

}  // namespace assay::gpu
