// SPDX-License-Identifier: MIT
#include "gpu/launch_work.hpp"

#include <algorithm>

namespace assay::gpu {
namespace {

constexpr std::array<std::string_view, kWorkCount> kNames = {
    "issue",
    "fma",
    "alu",
    "xu",
    "xu_float64",
    "xu_conversions",
    "fp64",
    "lsu",
    "lsu_global",
    "l1_wavefronts",
    "shared_wavefronts",
    "shared_conflicts",
    "shared_atomics",
    "sectors_asked",
    "sectors_ideal",
    "sectors_again_warp",
    "sectors_again_block",
    "l2_read_sectors",
    "l2_write_sectors",
    "partial_sectors",
    "atomics",
    "stored_words",
    "silent_words",
    "local_sectors",
    "local_write_sectors",
    "local_partial_sectors",
    "barriers",
    "needless_barriers",
    "instructions",
    "sites",
    "address_instructions",
    "address_issue",
    "integer_issue",
    "float_issue",
    "conversion_issue",
    "narrow_accesses",
    "narrow_spared",
    "shuffles",
    "lanes",
    "wait_global",
    "wait_async",
    "wait_shared",
    "wait_tensor",
    "wait_fixed",
    "wait_barrier",
    "held_up",
};

}  // namespace

std::string_view to_string(Work work) {
  return kNames[static_cast<size_t>(work)];
}

std::optional<Work> work_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Work>(found - kNames.begin());
}

}  // namespace assay::gpu
