// SPDX-License-Identifier: MIT
// What results are measured against: [tolerance], [baseline.NAME] and [expect].
#include <fmt/format.h>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

namespace {

Result<Tolerance> read_pair(const TableReader& table) {
  Tolerance result;
  ASSAY_TRY(const auto atol, table.number("atol"));
  ASSAY_TRY(const auto rtol, table.number("rtol"));
  if (!atol || !rtol) {
    const char* missing = atol ? "rtol" : "atol";
    return mistake(table.node().place,
                   fmt::format("{} has no \"{}\"; expected {} = 1e-2", table.title(), missing, missing));
  }
  for (const char* key : {"atol", "rtol"}) {
    const double value = key[0] == 'a' ? *atol : *rtol;
    if (value < 0) {
      return mistake(table.node().find(key)->place,
                     fmt::format("\"{}\" in {} is {}; expected zero or more", key, table.title(), value));
    }
  }
  result.atol = *atol;
  result.rtol = *rtol;
  return result;
}

}  // namespace

Result<void> read_tolerance(const Node& root, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, TableReader(root, "the file").find("tolerance", Node::Kind::table));
  if (section == nullptr) return {};
  const TableReader table(*section, "[tolerance]");
  std::vector<std::string> known = dtype_names();
  known.insert(known.end(), {"atol", "rtol"});
  ASSAY_CHECK(table.check_keys(known));
  for (const Node& item : section->items) {
    const auto dtype = dtype_from_name(item.key);
    if (!dtype) continue;
    const std::string title = fmt::format("[tolerance.{}]", item.key);
    ASSAY_CHECK(expect_kind(item, Node::Kind::table, title));
    const TableReader own(item, title);
    ASSAY_CHECK(own.check_keys({"atol", "rtol"}));
    ASSAY_TRY(spec.tolerance.by_dtype[*dtype], read_pair(own));
  }
  const bool has_general = section->find("atol") != nullptr || section->find("rtol") != nullptr;
  if (has_general || spec.tolerance.by_dtype.empty()) {
    ASSAY_TRY(spec.tolerance.general, read_pair(table));
  }
  return {};
}

Result<void> read_baselines(const Node& root, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, TableReader(root, "the file").find("baseline", Node::Kind::table));
  if (section == nullptr) return {};
  for (const Node& item : section->items) {
    const std::string title = fmt::format("[baseline.{}]", item.key);
    ASSAY_CHECK(expect_kind(item, Node::Kind::table, title));
    if (!is_identifier(item.key)) {
      return mistake(item.key_place,
                     fmt::format("\"{}\" cannot name a baseline; expected letters, digits and underscores, "
                                 "no digit first",
                                 item.key));
    }
    Baseline baseline;
    baseline.name = item.key;
    baseline.place = item.place;
    ASSAY_TRY(const Node* const provider, TableReader(item, title).require("provider", Node::Kind::string, "\"NAME\""));
    if (!is_identifier(provider->text)) {
      return mistake(provider->place,
                     fmt::format("\"provider\" in {} is \"{}\"; expected a name", title, provider->text));
    }
    baseline.provider = provider->text;
    ASSAY_TRY(baseline.options, read_options(item, {"provider"}, title));
    spec.baselines.push_back(std::move(baseline));
  }
  return {};
}

Result<void> read_expectation(const Node& root, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, TableReader(root, "the file").find("expect", Node::Kind::table));
  if (section == nullptr) return {};
  const TableReader table(*section, "[expect]");
  ASSAY_CHECK(table.check_keys({"verdict", "kind", "space", "line", "line_text", "bytes", "message"}));
  Expectation expect;
  ASSAY_TRY(const Node* const verdict, table.require("verdict", Node::Kind::string, "\"finding\""));
  ASSAY_CHECK(expect_one_of(verdict->text, expected_verdicts(), verdict->place, "\"verdict\" in [expect]"));
  expect.verdict = verdict->text;
  ASSAY_TRY(expect.kind, table.text("kind"));
  ASSAY_TRY(expect.space, table.text("space"));
  if (const Node* const kind = section->find("kind")) {
    ASSAY_CHECK(expect_one_of(expect.kind, expected_kinds(), kind->place, "\"kind\" in [expect]"));
  } else if (expect.verdict == "finding") {
    return mistake(section->place, "[expect] has verdict \"finding\" and no \"kind\"; expected kind = \"misaligned\"");
  }
  if (const Node* const space = section->find("space")) {
    ASSAY_CHECK(expect_one_of(expect.space, expected_spaces(), space->place, "\"space\" in [expect]"));
  }
  ASSAY_TRY(expect.line, table.integer("line"));
  ASSAY_TRY(expect.bytes, table.integer("bytes"));
  ASSAY_TRY(expect.line_text, table.text("line_text"));
  ASSAY_TRY(expect.message, table.text("message"));
  for (const char* key : {"line", "bytes"}) {
    const Node* const value = section->find(key);
    if (value != nullptr && value->integer < 1) {
      return mistake(value->place, fmt::format("\"{}\" in [expect] is {}; expected at least 1", key, value->integer));
    }
  }
  spec.expect = std::move(expect);
  return {};
}

}  // namespace assay::spec
