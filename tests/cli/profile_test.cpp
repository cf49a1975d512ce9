// SPDX-License-Identifier: MIT
// assay profile as a user runs it, on kernels of the repository; and the tools that may be missing.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

json profile(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "profile");
  arguments.insert(arguments.end(), {"--device", "vgpu:l4", "--json", "--ledger", "none"});
  const ProcessOutcome outcome = assay_program(arguments);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  return parsed(outcome);
}

json figure(const json& document, const std::string& name) {
  for (const json& each : document["figures"]) {
    if (each["name"] == name) return each;
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}

TEST(Profile, CountsTheTensorOperationsOfAMatrixProduct) {
  const json document = profile({"kernels/gemm", "--shape", "M=128,N=128,K=64,dtype=f16"});
  const json& counters = document["counters"];
  EXPECT_EQ(counters["tensor_multiply_adds"], 128 * 128 * 64);
  EXPECT_EQ(counters["tensor_instructions"], 128 * 128 * 64 / (16 * 8 * 16));
  EXPECT_EQ(counters["tensor_instructions.m16n8k16.f32.f16.f16.f32"], counters["tensor_instructions"]);
  EXPECT_EQ(counters["global_written_bytes"], 128 * 128 * 2) << "C, once";
  EXPECT_GE(counters["global_read_bytes"], 2 * 128 * 64 * 2) << "A and B, once";
  EXPECT_EQ(counters["shared_load_bank_conflicts"], 0) << "its rows are swizzled";
  EXPECT_NE(figure(document, "tensor-core use")["note"].get<std::string>().find("100.0 %"), std::string::npos);
  for (const auto& [name, count] : counters.items()) EXPECT_TRUE(count.is_number_unsigned()) << name;
}

TEST(Profile, CountsTheTensorOperationsOfAttention) {
  const json document =
      profile({"kernels/attention/tensor_core", "--shape", "B=1,H=2,S=128,D=64,causal=false,dtype=f16"});
  EXPECT_EQ(document["counters"]["tensor_multiply_adds"], 2 * (2 * 128 * 128 * 64));
  EXPECT_EQ(document["counters"]["global_written_bytes"], 2 * 128 * 64 * 2);
  EXPECT_EQ(document["entry"], "attention_f16_d64");
  uint64_t instructions = 0;
  bool names_a_file = false;
  for (const json& line : document["lines"]) {
    instructions += line["counters"]["ptx_instructions"].get<uint64_t>();
    names_a_file |= line["file"].get<std::string>().find("kernels/") != std::string::npos;
  }
  EXPECT_EQ(document["counters"]["ptx_instructions"], instructions) << "lines add up to the whole";
  EXPECT_TRUE(names_a_file);
}

TEST(Profile, TheSameTwice) {
  const std::vector<std::string> arguments = {"kernels/softmax", "--shape", "ROWS=3,COLUMNS=129,dtype=f16"};
  EXPECT_EQ(profile(arguments)["counters"], profile(arguments)["counters"]);
}

TEST(Profile, PrintsTables) {
  const ProcessOutcome outcome = assay_program({"profile", "kernels/reduction", "--shape", "ROWS=2,COLUMNS=1000",
                                                "--device", "vgpu:a100", "--lines", "3", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  for (const char* word : {"coalescing", "counted", "global_load_sectors", "row.cuh:", "vgpu:a100",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}) {
    EXPECT_NE(outcome.output.find(word), std::string::npos) << word << " in\n" << outcome.output;
  }
}

TEST(Profile, WithoutNcuItSaysSoAndGoesOn) {
  ::setenv("ASSAY_NCU", "none", 1);
  const json document = profile({"kernels/reduction", "--shape", "ROWS=1,COLUMNS=32", "--with", "ncu"});
  ::unsetenv("ASSAY_NCU");
  EXPECT_NE(document["not_measured"]["reason"].get<std::string>().find("ncu is not on this machine"),
            std::string::npos);
  EXPECT_NE(document["not_measured"]["hint"], "");
  EXPECT_FALSE(document.contains("measured"));
  EXPECT_GT(document["counters"]["ptx_instructions"], 0);
}

TEST(Profile, TheHelpIsThePageAndNamesTheOptions) {
  const ProcessOutcome outcome = assay_program({"profile", "--help"});
  EXPECT_EQ(outcome.output, *read_file(ASSAY_SOURCE_DIR "/docs/cli/profile.md"));
  for (const char* option : {"--device", "--config", "--shape", "--lines", "--with ncu", "--seed", "--time-limit",
                             "--instruction-limit", "--ledger", "--json"})
    EXPECT_NE(outcome.output.find(std::string("  ") + option), std::string::npos) << option;
}

TEST(Profile, MistakesOfUsage) {
  EXPECT_EQ(assay_program({"profile", "kernels/reduction", "--with", "vtune"}).exit_status, 2);
  EXPECT_EQ(assay_program({"profile", "kernels/reduction", "--shape", "ROWS=zero"}).exit_status, 2);
  EXPECT_EQ(assay_program({"profile"}).exit_status, 2);
}

TEST(Profile, AKernelWithBadAccessesIsNotProfiled) {
  const ProcessOutcome outcome =
      assay_program({"profile", "kernels/broken/misaligned_rows", "--device", "vgpu:l4", "--json", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 5);
  EXPECT_EQ(parsed(outcome)["verdict"], "error");
}

TEST(SanitizeWith, ComputeSanitizerMissingIsSaid) {
  ::setenv("ASSAY_COMPUTE_SANITIZER", "none", 1);
  const ProcessOutcome outcome =
      assay_program({"sanitize", "kernels/reduction", "--shape", "ROWS=1,COLUMNS=32", "--device", "vgpu:l4", "--json",
                     "--ledger", "none", "--with", "compute-sanitizer", "--tool", "racecheck"});
  ::unsetenv("ASSAY_COMPUTE_SANITIZER");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json opinion = parsed(outcome)["compute_sanitizer"];
  EXPECT_EQ(opinion["verdict"], "not run");
  EXPECT_EQ(opinion["tool"], "racecheck");
  EXPECT_NE(opinion["reason"].get<std::string>().find("compute-sanitizer is not on this machine"), std::string::npos);
  EXPECT_EQ(assay_program({"sanitize", "kernels/reduction", "--tool", "memcheck"}).exit_status, 2);
  EXPECT_EQ(assay_program({"sanitize", "kernels/reduction", "--with", "valgrind"}).exit_status, 2);
  EXPECT_EQ(
      assay_program({"sanitize", "kernels/reduction", "--with", "compute-sanitizer", "--tool", "nosuch"}).exit_status,
      2);
}

TEST(SanitizeWith, FindingsAsSarif) {
  const std::string file = ASSAY_BINARY_DIR "/findings.sarif";
  std::filesystem::remove(file);
  const ProcessOutcome outcome = assay_program({"sanitize", "kernels/broken/misaligned_rows", "--device", "vgpu:l4",
                                                "--shape", "ROWS=2,D=64", "--sarif", file, "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 5);
  const auto text = read_file(file);
  ASSERT_TRUE(text.ok());
  const json document = json::parse(*text, nullptr, false);
  EXPECT_EQ(document["version"], "2.1.0");
  const json& result = document["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "misaligned");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "kernels/broken/misaligned_rows/misaligned_rows.cu");
}

}  // namespace
}  // namespace assay::cli
