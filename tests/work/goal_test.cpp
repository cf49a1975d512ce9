// SPDX-License-Identifier: MIT
#include "work/goal.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "spec/goal.hpp"

namespace assay::work {
namespace {

constexpr const char* kKernel = R"toml([kernel]
name = "copy"
source = "k.cu"
entry = "k"
targets = ["sm_80"]
[problem]
reference = "copy"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["N"] }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["N"], output = true }
[launch]
grid = ["N"]
block = [32]
[shapes]
canonical = [{ N = 1 }, { N = 2 }, { N = 3 }]
)toml";

class GoalTest : public testing::Test {
 protected:
  spec::KernelSpec load(const std::string& goal) const {
    folder_.write("k.cu", "extern \"C\" __global__ void k(const float* x, float* y) {}\n");
    const auto spec = spec::load(folder_.write("kernel.toml", kKernel + goal));
    EXPECT_TRUE(spec.ok()) << to_string(spec.error());
    return spec.ok() ? *spec : spec::KernelSpec{};
  }
  // The candidate takes 10 us, its p90 11; the baseline 10 * speedup, p90 a tenth more.
  static measure::JudgedCase measured(const std::string& shape, double speedup) {
    measure::JudgedCase judged;
    judged.measured.shape = shape;
    for (const double us : {10.0, 10 * speedup}) {
      measure::ContenderResult contender;
      contender.name = judged.measured.contenders.empty() ? "copy" : "sdpa";
      contender.time_us = stats::Summary{.count = 100, .p50 = us, .p90 = 1.1 * us};
      judged.measured.contenders.push_back(contender);
    }
    judge::Comparison comparison;
    comparison.ratio = 1 / speedup;
    judged.comparisons = {std::nullopt, comparison};
    return judged;
  }
  std::vector<GoalLine> judge(const std::string& goal, const GoalEvidence& evidence) const {
    const auto lines = judge_goal(load(goal), evidence);
    EXPECT_TRUE(lines.ok()) << to_string(lines.error());
    return lines.ok() ? *lines : std::vector<GoalLine>{};
  }

  TemporaryFolder folder_;
};

TEST_F(GoalTest, WithoutAGoalThereIsNothingToSay) {
  EXPECT_TRUE(judge("", {}).empty());
  EXPECT_FALSE(goals_met({}));
}

TEST_F(GoalTest, ASpeedupIsMetAtSoManyShapes) {
  const std::string goal = "[[goal.speedup]]\nbaseline = \"sdpa\"\nat_least = 1.1\non = 2\n";
  GoalEvidence evidence;
  EXPECT_EQ(judge(goal, evidence)[0].state, "not known");
  evidence.cases = {measured("N=1", 1.2), measured("N=2", 1.0)};
  EXPECT_EQ(judge(goal, evidence)[0].state, "not known") << "the third shape may reach it";
  evidence.cases.push_back(measured("N=3", 1.15));
  EXPECT_EQ(judge(goal, evidence)[0].state, "met");
  evidence.cases.back() = measured("N=3", 1.05);
  EXPECT_EQ(judge(goal, evidence)[0].state, "not met");
  EXPECT_FALSE(goals_met(judge(goal, evidence)));
}

TEST_F(GoalTest, OnlyTheBaselineThatIsNamedCounts) {
  const std::string goal = "[[goal.speedup]]\nbaseline = \"other\"\nat_least = 1.1\n";
  GoalEvidence evidence;
  evidence.cases = {measured("N=1", 2), measured("N=2", 2), measured("N=3", 2)};
  EXPECT_EQ(judge(goal, evidence)[0].state, "not met");
  EXPECT_EQ(judge("[[goal.speedup]]\nat_least = 1.1\n", evidence)[0].state, "met");
}

