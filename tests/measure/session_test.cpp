// SPDX-License-Identifier: MIT
// The course of a measurement with providers that need no GPU: who is timed, how often, and who is taken out.
#include "measure/session.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "judge/batch.hpp"
#include "session_case.hpp"

namespace assay::measure {
namespace {

constexpr const char* kRival = R"toml(
[baseline.rival]
provider = "command"
program = "python3"
)toml";

class SessionTest : public testing::Test {
 protected:
  void SetUp() override { ASSAY_NEEDS_PYTHON(); }
};

TEST_F(SessionTest, measures_honest_contenders_beside_each_other) {
  const std::string arguments =
      "arguments = \"-S -E -B '" ASSAY_SOURCE_DIR "/tests/measure/fake_provider.py' --us 20\"\n";
  const ProblemFolder folder(row_sum_toml("flops = \"1e6\"\nbytes = \"416\"\n", kRival + arguments));
  const auto programs = ProviderPrograms::install(folder.folder().path() / "cache");
  ASSERT_TRUE(programs.ok());
  const auto baseline = find_baseline(folder.spec(), "rival");
  ASSERT_TRUE(baseline.ok()) << to_string(baseline.error());
  const auto rival = programs->contender(*baseline, folder.spec().folder);
  ASSERT_TRUE(rival.ok()) << to_string(rival.error());
  Contender candidate = *rival;
  candidate.name = "candidate";
  candidate.must_be_own_kernels = true;
  const std::vector<Contender> contenders{candidate, *rival};

  SessionOptions options = quick_options();
  options.sampling = Sampling();
  options.sampling.plan.first = options.sampling.plan.most = 3;
  options.sampling.budget_s = 1e9;
  options.model = *gpu::find_model("a100");
  options.timing.instruments = programs->instruments();
  const CaseMeasurement measured = run_contenders(folder, contenders, options);
  ASSERT_EQ(measured.contenders.size(), 2u);
  EXPECT_EQ(measured.shape, "COLUMNS=12,ROWS=8");
  EXPECT_EQ(measured.candidate().name, "candidate");
  EXPECT_FALSE(measured.stopped_because.empty());
  EXPECT_GT(measured.floor.us, 0);
  EXPECT_LT(measured.floor.us, 20);
  for (const ContenderResult& each : measured.contenders) {
    EXPECT_TRUE(each.good()) << each.name << ": " << each.objection();
    EXPECT_EQ(each.objection(), "");
    EXPECT_EQ(each.provider, "command");
    EXPECT_EQ(each.variant, "row sums in Python");
    EXPECT_EQ(each.versions.at("fake"), "1.0");
    EXPECT_TRUE(each.deterministic);
    EXPECT_EQ(each.verified_sets, 4u);
    EXPECT_EQ(each.accuracy.share, 1);
    ASSERT_TRUE(each.time_us);
    EXPECT_EQ(each.time_us->count, 120u);
    EXPECT_EQ(judge::process_count(each.batches), 3u);
    EXPECT_GE(each.time_us->minimum, 20);
    EXPECT_TRUE(each.median_interval.contains(each.time_us->p50));
    EXPECT_EQ(each.throughput.size(), options.protocol.throughput_replays);
    EXPECT_EQ(each.kernels.size(), 1u);
    EXPECT_LE(each.accuracy.error, each.accuracy.limit);
    for (const char* guard : {"poison", "accuracy", "inputs_changed", "fingerprint", "host_clock", "recheck",
                              "fresh_inputs", "threads", "persisting_l2", "roofline"})
      EXPECT_EQ(state_of(each, guard), "passed") << each.name << " " << guard;
    for (const judge::Batch& batch : each.batches) {
      EXPECT_EQ(batch.microseconds.size(), options.sampling.plan.batch);
      ASSERT_TRUE(batch.clock_mhz);
      EXPECT_NEAR(*batch.clock_mhz, 1980, 1e-6);
    }
  }
  std::vector<std::string> steps;
  for (const auto& [step, seconds] : measured.steps) {
    steps.push_back(step);
    EXPECT_GT(seconds, 0) << step;
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"starting contenders and drawing inputs", "running once",
                                             "computing float64 results", "comparing", "changing inputs",
                                             "starting further processes", "sampling", "trying fresh inputs",
                                             "measuring throughput", "listing kernels", "ending contenders"}));
  EXPECT_EQ(measured.contenders[0].time_us->count, measured.contenders[1].time_us->count);
  EXPECT_EQ(measured.contenders[0].batches.size(), measured.contenders[1].batches.size());
  for (const char* guard : {"sensitivity", "kernels_list", "streams", "graph_nodes"})
    EXPECT_EQ(state_of(measured.candidate(), guard), "passed") << guard;
}

