// SPDX-License-Identifier: MIT
// What a compiled kernel takes of a GPU. A figure that is not known is empty; it is never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::build {

struct ResourceUsage {
  std::string entry{};
  std::optional<int> registers{};              // per thread
  std::optional<int64_t> stack_bytes{};        // per thread, the entry's own frame, in local memory
  std::optional<int64_t> spill_store_bytes{};  // per thread, of the entry and the functions compiled with it
  std::optional<int64_t> spill_load_bytes{};
  std::optional<int64_t> static_shared_bytes{};  // per block, without what the system reserves
  std::optional<int> barriers{};
  std::optional<int> max_threads{};  // from launch bounds; empty if there are none

  bool operator==(const ResourceUsage&) const = default;
};

// The entries of a compilation, in alphabetical order: from the cubin itself and, for spills, which it does not hold,
// from what `ptxas -v` wrote. Where both know a figure and disagree, it is not known.
std::vector<ResourceUsage> resource_usage(std::string_view cubin, std::string_view ptxas_output);

const ResourceUsage* find_entry(const std::vector<ResourceUsage>& usages, std::string_view entry);

}  // namespace assay::build
