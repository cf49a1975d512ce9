// SPDX-License-Identifier: MIT
#include "judge/gate.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "judge/gate_json.hpp"

namespace assay::judge {
namespace {

Comparison times(double ratio, double low, double high, double p) {
  Comparison comparison;
  comparison.ratio = ratio;
  comparison.interval = {low, high};
  comparison.likely = {low + (ratio - low) / 3, high - (high - ratio) / 3};
  comparison.replicated = true;
  comparison.p = p;
  return comparison;
}

GateResult one(GateCase test, const GateOptions& options = {}) {
  return gate({std::move(test)}, options);
}

TEST(Gate, fails_what_is_certainly_slower_and_may_be_slower_by_the_threshold) {
  const GateResult result = one({.name = "k", .comparison = times(1.03, 1.02, 1.04, 1e-5)});
  EXPECT_EQ(result.verdict, GateVerdict::regression);
  EXPECT_EQ(result.exit_code, ExitCode::regression);
  EXPECT_EQ(result.reason, "0 of 1 cases pass, 1 regressed");
  EXPECT_EQ(result.cases[0].reason, "3.00 % slower (99.5 % interval: 2.00 % slower to 4.00 % slower)");
}

TEST(Gate, passes_what_is_surely_below_the_threshold) {
  EXPECT_EQ(one({.name = "k", .comparison = times(1.015, 1.01, 1.02, 1e-9)}).exit_code, ExitCode::good);
  EXPECT_EQ(one({.name = "k", .comparison = times(0.9, 0.89, 0.91, 1e-9)}).exit_code, ExitCode::good);
  EXPECT_EQ(one({.name = "k", .comparison = times(1.025, 1.021, 1.0299, 1e-9)}).verdict, GateVerdict::pass);
}

// Slower for certain and less than the threshold by all likelihood, which is not ruled out: neither.
TEST(Gate, leaves_open_what_is_slower_by_less_than_the_threshold) {
  EXPECT_EQ(one({.name = "k", .comparison = times(1.02, 1.009, 1.031, 1e-5)}).verdict, GateVerdict::inconclusive);
  EXPECT_EQ(one({.name = "k", .comparison = times(1.0255, 1.015, 1.036, 1e-5)}).verdict, GateVerdict::regression);
}

TEST(Gate, knows_nothing_of_processes_from_one) {
  Comparison alone = times(1.1, 1.09, 1.11, 1e-9);
  alone.replicated = false;
  alone.reason = "within one process";
  EXPECT_EQ(one({.name = "k", .comparison = alone}).verdict, GateVerdict::inconclusive);
  alone.options.process_spread = ProcessSpread{0.005, 0};
  EXPECT_EQ(one({.name = "k", .comparison = alone}).verdict, GateVerdict::regression);
}

TEST(Gate, does_not_guess) {
  const GateCase noisy{.name = "k", .comparison = times(1.01, 0.97, 1.05, 0.3)};
  EXPECT_EQ(one(noisy).exit_code, ExitCode::inconclusive);
  const GateResult passes = one(noisy, {.inconclusive_passes = true});
  EXPECT_EQ(passes.verdict, GateVerdict::inconclusive);
  EXPECT_EQ(passes.exit_code, ExitCode::good);
  EXPECT_EQ(gate({}).exit_code, ExitCode::inconclusive);
  EXPECT_EQ(one({.name = "k"}).exit_code, ExitCode::inconclusive);
  // Faster, perhaps, but a slowdown is not ruled out.
  EXPECT_EQ(one({.name = "k", .comparison = times(0.99, 0.95, 1.03, 0.001)}).verdict, GateVerdict::inconclusive);
}

TEST(Gate, does_not_blame_the_kernel_for_throttling_or_clocks) {
  Comparison throttled = times(1.5, 1.4, 1.6, 1e-9);
  throttled.verdict = Verdict::throttled;
  throttled.reason = "90 % throttled";
  EXPECT_EQ(one({.name = "k", .comparison = throttled}).cases[0].reason, "90 % throttled");
  EXPECT_EQ(one({.name = "k", .comparison = throttled}).verdict, GateVerdict::inconclusive);
  Comparison clocks = times(1.05, 1.04, 1.06, 1e-9);
  clocks.cycles = {1.0, {0.99, 1.01}, false};
  EXPECT_EQ(one({.name = "k", .comparison = clocks}).verdict, GateVerdict::inconclusive);
  clocks.cycles->confirms = true;
  EXPECT_EQ(one({.name = "k", .comparison = clocks}).verdict, GateVerdict::regression);
}

TEST(Gate, corrects_for_the_size_of_the_suite) {
  const GateCase suspicious{.name = "k", .comparison = times(1.02, 1.001, 1.04, 0.004)};
  EXPECT_EQ(one(suspicious).verdict, GateVerdict::regression);
  std::vector<GateCase> suite(9, {.name = "good", .comparison = times(1, 0.99, 1.01, 0.5)});
  suite.push_back(suspicious);
  const GateResult result = gate(suite);
  EXPECT_EQ(result.cases[9].verdict, GateVerdict::inconclusive);
  EXPECT_NEAR(result.cases[9].adjusted_p, 0.04, 1e-12);
  EXPECT_EQ(result.reason, "9 of 10 cases pass, 1 inconclusive");
}

TEST(Gate, puts_correctness_first_and_the_worst_decides) {
  const GateCase wrong{.name = "w", .incorrect = "o[0]: expected 1, got 2", .comparison = times(0.5, 0.4, 0.6, 1e-9)};
  const GateCase slow{.name = "s", .comparison = times(1.1, 1.09, 1.11, 1e-9)};
  const GateCase noisy{.name = "n", .comparison = times(1.0, 0.9, 1.1, 1)};
  EXPECT_EQ(gate({slow, wrong, noisy}).exit_code, ExitCode::incorrect);
  EXPECT_EQ(gate({slow, wrong}).cases[1].reason, "o[0]: expected 1, got 2");
  EXPECT_EQ(gate({noisy, slow}).exit_code, ExitCode::regression);
  EXPECT_EQ(gate({noisy, slow}, {.inconclusive_passes = true}).exit_code, ExitCode::regression);
}

TEST(Gate, judges_exact_counters) {
  const auto counters = [](uint64_t now) {
    return compare_counters({{"ptx_instructions", now}}, {{"ptx_instructions", 100}}, 0.01);
  };
  EXPECT_EQ(one({.name = "k", .counters = counters(100)}).exit_code, ExitCode::good);
  EXPECT_EQ(one({.name = "k", .counters = counters(90)}).exit_code, ExitCode::good);
  const GateResult worse = one({.name = "k", .counters = counters(101)});
  EXPECT_EQ(worse.exit_code, ExitCode::regression);
  EXPECT_EQ(worse.cases[0].reason, "counters grew: ptx_instructions from 100 to 101 (+1.00 %)");
  EXPECT_EQ(one({.name = "k", .counters = compare_counters({{"a", 1}}, {{"b", 1}}, 0.01)}).exit_code,
            ExitCode::inconclusive);
}

TEST(Gate, shows_a_trade_and_leaves_it_to_people) {
  const GateCase trade{
      .name = "k",
      .counters = compare_counters({{"global_store_sectors", 10}, {"shared_load_wavefronts", 4}},
                                   {{"global_store_sectors", 80}, {"shared_load_wavefronts", 0}}, 0.01)};
  const GateResult result = one(trade);
  EXPECT_EQ(result.verdict, GateVerdict::trade);
  EXPECT_EQ(result.exit_code, ExitCode::inconclusive);
  EXPECT_EQ(result.reason, "0 of 1 cases pass, 1 a trade");
  EXPECT_EQ(result.cases[0].reason,
            "a trade: shared_load_wavefronts from 0 to 4 grew; global_store_sectors from 80 to 10 (-87.50 %) fell");
  EXPECT_EQ(one(trade, {.inconclusive_passes = true}).exit_code, ExitCode::good);
  EXPECT_EQ(one(trade, {.strict = true}).exit_code, ExitCode::regression);
}

TEST(Gate, lets_time_settle_a_trade_of_counters) {
  const auto trade = compare_counters({{"global_store_sectors", 10}, {"shared_load_wavefronts", 4}},
                                      {{"global_store_sectors", 80}, {"shared_load_wavefronts", 0}}, 0.01);
  EXPECT_EQ(one({.name = "k", .comparison = times(0.5, 0.49, 0.51, 1e-9), .counters = trade}).verdict,
            GateVerdict::pass);
  EXPECT_EQ(one({.name = "k", .comparison = times(1.5, 1.4, 1.6, 1e-9), .counters = trade}).verdict,
            GateVerdict::regression);
}

TEST(Gate, lets_estimates_settle_a_trade_only_beyond_their_error) {
  const auto trade = compare_counters({{"global_store_sectors", 10}, {"shared_load_wavefronts", 4}},
                                      {{"global_store_sectors", 80}, {"shared_load_wavefronts", 0}}, 0.01);
  const EstimatedTime slow{20, 15, 29};
  const EstimatedTime fast{5, 4, 7};
  const EstimatedTime between{12, 9, 17};
  const auto judged = [&](const EstimatedTime& candidate, const EstimatedTime& baseline) {
    return one({.name = "k", .counters = trade, .estimated = EstimatedChange{candidate, baseline}});
  };
  EXPECT_EQ(judged(slow, fast).verdict, GateVerdict::regression);
  EXPECT_EQ(judged(fast, slow).verdict, GateVerdict::pass);
  EXPECT_EQ(judged(between, slow).verdict, GateVerdict::trade) << "the ranges touch";
  EXPECT_NE(judged(fast, slow).cases[0].reason.find("estimated 5 us (4 ... 7), the baseline 20 us (15 ... 29)"),
            std::string::npos)
      << judged(fast, slow).cases[0].reason;
  const auto grown = compare_counters({{"ptx_instructions", 200}}, {{"ptx_instructions", 100}}, 0.01);
  EXPECT_EQ(one({.name = "k", .counters = grown, .estimated = EstimatedChange{fast, slow}}).verdict,
            GateVerdict::regression)
      << "pure growth stays exact";
  EXPECT_EQ(one({.name = "k", .counters = trade, .estimated = EstimatedChange{fast, slow}}, {.strict = true}).verdict,
            GateVerdict::regression)
      << "strictly, a trade is a regression";
}

TEST(Gate, takes_the_worse_of_times_and_counters) {
  const auto grown = compare_counters({{"ptx_instructions", 200}}, {{"ptx_instructions", 100}}, 0.01);
  const auto kept = compare_counters({{"ptx_instructions", 100}}, {{"ptx_instructions", 100}}, 0.01);
  const Comparison good = times(1, 0.99, 1.01, 0.5);
  const Comparison slow = times(1.1, 1.09, 1.11, 1e-9);
  EXPECT_EQ(one({.name = "k", .comparison = good, .counters = grown}).verdict, GateVerdict::regression);
  EXPECT_EQ(one({.name = "k", .comparison = slow, .counters = kept}).verdict, GateVerdict::regression);
  EXPECT_EQ(one({.name = "k", .comparison = good, .counters = kept}).verdict, GateVerdict::pass);
}

}  // namespace
}  // namespace assay::judge
