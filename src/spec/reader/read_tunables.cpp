// SPDX-License-Identifier: MIT
// [tunable] and [defaults].
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

// A word is written as it is into --config and into commands of the compiler: no commas, no quotes.
std::optional<Value> read_word(const Node& value, const std::string& what, Mistakes& mistakes) {
  constexpr size_t kLongest = 200;
  const std::string& text = value.text;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+./=: ").find(c) != std::string_view::npos;
  };
  if (!text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), plain) && text.front() != ' ' &&
      text.back() != ' ')
    return Value::word(text);
  mistakes.add(value.place, fmt::format("{} is \"{}\"; expected at most {} letters, digits, blanks and _-+./=:", what,
                                        text, kLongest));
  return std::nullopt;
}

std::optional<Value> read_value(const Node& value, const std::string& what, Mistakes& mistakes) {
  if (value.kind == Node::Kind::integer) return Value(value.integer);
  if (value.kind == Node::Kind::boolean) return Value(value.boolean);
  if (value.kind == Node::Kind::string) return read_word(value, what, mistakes);
  mistakes.add(value.place,
               fmt::format("{} is {}; expected an integer, a boolean or a word", what, kind_name(value.kind)));
  return std::nullopt;
}

void read_values(const Node& tunable, Tunable& result, Mistakes& mistakes) {
  std::vector<Value>& values = result.values;
  for (const Node& item : tunable.items) {
    const auto choice = read_value(item, fmt::format("a value of \"{}\"", tunable.key), mistakes);
    if (!choice) continue;
    if (!values.empty() && values.front().kind() != choice->kind()) {
      const bool words = values.front().is_word() || choice->is_word();
      mistakes.add(item.place, fmt::format("\"{}\" has both {}; expected one kind", tunable.key,
                                           words ? "words and numbers" : "integers and booleans"));
    } else if (std::find(values.begin(), values.end(), *choice) != values.end()) {
      mistakes.add(item.place, fmt::format("\"{}\" has the value {} twice", tunable.key, to_string(*choice)));
    } else {
      values.push_back(*choice);
      result.places.push_back(item.place);
    }
    if (values.size() > kMaxTunableValues) break;
  }
}

// { from = 16, to = 256, step = 16 }; { from = 1, to = 64, powers_of_two = true }. `to` is one of the values if a step
// leads there.
std::vector<Value> read_range(const Node& range, Mistakes& mistakes) {
  const size_t before = mistakes.count();
  TableReader table(range, fmt::format("\"{}\" in [tunable]", range.key), mistakes);
  table.check_keys({"from", "to", "step", "powers_of_two"});
  const auto from = table.integer("from"), to = table.integer("to"), step = table.integer("step");
  const bool doubles = table.flag("powers_of_two");
  if (mistakes.count() > before) return {};
  if (!from || !to) {
    mistakes.add(range.place,
                 fmt::format("\"{}\" in [tunable] is a range without \"{}\"", range.key, from ? "to" : "from"));
    return {};
  }
  if (*from > *to || (step && (*step < 1 || doubles)) || (doubles && (*from < 1 || (*from & (*from - 1)) != 0))) {
    mistakes.add(range.place, fmt::format("\"{}\" in [tunable] is no range from {} to {}", range.key, *from, *to),
                 "\"from\" is at most \"to\"; \"step\" is at least 1; powers of two begin with one and have no step");
    return {};
  }
  std::vector<Value> values;
  for (int64_t value = *from;;) {
    values.emplace_back(value);
    const int64_t by = doubles ? value : step.value_or(1);
    const uint64_t left = static_cast<uint64_t>(*to) - static_cast<uint64_t>(value);  // never overflows
    if (values.size() > kMaxTunableValues || left < static_cast<uint64_t>(by)) return values;
    value += by;
  }
}

// `whole`: all its values could be read.
Tunable read_tunable(const Node& value, bool& whole, Mistakes& mistakes) {
  const size_t before = mistakes.count();
  Tunable tunable{value.key, value.key_place, {}, {}};
  expect_name(value.key, value.key_place, "a tunable", mistakes);
  if (value.kind == Node::Kind::table) {
    tunable.values = read_range(value, mistakes);
  } else if (expect_kind(value, Node::Kind::array, fmt::format("\"{}\" in [tunable]", value.key), mistakes)) {
    if (value.items.empty()) {
      mistakes.add(value.place, fmt::format("\"{}\" in [tunable] has no values; expected at least one", value.key));
    }
    read_values(value, tunable, mistakes);
  }
  whole = mistakes.count() == before;
  return tunable;
}

void check_count(const TunableSection& section, Mistakes& mistakes) {
  double count = 1;
  for (const Tunable& tunable : section.tunables) {
    count *= static_cast<double>(std::max<size_t>(1, tunable.values.size()));
    if (tunable.values.size() > kMaxTunableValues) {
      mistakes.add(tunable.place, fmt::format("\"{}\" has more than {} values", tunable.name, kMaxTunableValues),
                   "give fewer values");
      return;
    }
    if (count <= kMaxCombinations) continue;
    mistakes.add(section.place, fmt::format("the tunables have more than {:g} combinations", kMaxCombinations),
                 "give fewer values");
    return;
  }
}

void read_defaults(const TableReader& file, const std::set<std::string>& broken, TunableSection& section) {
  Mistakes& mistakes = file.mistakes();
  const Node* const defaults = file.find("defaults", Node::Kind::table);
  if (defaults == nullptr) return;
  section.defaults_place = defaults->place;
  std::vector<std::string> names;
  for (const Tunable& tunable : section.tunables) names.push_back(tunable.name);
  for (const Node& item : defaults->items) {
    const auto tunable = std::find_if(section.tunables.begin(), section.tunables.end(),
                                      [&](const Tunable& candidate) { return candidate.name == item.key; });
    if (tunable == section.tunables.end()) {
      if (file.any_unknown_key()) continue;  // [tunable] itself may be what was misspelt
      mistakes.add(item.key_place, fmt::format("\"{}\" in [defaults] is no tunable", item.key),
                   suggestion(item.key, names, "tunables"));
      continue;
    }
    const auto value = read_value(item, fmt::format("\"{}\" in [defaults]", item.key), mistakes);
    if (!value) continue;
    section.defaults[item.key] = *value;
    const bool there = std::find(tunable->values.begin(), tunable->values.end(), *value) != tunable->values.end();
    if (there || broken.contains(item.key)) continue;
    std::string choices;
    for (const Value& choice : tunable->values) choices += (choices.empty() ? "" : ", ") + to_string(choice);
    mistakes.add(item.place,
                 fmt::format("\"{}\" in [defaults] is {}; expected one of {}", item.key, to_string(*value), choices));
  }
}

}  // namespace

void read_tunables(const TableReader& file, KernelSpec& spec) {
  TunableSection& section = spec.tunable;
  std::set<std::string> broken;  // their values are not all known
  if (const Node* const table = file.find("tunable", Node::Kind::table)) {
    section.place = table->place;
    for (const Node& item : table->items) {
      if (item.key == "constraints") continue;
      bool whole = false;
      section.tunables.push_back(read_tunable(item, whole, file.mistakes()));
      if (!whole) broken.insert(item.key);
    }
    check_count(section, file.mistakes());
    section.constraints = TableReader(*table, "[tunable]", file.mistakes()).expressions("constraints");
  }
  read_defaults(file, broken, section);
}

}  // namespace assay::spec
