// SPDX-License-Identifier: MIT
#include "spec/enumerate.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/configuration_tree.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

// Counts through a Cartesian product, the last position fastest. False once it is back at the start.
bool count_on(std::vector<size_t>& digits, const std::function<size_t(size_t)>& size) {
  for (size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < size(i)) return true;
    digits[i] = 0;
  }
  return false;
}

Result<bool> all_hold(const KernelSpec& spec, const std::vector<Expression>& constraints, const Bindings& values) {
  if (constraints.empty()) return true;
  Bindings scope = values;
  ASSAY_CHECK(bind_lets(spec, scope));
  for (const Expression& constraint : constraints) {
    ASSAY_TRY(const bool holds, constraint.evaluate_condition(scope));
    if (!holds) return false;
  }
  return true;
}

Result<Value> parse_value(std::string_view text, std::string_view whole, const std::string& option) {
  if (text == "true" || text == "false") return Value(text == "true");
  if (const auto dtype = dtype_from_name(text)) return Value(*dtype);
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc() && stop == end && !text.empty()) return Value(number);
  return mistake(
      {}, fmt::format("\"{}\" in {} \"{}\" is not a value; expected an integer, true, false or an element type", text,
                      option, whole));
}

}  // namespace

Result<void> bind_lets(const KernelSpec& spec, Bindings& bindings) {
  for (const Let& let : spec.lets) {
    const auto& names = let.value.names();
    if (!std::all_of(names.begin(), names.end(), [&](const std::string& name) { return bindings.contains(name); }))
      continue;
    ASSAY_TRY(bindings[let.name], let.value.evaluate(bindings));
  }
  return {};
}

Result<void> for_each_configuration(const KernelSpec& spec, const ConfigurationVisitor& visit) {
  ConfigurationTree tree(spec);
  ASSAY_CHECK(tree.walk([&](const ConfigurationRow& row) { return visit(configuration_of(spec, row)); }));
  return {};
}

Result<void> for_each_shape(const KernelSpec& spec, const ShapeSet& set, const ShapeVisitor& visit) {
  const auto visit_legal = [&](const Shape& shape) -> Result<bool> {
    ASSAY_TRY(const bool legal, all_hold(spec, spec.shapes.constraints, shape.values));
    return legal ? visit(shape) : Result<bool>(true);
  };
  if (!set.is_grid) {
    for (const Bindings& values : set.list) {
      ASSAY_TRY(const bool go_on, visit_legal({values}));
      if (!go_on) return {};
    }
    return {};
  }
  std::vector<size_t> digits(set.axes.size(), 0);
  do {
    Shape shape;
    for (size_t i = 0; i < set.axes.size(); ++i) shape.values[set.axes[i].name] = set.axes[i].values[digits[i]];
    ASSAY_TRY(const bool go_on, visit_legal(shape));
    if (!go_on) return {};
  } while (count_on(digits, [&](size_t i) { return set.axes[i].values.size(); }));
  return {};
}

Result<Bindings> parse_bindings(std::string_view text, const std::string& option, const std::vector<std::string>& known,
                                const std::set<std::string>& of_words) {
  Bindings bindings;
  if (trim(text).empty()) return bindings;
  for (const std::string_view part : split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string key(trim(part.substr(0, equals)));
    if (equals == std::string_view::npos || key.empty()) {
      return mistake({}, fmt::format("\"{}\" in {} \"{}\" is not of the form NAME=VALUE", trim(part), option, text));
    }
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return mistake({}, fmt::format("unknown name \"{}\" in {} \"{}\"", key, option, text),
                     suggestion(key, known, "known names"));
    }
    const std::string_view written = trim(part.substr(equals + 1));
    ASSAY_TRY(const Value value, of_words.contains(key) ? Result<Value>(Value::word(std::string(written)))
                                                        : parse_value(written, text, option));
    if (!bindings.emplace(key, value).second) {
      return mistake({}, fmt::format("\"{}\" is given twice in {} \"{}\"", key, option, text));
    }
  }
  return bindings;
}

}  // namespace assay::spec
