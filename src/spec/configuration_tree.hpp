// SPDX-License-Identifier: MIT
// The combinations of tunables as a tree, one tunable a level in the file's order: a constraint cuts a branch off as
// soon as everything that it names has a value. So a specification may have more combinations than anybody could count.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "spec/configuration.hpp"

namespace assay::spec {

// For each tunable the index of its value, in the file's order.
using ConfigurationRow = std::vector<uint16_t>;

Configuration configuration_of(const KernelSpec& spec, const ConfigurationRow& row);
ConfigurationRow row_of(const KernelSpec& spec, const Configuration& configuration);

// The tunables that each constraint binds together, in the file's order; one that no constraint names stands alone.
std::vector<std::vector<size_t>> groups_of_tunables(const KernelSpec& spec);

class ConfigurationTree {
 public:
  // `fixed`: tunables that have this value alone. `levels`: of these tunables only, with the constraints that name no
  // others; empty: of all.
  explicit ConfigurationTree(const KernelSpec& spec, const Bindings& fixed = {}, std::vector<size_t> levels = {});

  double combinations() const;  // before constraints

  // The legal ones, the last tunable fastest. Rows have one entry for each tunable of the specification; those of other
  // levels are 0. The visitor returns false to stop. False: it stopped, or the limit of steps did.
  using Visitor = std::function<Result<bool>(const ConfigurationRow&)>;
  Result<bool> walk(const Visitor& visit, size_t most_steps = kMostSteps);

  // One path from the root, each value drawn from those that no constraint cuts off at once. The product of how many
  // there were is an unbiased estimate of the number of legal ones (D. Knuth, 1975); 0 where it ended in nothing.
  struct Probe {
    double count = 0;
    std::optional<ConfigurationRow> row;
  };
  Result<Probe> probe(Random& random);

  // Whether all constraints hold.
  Result<bool> legal(const ConfigurationRow& row);

  static constexpr size_t kMostSteps = 400'000;          // while a file is loaded, which may be anybody's
  static constexpr size_t kMostStepsOfList = 4'000'000;  // where somebody wants all of them

 private:
  // What can be evaluated at a level, and not before.
  struct Level {
    size_t tunable = 0;
    std::vector<uint16_t> values;
    std::vector<const Let*> lets;
    std::vector<const Expression*> constraints;
  };
  enum class Cut { no, yes, unknown };  // unknown: a constraint cannot be evaluated there, and a later value may tell

  void bind(const Level& level, uint16_t value);
  Cut cut(const Level& level);
  Result<bool> all_hold() const;

  const KernelSpec& spec_;
  std::vector<Level> levels_;
  std::vector<const Expression*> constraints_;
  Bindings scope_;
  ConfigurationRow row_;
};

}  // namespace assay::spec
