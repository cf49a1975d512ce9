// SPDX-License-Identifier: MIT
// assay learn, assay advise and the notes of assay log.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "ledger/ledger.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr const char* kDevice = "cuda:0 NVIDIA H200";

class LearnTest : public testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "ledger.sqlite").string(); }
  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", file()});
    return assay_program(std::move(arguments));
  }
  void measured(const std::string& configuration, const std::string& shape, double time_us) const {
    auto ledger = ledger::Ledger::open(file());
    ASSERT_TRUE(ledger.ok());
    ledger::Attempt attempt;
    attempt.kind = ledger::Kind::measure;
    attempt.kernel = "softmax";
    attempt.device = kDevice;
    attempt.source_hash = "0123456789";
    attempt.correct = true;
    ledger::Samples samples;
    samples.contender = "softmax";
    samples.configuration = configuration;
    samples.shape = shape;
    samples.times_us = {time_us, time_us, time_us};
    ASSERT_TRUE(ledger->append(attempt, std::vector{samples}).ok());
  }
  // 128 threads are the fastest; what is held in registers does not matter.
  void measure_some(const std::string& shape) const {
    measured("BLOCK=64,HELD=2", shape, 12);
    measured("BLOCK=64,HELD=4", shape, 12.01);
    measured("BLOCK=128,HELD=2", shape, 10);
    measured("BLOCK=256,HELD=2", shape, 15);
    measured("BLOCK=256,HELD=4", shape, 15.02);
  }

  TemporaryFolder folder_;
};

TEST_F(LearnTest, pairs_become_patterns) {
  for (const char* shape : {"COLUMNS=1024,ROWS=8", "COLUMNS=4096,ROWS=8"}) measure_some(shape);
  const json document = parsed(assay({"learn", "--json"}));
  EXPECT_EQ(document["trials"], 10);
  ASSERT_FALSE(document["patterns"].empty());
  const json& first = document["patterns"][0];
  EXPECT_EQ(first["action"], "BLOCK 256 -> 64") << document.dump(2);
  EXPECT_EQ(first["pairs"], 4);
  EXPECT_EQ(first["losses"], 0);
  const ProcessOutcome text = assay({"learn"});
  EXPECT_NE(text.output.find("BLOCK 256 -> 64"), std::string::npos) << text.output;
  EXPECT_NE(assay({"learn", "--least", "100"}).output.find("no pattern yet"), std::string::npos);
}

TEST_F(LearnTest, advice_follows_other_shapes_and_is_scored) {
  measure_some("COLUMNS=1024,ROWS=8");
  const std::vector<std::string> ask = {
      "advise", "kernels/softmax", "--device", kDevice, "--shape", "COLUMNS=8192,ROWS=8", "--count", "1", "--json"};
  const json document = parsed(assay(ask));
  ASSERT_EQ(document["suggestions"].size(), 1u) << document.dump(2);
  const std::string advised = document["suggestions"][0]["configuration"];
  EXPECT_EQ(advised.substr(0, 9), "BLOCK=128") << document.dump(2);
  EXPECT_EQ(document["trials_here"], 0);
  EXPECT_EQ(document["advice"]["tried"], 0);
  measured(advised, "COLUMNS=8192,ROWS=8", 80);
  measured("BLOCK=64,HELD=4", "COLUMNS=8192,ROWS=8", 95);
  const json later = parsed(assay(ask));
  EXPECT_EQ(later["advice"]["tried"], 1);
  EXPECT_EQ(later["advice"]["held"], 1);
  EXPECT_EQ(later["best"]["configuration"], advised);
}

TEST_F(LearnTest, several_kernels_get_advice_one_after_the_other) {
  measure_some("COLUMNS=1024,ROWS=8");
  const json document = parsed(assay({"advise", "kernels/softmax", "kernels/layernorm", "--json"}));
  ASSERT_EQ(document["kernels"].size(), 2u) << document.dump(2);
  EXPECT_EQ(document["kernels"][0]["kernel"], "softmax");
  EXPECT_EQ(document["kernels"][1]["kernel"], "layernorm");
  EXPECT_EQ(parsed(assay({"board", "softmax", "layernorm", "--json"}))["boards"],
            parsed(assay({"board", "softmax", "--json"}))["boards"])
      << "nothing of the other one was measured";
}

