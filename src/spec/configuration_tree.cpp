// SPDX-License-Identifier: MIT
#include "spec/configuration_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace assay::spec {
namespace {

// The tunables that an expression of tunables depends on, through [let].
std::set<std::string> tunables_of(const KernelSpec& spec, const Expression& expression) {
  std::set<std::string> found;
  std::vector<const Expression*> open{&expression};
  std::set<std::string> seen;
  while (!open.empty()) {
    const Expression* const each = open.back();
    open.pop_back();
    for (const std::string& name : each->names()) {
      if (!seen.insert(name).second) continue;
      const auto let = std::ranges::find(spec.lets, name, &Let::name);
      if (let != spec.lets.end()) {
        open.push_back(&let->value);
      } else {
        found.insert(name);
      }
    }
  }
  return found;
}

}  // namespace

Configuration configuration_of(const KernelSpec& spec, const ConfigurationRow& row) {
  Configuration configuration;
  for (size_t i = 0; i < row.size(); ++i)
    configuration.values[spec.tunable.tunables[i].name] = spec.tunable.tunables[i].values[row[i]];
  return configuration;
}

ConfigurationRow row_of(const KernelSpec& spec, const Configuration& configuration) {
  ConfigurationRow row;
  for (const Tunable& tunable : spec.tunable.tunables) {
    const auto found = std::ranges::find(tunable.values, configuration.values.at(tunable.name));
    row.push_back(static_cast<uint16_t>(found - tunable.values.begin()));
  }
  return row;
}

std::vector<std::vector<size_t>> groups_of_tunables(const KernelSpec& spec) {
  const std::vector<Tunable>& tunables = spec.tunable.tunables;
  std::vector<size_t> group(tunables.size());
  std::iota(group.begin(), group.end(), size_t{0});
  for (const Expression& constraint : spec.tunable.constraints) {
    std::optional<size_t> first;
    for (const std::string& name : tunables_of(spec, constraint)) {
      const auto found = std::ranges::find(tunables, name, &Tunable::name);
      if (found == tunables.end()) continue;
      const size_t own = group[static_cast<size_t>(found - tunables.begin())];
      if (!first) first = own;
      std::ranges::replace(group, own, *first);
    }
  }
  std::map<size_t, std::vector<size_t>> members;
  for (size_t i = 0; i < group.size(); ++i) members[group[i]].push_back(i);
  std::vector<std::vector<size_t>> groups;
  for (auto& [leader, list] : members) groups.push_back(std::move(list));
  return groups;
}

ConfigurationTree::ConfigurationTree(const KernelSpec& spec, const Bindings& fixed, std::vector<size_t> levels)
    : spec_(spec), row_(spec.tunable.tunables.size(), 0) {
  if (levels.empty()) {
    levels.resize(spec.tunable.tunables.size());
    std::iota(levels.begin(), levels.end(), size_t{0});
  }
  std::map<std::string, size_t> depth;  // at which a name has a value
  for (const size_t each : levels) {
    const Tunable& tunable = spec.tunable.tunables[each];
    Level& level = levels_.emplace_back();
    level.tunable = each;
    const auto only = fixed.find(tunable.name);
    for (size_t value = 0; value < tunable.values.size(); ++value) {
      if (only == fixed.end() || tunable.values[value] == only->second)
        level.values.push_back(static_cast<uint16_t>(value));
    }
    depth[tunable.name] = levels_.size() - 1;
  }
  const auto depth_of = [&](const Expression& expression) -> std::optional<size_t> {
    size_t deepest = 0;
    for (const std::string& name : expression.names()) {
      const auto found = depth.find(name);
      if (found == depth.end()) return std::nullopt;
      deepest = std::max(deepest, found->second);
    }
    return deepest;
  };
  if (levels_.empty()) {  // no tunables: one combination, and constraints of numbers alone
    for (const Expression& constraint : spec.tunable.constraints) constraints_.push_back(&constraint);
    return;
  }
  for (const Let& let : spec.lets) {  // each after those that it uses
    if (const auto at = depth_of(let.value)) {
      levels_[*at].lets.push_back(&let);
      depth[let.name] = *at;
    }
  }
  for (const Expression& constraint : spec.tunable.constraints) {
    if (const auto at = depth_of(constraint)) {
      levels_[*at].constraints.push_back(&constraint);
      constraints_.push_back(&constraint);
    }
  }
}

