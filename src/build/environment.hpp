// SPDX-License-Identifier: MIT
// What this machine has of what Assay can use, found without a GPU and without loading a driver.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::build {

enum class FactStatus { ok, warning, missing };

std::string_view to_string(FactStatus status);

struct Fact {
  std::string name;  // "nvcc"
  FactStatus status = FactStatus::ok;
  std::string value;  // "13.0.88 (/usr/local/cuda/bin/nvcc)"
  std::string hint;   // what to do, if there is something to do

  bool operator==(const Fact&) const = default;
};

// In the order in which they are shown. Programs are asked side by side, each for ten seconds at most.
std::vector<Fact> environment_facts(const std::filesystem::path& cache_folder);

// The newest major version of gcc that the toolkit's headers accept, or 0: from the text of crt/host_config.h.
int newest_supported_gcc(std::string_view host_config);

}  // namespace assay::build
