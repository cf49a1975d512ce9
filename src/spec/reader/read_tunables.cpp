// SPDX-License-Identifier: MIT
// [tunable] and [defaults].
#include <algorithm>
#include <fmt/format.h>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

namespace {

Result<Value> read_value(const Node& value, const std::string& what) {
  if (value.kind == Node::Kind::integer) return Value(value.integer);
  if (value.kind == Node::Kind::boolean) return Value(value.boolean);
  return mistake(value.place, fmt::format("{} is {}; expected an integer or a boolean", what, kind_name(value.kind)));
}

Result<Tunable> read_tunable(const Node& value) {
  Tunable tunable{value.key, value.key_place, {}};
  ASSAY_CHECK(expect_name(value.key, value.key_place, "a tunable"));
  ASSAY_CHECK(expect_kind(value, Node::Kind::array, fmt::format("\"{}\" in [tunable]", value.key)));
  if (value.items.empty()) {
    return mistake(value.place, fmt::format("\"{}\" in [tunable] has no values; expected at least one", value.key));
  }
  for (const Node& item : value.items) {
    ASSAY_TRY(const Value choice, read_value(item, fmt::format("a value of \"{}\"", value.key)));
    if (!tunable.values.empty() && tunable.values.front().kind() != choice.kind()) {
      return mistake(item.place, fmt::format("\"{}\" has both integers and booleans; expected one kind", value.key));
    }
    if (std::find(tunable.values.begin(), tunable.values.end(), choice) != tunable.values.end()) {
      return mistake(item.place, fmt::format("\"{}\" has the value {} twice", value.key, to_string(choice)));
    }
    tunable.values.push_back(choice);
    if (tunable.values.size() > kMaxConfigurations) break;
  }
  return tunable;
}

Result<void> check_count(const TunableSection& section) {
  size_t count = 1;
  for (const Tunable& tunable : section.tunables) {
    count *= tunable.values.size();  // both factors are at most 100,001
    if (count > kMaxConfigurations) {
      return mistake(section.place, fmt::format("the tunables have more than {} combinations", kMaxConfigurations),
                     "give fewer values");
    }
  }
  return {};
}

Result<void> read_defaults(const Node& root, TunableSection& section) {
  ASSAY_TRY(const Node* const defaults, TableReader(root, "the file").find("defaults", Node::Kind::table));
  if (defaults == nullptr) return {};
  section.defaults_place = defaults->place;
  std::vector<std::string> names;
  for (const Tunable& tunable : section.tunables) names.push_back(tunable.name);
  for (const Node& item : defaults->items) {
    const auto tunable = std::find_if(section.tunables.begin(), section.tunables.end(),
                                      [&](const Tunable& candidate) { return candidate.name == item.key; });
    if (tunable == section.tunables.end()) {
      return mistake(item.key_place, fmt::format("\"{}\" in [defaults] is no tunable", item.key),
                     suggestion(item.key, names, "tunables"));
    }
    ASSAY_TRY(const Value value, read_value(item, fmt::format("\"{}\" in [defaults]", item.key)));
    if (std::find(tunable->values.begin(), tunable->values.end(), value) == tunable->values.end()) {
      std::string choices;
      for (const Value& choice : tunable->values) choices += (choices.empty() ? "" : ", ") + to_string(choice);
      return mistake(item.place, fmt::format("\"{}\" in [defaults] is {}; expected one of {}", item.key,
                                             to_string(value), choices));
    }
    section.defaults[item.key] = value;
  }
  return {};
}

}  // namespace

Result<void> read_tunables(const Node& root, KernelSpec& spec) {
  TunableSection& section = spec.tunable;
  ASSAY_TRY(const Node* const table, TableReader(root, "the file").find("tunable", Node::Kind::table));
  if (table != nullptr) {
    section.place = table->place;
    for (const Node& item : table->items) {
      if (item.key == "constraints") continue;
      ASSAY_TRY(section.tunables.emplace_back(), read_tunable(item));
      ASSAY_CHECK(check_count(section));
    }
    ASSAY_TRY(section.constraints, TableReader(*table, "[tunable]").expressions("constraints"));
  }
  return read_defaults(root, section);
}

}  // namespace assay::spec
