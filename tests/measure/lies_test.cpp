// SPDX-License-Identifier: MIT
// Every lie is caught, and by the guard that is there for it. docs/red_team.md has the same for a GPU.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "session_case.hpp"

namespace assay::measure {
namespace {

namespace fs = std::filesystem;

struct Lie {
  FakeEntry entry;
  std::vector<std::string> guards;  // all of them object
};

class LiesTest : public testing::Test {
 protected:
  void SetUp() override { ASSAY_NEEDS_PYTHON(); }

  // All liars in one session, and an honest one beside them.
  static void expect_caught(const ProblemFolder& folder, const std::vector<Lie>& lies,
                            const SessionOptions& options = quick_options()) {
    std::vector<FakeEntry> entries{behaving("honest")};
    for (const Lie& lie : lies) entries.push_back(lie.entry);
    const CaseMeasurement measured = run_session(folder, entries, options);
    ASSERT_EQ(measured.contenders.size(), entries.size());
    EXPECT_TRUE(measured.contenders[0].good()) << failures_of(measured.contenders[0]);
    for (size_t i = 0; i < lies.size(); ++i) {
      const ContenderResult& liar = measured.contenders[i + 1];
      EXPECT_FALSE(liar.good()) << liar.name;
      for (const std::string& name : lies[i].guards) {
        EXPECT_EQ(state_of(liar, name), "failed") << liar.name << " " << name << ", but " << failures_of(liar);
        const Guard* guard = find_guard(liar, name);
        EXPECT_TRUE(guard == nullptr || !guard->detail.empty()) << liar.name;
      }
    }
  }
};

TEST_F(LiesTest, about_results_are_caught) {
  const ProblemFolder folder;
  expect_caught(folder, {{behaving("wrong_output"), {"poison"}},
                         {behaving("nan_output"), {"poison"}},
                         {behaving("unwritten"), {"poison"}},
                         {behaving("only_when_poison_165"), {"poison"}},
                         {behaving("ignores_input"), {"poison"}},
                         {behaving("rough"), {"accuracy"}},
                         {behaving("changes_input"), {"inputs_changed"}}});
}

TEST_F(LiesTest, about_timed_calls_are_caught) {
  const ProblemFolder folder;
  expect_caught(folder, {{behaving("wrong_fingerprint"), {"fingerprint"}},
                         {behaving("wrong_when_timed"), {"fingerprint"}},
                         {behaving("unwritten_when_timed"), {"fingerprint"}},
                         {behaving("poison_seen_before"), {"fingerprint"}},
                         {{"later_wrong", {"--behave", "later_wrong", "--after", "15"}}, {"fingerprint", "recheck"}},
                         {behaving("hides_wrong"), {"recheck"}}});
}

TEST_F(LiesTest, from_memory_are_caught) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.order_seed = 1;
  expect_caught(folder,
                {{behaving("stale"), {"fresh_inputs", "sensitivity"}},
                 {behaving("stale_jitter"), {"fresh_inputs", "sensitivity"}},
                 {behaving("fresh_slow"), {"fresh_inputs"}},
                 {behaving("fresh_slow_at_times"), {"fresh_inputs"}},
                 {behaving("slow_from_then_on"), {"fresh_inputs"}}},
                options);
}

// With one set there is no other to compare with, with two none to go before.
TEST_F(LiesTest, from_memory_are_caught_with_few_sets) {
  const ProblemFolder folder;
  for (const size_t sets : {1, 2}) {
    SessionOptions options = quick_options();
    options.protocol.sets = sets;
    expect_caught(folder, {{behaving("fresh_slow"), {"fresh_inputs"}}}, options);
  }
}

// Somebody else uses the GPU from the last samples on: what comes after them takes longer, fresh or not.
TEST_F(LiesTest, from_memory_are_told_from_noise) {
  const ProblemFolder folder;
  const std::string after = "42";  // what warms up, and all samples
  size_t suspected = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SessionOptions options = quick_options();
    options.order_seed = seed;
    const auto beside_a_neighbour = [&](const char* behaviour) {
      const fs::path marker = folder.folder().path() / fmt::format("{}.{}", behaviour, seed);
      return FakeEntry{behaviour, {"--behave", behaviour, "--neighbour", after, "--marker", marker.string()}};
    };
    const CaseMeasurement measured =
        run_session(folder, {beside_a_neighbour("honest"), beside_a_neighbour("fresh_slow")}, options);
    EXPECT_TRUE(measured.candidate().good()) << seed << ": " << failures_of(measured.candidate());
    const Guard* guard = find_guard(measured.candidate(), "fresh_inputs");
    ASSERT_NE(guard, nullptr);
    suspected += mentions(guard->detail, "which did not come again") ? 1 : 0;
    EXPECT_EQ(state_of(measured.contenders[1], "fresh_inputs"), "failed") << seed;
  }
  EXPECT_GT(suspected, 0u) << "it was noisy enough to look twice";
}

