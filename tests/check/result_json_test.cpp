// SPDX-License-Identifier: MIT
#include "check/result_json.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay::check {
namespace {

using nlohmann::json;

Case some_case() {
  return {Origin::fuzz, spec::Shape{{{"N", 7}}}, Distribution::tiny, ~uint64_t{0}};
}

CaseResult full_result() {
  CaseResult result;
  result.test = some_case();
  result.outcome = Outcome::finding;
  result.message = "a \"message\"\nwith all: \\ \t µ";
  result.hint = "a hint";
  result.tensor = "y";
  gpu::Finding finding;
  finding.kind = gpu::FindingKind::use_after_free;
  finding.access = gpu::AccessKind::async_write;
  finding.space = gpu::Space::parameter;
  finding.address = ~uint64_t{0};
  finding.bytes = 16;
  finding.kernel = "copy";
  finding.source = {{"a.cu", 3, 4, "inner"}, {"b.cu", 5, 0, ""}};
  finding.instruction = "cp.async";
  finding.ptx_line = 99;
  finding.block = {1, 2, 3};
  finding.thread = {4, 5, 6};
  finding.message = "gone";
  finding.allocation = "'x'";
  finding.count = uint64_t{1} << 40;
  finding.thread_count = 77;
  finding.threads = {{{1, 2, 3}, {4, 5, 6}, 0x10, "'x'", 3}, {{7, 8, 9}, {1, 1, 1}, 0x20, "", 1}};
  finding.notes = {"warp 0 waits"};
  result.findings = {finding, gpu::Finding{}};
  result.finding_occurrences = 12;
  result.mismatch =
      Mismatch{MismatchKind::not_infinite, {0, 63, int64_t{1} << 40}, INFINITY, -INFINITY, NAN, 0.1, 1e300, -0.0};
  result.failures = 3;
  result.elements = int64_t{1} << 50;
  result.compared = int64_t{1} << 49;
  result.max_absolute_error = INFINITY;
  result.max_relative_error = NAN;
  result.max_ulp_error = 1.0 / 3.0;
  result.tolerance_used = 0.125;
  result.instructions = ~uint64_t{0};
  result.thread_instructions = 5;
  result.seconds = 0.25;
  result.printed = "hello";
  return result;
}

// As it travels: written to a line and read from it.
json through_text(const json& value) {
  return json::parse(value.dump());
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

void expect_same(const gpu::Finding& a, const gpu::Finding& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.access, b.access);
  EXPECT_EQ(a.space, b.space);
  EXPECT_EQ(a.address, b.address);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.instruction, b.instruction);
  EXPECT_EQ(a.ptx_line, b.ptx_line);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(a.thread_count, b.thread_count);
  EXPECT_EQ(a.notes, b.notes);
  ASSERT_EQ(a.threads.size(), b.threads.size());
  for (size_t i = 0; i < a.threads.size(); ++i) {
    EXPECT_EQ(a.threads[i].block, b.threads[i].block);
    EXPECT_EQ(a.threads[i].thread, b.threads[i].thread);
    EXPECT_EQ(a.threads[i].address, b.threads[i].address);
    EXPECT_EQ(a.threads[i].allocation, b.threads[i].allocation);
    EXPECT_EQ(a.threads[i].count, b.threads[i].count);
  }
  EXPECT_EQ(a.thread, b.thread);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.allocation, b.allocation);
  EXPECT_EQ(a.count, b.count);
}

TEST(ResultJson, comes_back_as_it_went) {
  const CaseResult result = full_result();
  const auto back = case_result_from_json(through_text(to_json(result)), some_case());
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_EQ(back->test, result.test);
  EXPECT_EQ(back->outcome, result.outcome);
  EXPECT_EQ(back->message, result.message);
  EXPECT_EQ(back->hint, result.hint);
  EXPECT_EQ(back->tensor, result.tensor);
  ASSERT_EQ(back->findings.size(), 2u);
  for (size_t i = 0; i < 2; ++i) expect_same(back->findings[i], result.findings[i]);
  EXPECT_EQ(back->finding_occurrences, result.finding_occurrences);
  ASSERT_TRUE(back->mismatch);
  EXPECT_EQ(back->mismatch->kind, result.mismatch->kind);
  EXPECT_EQ(back->mismatch->index, result.mismatch->index);
  for (double Mismatch::* field : {&Mismatch::expected, &Mismatch::got, &Mismatch::absolute_error,
                                   &Mismatch::relative_error, &Mismatch::ulp_error, &Mismatch::allowed}) {
    EXPECT_TRUE(same((*back->mismatch).*field, (*result.mismatch).*field))
        << (*back->mismatch).*field << " and " << (*result.mismatch).*field;
  }
  EXPECT_EQ(back->failures, result.failures);
  EXPECT_EQ(back->elements, result.elements);
  EXPECT_EQ(back->compared, result.compared);
  EXPECT_TRUE(same(back->max_absolute_error, result.max_absolute_error));
  EXPECT_TRUE(same(back->max_relative_error, result.max_relative_error));
  EXPECT_TRUE(same(back->max_ulp_error, result.max_ulp_error));
  EXPECT_TRUE(same(back->tolerance_used, result.tolerance_used));
  EXPECT_EQ(back->instructions, result.instructions);
  EXPECT_EQ(back->thread_instructions, result.thread_instructions);
  EXPECT_EQ(back->seconds, result.seconds);
  EXPECT_EQ(back->printed, result.printed);
}

