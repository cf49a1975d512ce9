// SPDX-License-Identifier: MIT
// assay invert as a user runs it: planted bottlenecks come first, proof and refusals are said, and with a library in
// the driver's place mutants are timed from end to end.
#include <algorithm>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

json invert(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "invert");
  arguments.insert(arguments.end(), {"--json", "--ledger", "none"});
  const ProcessOutcome outcome = assay_program(arguments);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  return parsed(outcome);
}

const json* experiment(const json& document, const std::string& name) {
  for (const json& each : document["experiments"]) {
    if (each["name"] == name) return &each;
  }
  return nullptr;
}

// The ablations, and the injections that decide between bottleneck and latency.
constexpr const char* kDeciding =
    "no_special_functions,no_products,no_shared_reads,no_global_reads,no_stores,no_barriers,no_shuffles,no_addresses,"
    "half_the_loop,nothing_left,no_atomics,no_local_memory,coalesced,no_bank_conflicts,f64_as_f32,converged,no_"
    "divisions,extra_fma,"
    "extra_alu,extra_l2_reads,smaller_blocks,more_blocks";

// By estimates, so with the errors of the model: how often the planted bottleneck comes first, and how often diagnose
// says the same. docs/invert.md has the table.
TEST(Invert, PlantedBottlenecksComeFirstByEstimate) {
  const json planted = json::parse(*read_file(ASSAY_SOURCE_DIR "/tests/invert/planted.json"));
  ASSERT_EQ(planted["kernels"].size(), 20U);
  size_t first = 0;
  size_t agreed = 0;
  std::string missed;
  for (const json& each : planted["kernels"]) {
    const auto kernel = each["kernel"].get<std::string>();
    const json document =
        invert({"kernels/planted/" + kernel, "--shape", each["shape"].get<std::string>(), "--device",
                planted["device"].get<std::string>(), "--quick", "--blocks", "2", "--only", kDeciding});
    ASSERT_EQ(document["known"], "counted and estimated");
    const bool found = document["first"] == each["planted"];
    first += found ? 1 : 0;
    agreed += document["agrees_with_diagnose"].get<bool>() ? 1 : 0;
    if (!found) missed += kernel + ": " + document["sentence"].get<std::string>() + "\n";
    std::printf("%-24s planted %-26s first %-26s diagnose %s\n", kernel.c_str(),
                each["planted"].get<std::string>().c_str(), document["first"].get<std::string>().c_str(),
                document["diagnosed"].get<std::string>().c_str());
  }
  std::printf("first: %zu of 20; diagnose agrees: %zu\n", first, agreed);
  EXPECT_GE(first, 18U) << missed;
  EXPECT_GE(agreed, 18U);
}

TEST(Invert, ProvesWhatItClaims) {
  const json document = invert({"kernels/planted/barrier_rounds", "--device", "vgpu:h200", "--blocks", "1", "--only",
                                "no_barriers,extra_barriers,no_products"});
  const json& without = *experiment(document, "no_barriers");
  EXPECT_EQ(without["state"], "ranked");
  EXPECT_TRUE(without["counted"]["as_foretold"]);
  EXPECT_EQ(without["counted"]["removed"], 256 * 32) << "one block of 32 warps, 256 barriers each";
  EXPECT_EQ(without["counted"]["added"], 0);
  EXPECT_NE(without["sites"][0].get<std::string>().find("barrier_rounds.cu:8"), std::string::npos) << without["sites"];
  const json& more = *experiment(document, "extra_barriers");
  EXPECT_EQ(more["counted"]["added"], 256 * 32);
  const json& products = *experiment(document, "no_products");
  EXPECT_EQ(products["state"], "not applicable");
  EXPECT_EQ(products["why"], "the kernel has no products of matrices");
  EXPECT_EQ(document["first"], "barriers");
  EXPECT_FALSE(document.contains("noise")) << "nothing was measured";
}

// A mutant that leaves its arrays is caught before any GPU sees it, and does not stop the others.
TEST(Invert, AMutantWithBadAccessesFails) {
  const json document = invert(
      {"kernels/planted/atomic_rounds", "--device", "vgpu:h200", "--blocks", "6", "--only", "converged,no_atomics"});
  EXPECT_EQ((*experiment(document, "converged"))["state"], "failed");
  EXPECT_NE((*experiment(document, "converged"))["why"].get<std::string>().find("out-of-bounds"), std::string::npos);
  EXPECT_EQ((*experiment(document, "no_atomics"))["state"], "ranked");
}