TEST_F(LearnTest, where_nothing_is_known_that_is_said) {
  EXPECT_EQ(assay({"advise", "kernels/softmax"}).exit_status, 2);
  measured("BLOCK=64,HELD=2", "s", 1);
  const ProcessOutcome other = assay({"advise", "kernels/layernorm"});
  EXPECT_EQ(other.exit_status, 0);
  EXPECT_NE(other.output.find("no time of this kernel is recorded"), std::string::npos) << other.output;
}

TEST_F(LearnTest, what_was_learned_can_be_shared_without_sources) {
  measure_some("COLUMNS=1024,ROWS=8");
  const std::string shared = (folder_.path() / "learned.json").string();
  ASSERT_EQ(assay({"learn", "--export", shared}).exit_status, 0);
  EXPECT_EQ(read_file(shared)->find("__global__"), std::string::npos);
  std::filesystem::remove(file());
  measured("BLOCK=64,HELD=2", "elsewhere", 1);
  EXPECT_EQ(parsed(assay({"learn", "--import", shared, "--json"}))["imported"], 5);
  const json again = parsed(assay({"learn", "--import", shared, "--json"}));
  EXPECT_EQ(again["imported"], 0) << "the same result counts once";
  EXPECT_EQ(again["trials"], 6);
}

TEST_F(LearnTest, a_file_of_another_kind_is_refused_and_nothing_is_lost) {
  measured("BLOCK=64,HELD=2", "s", 1);
  const std::string bad = (folder_.path() / "bad.json").string();
  for (const char* text : {"", "[]", "{}", R"({"assay_learned": 1, "trials": [{"kernel": 3}]})",
                           R"({"assay_learned": 1, "trials": [{"kernel": "k"}]})", R"({"assay_learned": 2})"}) {
    ASSERT_TRUE(write_file_atomically(bad, text).ok());
    const ProcessOutcome refused = assay({"learn", "--import", bad});
    EXPECT_EQ(refused.exit_status, 2) << text << refused.errors;
    EXPECT_NE(refused.errors.find("bad.json"), std::string::npos) << refused.errors;
  }
  EXPECT_EQ(parsed(assay({"learn", "--json"}))["trials"], 1);
}

TEST_F(LearnTest, a_finding_that_was_mended_is_a_pattern) {
  const auto add = [&](ledger::Kind kind, const std::string& source, double time_us, const std::string& details) {
    auto ledger = ledger::Ledger::open(file());
    ASSERT_TRUE(ledger.ok());
    ledger::Attempt attempt;
    attempt.kind = kind;
    attempt.kernel = "softmax";
    attempt.device = kind == ledger::Kind::profile ? "vgpu:h200" : kDevice;
    attempt.source_hash = source;
    attempt.correct = true;
    attempt.details = details;
    ledger::Samples samples;
    samples.contender = "softmax";
    samples.shape = "s";
    samples.times_us = {time_us};
    ASSERT_TRUE((time_us > 0 ? ledger->append(attempt, std::vector{samples}) : ledger->append(attempt)).ok());
  };
  add(ledger::Kind::profile, "aaaaaaaaaa", 0, R"({"command": "diagnose", "findings": [{"rule": "bank_conflicts"}]})");
  add(ledger::Kind::profile, "bbbbbbbbbb", 0, R"({"command": "diagnose", "findings": []})");
  add(ledger::Kind::measure, "aaaaaaaaaa", 10, "");
  add(ledger::Kind::measure, "bbbbbbbbbb", 8, "");
  const std::string text = assay({"learn", "--least", "1"}).output;
  EXPECT_NE(text.find("finding bank_conflicts mended"), std::string::npos) << text;
}