TEST_F(LiesTest, about_the_clock_are_caught) {
  const ProblemFolder folder;
  expect_caught(folder, {{behaving("over_wall"), {"host_clock"}}});
}

// Here the parent's clock must be strict; that a busy machine makes the liar slower still does not save it.
TEST_F(LiesTest, about_time_that_is_hidden_are_caught) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.host_clock = {1.5, 1000, 100};
  const CaseMeasurement measured =
      run_session(folder, {{"hidden_time", {"--behave", "hidden_time", "--us", "4000"}}}, options);
  EXPECT_EQ(state_of(measured.candidate(), "host_clock"), "failed") << failures_of(measured.candidate());
}

// A call that takes so long that few replays are asked for: the one that warms up must not look like time that is
// hidden.
TEST_F(LiesTest, are_not_what_a_long_kernel_tells) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.host_clock = HostClock();
  const CaseMeasurement measured = run_session(folder, {{"long", {"--us", "20000"}}}, options);
  EXPECT_EQ(state_of(measured.candidate(), "host_clock"), "passed") << failures_of(measured.candidate());
}

TEST_F(LiesTest, that_are_too_fast_are_caught) {
  const ProblemFolder folder(row_sum_toml("bytes = \"1e9\"\n"));
  SessionOptions options = quick_options();
  options.model = *gpu::find_model("a100");
  const CaseMeasurement measured = run_session(folder, {{"quick", {"--us", "20"}}, {"slow", {"--us", "400"}}}, options);
  EXPECT_EQ(state_of(measured.contenders[0], "roofline"), "failed");
  EXPECT_TRUE(measured.contenders[1].good()) << failures_of(measured.contenders[1]);
  EXPECT_EQ(state_of(measured.contenders[1], "roofline"), "passed");
}

TEST_F(LiesTest, about_inputs_that_are_constant_in_the_specification_are_caught) {
  const ProblemFolder folder(layer_norm_toml());
  expect_caught(folder,
                {{behaving("ignores_weight"), {"sensitivity"}}, {behaving("ignores_weight_jitter"), {"sensitivity"}}});
}

TEST_F(LiesTest, that_a_profiler_sees_are_caught) {
  const ProblemFolder folder;
  expect_caught(folder, {{behaving("other_stream"), {"streams"}},
                         {behaving("nameless_stream"), {"streams"}},
                         {behaving("library"), {"kernels_list"}},
                         {behaving("no_kernels"), {"kernels_list"}},
                         {behaving("no_nodes"), {"graph_nodes"}},
                         {behaving("more_nodes"), {"graph_nodes"}},
                         {behaving("no_profiler_no_nodes"), {"graph_nodes"}},
                         {behaving("threads"), {"threads"}},
                         {behaving("persisting"), {"persisting_l2"}}});
}

TEST_F(LiesTest, are_not_seen_in_baselines_that_call_libraries) {
  const ProblemFolder folder;
  const CaseMeasurement measured =
      run_session(folder, {behaving("honest"), behaving("library", false), behaving("other_stream", false),
                           behaving("threads", false), behaving("rough", false)});
  for (const ContenderResult& each : measured.contenders)
    EXPECT_TRUE(each.good()) << each.name << ": " << failures_of(each);
}

TEST_F(LiesTest, need_a_profiler_for_some_guards) {
  const ProblemFolder folder;
  const CaseMeasurement measured = run_session(folder, {behaving("no_profiler")});
  EXPECT_TRUE(measured.candidate().good()) << failures_of(measured.candidate());
  for (const char* guard : {"kernels_list", "streams", "graph_nodes"}) {
    EXPECT_EQ(state_of(measured.candidate(), guard), "unavailable") << guard;
    EXPECT_EQ(find_guard(measured.candidate(), guard)->detail, "no profiler in this test");
  }
}

