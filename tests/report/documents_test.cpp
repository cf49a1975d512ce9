// SPDX-License-Identifier: MIT
#include "report/documents.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace assay::report {
namespace {

using nlohmann::json;

std::set<std::string> names_in(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

check::CaseResult result_of(int64_t size, check::Outcome outcome) {
  check::CaseResult result;
  result.test.shape.values = {{"N", size}};
  result.test.seed = 5;
  result.outcome = outcome;
  return result;
}

gpu::Finding finding() {
  gpu::Finding made;
  made.kind = gpu::FindingKind::misaligned;
  made.access = gpu::AccessKind::load;
  made.space = gpu::Space::shared;
  made.address = 0x24;
  made.bytes = 16;
  made.source = {{"tile.cu", 12, 4, "load"}, {"tile.cu", 40, 1, "main_loop"}};
  made.count = 3;
  return made;
}

const std::set<std::string> kCaseKeys = {"shape",
                                         "distribution",
                                         "seed",
                                         "origin",
                                         "outcome",
                                         "message",
                                         "hint",
                                         "tensor",
                                         "finding_occurrences",
                                         "failures",
                                         "elements",
                                         "compared",
                                         "max_absolute_error",
                                         "max_relative_error",
                                         "max_ulp_error",
                                         "tolerance_used",
                                         "warp_instructions_counted",
                                         "thread_instructions_counted",
                                         "host_seconds",
                                         "printed"};

std::set<std::string> with(std::set<std::string> names, const std::string& more) {
  names.insert(more);
  return names;
}

TEST(SanitizeDocument, lists_each_finding_once_with_its_shape) {
  check::SanitizeReport report;
  report.results = {result_of(4, check::Outcome::passed), result_of(8, check::Outcome::finding)};
  report.results[1].findings = {finding()};
  report.findings = {finding()};
  report.finding_shapes = {"N=8"};
  report.occurrences = 3;
  const json document = sanitize_document(report);
  EXPECT_EQ(names_in(document),
            (std::set<std::string>{"verdict", "findings", "occurrences", "cases", "checks", "checked", "not_checked"}));
  EXPECT_EQ(document["verdict"], "failed");
  EXPECT_EQ(document["occurrences"], 3);
  ASSERT_EQ(document["cases"].size(), 2u);
  EXPECT_EQ(names_in(document["cases"][1]), kCaseKeys);
  EXPECT_EQ(document["cases"][1]["shape"], "N=8");
  ASSERT_EQ(document["findings"].size(), 1u);
  const json& found = document["findings"][0];
  EXPECT_EQ(names_in(found), (std::set<std::string>{
                                 "kind",       "space", "access", "bytes",  "block",       "thread",       "address",
                                 "file",       "line",  "source", "kernel", "instruction", "ptx_line",     "message",
                                 "allocation", "count", "shape",  "column", "notes",       "thread_count", "threads"}));
  EXPECT_EQ(found["kind"], "misaligned");
  EXPECT_EQ(found["space"], "shared");
  EXPECT_EQ(found["address"], "0x24");
  EXPECT_EQ(found["file"], "tile.cu");
  EXPECT_EQ(found["line"], 12);
  EXPECT_EQ(found["source"][1]["line"], 40);
  EXPECT_EQ(found["shape"], "N=8");
}

TEST(SanitizeDocument, calls_clean_only_what_ran) {
  check::SanitizeReport report;
  EXPECT_EQ(sanitize_document(report)["verdict"], "failed");
  report.results = {result_of(4, check::Outcome::passed)};
  EXPECT_EQ(sanitize_document(report)["verdict"], "clean");
  report.results.push_back(result_of(8, check::Outcome::crashed));
  EXPECT_EQ(sanitize_document(report)["verdict"], "failed");
}

TEST(CheckDocument, of_a_correct_kernel_has_no_failure) {
  check::CheckReport report;
  report.results = {result_of(4, check::Outcome::passed)};
  report.skipped = {{result_of(900, check::Outcome::passed).test.shape, "too much work"}};
  report.planned = 1;
  report.seed = 9;
  report.approximate = {"ex2.approx"};
  const json document = check_document(report);
  EXPECT_EQ(names_in(document), (std::set<std::string>{"verdict", "planned", "ran", "seed", "repetitions", "validated",
                                                       "approximate_instructions", "fusible", "cases", "skipped",
                                                       "checks", "checked", "not_checked"}));
  EXPECT_EQ(document["verdict"], "correct");
  EXPECT_EQ(document["seed"], 9);
  EXPECT_EQ(names_in(document["cases"][0]), with(kCaseKeys, "findings"));
  EXPECT_EQ(document["skipped"], json::parse(R"([{"shape": "N=900", "reason": "too much work"}])"));
  EXPECT_EQ(document["approximate_instructions"], json::array({"ex2.approx"}));
}

TEST(CheckDocument, of_an_incorrect_kernel_shows_the_smallest_failure) {
  check::CheckReport report;
  report.results = {result_of(64, check::Outcome::wrong_value)};
  report.failure = result_of(3, check::Outcome::wrong_value);
  report.failure->mismatch = check::Mismatch{check::MismatchKind::nan, {1, 2}, 1.5, NAN, NAN, NAN, NAN, 0.1};
  report.shrink_evaluations = 7;
  report.shrunk_to_minimum = true;
  const json document = check_document(report);
  EXPECT_EQ(document["verdict"], "incorrect");
  EXPECT_EQ(document["failure"]["shape"], "N=3");
  EXPECT_EQ(document["shrink_evaluations"], 7);
  EXPECT_EQ(document["shrunk_to_minimum"], true);
  const json& mismatch = document["failure"]["mismatch"];
  EXPECT_EQ(mismatch["index"], json::array({1, 2}));
  EXPECT_EQ(mismatch["expected"], 1.5);
  EXPECT_EQ(mismatch["got"], "nan") << "JSON has no NaN";
  EXPECT_EQ(document.dump().find("null"), std::string::npos) << document.dump();
}

TEST(CheckDocument, is_incorrect_if_nothing_ran) {
  EXPECT_EQ(check_document({})["verdict"], "incorrect");
}

TEST(BuildDocument, counts_results_and_says_unknown_for_what_is_not_known) {
  spec::KernelSpec spec;
  spec.kernel.name = "copy";
  build::BuildReport report;
  report.no_compiler = Error{"no nvcc", {}, "install CUDA"};
  build::BuildResult result;
  result.target = "sm_89";
  result.status = build::BuildStatus::prebuilt;
  result.resources = {{.entry = "copy_f32", .registers = 32}};
  report.results = {result};
  const json document = build_document(spec, report, {});
  EXPECT_EQ(names_in(document), (std::set<std::string>{"kernel", "results", "fits", "compiler", "skipped", "counts"}));
  EXPECT_EQ(document["kernel"], "copy");
  EXPECT_TRUE(document["compiler"].is_null());
  EXPECT_EQ(document["skipped"]["reason"], "no nvcc");
  EXPECT_EQ(document["counts"]["prebuilt"], 1);
  EXPECT_EQ(document["counts"]["built"], 0);
  const json& built = document["results"][0];
  EXPECT_EQ(names_in(built), (std::set<std::string>{"configuration", "target", "status", "ptx", "cubin", "compiler",
                                                    "reason", "hint", "output", "timed_out", "seconds", "resources"}));
  EXPECT_EQ(built["status"], "prebuilt");
  EXPECT_EQ(built["resources"][0]["registers"], 32);
  EXPECT_EQ(built["resources"][0]["spill_store_bytes"], "unknown");
}

TEST(BuildDocument, shows_where_a_launch_fits) {
  const spec::Configuration configuration{{{"BLOCK", 64}}};
  build::ModelFit model;
  model.model = gpu::find_model("l4");
  model.target = "sm_89";
  model.occupancy.fit = gpu::Fit::fits;
  model.occupancy.blocks_per_sm = 3;
  model.occupancy.limiters = {gpu::Limiter::registers};
  ConfigurationFits fits{&configuration, {{"copy_f32", "N=4", 64, 0, {}, {model}}}};
  build::BuildReport report;
  report.compiler = "13.0";
  const json document = build_document({}, report, {fits});
  EXPECT_EQ(document["compiler"], "13.0");
  EXPECT_FALSE(document.contains("skipped"));
  const json& fit = document["fits"][0];
  EXPECT_EQ(names_in(fit), (std::set<std::string>{"configuration", "entry", "shape", "threads", "dynamic_shared_bytes",
                                                  "here", "models"}));
  EXPECT_EQ(fit["configuration"], "BLOCK=64");
  EXPECT_EQ(fit["models"][0]["gpu"], "l4");
  EXPECT_EQ(fit["models"][0]["blocks_per_sm"], 3);
  EXPECT_EQ(fit["models"][0]["occupancy_percent"], "unknown");
  EXPECT_EQ(fit["models"][0]["limited_by"], json::array({"registers"}));
}

}  // namespace
}  // namespace assay::report