TEST_F(LearnTest, steps_of_another_place_become_attempts) {
  const std::string steps = "kernels/attention/hopper/steps.json";
  EXPECT_EQ(parsed(assay({"learn", "--import", steps, "--json"}))["imported"], 35);
  const json again = parsed(assay({"learn", "--import", steps, "--hypotheses", "--json"}));
  EXPECT_EQ(again["imported"], 0) << "the same step counts once";
  EXPECT_EQ(again["steps"], 35);
  ASSERT_EQ(again["hypotheses"].size(), 12u);
  const json& loop = again["hypotheses"][11];
  EXPECT_EQ(loop["followed"]["cases"], 15) << loop.dump(2);
  EXPECT_EQ(loop["not_followed"]["cases"], 16);
  EXPECT_EQ(loop["verdict"], "unknown");
  EXPECT_EQ(again["hypotheses"][4]["verdict"], "not in a ledger");
  const ProcessOutcome table = assay({"learn", "--hypotheses"});
  EXPECT_NE(table.output.find("profile first"), std::string::npos) << table.output;
  const ProcessOutcome patterns = assay({"learn"});
  EXPECT_NE(patterns.output.find("causal tiles in pairs"), std::string::npos) << patterns.output;
  const json shown = parsed(assay({"log", "show", "7", "--json"}));
  EXPECT_EQ(shown["notes"][1]["kind"], "hypothesis");
  EXPECT_EQ(shown["notes"][1]["text"], "2 % (256 of 11,000 cycles)");
}

TEST_F(LearnTest, steps_can_be_shared_again) {
  ASSERT_EQ(assay({"learn", "--import", "kernels/attention/hopper/steps.json"}).exit_status, 0);
  const std::string shared = (folder_.path() / "learned.json").string();
  ASSERT_EQ(assay({"learn", "--export", shared}).exit_status, 0);
  EXPECT_EQ(parsed(assay({"learn", "--import", shared, "--json"}))["imported"], 0) << "they are there already";
  std::filesystem::remove(file());
  EXPECT_EQ(parsed(assay({"learn", "--import", shared, "--json"}))["imported"], 35);
}

TEST_F(LearnTest, a_file_of_steps_that_makes_no_sense_is_refused) {
  const std::string bad = (folder_.path() / "bad.json").string();
  for (
      const char* text :
      {R"({"assay_steps": 1})", R"({"assay_steps": 1, "steps": []})",
       R"({"assay_steps": 1, "kernel": "k", "device": "d", "date": "soon", "versions": "v", "command": "c", "steps": []})",
       R"({"assay_steps": 1, "kernel": "k", "device": "d", "date": "2026-11-15", "versions": "v", "command": "c",
            "steps": [{"name": "1", "change": "c", "outcomes": [{"before_us": "fast"}]}]})"}) {
    ASSERT_TRUE(write_file_atomically(bad, text).ok());
    const ProcessOutcome refused = assay({"learn", "--import", bad});
    EXPECT_EQ(refused.exit_status, 2) << text << refused.errors;
    EXPECT_NE(refused.errors.find("bad.json"), std::string::npos) << refused.errors;
  }
}

TEST_F(LearnTest, notes_and_sources_are_shown_with_the_attempt) {
  ASSERT_EQ(
      assay({"check", "kernels/softmax", "--shape", "ROWS=3,COLUMNS=72,dtype=f16", "--note", "a warp for each row"})
          .exit_status,
      0);
  ASSERT_EQ(assay({"log", "note", "1", "kept: twice as fast", "--as", "decision"}).exit_status, 0);
  EXPECT_EQ(assay({"log", "note", "9", "of nothing"}).exit_status, 2);
  EXPECT_EQ(assay({"log", "note", "1"}).exit_status, 2);
  ASSERT_EQ(assay({"log", "retire", "softmax", "torch.compile is enough"}).exit_status, 0);
  const json shown = parsed(assay({"log", "show", "1", "--json"}));
  ASSERT_EQ(shown["notes"].size(), 2u) << shown.dump(2);
  EXPECT_EQ(shown["notes"][0]["kind"], "hypothesis");
  EXPECT_EQ(shown["notes"][0]["text"], "a warp for each row");
  EXPECT_EQ(shown["sources"],
            json({"../primitives/block_reduce.cuh", "../primitives/element.cuh", "../primitives/exponential.cuh",
                  "../primitives/reciprocal.cuh", "../primitives/row.cuh", "kernel.toml", "softmax.cu"}));
  const std::string text = assay({"log", "show", "1"}).output;
  EXPECT_NE(text.find("decision: kept: twice"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::cli
