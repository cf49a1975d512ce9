// SPDX-License-Identifier: MIT
#include "spec/configuration.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "spec/configuration_tree.hpp"
#include "spec/enumerate.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

Result<std::optional<Configuration>> first_with(const KernelSpec& spec, const Bindings& wanted) {
  std::optional<Configuration> first;
  ConfigurationTree tree(spec, wanted);
  ASSAY_TRY(const bool whole, tree.walk([&](const ConfigurationRow& row) -> Result<bool> {
    first = configuration_of(spec, row);
    return false;
  }));
  if (!first && !whole)
    return mistake(spec.tunable.place,
                   fmt::format("no legal configuration is among the first of the {:.3g} combinations of the tunables",
                               tree.combinations()),
                   "[defaults] can name one");
  return first;
}

Error no_legal_configuration(const KernelSpec& spec) {
  std::string constraints;
  for (const Expression& constraint : spec.tunable.constraints) {
    constraints += (constraints.empty() ? "" : "; ") + constraint.text();
  }
  return mistake(spec.tunable.place,
                 fmt::format("no configuration is legal: every combination of the tunables breaks one "
                             "of the constraints {}",
                             constraints));
}

Error breaks_constraint(const KernelSpec& spec, const Bindings& wanted, const Place& place) {
  std::string message = fmt::format("no legal configuration has {}", to_string(wanted));
  if (wanted.size() == spec.tunable.tunables.size()) {
    Bindings scope = wanted;
    if (bind_lets(spec, scope)) {
      for (const Expression& constraint : spec.tunable.constraints) {
        const Result<bool> holds = constraint.evaluate_condition(scope);
        if (holds.ok() && !*holds) message += fmt::format("; it breaks the constraint \"{}\"", constraint.text());
      }
    }
  }
  return mistake(place, message);
}

}  // namespace

Result<Bindings> parse_choices(const KernelSpec& spec, std::string_view text) {
  std::vector<std::string> names;
  for (const Tunable& tunable : spec.tunable.tunables) names.push_back(tunable.name);
  std::set<std::string> of_words;
  for (const Tunable& tunable : spec.tunable.tunables) {
    if (tunable.values.front().is_word()) of_words.insert(tunable.name);
  }
  ASSAY_TRY(Bindings wanted, parse_bindings(text, "--config", names, of_words));
  for (auto& [name, value] : wanted) {
    const auto tunable = std::find_if(spec.tunable.tunables.begin(), spec.tunable.tunables.end(),
                                      [&](const Tunable& candidate) { return candidate.name == name; });
    // The compiler sees 0 and 1 for booleans, so people write them too.
    if (tunable->values.front().is_boolean() && value.is_integer() && (value.integer() == 0 || value.integer() == 1)) {
      value = Value(value.integer() == 1);
    }
    if (std::find(tunable->values.begin(), tunable->values.end(), value) != tunable->values.end()) continue;
    std::string choices;
    for (const Value& choice : tunable->values) choices += (choices.empty() ? "" : ", ") + to_string(choice);
    return mistake({}, fmt::format("{}={} in --config \"{}\" is no value of this tunable; expected one of {}", name,
                                   to_string(value), text, choices));
  }
  return wanted;
}

std::string Configuration::id() const {
  return values.empty() ? "default" : to_string(values);
}

Result<std::vector<Configuration>> configurations(const KernelSpec& spec) {
  return matching_configurations(spec, {});
}

Result<std::vector<Configuration>> matching_configurations(const KernelSpec& spec, std::string_view text) {
  ASSAY_TRY(const Bindings wanted, parse_choices(spec, text));
  std::vector<Configuration> all;
  ConfigurationTree tree(spec, wanted);
  ASSAY_TRY(const bool whole, tree.walk(
                                  [&](const ConfigurationRow& row) -> Result<bool> {
                                    if (all.size() == kMaxConfigurations) return false;
                                    all.push_back(configuration_of(spec, row));
                                    return true;
                                  },
                                  ConfigurationTree::kMostStepsOfList));
  if (!whole)
    return mistake(spec.tunable.place,
                   fmt::format("the {:.3g} combinations of the tunables are too many for a list: more than {} "
                               "configurations are legal, or too few to be found",
                               tree.combinations(), kMaxConfigurations),
                   "choose some with --config; assay tune searches any number of them");
  if (!all.empty()) return all;
  return wanted.empty() ? no_legal_configuration(spec) : breaks_constraint(spec, wanted, {});
}

Result<Configuration> default_configuration(const KernelSpec& spec) {
  ASSAY_TRY(auto found, first_with(spec, spec.tunable.defaults));
  if (found) return std::move(*found);
  if (spec.tunable.defaults.empty()) return no_legal_configuration(spec);
  return breaks_constraint(spec, spec.tunable.defaults, spec.tunable.defaults_place);
}

Result<Configuration> parse_configuration(const KernelSpec& spec, std::string_view text) {
  ASSAY_TRY(const Bindings wanted, parse_choices(spec, text));
  ASSAY_TRY(const Configuration usual, default_configuration(spec));
  Bindings preferred = usual.values;
  for (const auto& [name, value] : wanted) preferred[name] = value;
  for (const Bindings& choice : {preferred, wanted}) {
    ASSAY_TRY(auto found, first_with(spec, choice));
    if (found) return std::move(*found);
  }
  return breaks_constraint(spec, wanted, {});
}

std::vector<std::string> defines(const Configuration& configuration) {
  std::vector<std::string> result;
  for (const auto& [name, value] : configuration.values) {
    if (value.is_word() && !is_identifier(value.word())) continue;  // a file or flags: the compiler knows it otherwise
    result.push_back(
        fmt::format("-D{}={}", name, value.is_boolean() ? (value.boolean() ? "1" : "0") : to_string(value)));
  }
  return result;
}

}  // namespace assay::spec