TEST(Invert, SaysWhatItDoesNotKnow) {
  const ProcessOutcome outcome = assay_program(
      {"invert", "kernels/planted/transpose_naive", "--device", "vgpu:h200", "--shape", "ROWS=1024,COLUMNS=1024",
       "--quick", "--blocks", "1", "--only", "coalesced,no_stores,cold_caches", "--ledger", "none", "--all"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  for (const char* part : {"estimated", "coalescing", "do: ", "diagnose agrees: uncoalesced", "only a GPU can tell",
                           "never checked", "registers, spills and code size are not known", "sampled: "}) {
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  }
}

TEST(Invert, RefusesWhatItCannotDo) {
  ProcessOutcome outcome =
      assay_program({"invert", "kernels/softmax", "--only", "faster_please", "--device", "vgpu:l4"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("there is no experiment 'faster_please'"), std::string::npos) << outcome.errors;
  outcome = assay_program({"invert", "kernels/two_kernel_reduction", "--device", "vgpu:l4", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 2) << outcome.output << outcome.errors;
  outcome = assay_program({"invert", "--list"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_NE(outcome.output.find("no_shared_reads"), std::string::npos);
}

// Loops over batch and heads are the same code however long they are; a grid that changes is another launch.
TEST(Invert, ProvesLongLoopsAtAShorterShape) {
  const json document = invert({"kernels/planted/attention_without_heads", "--device", "vgpu:h200", "--shape",
                                "B=2,H=4,S=128", "--only", "no_barriers,no_special_functions,half_the_loop"});
  EXPECT_EQ(document["shape"], "B=2,H=4,S=128");
  ASSERT_TRUE(document.contains("proved_at"));
  const auto proved_at = document["proved_at"].get<std::string>();
  EXPECT_NE(proved_at, "B=2,H=4,S=128");
  EXPECT_NE(proved_at.find("S=128"), std::string::npos) << "the grid stays as it is";
  EXPECT_EQ((*experiment(document, "no_barriers"))["state"], "ranked");
  EXPECT_TRUE((*experiment(document, "no_barriers"))["counted"]["as_foretold"]);
  const json short_loops = invert({"kernels/planted/transpose_naive", "--device", "vgpu:h200", "--shape",
                                   "ROWS=1024,COLUMNS=1024", "--quick", "--only", "coalesced"});
  EXPECT_FALSE(short_loops.contains("proved_at"));
  EXPECT_FALSE(short_loops.contains("left_over"));
}

TEST(Invert, NamesWhatItHadNoTimeForAndGoesOn) {
  const TemporaryFolder folder;
  const std::string ledger = (folder.path() / "ledger.sqlite").string();
  const std::vector<std::string> words = {
      "invert", "kernels/planted/shuffle_rounds", "--device", "vgpu:h200", "--quick", "--ledger", ledger, "--all"};
  std::vector<std::string> hurried = words;
  hurried.insert(hurried.end(), {"--seconds", "0.001"});
  const ProcessOutcome first = assay_program(hurried);
  ASSERT_EQ(first.exit_status, 0) << first.errors;
  EXPECT_NE(first.output.find("not tried"), std::string::npos) << first.output;
  EXPECT_NE(first.output.find("the same command goes on with them: "), std::string::npos) << first.output;
  EXPECT_NE(first.output.find("no_shuffles"), std::string::npos);
  EXPECT_NE(first.output.find("s in all: "), std::string::npos) << first.output;
  std::vector<std::string> patient = words;
  patient.emplace_back("--json");
  const ProcessOutcome second = assay_program(patient);
  ASSERT_EQ(second.exit_status, 0) << second.errors;
  const json document = parsed(second);
  EXPECT_FALSE(document.contains("left_over"));
  EXPECT_EQ(document["first"], "shuffles");
  EXPECT_GT(document["before_proofs_s"].get<double>(), 0);
  EXPECT_GE(document["wall_s"].get<double>(),
            document["before_proofs_s"].get<double>() + document["proof_s"].get<double>());
}

// The way to a GPU and back. The library in the driver's place knows the kernel by its name and takes 10 us for each.
TEST(Invert, TimesMutantsWhereThereIsADevice) {
  const TemporaryFolder folder;
  const std::string ledger = (folder.path() / "ledger.sqlite").string();
  const auto with_device = [&](std::vector<std::string> arguments) {
    Command command = assay_command(std::move(arguments));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    return run_command(command);
  };
  const ProcessOutcome outcome =
      with_device({"invert", "kernels/reduction", "--shape", "ROWS=2,COLUMNS=16", "--quick", "--only",
                   "no_barriers,extra_barriers,split_launch", "--json", "--ledger", ledger});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["known"], "counted and measured");
  EXPECT_NEAR(document["time_us"].get<double>(), 10, 0.5);
  const json& without = *experiment(document, "no_barriers");
  EXPECT_NEAR(without["measured_ratio"].get<double>(), 1, 0.1);
  EXPECT_TRUE(without.contains("measured_interval"));
  // The stand-in does not know the second kernel: the mutant fails, and the others do not.
  EXPECT_EQ((*experiment(document, "split_launch"))["state"], "failed");
  // Its own clock bounds the whole, and what was left is named.
  const ProcessOutcome hurried = with_device({"invert", "kernels/reduction", "--shape", "ROWS=2,COLUMNS=16", "--quick",
                                              "--seconds", "0.3", "--budget", "0.001", "--json", "--ledger", "none"});
  ASSERT_EQ(hurried.exit_status, 0) << hurried.errors;
  EXPECT_TRUE(parsed(hurried).contains("left_over")) << hurried.output;
  // No leaderboard sees it.
  const ProcessOutcome best = with_device({"log", "best", "--json", "--ledger", ledger});
  EXPECT_EQ(best.output.find("p50_us\": 1"), std::string::npos) << best.output;
}

}  // namespace
}  // namespace assay::cli
