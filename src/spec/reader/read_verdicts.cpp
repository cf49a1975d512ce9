// SPDX-License-Identifier: MIT
// What results are measured against: [tolerance], [baseline.NAME] and [expect].
#include <fmt/format.h>

#include "spec/reader/sections.hpp"

namespace assay::spec {

std::optional<Tolerance> read_tolerance_pair(const TableReader& table) {
  Tolerance pair;
  bool whole = true;
  for (const char* key : {"atol", "rtol"}) {
    const Node* const node = table.node().find(key);
    const std::optional<double> value = table.number(key);
    if (node == nullptr && !table.misspelt(key)) {
      table.mistakes().add(table.node().place,
                           fmt::format("{} has no \"{}\"; expected {} = 1e-2", table.title(), key, key));
    } else if (value && *value < 0) {
      table.mistakes().add(node->place,
                           fmt::format("\"{}\" in {} is {}; expected zero or more", key, table.title(), *value));
    }
    whole = whole && value;
    (key[0] == 'a' ? pair.atol : pair.rtol) = value.value_or(0);
  }
  return whole ? std::optional(pair) : std::nullopt;
}

void read_tolerance(const TableReader& file, KernelSpec& spec) {
  const Node* const section = file.find("tolerance", Node::Kind::table);
  if (section == nullptr) return;
  TableReader table(*section, "[tolerance]", file.mistakes());
  std::vector<std::string> known = dtype_names();
  known.insert(known.end(), {"atol", "rtol"});
  table.check_keys(known);
  bool any_dtype = false;
  for (const Node& item : section->items) {
    const auto dtype = dtype_from_name(item.key);
    if (!dtype) continue;
    any_dtype = true;
    const std::string title = fmt::format("[tolerance.{}]", item.key);
    if (!expect_kind(item, Node::Kind::table, title, file.mistakes())) continue;
    TableReader own(item, title, file.mistakes());
    own.check_keys({"atol", "rtol"});
    if (const auto pair = read_tolerance_pair(own)) spec.tolerance.by_dtype[*dtype] = *pair;
  }
  const bool has_general = section->find("atol") != nullptr || section->find("rtol") != nullptr;
  if (has_general || (!any_dtype && !table.any_unknown_key())) spec.tolerance.general = read_tolerance_pair(table);
}

void read_baselines(const TableReader& file, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  const Node* const section = file.find("baseline", Node::Kind::table);
  if (section == nullptr) return;
  for (const Node& item : section->items) {
    const std::string title = fmt::format("[baseline.{}]", item.key);
    if (!expect_kind(item, Node::Kind::table, title, mistakes)) continue;
    if (!is_identifier(item.key)) {
      mistakes.add(item.key_place,
                   fmt::format("\"{}\" cannot name a baseline; expected letters, digits and underscores, "
                               "no digit first",
                               item.key));
    }
    Baseline baseline;
    baseline.name = item.key;
    baseline.place = item.place;
    const Node* const provider = TableReader(item, title, mistakes).require("provider", Node::Kind::string, "\"NAME\"");
    if (provider != nullptr && !is_identifier(provider->text)) {
      mistakes.add(provider->place,
                   fmt::format("\"provider\" in {} is \"{}\"; expected a name", title, provider->text));
    }
    if (provider != nullptr) baseline.provider = provider->text;
    baseline.options = read_options(item, {"provider"}, title, mistakes);
    spec.baselines.push_back(std::move(baseline));
  }
}

void read_expectation(const TableReader& file, KernelSpec& spec) {
  Mistakes& mistakes = file.mistakes();
  const Node* const section = file.find("expect", Node::Kind::table);
  if (section == nullptr) return;
  TableReader table(*section, "[expect]", mistakes);
  table.check_keys({"verdict", "kind", "space", "line", "line_text", "bytes", "message"});
  Expectation expect;
  if (const Node* const verdict = table.require("verdict", Node::Kind::string, "\"finding\"")) {
    expect_one_of(verdict->text, expected_verdicts(), verdict->place, "\"verdict\" in [expect]", mistakes);
    expect.verdict = verdict->text;
  }
  if (const Node* const kind = table.find("kind", Node::Kind::string)) {
    expect_one_of(kind->text, expected_kinds(), kind->place, "\"kind\" in [expect]", mistakes);
    expect.kind = kind->text;
  } else if (expect.verdict == "finding" && section->find("kind") == nullptr && !table.misspelt("kind")) {
    mistakes.add(section->place, "[expect] has verdict \"finding\" and no \"kind\"; expected kind = \"misaligned\"");
  }
  if (const Node* const space = table.find("space", Node::Kind::string)) {
    expect_one_of(space->text, expected_spaces(), space->place, "\"space\" in [expect]", mistakes);
    expect.space = space->text;
  }
  expect.line = table.integer("line");
  expect.bytes = table.integer("bytes");
  expect.line_text = table.text("line_text");
  expect.message = table.text("message");
  for (const char* key : {"line", "bytes"}) {
    const Node* const value = section->find(key);
    if (value != nullptr && value->kind == Node::Kind::integer && value->integer < 1) {
      mistakes.add(value->place, fmt::format("\"{}\" in [expect] is {}; expected at least 1", key, value->integer));
    }
  }
  spec.expect = std::move(expect);
}

}  // namespace assay::spec
