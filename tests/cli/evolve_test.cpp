// SPDX-License-Identifier: MIT
// assay evolve as a user runs it: what is accepted, when it ends, what survives a kill, what is recorded.
#include <csignal>
#include <thread>

#include "base/child.hpp"
#include "base/text.hpp"
#include "evolving.hpp"

namespace assay::cli {
namespace {

TEST_F(Evolve, AcceptsWhatIsFasterAndEndsAtTheTarget) {
  const json document = evolve(kKernels + "stepwise_copy", {without_barrier(), json::object()}, {"--target", "1.02"});
  ASSERT_EQ(document["steps"].size(), 1u);
  const json& step = document["steps"][0];
  EXPECT_EQ(verdict(document, 1), "accepted at race") << step.dump(1);
  EXPECT_EQ(step["hypothesis_held"], true);
  EXPECT_LT(step["ratio"].get<double>(), 1 / 1.03);
  EXPECT_EQ(document["known"], "estimated");
  EXPECT_NEAR(document["speedup"].get<double>() * step["ratio"].get<double>(), 1, 1e-9);
  EXPECT_NE(document["diff"].get<std::string>().find("-\tbar.sync"), std::string::npos);
  size_t drawn = 0;
  for (const json& shape : step["verdicts"]) {
    drawn += shape["drawn"].get<bool>() ? 1 : 0;
    EXPECT_TRUE(shape["interval"].is_null()) << "an estimate has no interval";
  }
  EXPECT_EQ(drawn, 2u);
  EXPECT_NE(document["stopped"].get<std::string>().find("target"), std::string::npos);
}

TEST_F(Evolve, TheRequestHoldsWhatTheContractSays) {
  evolve(
      kKernels + "stepwise_copy",
      {without_barrier(), edit("worse", {{"mov.u32 \t%r4, 0;", "bar.sync 0;\n\tmov.u32 \t%r4, 0;"}}), json::object()});
  const ProcessOutcome valid = assay_program({"evolve", "--validate", path("requests/3.json")});
  EXPECT_EQ(valid.exit_status, 0) << valid.errors;
  EXPECT_NE(valid.output.find("a request of version 1"), std::string::npos);
  ASSERT_TRUE(
      write_file_atomically(path("answer.json"), R"({"files": {"a.cu": ""}, "hypothesis": {"text": "x"}})").ok());
  const ProcessOutcome answer = assay_program({"evolve", "--validate", path("answer.json")});
  EXPECT_NE(answer.output.find("an answer of version 1"), std::string::npos) << answer.output << answer.errors;
  const json request = json::parse(*read_file(path("requests/3.json")));
  EXPECT_EQ(request["parent"]["lineage"].size(), 1u);
  EXPECT_NE(request["parent"]["lineage"][0]["diff"].get<std::string>().find("-\tbar.sync"), std::string::npos);
  EXPECT_EQ(request["tried"].size(), 2u);
  EXPECT_EQ(request["verdicts"].size(), 2u);
  EXPECT_LT(request["verdicts"][0]["ratio"].get<double>(), 1);
  EXPECT_GT(request["counters"]["total"]["issue"].get<double>(), 0);
  EXPECT_FALSE(request["counters"]["lines"].empty());
  EXPECT_FALSE(request["findings"].empty());
  EXPECT_EQ(request["limiter"], "dependency chain");
  EXPECT_EQ(request["budget"]["proposals"], 1);
}

TEST_F(Evolve, WhatIsSlowerLosesQuicklyAndAnIdeaThatLostTwiceIsTabu) {
  std::string many;
  std::vector<json> answers;
  for (int i = 0; i < 3; ++i) {
    many += kBarriers;
    answers.push_back(edit("More barriers!", {{kBarriers, kBarriers + many}}));
  }
  const json document = evolve(kKernels + "stepwise_copy", answers);
  EXPECT_EQ(verdict(document, 1), "lost at quick race");
  EXPECT_EQ(verdict(document, 2), "lost at quick race");
  EXPECT_EQ(verdict(document, 3), "refused at files");
  EXPECT_NE(text_of(document, 3).find("2 times"), std::string::npos);
}

// --- stop rules
TEST_F(Evolve, AKernelFarBehindItsBaselineIsDiagnosedFirst) {
  const std::string slow = copy_of("stepwise_copy");
  std::string source = *read_file(slow + "/stepwise_copy.ptx");
  std::string many;
  for (int i = 0; i < 40; ++i) many += kBarriers;
  source.replace(source.find(kBarriers), kBarriers.size(), many);
  ASSERT_TRUE(write_file_atomically(slow + "/stepwise_copy.ptx", source).ok());
  const std::vector<std::string> beside{"--baseline", kKernels + "stepwise_copy"};
  const json document = evolve(slow, {without_barrier()}, beside, 4);
  EXPECT_TRUE(document["steps"].empty());
  EXPECT_FALSE(document["diagnosis"].empty());
  const json anyway = evolve(slow, {without_barrier()}, {"--baseline", kKernels + "stepwise_copy", "--anyway"});
  EXPECT_EQ(anyway["accepted"], 1);
}

// --- what was planted
TEST_F(Evolve, MutateFindsWhatWasPlanted) {
  for (const char* kernel : {"patient_sum", "broadcast_sum"}) {
    const ProcessOutcome outcome =
        assay_program({"evolve", kKernels + kernel, "--device", "vgpu:l4", "--proposer", "mutate", "--target", "1.2",
                       "--proposals", "10", "--seed", "3", "--journal", path(kernel), "--ledger", "none", "--json"});
    ASSERT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
    const json document = parsed(outcome);
    EXPECT_GE(document["speedup"].get<double>(), 1.2) << kernel;
    EXPECT_EQ(document["known"], "estimated");
  }
}

// --- with a GPU. A library in the driver's place computes row sums on the host and takes a tenth longer for code that
// says SLOWER; code that says BROKEN does not load.
TEST_F(Evolve, AGpuMeasuresAndMustAgreeWithTheVirtualOne) {
  const std::string kernel = copy_of("patient_sum");
  const auto change = [&](const std::string& file, std::vector<std::pair<std::string, std::string>> replacements) {
    std::string text = *read_file(kernel + "/" + file);
    for (const auto& [from, to] : replacements) text = replace_all(text, from, to);
    ASSERT_TRUE(write_file_atomically(kernel + "/" + file, text).ok());
  };
  change("patient_sum.ptx", {{"patient_sum", "row_sum_f32"}, {"FILLED:", "SLOWER:\nFILLED:"}});
  change("kernel.toml", {{"entry   = \"patient_sum\"", "entry   = \"row_sum_f32\""},
                         {"ROWS = 58, COLUMNS = 768", "ROWS = 2, COLUMNS = 16"},
                         {"ROWS = 116, COLUMNS = 1024", "ROWS = 2, COLUMNS = 24"}});
  Command on_gpu = command(
      kernel, {edit("not on this GPU", {{"ADDED:\n", "ADDED:\nBROKEN:\n"}}), edit("not slower", {{"SLOWER:\n", ""}})});
  std::erase(on_gpu.arguments, "--device");
  std::erase(on_gpu.arguments, "vgpu:l4");
  on_gpu.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
  on_gpu.environment["ASSAY_NVML_LIBRARY"] = "none";
  on_gpu.environment["ASSAY_CUPTI_LIBRARY"] = "none";
  on_gpu.environment["FAKE_CUDA_WAITS"] = "1";
  const ProcessOutcome outcome = run_command(on_gpu);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["known"], "measured");
  EXPECT_EQ(verdict(document, 1), "refused at check");
  EXPECT_EQ(verdict(document, 2), "accepted at race") << text_of(document, 2);
  for (const json& shape : document["steps"][1]["verdicts"]) {
    EXPECT_NEAR(shape["ratio"].get<double>(), 10.0 / 11, 0.01);
    EXPECT_EQ(shape["interval"].size(), 2u);
  }
  EXPECT_GT(document["costs"]["gpu_s"].get<double>(), 0);

