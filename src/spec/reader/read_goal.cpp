// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "spec/goal.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {
namespace {

// A number above 0, at most `most`.
std::optional<double> read_amount(const TableReader& table, const char* key, double most) {
  const std::optional<double> value = table.number(key);
  if (!value || (*value > 0 && *value <= most)) return value;
  table.mistakes().add(table.node().find(key)->place,
                       fmt::format("\"{}\" in {} is {}; expected a number above 0{}", key, table.title(), *value,
                                   most <= 1 ? " and at most 1: a share" : ""));
  return std::nullopt;
}

std::optional<int64_t> read_count(const TableReader& table, const char* key) {
  const std::optional<int64_t> value = table.integer(key);
  if (!value || *value >= 1) return value;
  table.mistakes().add(table.node().find(key)->place,
                       fmt::format("\"{}\" in {} is {}; expected at least 1", key, table.title(), *value));
  return std::nullopt;
}

SpeedupGoal read_speedup(const Node& item, const KernelSpec& spec, Mistakes& mistakes) {
  TableReader table(item, "[[goal.speedup]]", mistakes);
  table.check_keys({"baseline", "shapes", "at_least", "on"});
  SpeedupGoal goal;
  goal.place = item.place;
  goal.baseline = table.text("baseline");
  // Another word may become a kernel folder before it is measured; one that is nearly a known name is a slip.
  const Node* const named = item.find("baseline");
  if (named != nullptr && !goal.baseline.empty() && !is_baseline(spec, goal.baseline) &&
      !nearest(goal.baseline, baseline_names(spec)).empty())
    mistakes.add(named->place, fmt::format("\"baseline\" in [[goal.speedup]] is \"{}\"; {}", goal.baseline,
                                           describe_baselines(spec, goal.baseline)));
  goal.shapes = table.text("shapes", "canonical");
  std::vector<std::string> sets;
  for (const ShapeSet& set : spec.shapes.sets) sets.push_back(set.name);
  const Node* const shapes = item.find("shapes");
  if (!sets.empty())
    expect_one_of(goal.shapes, sets, shapes != nullptr ? shapes->place : item.place, "\"shapes\" in [[goal.speedup]]",
                  mistakes);
  if (item.find("at_least") == nullptr && !table.misspelt("at_least"))
    mistakes.add(item.place, "[[goal.speedup]] has no \"at_least\"; expected at_least = 1.1");
  goal.at_least = read_amount(table, "at_least", 1e6).value_or(1);
  goal.on = read_count(table, "on");
  return goal;
}

std::optional<Goal> read(const TableReader& file, const KernelSpec& spec) {
  const Node* const section = file.find("goal", Node::Kind::table);
  if (section == nullptr) return std::nullopt;
  TableReader table(*section, "[goal]", file.mistakes());
  table.check_keys({"speedup", "p90", "sm_busy", "bandwidth", "occupancy", "repetitions"});
  Goal goal;
  goal.p90 = read_amount(table, "p90", 1e6);
  goal.sm_busy = read_amount(table, "sm_busy", 1);
  goal.bandwidth = read_amount(table, "bandwidth", 1);
  goal.occupancy = read_amount(table, "occupancy", 1);
  goal.repetitions = read_count(table, "repetitions");
  if (const Node* const speedups = table.find("speedup", Node::Kind::array)) {
    for (const Node& item : speedups->items) {
      if (expect_kind(item, Node::Kind::table, "an entry of [[goal.speedup]]", file.mistakes()))
        goal.speedups.push_back(read_speedup(item, spec, file.mistakes()));
    }
  }
  return goal;
}

}  // namespace

std::vector<std::string> baseline_names(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const Baseline& baseline : spec.baselines) names.push_back(baseline.name);
  names.insert(names.end(), {"sdpa", "torch_compile"});
  return names;
}

bool is_baseline(const KernelSpec& spec, const std::string& name) {
  std::error_code failed;
  const std::vector<std::string> known = baseline_names(spec);
  return std::ranges::find(known, name) != known.end() || name.starts_with("sdpa:") ||
         std::filesystem::exists(std::filesystem::path(name) / "kernel.toml", failed) ||
         std::filesystem::is_regular_file(name, failed);
}

std::string describe_baselines(const KernelSpec& spec, const std::string& wanted) {
  std::vector<std::string> declared;
  for (const Baseline& baseline : spec.baselines) declared.push_back(baseline.name);
  const std::string near = nearest(wanted, baseline_names(spec));
  return fmt::format(
      "{}declared: {}; built in: sdpa, sdpa:BACKEND, torch_compile; or the kernel folder that --baseline names",
      near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near), declared.empty() ? "none" : join(declared, ", "));
}

void check_goal(const TableReader& file, const KernelSpec& spec) {
  static_cast<void>(read(file, spec));
}

Result<std::optional<Goal>> goal_of(const KernelSpec& spec) {
  ASSAY_TRY(const std::string text, read_file(spec.file));
  ASSAY_TRY(const Node root, parse_document(text, spec.file.string()));
  Mistakes mistakes;
  auto goal = read(TableReader(root, "the file", mistakes), spec);
  if (!mistakes.none()) return mistakes.together();
  return goal;
}

}  // namespace assay::spec