TEST_F(SessionTest, passes_what_is_honest_and_unusual) {
  const ProblemFolder folder;
  const CaseMeasurement measured =
      run_session(folder, {behaving("jitter"), behaving("two_nodes"), behaving("no_host_time"), behaving("throttled")});
  for (const ContenderResult& each : measured.contenders)
    EXPECT_TRUE(each.good()) << each.name << ": " << failures_of(each);
  const ContenderResult& jitter = measured.contenders[0];
  EXPECT_FALSE(jitter.deterministic);
  for (const char* guard : {"poison", "fingerprint", "recheck", "fresh_inputs", "sensitivity"})
    EXPECT_EQ(state_of(jitter, guard), "passed") << guard;
  EXPECT_TRUE(measured.contenders[1].deterministic);
  EXPECT_NEAR(judge::throttled_fraction(measured.contenders[3].batches), 0.5, 1e-12);
}

// torch.compile chooses among its kernels by time, and not always alike.
TEST_F(SessionTest, verifies_a_contender_anew_that_computes_other_bits_in_another_process) {
  const ProblemFolder folder;
  const TemporaryFolder markers;
  const auto with_marker = [&](const std::string& name) {
    return FakeEntry{name, {"--behave", name, "--marker", (markers.path() / name).string()}};
  };
  SessionOptions options = quick_options();
  options.sampling.plan.first = options.sampling.plan.most = 3;
  const CaseMeasurement measured =
      run_session(folder, {with_marker("tunes_itself"), with_marker("wrong_later_on")}, options);
  const ContenderResult& honest = measured.contenders[0];
  EXPECT_TRUE(honest.good()) << failures_of(honest);
  const Guard* guard = find_guard(honest, "fingerprint");
  ASSERT_NE(guard, nullptr);
  EXPECT_NE(guard->detail.find("other bits in 1 of the processes"), std::string::npos) << guard->detail;
  const ContenderResult& wrong = measured.contenders[1];
  EXPECT_EQ(state_of(wrong, "fingerprint"), "failed") << failures_of(wrong);
  EXPECT_NE(failures_of(wrong).find("process 2, set 0"), std::string::npos) << failures_of(wrong);
}

// What starting ahead may change is how long it takes.
TEST_F(SessionTest, starts_several_processes_of_a_contender_at_once) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.sampling.plan.first = options.sampling.plan.most = 6;
  options.order_seed = 1;  // six places that the system draws are alike once in 32 times
  for (const size_t at_once : {size_t{1}, size_t{3}, size_t{6}}) {
    options.at_once = at_once;
    const CaseMeasurement measured = run_session(folder, {behaving("honest"), behaving("placed")}, options);
    for (const ContenderResult& each : measured.contenders) {
      EXPECT_TRUE(each.good()) << at_once << " " << failures_of(each);
      EXPECT_EQ(judge::process_count(each.batches), 6u) << at_once;
      EXPECT_EQ(each.requests.at("hello").count, 6u) << at_once << ": none was started in vain";
      // Twice for the first and for those that were prepared ahead; of three at once one comes last, alone.
      EXPECT_EQ(each.requests.at("prepare").count, at_once == 1 ? 7u : at_once == 3 ? 11u : 12u) << at_once;
      EXPECT_GT(each.requests.at("prepare").seconds, 0);
      EXPECT_EQ(each.requests.at("kernels").count, 1u);
    }
    std::set<bool> slower;
    for (const judge::Batch& batch : measured.contenders[1].batches) slower.insert(batch.microseconds.front() > 21.5);
    EXPECT_EQ(slower.size(), 2u) << "each process still has a place of its own in memory";
  }
}