  // What was measured on the way is on the board.
  const ProcessOutcome board = assay_program({"board", "patient_sum", "--ledger", path("ledger.sqlite")});
  EXPECT_EQ(board.exit_status, 0) << board.errors;
  EXPECT_NE(board.output.find("COLUMNS=16,ROWS=2"), std::string::npos) << board.output;
  const json boards = parsed(assay_program({"board", "--json", "--ledger", path("ledger.sqlite")}))["boards"];
  ASSERT_FALSE(boards.empty());
  const json& entries = boards[0]["entries"];
  ASSERT_GE(entries.size(), 2u);
  EXPECT_EQ(entries[0]["group"], 1);
  EXPECT_EQ(entries[0]["ratio"], 1);
  EXPECT_EQ(entries.back()["group"], 2);
  EXPECT_NEAR(entries.back()["ratio"].get<double>(), 1.1, 0.02);
  EXPECT_TRUE(
      parsed(assay_program({"board", "nothing", "--json", "--ledger", path("ledger.sqlite")}))["boards"].empty());
}

// --- the record
TEST_F(Evolve, GoesOnAfterAKillAndCanBeReplayed) {
  const std::string worse = "mov.u32 \t%r4, 0;";
  json slow = edit("an idea that takes its time", {{worse, "bar.sync 0;\n\t" + worse}});
  slow["sleep"] = 60;
  const std::vector<json> answers{without_barrier(), slow};
  Command first = command(kKernels + "stepwise_copy", answers, {"--resume"});
  first.time_limit = std::chrono::seconds(60);
  {
    auto child = Child::start(first);
    ASSERT_TRUE(child.ok());
    // Killed while the second answer is awaited.
    for (int i = 0; i < 300 && !fs::exists(path("requests/2.json")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_TRUE(fs::exists(path("requests/2.json")));
  }
  const json again = evolve(kKernels + "stepwise_copy",
                            {without_barrier(), edit("an idea", {{worse, "bar.sync 0;\n\t" + worse}})}, {"--resume"});
  EXPECT_EQ(again["recalled"], 1);
  EXPECT_EQ(again["accepted"], 1);
  EXPECT_EQ(again["started_anew"], "");
  EXPECT_EQ(verdict(again, 1), "accepted at race");

  // The tree of both runs is one.
  const ProcessOutcome tree = assay_program({"log", "lineage", "stepwise_copy", "--ledger", path("ledger.sqlite")});
  EXPECT_EQ(tree.exit_status, 0) << tree.errors;
  EXPECT_NE(tree.output.find("└─ 1 "), std::string::npos) << tree.output;
  EXPECT_NE(tree.output.find("no barrier"), std::string::npos);
  const json lineage =
      parsed(assay_program({"log", "lineage", "--accepted", "--json", "--ledger", path("ledger.sqlite")}));
  ASSERT_EQ(lineage["evolutions"].size(), 1u);
  EXPECT_EQ(lineage["evolutions"][0]["steps"].size(), 2u);

  const ProcessOutcome replayed =
      assay_program({"evolve", kKernels + "stepwise_copy", "--device", "vgpu:l4", "--replay", path("journal.jsonl"),
                     "--journal", path("replayed.jsonl"), "--ledger", "none", "--json"});
  ASSERT_EQ(replayed.exit_status, 0) << replayed.output << replayed.errors;
  EXPECT_EQ(parsed(replayed)["best"], again["best"]);

  // Another rule is other work.
  Command other = command(kKernels + "stepwise_copy", {}, {"--resume", "--gain", "0.04"});
  const json anew = parsed(run_command(other));
  EXPECT_EQ(anew["started_anew"], "the rule of acceptance changed");
}

TEST_F(Evolve, AppliesTheBestKernelIfAskedTo) {
  const std::string kernel = copy_of("stepwise_copy");
  const std::string specification = *read_file(kernel + "/kernel.toml");
  const json document = evolve(kernel, {without_barrier()}, {"--apply", "--diff", path("best.diff")});
  EXPECT_EQ(document["written"].size(), 2u);
  EXPECT_EQ(read_file(kernel + "/stepwise_copy.ptx")->find("bar.sync"), std::string::npos);
  EXPECT_EQ(*read_file(kernel + "/kernel.toml"), specification);
  EXPECT_NE(read_file(path("best.diff"))->find("-\tbar.sync"), std::string::npos);
}

// Words behind "--" are the proposer's, whatever they look like.
TEST_F(Evolve, TakesSeveralKernelsBeforeTheDashes) {
  const std::string script = path("pass.py");
  ASSERT_TRUE(write_file_atomically(script,
                                    "import json, sys\n"
                                    "assert sys.argv[1:] == ['--help', '--json', 'x'], sys.argv\n"
                                    "json.load(sys.stdin)\n"
                                    "print('{}')\n")
                  .ok());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "evolve");
    words.insert(words.end(), {"--device", "vgpu:l4", "--ledger", "none", "--proposals", "1", "--proposer", "python3",
                               "--", "-B", script, "--help", "--json", "x"});
    Command made = assay_command(words);
    made.environment["ASSAY_CACHE"] = path("cache");
    return run_command(made);
  };
  const std::string one = kKernels + "stepwise_copy", other = kKernels + "broadcast_sum";
  const ProcessOutcome both = run({one, other, "--json"});
  ASSERT_EQ(both.exit_status, 0) << both.output << both.errors;
  const json document = parsed(both);
  ASSERT_EQ(document["kernels"].size(), 2u);
  EXPECT_EQ(document["kernels"][0]["kernel"], "stepwise_copy");
  EXPECT_EQ(document["kernels"][1]["kernel"], "broadcast_sum");
  for (const json& each : document["kernels"]) EXPECT_EQ(verdict(each, 1), "passed at answer");
  const ProcessOutcome single = run({one, "--json"});
  ASSERT_EQ(single.exit_status, 0) << single.output << single.errors;
  EXPECT_EQ(parsed(single)["kernel"], "stepwise_copy");

  const ProcessOutcome none = run({one, script});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_NE(none.errors.find("is no kernel's folder"), std::string::npos) << none.errors;
  EXPECT_NE(none.errors.find("stand behind --"), std::string::npos) << none.errors;
  const ProcessOutcome journal = run({one, other, "--journal", path("journal.jsonl")});
  EXPECT_EQ(journal.exit_status, 2);
  EXPECT_NE(journal.errors.find("files of one kernel"), std::string::npos) << journal.errors;
}

TEST_F(Evolve, NoneIsNoJournalAndNotAFileOfThatName) {
  const auto evolved = [](std::vector<std::string> words) {
    const std::vector<std::string> usual{kKernels + "stepwise_copy",
                                         "--device",
                                         "vgpu:l4",
                                         "--proposer",
                                         "mutate",
                                         "--proposals",
                                         "1",
                                         "--journal",
                                         "none",
                                         "--ledger",
                                         "none",
                                         "--json"};
    words.insert(words.begin(), usual.begin(), usual.end());
    words.insert(words.begin(), "evolve");
    return assay_program(words);
  };
  const ProcessOutcome outcome = evolved({});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_EQ(parsed(outcome)["steps"].size(), 1u);
  EXPECT_EQ(parsed(outcome)["journal"], "");
  EXPECT_FALSE(std::filesystem::exists("none"));
  const ProcessOutcome resumed = evolved({"--resume"});
  EXPECT_EQ(resumed.exit_status, 2);
  EXPECT_NE((resumed.output + resumed.errors).find("--journal none keeps none"), std::string::npos);
}

}  // namespace
}  // namespace assay::cli