// No lie: a call may wait for the device. But nobody may take such samples for others.
TEST_F(LiesTest, a_gate_that_had_opened_is_said) {
  const ProblemFolder folder;
  const CaseMeasurement measured =
      run_session(folder, {behaving("open_gate"), behaving("no_gate", false), behaving("honest", false)});
  for (const ContenderResult& each : measured.contenders)
    EXPECT_TRUE(each.good()) << each.name << ": " << failures_of(each);
  ASSERT_EQ(state_of(measured.candidate(), "gate"), "unavailable");
  ASSERT_EQ(state_of(measured.contenders[1], "gate"), "unavailable");
  EXPECT_TRUE(mentions(find_guard(measured.candidate(), "gate")->detail, "samples hold time to enqueue"))
      << find_guard(measured.candidate(), "gate")->detail;
  EXPECT_EQ(find_guard(measured.contenders[1], "gate")->detail, "the provider does not say");
  EXPECT_EQ(state_of(measured.contenders[2], "gate"), "passed");
}

// Too much work for float64: contenders are compared with each other.
TEST_F(LiesTest, are_caught_by_other_contenders_where_float64_takes_too_long) {
  const ProblemFolder folder(
      replace_all(layer_norm_toml(), "reference = \"layer_norm\"\n", "reference = \"layer_norm\"\nflops = \"4e10\"\n"));
  const CaseMeasurement honest = run_session(folder, {behaving("honest"), {"rival", {}, false}});
  for (const ContenderResult& each : honest.contenders) {
    EXPECT_TRUE(each.good()) << each.name << ": " << failures_of(each);
    EXPECT_EQ(each.verified_sets, 0u);
    EXPECT_EQ(state_of(each, "poison"), "passed");
  }
  EXPECT_TRUE(mentions(find_guard(honest.candidate(), "poison")->detail, "rival"));
  const CaseMeasurement measured = run_session(folder, {behaving("wrong_output"),
                                                        {"rival", {}, false},
                                                        {"second rival", {}, false},
                                                        behaving("stale"),
                                                        behaving("hides_wrong"),
                                                        behaving("jitter")});
  EXPECT_EQ(state_of(measured.contenders[0], "poison"), "failed");
  EXPECT_TRUE(measured.contenders[1].good())
      << "a wrong candidate does not blame it: " << failures_of(measured.contenders[1]);
  EXPECT_TRUE(measured.contenders[2].good()) << failures_of(measured.contenders[2]);
  EXPECT_EQ(state_of(measured.contenders[3], "sensitivity"), "unavailable") << "nobody says that it must change";
  EXPECT_EQ(state_of(measured.contenders[4], "recheck"), "failed");
  EXPECT_EQ(state_of(measured.contenders[5], "sensitivity"), "unavailable");
  const CaseMeasurement alone = run_session(folder, {behaving("honest")});
  EXPECT_EQ(state_of(alone.candidate(), "poison"), "unavailable");
}

// The same with a reference that computes single rows: one of the eight.
TEST_F(LiesTest, are_caught_by_a_sample_of_rows_where_float64_takes_too_long_for_all) {
  const ProblemFolder folder(row_sum_toml("flops = \"1e12\"\n"));
  const CaseMeasurement alone = run_session(folder, {behaving("honest")});
  EXPECT_TRUE(alone.candidate().good()) << failures_of(alone.candidate());
  EXPECT_EQ(alone.candidate().verified_sets, 4u);
  EXPECT_EQ(alone.candidate().accuracy.share, 0.125);
  EXPECT_EQ(state_of(alone.candidate(), "poison"), "passed");
  const CaseMeasurement together = run_session(folder, {behaving("honest"), {"rival", {}, false}});
  EXPECT_TRUE(mentions(find_guard(together.candidate(), "poison")->detail, "sample"));
  EXPECT_TRUE(mentions(find_guard(together.candidate(), "poison")->detail, "rival"));
  for (const char* lie : {"wrong_output", "unwritten"}) {
    const CaseMeasurement measured = run_session(folder, {behaving(lie)});
    EXPECT_EQ(state_of(measured.candidate(), "poison"), "failed") << lie;
  }
  EXPECT_EQ(state_of(run_session(folder, {behaving("stale")}).candidate(), "sensitivity"), "failed");
  // Two rows of 64, and not the last one: that the results are no longer those of before is enough.
  const ProblemFolder taller(replace_all(row_sum_toml("flops = \"1e12\"\n"), "ROWS = 8", "ROWS = 64"));
  EXPECT_EQ(state_of(run_session(taller, {behaving("hides_wrong_row")}).candidate(), "recheck"), "failed");
}

}  // namespace
}  // namespace assay::measure