TEST_F(GoalTest, ABaselineThatDoesNotExistIsSaidWithItsPlaceAndWhatThereIs) {
  const std::string declared = "[baseline.shipped]\nprovider = \"kernel\"\nfolder = \"old\"\n";
  const auto line = judge(declared + "[[goal.speedup]]\nbaseline = \"elsewhere\"\nat_least = 1.1\n", {}).at(0);
  EXPECT_EQ(line.state, "not met");
  EXPECT_NE(line.found.find("kernel.toml:22:"), std::string::npos) << line.found;
  EXPECT_NE(line.found.find("there is no such baseline; declared: shipped; built in: sdpa"), std::string::npos);
  for (const char* known : {"shipped", "sdpa", "sdpa:flash", "torch_compile"}) {
    const std::string goal = fmt::format("[[goal.speedup]]\nbaseline = \"{}\"\nat_least = 1.1\n", known);
    EXPECT_EQ(judge(declared + goal, {}).at(0).state, "not known") << known;
  }
  // A kernel folder that --baseline names goes by the words that name it.
  folder_.write("other/kernel.toml", "");
  const std::string other = (folder_.path() / "other").string();
  EXPECT_EQ(judge("[[goal.speedup]]\nbaseline = \"" + other + "\"\nat_least = 1.1\n", {}).at(0).state, "not known");
}

TEST_F(GoalTest, ABaselineThatIsNearlyAKnownOneIsAMistakeOfTheFile) {
  folder_.write("k.cu", "extern \"C\" __global__ void k(const float* x, float* y) {}\n");
  const auto spec = spec::load(
      folder_.write("kernel.toml", std::string(kKernel) + "[[goal.speedup]]\nbaseline = \"sdpaa\"\nat_least = 1.1\n"));
  ASSERT_FALSE(spec.ok());
  EXPECT_NE(to_string(spec.error()).find(":20:12"), std::string::npos) << to_string(spec.error());
  EXPECT_NE(to_string(spec.error()).find("did you mean \"sdpa\"?"), std::string::npos) << to_string(spec.error());
}

TEST_F(GoalTest, SharesAndRepetitionsAreJudgedWhereTheyAreKnown) {
  const std::string goal = "[goal]\np90 = 1.0\nsm_busy = 0.7\noccupancy = 0.5\nbandwidth = 0.7\nrepetitions = 100\n";
  for (const GoalLine& line : judge(goal, {})) EXPECT_EQ(line.state, "not known") << line.goal;
  GoalEvidence evidence;
  evidence.cases = {measured("N=1", 1.1)};
  evidence.cases[0].measured.work.bytes = 24e3;  // in 10 us: 2.4 GB/s
  evidence.cases[0].measured.floor.memory_us = 5;
  evidence.memory_gb_per_s = 3;
  evidence.sm_busy = 0.6;
  evidence.occupancy = 0.5;
  evidence.repetitions = 99;
  std::vector<std::string> states;
  for (const GoalLine& line : judge(goal, evidence)) states.push_back(line.state);
  EXPECT_EQ(states, (std::vector<std::string>{"met", "not met", "met", "met", "not met"}));
}

TEST_F(GoalTest, AGoalThatMakesNoSenseIsAMistakeOfTheSpecification) {
  folder_.write("k.cu", "");
  for (const char* goal : {"[goal]\nsm_busy = 70\n", "[goal]\nspeed = 2\n", "[[goal.speedup]]\nbaseline = \"x\"\n",
                           "[goal]\nrepetitions = 0\n", "[[goal.speedup]]\nat_least = 1.1\nshapes = \"large\"\n"}) {
    const auto spec = spec::load(folder_.write("kernel.toml", std::string(kKernel) + goal));
    ASSERT_FALSE(spec.ok()) << goal;
    EXPECT_EQ(spec.error().exit_code, ExitCode::usage);
    EXPECT_GE(spec.error().place.line, 19) << to_string(spec.error());
  }
}

// The thresholds of attention are data, not folklore.
TEST(AttentionGoals, EveryKernelOfTheRepositoryHasOne) {
  size_t kernels = 0;
  for (const auto& folder : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/kernels/attention")) {
    if (!std::filesystem::exists(folder.path() / "kernel.toml")) continue;
    const auto spec = spec::load(folder.path());
    ASSERT_TRUE(spec.ok()) << to_string(spec.error());
    const auto goal = spec::goal_of(*spec);
    ASSERT_TRUE(goal.ok()) << to_string(goal.error());
    ASSERT_TRUE(goal->has_value()) << folder.path();
    EXPECT_EQ((*goal)->repetitions, 100) << folder.path() << ": validated is what gave the same bits a hundred times";
    const auto lines = judge_goal(*spec, {});
    ASSERT_TRUE(lines.ok()) << to_string(lines.error());
    for (const GoalLine& line : *lines) EXPECT_EQ(line.state, "not known") << line.goal;
    ++kernels;
  }
  EXPECT_GE(kernels, 11u);
}

}  // namespace
}  // namespace assay::work
