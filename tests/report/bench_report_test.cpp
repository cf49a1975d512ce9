// SPDX-License-Identifier: MIT
#include "report/bench_report.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "stats/summary.hpp"

namespace assay::report {
namespace {

using measure::CaseMeasurement;
using measure::ContenderResult;
using nlohmann::json;

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

// Ten batches of ten samples around `us`; every `throttled_every`th one throttled.
ContenderResult contender_of(const std::string& name, double us, size_t throttled_every = 0) {
  ContenderResult result;
  result.name = name;
  result.provider = "command";
  result.variant = "row sums";
  result.versions = {{"torch", "2.11"}};
  result.guards.pass(measure::GuardKind::poison);
  result.guards.pass(measure::GuardKind::fingerprint, "every timed call");
  result.accuracy = {1e-4, 9e-5, 4e-4, 0.25};
  result.verified_sets = 4;
  result.throughput = {us - 2, us - 1, us};
  result.kernels = {{"row_sum<float>", 0, us}};
  for (size_t batch = 0; batch < 10; ++batch) {
    judge::Batch entry;
    for (size_t i = 0; i < 10; ++i) {
      entry.microseconds.push_back(us * (1 + 0.001 * static_cast<double>((3 * i + batch) % 7)));
      entry.throttled.push_back(throttled_every > 0 && i % throttled_every == 0);
    }
    entry.clock_mhz = 1980;
    entry.process = batch / 2;
    result.batches.push_back(entry);
  }
  result.time_us = stats::summarize(*stats::Sample::make(judge::pooled(result.batches)));
  result.median_interval = {us, us * 1.01};
  return result;
}

CaseMeasurement measurement_of(std::vector<ContenderResult> contenders) {
  CaseMeasurement measured;
  measured.shape = "N=4";
  measured.work.flops = 4e6;
  measured.work.bytes = 2e5;
  measured.floor.us = 5;
  measured.contract.set("device.name", "H200");
  measured.seed = 99;
  measured.contenders = std::move(contenders);
  measured.stopped_because = "the medians are known well enough";
  measured.seconds = 1.5;
  return measured;
}

judge::CompareOptions quick() {
  judge::CompareOptions options;
  options.resamples = 500;
  return options;
}

BenchCase case_of(std::vector<ContenderResult> contenders) {
  auto judged = measure::judge_case(measurement_of(std::move(contenders)), quick());
  EXPECT_TRUE(judged.ok()) << (judged ? "" : to_string(judged.error()));
  return *judged;
}

ContenderResult rejected(const std::string& name, double us) {
  ContenderResult result = contender_of(name, us);
  result.guards.fail(measure::GuardKind::roofline, "0.1 us is less than the work takes");
  return result;
}

ContenderResult lost(const std::string& name) {
  ContenderResult result;
  result.name = name;
  result.provider = "command";
  result.failure = Error{"provider '" + name + "' ended", {}, "it wrote: Segmentation fault", ExitCode::environment};
  return result;
}

TEST(JudgeCase, compares_the_candidate_with_each_baseline) {
  const BenchCase bench = case_of({contender_of("candidate", 10), contender_of("rival", 20), contender_of("third", 5)});
  ASSERT_EQ(bench.comparisons.size(), 3u);
  EXPECT_FALSE(bench.comparisons[0]);
  ASSERT_TRUE(bench.comparisons[1] && bench.comparisons[2]);
  EXPECT_EQ(bench.comparisons[1]->verdict, judge::Verdict::faster);
  EXPECT_NEAR(bench.comparisons[1]->ratio, 0.5, 0.01);
  EXPECT_EQ(bench.comparisons[2]->verdict, judge::Verdict::slower);
}

TEST(JudgeCase, compares_no_figure_that_a_guard_objects_to) {
  BenchCase bench = case_of({rejected("candidate", 1), contender_of("rival", 20)});
  EXPECT_FALSE(bench.comparisons[1]) << "a cheat is not FASTER";
  bench = case_of({contender_of("candidate", 10), rejected("rival", 20), lost("third")});
  EXPECT_FALSE(bench.comparisons[1]);
  EXPECT_FALSE(bench.comparisons[2]);
}

TEST(BenchDocument, has_every_figure) {
  BenchCase bench = case_of({contender_of("candidate", 10), contender_of("rival", 20, 10)});
  bench.measured.steps = {{"running once", 1.5}, {"sampling", 2}};
  const json document = bench_case_document(bench, true);
  EXPECT_EQ(keys(document), (std::set<std::string>{"shape", "seed", "order_seed", "flops", "bytes", "floor_us",
                                                   "sampling", "steps", "contract", "contract_hash", "contenders"}));
  EXPECT_EQ(document["steps"][0], (json{{"step", "running once"}, {"seconds", 1.5}}));
  EXPECT_EQ(document["shape"], "N=4");
  EXPECT_EQ(document["seed"], 99);
  EXPECT_EQ(document["floor_us"], 5);
  EXPECT_EQ(document["contract"], (json{{"device.name", "H200"}}));
  EXPECT_EQ(document["contract_hash"], bench.measured.contract.hash());
  ASSERT_EQ(document["contenders"].size(), 2u);
  const json& candidate = document["contenders"][0];
  EXPECT_EQ(keys(candidate),
            (std::set<std::string>{"name", "provider", "variant", "versions", "good", "objection", "guards",
                                   "deterministic", "accuracy", "kernels", "measured", "batches", "requests"}));
  EXPECT_EQ(candidate["good"], true);
  EXPECT_EQ(candidate["objection"], "");
  EXPECT_EQ(candidate["guards"][1],
            (json{{"guard", "fingerprint"}, {"state", "passed"}, {"detail", "every timed call"}}));
  EXPECT_EQ(candidate["kernels"], json::array({"row_sum<float>"}));
  EXPECT_EQ(candidate["accuracy"]["sets_verified_against_float64"], 4);
  EXPECT_EQ(candidate["accuracy"]["share_of_elements"], 0.25);
  const json& figures = candidate["measured"];
  EXPECT_EQ(keys(figures), (std::set<std::string>{"samples", "p50_us", "p90_us", "p99_us", "mean_us", "min_us",
                                                  "max_us", "median_interval_us", "throughput_us", "tflops", "gb_per_s",
                                                  "fraction_of_roofline", "throttled"}));
  EXPECT_EQ(figures["samples"], 100);
  EXPECT_NEAR(figures["p50_us"].get<double>(), 10.03, 0.02);
  EXPECT_EQ(figures["throughput_us"], 9);
  EXPECT_NEAR(figures["tflops"].get<double>(), 0.4, 0.01);
  EXPECT_NEAR(figures["gb_per_s"].get<double>(), 20, 0.1);
  EXPECT_NEAR(figures["fraction_of_roofline"].get<double>(), 0.5, 0.01);
  EXPECT_EQ(figures["throttled"], 0);
  EXPECT_EQ(candidate["batches"].size(), 10u);
  EXPECT_EQ(candidate["batches"][0]["us"].size(), 10u);
  EXPECT_EQ(candidate["batches"][0]["clock_mhz"], 1980);
  EXPECT_EQ(document["contenders"][1]["comparison"]["verdict"], "FASTER");
  EXPECT_EQ(document["contenders"][1]["measured"]["throttled"], 0.1);
  EXPECT_FALSE(bench_case_document(bench, false)["contenders"][0].contains("batches"));
}

TEST(BenchDocument, has_no_figures_of_what_was_not_timed) {
  const json document = bench_case_document(case_of({contender_of("candidate", 10), lost("rival")}), true);
  const json& rival = document["contenders"][1];
  EXPECT_EQ(rival["good"], false);
  EXPECT_EQ(rival["objection"], "provider 'rival' ended");
  EXPECT_FALSE(rival.contains("measured"));
  EXPECT_FALSE(rival.contains("comparison"));
}

TEST(BenchText, shows_figures_and_verdicts) {
  const std::string text =
      bench_case_text(case_of({contender_of("candidate", 10), contender_of("rival", 20)}), Terminal(false));
  EXPECT_TRUE(text.starts_with("N=4\n")) << text;
  EXPECT_TRUE(mentions(text, "candidate")) << text;
  EXPECT_TRUE(mentions(text, "FASTER 2.0")) << text;
  EXPECT_TRUE(mentions(text, "49.9 %")) << text;
  EXPECT_TRUE(mentions(text, "measured, 100 samples each; stopped: the medians are known well enough\n")) << text;
  EXPECT_FALSE(mentions(text, "REJECTED")) << text;
  EXPECT_FALSE(mentions(text, "throttled")) << text;
  EXPECT_FALSE(mentions(text, "THROTTLED")) << text;
}

TEST(BenchText, rejects_what_a_guard_objects_to) {
  const std::string text =
      bench_case_text(case_of({rejected("candidate", 1), contender_of("rival", 20), lost("third")}), Terminal(false));
  EXPECT_TRUE(mentions(text, "REJECTED candidate: roofline: 0.1 us is less than the work takes\n")) << text;
  EXPECT_TRUE(mentions(text, "not compared third: provider 'third' ended\n    it wrote: Segmentation fault\n")) << text;
  EXPECT_FALSE(mentions(text, "FASTER")) << text;
}

TEST(BenchText, says_when_clocks_were_held_back) {
  const std::string some =
      bench_case_text(case_of({contender_of("candidate", 10, 5), contender_of("rival", 20)}), Terminal(false));
  EXPECT_TRUE(mentions(some, "20.0 % of the samples of candidate were throttled")) << some;
  EXPECT_FALSE(mentions(some, "of rival were throttled")) << some;
  const std::string all =
      bench_case_text(case_of({contender_of("candidate", 10, 1), contender_of("rival", 20)}), Terminal(false));
  EXPECT_TRUE(mentions(all, "THROTTLED: every sample of candidate")) << all;
}

TEST(BenchTable, has_one_row_for_each_contender_of_each_case) {
  const BenchCase bench = case_of({contender_of("candidate", 10), contender_of("rival", 20), lost("third")});
  const BenchTable table = bench_table({bench, bench});
  ASSERT_EQ(table.rows.size(), 6u);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
  const auto cell = [&](size_t row, const std::string& column) {
    const auto found = std::find(table.header.begin(), table.header.end(), column);
    return table.rows[row].at(static_cast<size_t>(found - table.header.begin()));
  };
  EXPECT_EQ(cell(0, "contender"), "candidate");
  EXPECT_EQ(cell(0, "good"), "yes");
  EXPECT_EQ(cell(0, "samples"), "100");
  EXPECT_EQ(cell(0, "candidate_speedup"), "");
  EXPECT_TRUE(cell(1, "candidate_speedup").starts_with("2.0") || cell(1, "candidate_speedup").starts_with("1.99"));
  EXPECT_EQ(cell(1, "verdict"), "FASTER");
  EXPECT_EQ(cell(2, "p50_us"), "") << "what was not measured has no figure";
  EXPECT_EQ(cell(2, "good"), "provider 'third' ended");
}

TEST(BenchTable, quotes_csv) {
  const BenchTable table{{"a", "b"}, {{"plain", "with, comma"}, {"a \"quote\"", "two\nlines"}, {"", " x "}}};
  EXPECT_EQ(to_csv(table), "a,b\nplain,\"with, comma\"\n\"a \"\"quote\"\"\",two\\nlines\n, x \n");
}

TEST(BenchTable, cannot_be_broken_by_what_a_cell_holds) {
  const BenchTable table{{"a", "b"}, {{"N=4", "void f<float>(int*) | [x](y)\n`end`"}, {"1.5", "rival_2"}}};
  const std::string text = to_markdown(table);
  EXPECT_TRUE(text.starts_with("| a | b |\n|---|---|\n| N=4 | <code>")) << text;
  EXPECT_TRUE(mentions(text, "| 1.5 | rival_2 |\n")) << text;
  const std::vector<std::string_view> lines = split(text, '\n');
  ASSERT_EQ(lines.size(), 5u) << text;
  EXPECT_EQ(std::count(lines[2].begin(), lines[2].end(), '|'), 3) << lines[2];
  EXPECT_FALSE(mentions(text, "<float>")) << text;
  EXPECT_FALSE(mentions(text, "[x](y)")) << text;
}

}  // namespace
}  // namespace assay::report
