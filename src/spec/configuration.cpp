// SPDX-License-Identifier: MIT
#include "spec/configuration.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "spec/enumerate.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

bool agrees(const Bindings& values, const Bindings& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto found = values.find(entry.first);
    return found != values.end() && found->second == entry.second;
  });
}

Result<std::optional<Configuration>> first_with(const KernelSpec& spec, const Bindings& wanted) {
  std::optional<Configuration> first;
  ASSAY_CHECK(for_each_configuration(spec, [&](const Configuration& candidate) -> Result<bool> {
    if (agrees(candidate.values, wanted)) first = candidate;
    return !first.has_value();
  }));
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

// The names and values of `text`, each a tunable's.
Result<Bindings> parse_choices(const KernelSpec& spec, std::string_view text) {
  std::vector<std::string> names;
  for (const Tunable& tunable : spec.tunable.tunables) names.push_back(tunable.name);
  ASSAY_TRY(Bindings wanted, parse_bindings(text, "--config", names));
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

}  // namespace

std::string Configuration::id() const {
  return values.empty() ? "default" : to_string(values);
}

Result<std::vector<Configuration>> configurations(const KernelSpec& spec) {
  return matching_configurations(spec, {});
}

Result<std::vector<Configuration>> matching_configurations(const KernelSpec& spec, std::string_view text) {
  ASSAY_TRY(const Bindings wanted, parse_choices(spec, text));
  std::vector<Configuration> all;
  ASSAY_CHECK(for_each_configuration(spec, [&](const Configuration& candidate) -> Result<bool> {
    if (agrees(candidate.values, wanted)) all.push_back(candidate);
    return true;
  }));
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
    result.push_back(
        fmt::format("-D{}={}", name, value.is_boolean() ? (value.boolean() ? "1" : "0") : to_string(value)));
  }
  return result;
}

}  // namespace assay::spec