TEST_F(SessionTest, starts_processes_one_by_one_where_there_is_no_room_for_more) {
  const ProblemFolder folder;
  const TemporaryFolder markers;
  SessionOptions options = quick_options();
  options.sampling.plan.first = options.sampling.plan.most = 4;
  options.at_once = 4;
  for (const char* behaviour : {"alone", "grows"}) {
    const std::string marker = (markers.path() / behaviour).string();
    const CaseMeasurement measured =
        run_session(folder, {{behaviour, {"--behave", behaviour, "--marker", marker}}, behaving("honest")}, options);
    for (const ContenderResult& each : measured.contenders) {
      EXPECT_TRUE(each.good()) << behaviour << ": " << failures_of(each);
      EXPECT_EQ(judge::process_count(each.batches), 4u) << behaviour;
    }
  }
}

TEST_F(SessionTest, takes_out_a_contender_that_lies_while_it_waits_for_its_turn) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.sampling.plan.first = options.sampling.plan.most = 4;
  options.at_once = 4;
  const CaseMeasurement measured =
      run_session(folder,
                  {behaving("honest"),
                   {"forges", {"--behave", "wrong_id", "--at", "prepare", "--after", "1"}, false},
                   {"dies", {"--behave", "crash", "--at", "prepare", "--after", "1"}, false}},
                  options);
  EXPECT_TRUE(measured.candidate().good()) << failures_of(measured.candidate());
  EXPECT_EQ(state_of(measured.contenders[1], "answer_id"), "failed") << failures_of(measured.contenders[1]);
  EXPECT_TRUE(mentions(measured.contenders[2].objection(), "ended instead of answering 'prepare'"));
}

TEST_F(SessionTest, goes_on_without_contenders_that_are_lost) {
  const ProblemFolder folder;
  const CaseMeasurement measured =
      run_session(folder, {behaving("honest"),
                           {"dies at once", {"--behave", "exit", "--at", "hello"}, false},
                           {"cannot prepare", {"--behave", "error", "--at", "prepare"}, false},
                           {"dies running", {"--behave", "crash", "--at", "run"}, false},
                           {"dies reading", {"--behave", "crash", "--at", "read"}, false},
                           {"dies later", {"--behave", "crash", "--after", "2"}, false},
                           {"dies last", {"--behave", "crash", "--at", "kernels"}, false},
                           {"forges", {"--behave", "wrong_id"}, false},
                           {"claims zero", {"--behave", "zero"}, false},
                           {"breaks", {"--behave", "breaks_contract", "--at", "run"}, false},
                           {"no file", {"--behave", "no_file"}, false},
                           {"short file", {"--behave", "short_file"}, false}});
  std::map<std::string, const ContenderResult*> by_name;
  for (const ContenderResult& each : measured.contenders) by_name[each.name] = &each;
  EXPECT_TRUE(measured.candidate().good()) << failures_of(measured.candidate());
  EXPECT_EQ(measured.candidate().time_us->count, 20u);
  for (const auto& [name, result] : by_name) {
    if (name == "honest") continue;
    EXPECT_TRUE(result->failure) << name;
    EXPECT_FALSE(result->good()) << name;
    EXPECT_FALSE(result->objection().empty()) << name;
  }
  EXPECT_FALSE(by_name["dies at once"]->timed());
  EXPECT_TRUE(mentions(by_name["cannot prepare"]->objection(), "the fake device is on fire"));
  EXPECT_EQ(judge::sample_count(by_name["dies later"]->batches), 10u) << "one batch did not count, one did";
  EXPECT_TRUE(by_name["dies last"]->timed());
  EXPECT_EQ(state_of(*by_name["forges"], "answer_id"), "failed");
  EXPECT_EQ(state_of(*by_name["claims zero"], "not_positive"), "failed");
  EXPECT_EQ(state_of(*by_name["breaks"], "contract"), "failed");
  EXPECT_TRUE(mentions(by_name["no file"]->objection(), "did not write 'y'")) << by_name["no file"]->objection();
  EXPECT_TRUE(mentions(by_name["short file"]->objection(), "16 bytes, expected 32"))
      << by_name["short file"]->objection();
}