double ConfigurationTree::combinations() const {
  double product = 1;
  for (const Level& level : levels_) product *= static_cast<double>(level.values.size());
  return product;
}

void ConfigurationTree::bind(const Level& level, uint16_t value) {
  const Tunable& tunable = spec_.tunable.tunables[level.tunable];
  row_[level.tunable] = value;
  scope_[tunable.name] = tunable.values[value];
}

ConfigurationTree::Cut ConfigurationTree::cut(const Level& level) {
  Cut result = Cut::no;
  for (const Let* let : level.lets) {
    auto value = let->value.evaluate(scope_);
    if (value) {
      scope_[let->name] = *std::move(value);
    } else {
      scope_.erase(let->name);
      result = Cut::unknown;
    }
  }
  for (const Expression* constraint : level.constraints) {
    const Result<bool> holds = constraint->evaluate_condition(scope_);
    if (!holds) {
      result = Cut::unknown;
    } else if (!*holds) {
      // What another constraint could not evaluate need not be: in the file's order this one may come first.
      return result == Cut::unknown ? Cut::unknown : Cut::yes;
    }
  }
  return result;
}

// In the file's order, so that one constraint can keep the next from a division by zero.
Result<bool> ConfigurationTree::all_hold() const {
  if (constraints_.empty()) return true;
  Bindings scope;
  for (const Level& level : levels_) {
    const Tunable& tunable = spec_.tunable.tunables[level.tunable];
    scope[tunable.name] = tunable.values[row_[level.tunable]];
  }
  for (const Level& level : levels_) {
    for (const Let* let : level.lets) {
      ASSAY_TRY(scope[let->name], let->value.evaluate(scope));
    }
  }
  for (const Expression* constraint : constraints_) {
    ASSAY_TRY(const bool holds, constraint->evaluate_condition(scope));
    if (!holds) return false;
  }
  return true;
}

Result<bool> ConfigurationTree::walk(const Visitor& visit, size_t most_steps) {
  scope_.clear();
  if (levels_.empty()) {
    ASSAY_TRY(const bool legal, all_hold());
    return legal ? visit(row_) : Result<bool>(true);
  }
  std::vector<size_t> digits(levels_.size(), 0);
  std::vector<bool> unknown(levels_.size(), false);
  size_t depth = 0;
  for (size_t steps = 0;;) {
    if (digits[depth] == levels_[depth].values.size()) {
      if (depth == 0) return true;
      digits[depth--] = 0;
      ++digits[depth];
      continue;
    }
    if (++steps > most_steps) return false;
    bind(levels_[depth], levels_[depth].values[digits[depth]]);
    const Cut state = cut(levels_[depth]);
    unknown[depth] = state == Cut::unknown;
    if (state != Cut::yes && depth + 1 < levels_.size()) {
      ++depth;
      continue;
    }
    if (state != Cut::yes) {
      bool legal = true;
      if (std::ranges::find(unknown, true) != unknown.end()) {
        ASSAY_TRY(legal, all_hold());
      }
      if (legal) {
        ASSAY_TRY(const bool go_on, visit(row_));
        if (!go_on) return false;
      }
    }
    ++digits[depth];
  }
}

Result<ConfigurationTree::Probe> ConfigurationTree::probe(Random& random) {
  scope_.clear();
  Probe probe{1, std::nullopt};
  bool unknown = false;
  for (const Level& level : levels_) {
    std::vector<uint16_t> open;
    for (const uint16_t value : level.values) {
      bind(level, value);
      const Cut state = cut(level);
      unknown = unknown || state == Cut::unknown;
      if (state != Cut::yes) open.push_back(value);
    }
    if (open.empty()) return Probe{};
    probe.count *= static_cast<double>(open.size());
    bind(level, open[random.below(open.size())]);
    (void)cut(level);  // for its [let]
  }
  if (unknown || levels_.empty()) {
    ASSAY_TRY(const bool legal, all_hold());
    if (!legal) return Probe{};
  }
  probe.row = row_;
  return probe;
}

Result<bool> ConfigurationTree::legal(const ConfigurationRow& row) {
  for (const Level& level : levels_) {
    if (std::ranges::find(level.values, row[level.tunable]) == level.values.end()) return false;
  }
  row_ = row;
  return all_hold();
}

}  // namespace assay::spec