TEST(ResultJson, carries_every_outcome_and_every_kind_of_finding) {
  for (int i = 0; i <= static_cast<int>(Outcome::cannot_run); ++i) {
    CaseResult result;
    result.outcome = static_cast<Outcome>(i);
    EXPECT_EQ(outcome_from_name(name(result.outcome)), result.outcome) << i;
    const auto back = case_result_from_json(through_text(to_json(result)), {});
    ASSERT_TRUE(back.ok()) << i;
    EXPECT_EQ(back->outcome, result.outcome) << i;
  }
  EXPECT_EQ(outcome_from_name("nonsense"), std::nullopt);
  for (int i = 0; i <= static_cast<int>(gpu::FindingKind::undefined_function); ++i) {
    CaseResult result;
    result.findings.emplace_back().kind = static_cast<gpu::FindingKind>(i);
    const auto back = case_result_from_json(through_text(to_json(result)), {});
    ASSERT_TRUE(back.ok()) << i << to_string(back.error());
    EXPECT_EQ(static_cast<int>(back->findings[0].kind), i);
  }
  for (int i = 0; i <= static_cast<int>(MismatchKind::unwritten); ++i) {
    CaseResult result;
    result.mismatch.emplace().kind = static_cast<MismatchKind>(i);
    const auto back = case_result_from_json(through_text(to_json(result)), {});
    ASSERT_TRUE(back.ok()) << i;
    EXPECT_EQ(static_cast<int>(back->mismatch->kind), i);
  }
}

void expect_refused(const json& value) {
  const auto back = case_result_from_json(value, {});
  ASSERT_FALSE(back.ok()) << value.dump();
  EXPECT_EQ(back.error().exit_code, ExitCode::internal);
}

TEST(ResultJson, refuses_what_is_no_result) {
  for (const char* text : {"null", "3", "\"x\"", "[]", "{}", "[[[[[]]]]]", "true"}) expect_refused(json::parse(text));
  EXPECT_FALSE(case_result_from_json(json::parse("half {", nullptr, false), {}).ok());
}

TEST(ResultJson, misses_every_key) {
  // What a person reads but the other side knows already is not asked for.
  const std::vector<std::string> known = {"shape", "distribution", "seed", "origin", "mismatch"};
  const json whole = to_json(full_result());
  for (const auto& [key, ignored] : whole.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    json part = whole;
    part.erase(key);
    expect_refused(part);
  }
  for (const auto& [key, ignored] : whole["findings"][0].items()) {
    if (key == "file" || key == "line" || key == "column") continue;  // repeated from "source"
    json part = whole;
    part["findings"][0].erase(key);
    expect_refused(part);
  }
  for (const auto& [key, ignored] : whole["mismatch"].items()) {
    json part = whole;
    part["mismatch"].erase(key);
    expect_refused(part);
  }
}

TEST(ResultJson, refuses_values_of_another_kind) {
  const json whole = to_json(full_result());
  const std::vector<std::pair<const char*, const char*>> wrong = {{"/outcome", "3"},
                                                                  {"/outcome", "\"nonsense\""},
                                                                  {"/message", "null"},
                                                                  {"/findings", "null"},
                                                                  {"/findings", "{}"},
                                                                  {"/findings", "[3]"},
                                                                  {"/finding_occurrences", "-1"},
                                                                  {"/finding_occurrences", "1e300"},
                                                                  {"/failures", "\"3\""},
                                                                  {"/failures", "1.5"},
                                                                  {"/elements", "18446744073709551615"},
                                                                  {"/max_ulp_error", "\"many\""},
                                                                  {"/max_ulp_error", "null"},
                                                                  {"/max_ulp_error", "[]"},
                                                                  {"/printed", "7"},
                                                                  {"/mismatch", "3"},
                                                                  {"/mismatch/kind", "\"nonsense\""},
                                                                  {"/mismatch/index", "3"},
                                                                  {"/mismatch/index", "[1.5]"},
                                                                  {"/findings/0/kind", "\"nonsense\""},
                                                                  {"/findings/0/bytes", "4294967296"},
                                                                  {"/findings/0/bytes", "-4"},
                                                                  {"/findings/0/ptx_line", "1e300"},
                                                                  {"/findings/0/address", "\"0xg\""},
                                                                  {"/findings/0/address", "\"17\""},
                                                                  {"/findings/0/address", "\"\""},
                                                                  {"/findings/0/address", "\"0x11112222333344445\""},
                                                                  {"/findings/0/address", "5"},
                                                                  {"/findings/0/block", "[1, 2]"},
                                                                  {"/findings/0/thread", "7"},
                                                                  {"/findings/0/source", "null"},
                                                                  {"/findings/0/source/0/line", "\"3\""}};
  for (const auto& [place, value] : wrong) {
    json changed = whole;
    changed[json::json_pointer(place)] = json::parse(value);
    SCOPED_TRACE(std::string(place) + " = " + value);
    expect_refused(changed);
  }
}

TEST(ResultJson, a_fault_without_a_place_has_no_thread) {
  CaseResult result;
  result.outcome = Outcome::fault;
  result.findings.emplace_back();
  result.findings[0].kind = gpu::FindingKind::illegal_address;
  const json document = to_json(result);
  EXPECT_TRUE(document.at("findings").at(0).at("thread").is_null());
  const auto read = case_result_from_json(document, {});
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->findings.size(), 1u);
  result.findings[0].ptx_line = 3;
  EXPECT_TRUE(to_json(result).at("findings").at(0).at("thread").is_array());
}

}  // namespace
}  // namespace assay::check