TEST_F(SessionTest, says_when_nobody_is_left) {
  const ProblemFolder folder;
  const CaseMeasurement measured = run_session(folder, {{"candidate", {"--behave", "exit", "--at", "prepare"}}});
  EXPECT_FALSE(measured.candidate().timed());
  EXPECT_EQ(measured.stopped_because, "no contender was left");
}

TEST_F(SessionTest, takes_the_floor_of_processes_whatever_the_budget) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.sampling.plan.first = 2;
  options.sampling.plan.most = 10;
  options.sampling.budget_s = 0;
  const CaseMeasurement measured = run_session(folder, {behaving("honest")}, options);
  EXPECT_EQ(measured.candidate().time_us->count, 40u);
  EXPECT_EQ(measured.stopped_because, "the time budget");
}

TEST_F(SessionTest, stops_when_the_ratio_is_known) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.sampling.plan.first = 3;
  options.sampling.plan.most = 12;
  options.sampling.plan.width = 0.5;
  const CaseMeasurement measured = run_session(folder, {behaving("honest"), behaving("honest")}, options);
  EXPECT_EQ(measured.candidate().time_us->count, 60u);
  EXPECT_EQ(measured.stopped_because, "the ratios are known well enough");
}

TEST_F(SessionTest, gives_every_process_other_memory) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.sampling.plan.first = options.sampling.plan.most = 12;
  options.order_seed = 3;
  const CaseMeasurement measured =
      run_session(folder, {{"placed", {"--behave", "placed", "--noise", "0"}, true}}, options);
  ASSERT_TRUE(measured.candidate().good()) << measured.candidate().objection();
  EXPECT_EQ(measured.order_seed, 3u);
  std::map<int, int> levels;  // of processes, in tenths of a microsecond
  for (const judge::Batch& batch : measured.candidate().batches) {
    for (const double us : batch.microseconds) EXPECT_EQ(us, batch.microseconds.front()) << "within a batch it stays";
    ++levels[static_cast<int>(10 * batch.microseconds.front())];
  }
  EXPECT_EQ(levels.size(), 2u) << "both kinds of place occur in 12 processes";
}

// Order, poison and places are not to be foreseen from the seed of the inputs.
TEST_F(SessionTest, draws_the_order_from_the_system) {
  const ProblemFolder folder;
  const CaseMeasurement one = run_session(folder, {behaving("honest")});
  const CaseMeasurement other = run_session(folder, {behaving("honest")});
  EXPECT_EQ(one.seed, other.seed);
  EXPECT_NE(one.order_seed, other.order_seed);
}

TEST_F(SessionTest, needs_one_set_of_inputs_at_least) {
  const ProblemFolder folder;
  SessionOptions options = quick_options();
  options.protocol.sets = 1;
  const CaseMeasurement measured =
      run_session(folder, {behaving("honest"), behaving("jitter"), behaving("no_file")}, options);
  EXPECT_TRUE(measured.contenders[0].good()) << failures_of(measured.contenders[0]);
  EXPECT_TRUE(measured.contenders[1].good()) << failures_of(measured.contenders[1]);
  EXPECT_FALSE(measured.contenders[2].good()) << "the file of another is not its own";
}

}  // namespace
}  // namespace assay::measure
