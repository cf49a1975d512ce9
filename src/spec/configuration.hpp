// SPDX-License-Identifier: MIT
// Configurations: one value for each tunable, such that every constraint holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::spec {

struct Configuration {
  Bindings values;

  std::string id() const;  // "BLOCK_M=64,BLOCK_N=32"; "default" if there are no tunables
  auto operator<=>(const Configuration&) const = default;
};

// All legal ones in the file's order, the last tunable varying fastest. A kernel without tunables has exactly one.
Result<std::vector<Configuration>> configurations(const KernelSpec& spec);
// The one of [defaults], else the first legal one.
Result<Configuration> default_configuration(const KernelSpec& spec);

// "BLOCK_M=64,STAGES=2" as given to --config. Tunables that are not named keep the default configuration's value if
// that is legal, else the first legal configuration that has the named values is taken.
Result<Configuration> parse_configuration(const KernelSpec& spec, std::string_view text);
// "NAME=value,..." as values; each is one that the tunable has.
Result<Bindings> parse_choices(const KernelSpec& spec, std::string_view text);
// Every legal configuration that has the named values; empty text: all of them. Refused: more than kMaxConfigurations.
Result<std::vector<Configuration>> matching_configurations(const KernelSpec& spec, std::string_view text);

// Compiler arguments: "-DBLOCK_M=64"; booleans as 0 and 1; a word only if it can be a name in C++.
std::vector<std::string> defines(const Configuration& configuration);

}  // namespace assay::spec
