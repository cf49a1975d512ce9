// SPDX-License-Identifier: MIT
// assay diagnose as a user runs it: in each planted kernel its own rule comes first, and in a clean one it is silent.
#include <algorithm>
#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "build/toolkit.hpp"
#include "diagnosis/diagnosis.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

json diagnose(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "diagnose");
  arguments.insert(arguments.end(), {"--json", "--ledger", "none"});
  const ProcessOutcome outcome = assay_program(arguments);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  return parsed(outcome);
}

const json* finding(const json& document, const std::string& rule) {
  for (const json& each : document["findings"]) {
    if (each["rule"] == rule) return &each;
  }
  return nullptr;
}

struct Planted {
  const char* rule;
  const char* kernel;  // comes first there
  const char* shape;
  const char* device;
  const char* silent;  // and does not apply there
  const char* silent_shape;
};

class PlantedTest : public testing::TestWithParam<Planted> {};

TEST_P(PlantedTest, ItsRuleComesFirst) {
  const Planted& planted = GetParam();
  const json document = diagnose(
      {std::string("kernels/planted/") + planted.kernel, "--shape", planted.shape, "--device", planted.device});
  ASSERT_FALSE(document["findings"].empty());
  std::string all;
  for (const json& each : document["findings"])
    all += " " + each["rule"].get<std::string>() + " " + each["cap_us"].dump();
  EXPECT_EQ(document["findings"][0]["rule"], planted.rule) << all;
  // No finding can bring more than the time above the floor.
  const double above = document["time_us"].get<double>() - document["floor"]["time_us"].get<double>();
  for (const json& each : document["findings"]) EXPECT_LE(each["cap_us"].get<double>(), above + 1e-9) << each["rule"];
}

TEST_P(PlantedTest, ItsRuleIsSilentElsewhere) {
  const Planted& planted = GetParam();
  const json document = diagnose(
      {std::string("kernels/planted/") + planted.silent, "--shape", planted.silent_shape, "--device", planted.device});
  EXPECT_EQ(finding(document, planted.rule), nullptr);
}

constexpr const char* kH200 = "vgpu:h200";
constexpr const char* kL4 = "vgpu:l4";
constexpr std::array kPlanted = {
    Planted{"not_enough_blocks", "attention_without_heads", "B=1,H=4,S=128", kL4, "copy_vector", "N=4194304"},
    Planted{"dram_bound", "copy_vector", "N=33554432", kH200, "exponentials", "N=4194304"},
    Planted{"uncoalesced", "transpose_naive", "ROWS=4096,COLUMNS=4096", kH200, "transpose_padded",
            "ROWS=4096,COLUMNS=4096"},
    Planted{"bank_conflicts", "transpose_conflicts", "ROWS=4096,COLUMNS=4096", kH200, "transpose_padded",
            "ROWS=4096,COLUMNS=4096"},
    Planted{"shared_bandwidth", "gemm_tiled", "M=1024,N=1024,K=512", kH200, "transpose_conflicts",
            "ROWS=4096,COLUMNS=4096"},
    Planted{"tensor_idle", "../attention/naive", "B=1,H=16,S=512,D=64,causal=false,dtype=f16", kH200, "stencil",
            "ROWS=2048,COLUMNS=2048"},
    Planted{"special_functions", "exponential_rounds", "N=270336", kH200, "fma_chain", "N=67584"},
    Planted{"shuffles", "shuffle_rounds", "N=270336", kH200, "copy_vector", "N=4194304"},
    Planted{"atomics", "atomic_rounds", "N=270336", kH200, "transpose_conflicts", "ROWS=4096,COLUMNS=4096"},
    Planted{"same_sector_twice", "reread_vector", "N=67584,M=1024", kH200, "copy_vector", "N=4194304"},
    Planted{"address_arithmetic", "division_rounds", "N=270336", kH200, "fma_chain", "N=67584"},
    Planted{"above_compulsory", "../../tests/cli/far_neighbours", "N=8388608", kH200, "copy_vector", "N=4194304"},
    Planted{"debug_build", "../../tests/cli/debug_build", "N=4194304", kH200, "fma_chain", "N=67584"},
    Planted{"workspace", "../../tests/cli/workspace", "N=4194304", kH200, "copy_vector", "N=4194304"},
    Planted{"double_precision", "f64_polynomial", "N=4194304", kL4, "fma_chain", "N=67584"},
    Planted{"latency", "scan_rows", "ROWS=512,COLUMNS=2048", kH200, "copy_vector", "N=33554432"},
    Planted{"local_memory", "local_array", "N=262144", kH200, "copy_vector", "N=4194304"},
    Planted{"divergence", "divergent_lanes", "N=4194304", kH200, "exponentials", "N=4194304"},
    Planted{"barriers", "barrier_rounds", "N=270336", kH200, "matrix_vector", "ROWS=4096,COLUMNS=4096"},
    Planted{"silent_stores", "silent_stores", "N=4194304", kH200, "copy_vector", "N=4194304"},
    Planted{"overwritten_stores", "../../tests/cli/planted/sums_in_memory", "N=131072", kH200, "copy_vector",
            "N=4194304"},
    Planted{"integer_work", "../../tests/cli/planted/digits_of_numbers", "N=4194304", kH200, "fma_chain", "N=67584"},
    Planted{"uneven_blocks", "../../tests/cli/planted/one_long_row", "ROWS=1024", kH200, "fma_chain", "N=67584"},
    Planted{"uneven_warps", "../../tests/cli/planted/scan_by_one_warp", "N=4194304", kH200, "gemm_tiled",
            "M=1024,N=1024,K=512"},
    Planted{"conversions", "../../tests/cli/planted/bytes_through_floats", "N=16777216", kH200, "exponential_rounds",
            "N=270336"},
    Planted{"narrow_accesses", "../../tests/cli/planted/bytes_one_by_one", "ROWS=16384,COLUMNS=4096", kH200,
            "copy_vector", "N=4194304"},
    Planted{"excess_arithmetic", "../../tests/cli/planted/long_series", "N=4325376", kH200, "fma_chain", "N=67584"},
    Planted{"launch", "copy_vector", "N=135168", kH200, "fma_chain", "N=1048576"},
    Planted{"starting_blocks", "tiny_blocks", "N=4194304", kH200, "matrix_vector", "ROWS=4096,COLUMNS=4096"}};
INSTANTIATE_TEST_SUITE_P(Kernels, PlantedTest, testing::ValuesIn(kPlanted),
                         [](const testing::TestParamInfo<Planted>& planted) {
                           return std::string(planted.param.rule);
                         });

// No rule without a kernel in which it comes first and one in which it is silent.
TEST(Diagnose, EveryRuleIsPlanted) {
  std::set<std::string_view> rules;
  std::set<std::string_view> planted;
  for (const diagnosis::Rule& rule : diagnosis::rules()) rules.insert(rule.name);
  for (const Planted& each : kPlanted) planted.insert(each.rule);
  EXPECT_EQ(rules, planted);
}

// The memory is busy all the time, with bytes that nobody needs: something inside the kernel can help. Its inputs are
// no workspace.
TEST(Diagnose, BytesThatNobodyNeedsAreNoBoundOfTheProblem) {
  for (const char* device : {kH200, kL4}) {
    const json document = diagnose({"tests/cli/planted/one_field_of_records", "--device", device});
    ASSERT_FALSE(document["findings"].empty());
    EXPECT_EQ(document["findings"][0]["rule"], "uncoalesced") << document["findings"].dump(1);
    EXPECT_EQ(finding(document, "dram_bound"), nullptr);
    EXPECT_EQ(finding(document, "workspace"), nullptr);
    // As many blocks as were chosen, and none is missing along N.
    EXPECT_EQ(document["findings"].dump().find("does not go along"), std::string::npos);
  }
}

// What mending brings is what the cap said: the records without what nobody needs are a copy of N floats.
TEST(Diagnose, ACapIsWhatTheMendedKernelGains) {
  const json records = diagnose({"tests/cli/planted/one_field_of_records", "--device", kH200});
  const json copy = diagnose({"kernels/planted/copy_vector", "--shape", "N=4194304", "--device", kH200});
  const json* found = finding(records, "uncoalesced");
  ASSERT_NE(found, nullptr);
  const double gained = records["time_us"].get<double>() - copy["time_us"].get<double>();
  EXPECT_NEAR((*found)["cap_us"].get<double>(), gained, 0.2 * gained);

  // 64 sums into a register: what is left are the reads.
  const json sums = diagnose({"tests/cli/planted/sums_in_memory", "--device", kH200});
  EXPECT_LT(sums["floor"]["time_us"].get<double>() + (*finding(sums, "overwritten_stores"))["cap_us"].get<double>(),
            sums["time_us"].get<double>() + 1e-9);
  EXPECT_GT((*finding(sums, "overwritten_stores"))["cap_us"].get<double>(), 0.3 * sums["time_us"].get<double>());
}

// Sectors are fetched whole; those words of them that no lane asks for need not move, whatever kernel.toml says or not.
TEST(Diagnose, WordsThatNobodyAsksForAreNoFloor) {
  const TemporaryFolder folder;
  const std::filesystem::path kernel =
      std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/cli/planted/one_field_of_records";
  std::filesystem::copy(kernel, folder.path(), std::filesystem::copy_options::recursive);
  const auto toml = read_file(kernel / "kernel.toml");
  ASSERT_TRUE(toml.ok());
  const json before = diagnose({folder.path().string(), "--device", kL4});
  folder.write("kernel.toml", replace_all(*toml, "bytes     = \"8*N\"", ""));
  const json document = diagnose({folder.path().string(), "--device", kL4});
  EXPECT_LT(document["floor"]["time_us"].get<double>(), 4 * before["floor"]["time_us"].get<double>());
  EXPECT_EQ(document["findings"][0]["rule"], "uncoalesced") << document["findings"].dump(1);
  EXPECT_EQ(finding(document, "dram_bound"), nullptr);
}

// Kernels in a row might be one, which is launched once.
TEST(Diagnose, LaunchesOfACallAreAFinding) {
  const json document = diagnose({"kernels/two_kernel_reduction", "--shape", "N=65536", "--device", kH200});
  const json* found = finding(document, "launch");
  ASSERT_NE(found, nullptr) << document["findings"].dump(1);
  EXPECT_NE((*found)["evidence"].dump().find("one of 2 kernels"), std::string::npos);
  EXPECT_GT((*found)["cap_us"].get<double>(), 0.3);
}

// float32 in and out: nothing says that it must be computed in float64, whose rate is no floor.
TEST(Diagnose, Float64IsNoFloorOfAProblemInFloat32) {
  const json document = diagnose({"kernels/planted/f64_rounds", "--device", kL4});
  EXPECT_NE(document["floor"]["by"], "FP64");
  const json* found = finding(document, "double_precision");
  ASSERT_NE(found, nullptr);
  EXPECT_GT((*found)["cap_us"].get<double>(), 0.8 * document["time_us"].get<double>());
}

// What kernel.toml says may be too much: the kernel has done it with less.
TEST(Diagnose, OperationsThatAreNotExecutedAreNoFloor) {
  const TemporaryFolder folder;
  const std::filesystem::path kernel = std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels/planted/fma_chain";
  std::filesystem::copy(kernel, folder.path(), std::filesystem::copy_options::recursive);
  const auto toml = read_file(kernel / "kernel.toml");
  ASSERT_TRUE(toml.ok());
  const std::vector<std::string> words = {folder.path().string(), "--shape", "N=1048576", "--device", kH200};
  const json before = diagnose(words);
  folder.write("kernel.toml", replace_all(*toml, "\"1024*N\"", "\"102400*N\""));
  const json document = diagnose(words);
  EXPECT_LT(document["floor"]["time_us"].get<double>(), document["time_us"].get<double>());
  EXPECT_LT(document["floor"]["time_us"].get<double>(), 1.2 * before["floor"]["time_us"].get<double>());
  EXPECT_EQ(document["findings"].size(), before["findings"].size());
}

TEST(Diagnose, SaysWhatEachPartWouldTakeAlone) {
  const json document = diagnose({"kernels/planted/exponential_rounds", "--device", kH200});
  const json& alone = document["floor"]["alone_us"];
  for (const char* part : {"bytes that must move", "FMA", "special functions", "launch"})
    EXPECT_GT(alone.value(part, 0.0), 0) << part;
  EXPECT_EQ(alone[document["floor"]["by"].get<std::string>()], document["floor"]["time_us"]);
}

// By its flags: the PTX does not tell.
TEST(Diagnose, PtxasThatDoesNotOptimiseIsFound) {
  const TemporaryFolder folder;
  const std::filesystem::path kernel = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/cli/workspace";
  std::filesystem::copy(kernel, folder.path(), std::filesystem::copy_options::recursive);
  for (const auto& [flag, found] : std::map<std::string, bool>{{"-Xptxas=-v,-O0", true}, {"-Xptxas=-O3", false}}) {
    const auto toml = read_file(kernel / "kernel.toml");
    ASSERT_TRUE(toml.ok());
    folder.write("kernel.toml", replace_all(*toml, "[\"sm_80\"]", "[\"sm_80\"]\nflags = [\"" + flag + "\"]"));
    const json document = diagnose({folder.path().string(), "--shape", "N=1000000", "--device", "vgpu:h200"});
    const json* finding_of_it = finding(document, "debug_build");
    ASSERT_EQ(finding_of_it != nullptr, found) << flag;
    if (!found) continue;
    EXPECT_NE((*finding_of_it)["evidence"][0].get<std::string>().find(flag), std::string::npos);
  }
}

// What changes the results comes last, however much it would bring.
TEST(Diagnose, TensorCoresComeLastForWideInputs) {
  const json document =
      diagnose({"kernels/planted/gemm_tiled", "--shape", "M=1024,N=1024,K=512", "--device", "vgpu:h200"});
  const json& last = document["findings"].back();
  EXPECT_EQ(last["rule"], "tensor_idle");
  EXPECT_NE(last["evidence"].dump().find("TF32"), std::string::npos);
  EXPECT_GT(document["findings"].size(), 1u);
}

// The story: a kernel 165 to 837 times slower than its baseline, because batch and heads run one after the other.
TEST(Diagnose, NamesTheAxesThatTheGridLeavesOut) {
  const json document =
      diagnose({"kernels/planted/attention_without_heads", "--shape", "B=2,H=3,S=128", "--device", "vgpu:l4"});
  const json& first = document["findings"][0];
  EXPECT_EQ(first["rule"], "not_enough_blocks");
  const std::string evidence = first["evidence"].dump();
  EXPECT_NE(evidence.find("B = 2, H = 3"), std::string::npos) << evidence;
  EXPECT_NE(first["remedy"].get<std::string>().find("missing axis"), std::string::npos);
}

TEST(Diagnose, AFindingNamesItsLine) {
  const json document = diagnose({"kernels/planted/transpose_naive", "--device", "vgpu:h200"});
  const json* found = finding(document, "uncoalesced");
  ASSERT_NE(found, nullptr);
  EXPECT_NE((*found)["file"].get<std::string>().find("transpose_naive.cu"), std::string::npos);
  EXPECT_EQ((*found)["line"], 6);
}

TEST(Diagnose, OneScreenSaysHowItIsKnown) {
  const ProcessOutcome outcome =
      assay_program({"diagnose", "kernels/planted/exponentials", "--device", "vgpu:h200", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  for (const char* words : {"times the floor", "1. ", "at most -", "do: ", "counted and estimated"})
    EXPECT_NE(outcome.output.find(words), std::string::npos) << words << "\n" << outcome.output;
  EXPECT_LT(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 40);
}

// Two kernels of one call: each finding is one of a stage, within that stage's own part of the time.
TEST(Diagnose, KernelsOfACallAreLookedAtOneByOne) {
  const json document = diagnose({"kernels/two_kernel_reduction", "--device", "vgpu:h200"});
  ASSERT_EQ(document["stages"].size(), 2U);
  ASSERT_FALSE(document["findings"].empty());
  double parts = 0;
  for (const json& stage : document["stages"]) parts += stage["estimate"]["time_us"].get<double>();
  EXPECT_NEAR(document["time_us"].get<double>(), parts, 1e-6);
  for (const json& each : document["findings"]) {
    const auto stage =
        std::ranges::find(document["stages"], each["stage"], [](const json& one) { return one["name"]; });
    ASSERT_NE(stage, document["stages"].end()) << each["stage"];
    EXPECT_LE(each["cap_us"].get<double>(), (*stage)["estimate"]["time_us"].get<double>()) << each["rule"];
  }
  const ProcessOutcome text =
      assay_program({"diagnose", "kernels/two_kernel_reduction", "--device", "vgpu:h200", "--ledger", "none"});
  EXPECT_NE(text.output.find("2 kernels, one after the other"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find(", in total"), std::string::npos) << text.output;
  const json one =
      diagnose({"kernels/planted/transpose_naive", "--shape", "ROWS=1024,COLUMNS=1024", "--device", "vgpu:h200"});
  EXPECT_FALSE(one["findings"][0].contains("stage"));
}

// Planted in another style than those of kernels/planted: conversions to float64 and back keep the special function
// unit busy, and are no special functions; shuffles share their pipe with loads.
TEST(Diagnose, ConstantsWithoutAnFAreFloat64AndNoSpecialFunctions) {
  const json document = diagnose({"tests/cli/planted/constants_without_f", "--device", "vgpu:h200"});
  ASSERT_FALSE(document["findings"].empty());
  EXPECT_EQ(document["findings"][0]["rule"], "double_precision") << document["findings"].dump(1);
  EXPECT_EQ(finding(document, "special_functions"), nullptr);
  EXPECT_NE(document["findings"][0]["evidence"][1].get<std::string>().find("conversions"), std::string::npos);
}

TEST(Diagnose, LoadsThatComeAgainDoNotHideShuffles) {
  const json document = diagnose({"tests/cli/planted/dots_by_shuffles", "--device", "vgpu:h200"});
  ASSERT_FALSE(document["findings"].empty());
  EXPECT_EQ(document["findings"][0]["rule"], "shuffles") << document["findings"].dump(1);
}

// Each request takes a piece of a sector, and the next one the rest: that data is asked for again is the mapping's
// fault.
TEST(Diagnose, PiecesOfSectorsAreUncoalescedAndNotAskedForTwice) {
  const json document = diagnose({"tests/cli/planted/row_by_thread", "--device", kH200});
  ASSERT_FALSE(document["findings"].empty());
  EXPECT_EQ(document["findings"][0]["rule"], "uncoalesced") << document["findings"].dump(1);
  EXPECT_EQ(finding(document, "same_sector_twice"), nullptr);
}

TEST(Diagnose, ALaneThatLoadsForItsWarpIsDivergence) {
  for (const char* device : {kH200, kL4}) {
    const json document = diagnose({"tests/cli/planted/one_lane_loads", "--device", device});
    ASSERT_FALSE(document["findings"].empty());
    EXPECT_EQ(document["findings"][0]["rule"], "divergence") << document["findings"].dump(1);
    EXPECT_EQ(document["findings"][0]["line"], 12) << "where one lane works";
  }
}

TEST(Diagnose, BarriersThatOrderNothingKeepValuesInSharedMemory) {
  const json document = diagnose({"tests/cli/planted/own_words_behind_barriers", "--device", kH200});
  ASSERT_FALSE(document["findings"].empty());
  EXPECT_EQ(document["findings"][0]["rule"], "barriers") << document["findings"].dump(1);
}

TEST(Diagnose, ArithmeticInFloat16IsNoIntegerWork) {
  const json document = diagnose({"tests/cli/planted/half_rounds", "--device", kH200});
  for (const char* rule : {"integer_work", "conversions", "excess_arithmetic"})
    EXPECT_EQ(finding(document, rule), nullptr) << document["findings"].dump(1);
}

TEST(Diagnose, TheLineIsWhereTheWorkIsDone) {
  const json bytes = diagnose({"tests/cli/planted/bytes_one_by_one", "--device", kH200});
  EXPECT_EQ(bytes["findings"][0]["line"], 10) << bytes["findings"].dump(1);
  const json scan = diagnose({"tests/cli/planted/scan_by_one_warp", "--device", kH200});
  EXPECT_GE(scan["findings"][0]["line"].get<int>(), 10) << scan["findings"].dump(1);
  EXPECT_LE(scan["findings"][0]["line"].get<int>(), 17) << "in the part of the one warp";
}

// Where the memory is busy most of the time, what helps inside the kernel is said before what helps outside it.
TEST(Diagnose, WhatHelpsInsideTheKernelIsSaidFirst) {
  const json document = diagnose({"tests/cli/planted/one_lane_loads", "--device", kL4});
  ASSERT_NE(finding(document, "dram_bound"), nullptr) << document["findings"].dump(1);
  EXPECT_GT((*finding(document, "dram_bound"))["cap_us"], document["findings"][0]["cap_us"]);
}

// Spills are in the machine code alone: nothing that was counted shows them.
TEST(Diagnose, SpillsHaveACapOfTheirOwn) {
  if (!build::find_toolkit()) GTEST_SKIP() << "ptxas is not here, and nobody else knows of spills";
  const json document = parsed(assay_program(
      {"diagnose", "tests/cli/planted/bounded_registers", "--device", "vgpu:h200", "--json", "--ledger", "none"},
      true));
  ASSERT_FALSE(document["findings"].empty());
  EXPECT_EQ(document["findings"][0]["rule"], "local_memory") << document["findings"].dump(1);
  EXPECT_GT(document["findings"][0]["cap_us"].get<double>(), 0);
}

TEST(Diagnose, ASweepNamesWhereTheLimiterChanges) {
  const std::vector<std::string> words = {"diagnose", "kernels/planted/fma_chain",
                                          "--shape",  "N=1024",
                                          "--sweep",  "N=1024..1048576",
                                          "--device", "vgpu:h200",
                                          "--ledger", "none"};
  const ProcessOutcome outcome = assay_program(words);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("the limiter changes from"), std::string::npos) << outcome.output;
  const json document = diagnose({words.begin() + 1, words.begin() + 8});
  ASSERT_FALSE(document["limiter_changes"].empty());
  EXPECT_NE(document["limiter_changes"][0]["from"], document["limiter_changes"][0]["to"]);
  EXPECT_FALSE(document.contains("sweep_ended"));
}

TEST(Diagnose, ASweepSaysSoWhereTheLimiterStays) {
  const ProcessOutcome outcome =
      assay_program({"diagnose", "kernels/planted/copy_vector", "--shape", "N=16777216", "--sweep",
                     "N=16777216..33554432", "--device", "vgpu:h200", "--ledger", "none"});
  EXPECT_NE(outcome.output.find("the limiter is DRAM at all of them"), std::string::npos) << outcome.output;
}

TEST(Diagnose, ASweepThatIsNoneIsAMistake) {
  const auto status = [](const char* sweep) {
    return assay_program({"diagnose", "kernels/planted/copy_vector", "--shape", "N=1024", "--sweep", sweep, "--device",
                          "vgpu:l4", "--ledger", "none"})
        .exit_status;
  };
  EXPECT_EQ(status("N=2048"), 2);
  EXPECT_EQ(status("N=9..3"), 2);
  EXPECT_EQ(status("M=1..4"), 2);
  EXPECT_EQ(status("N=0..4"), 2);
  EXPECT_EQ(status("N=4..99999999999999999999"), 2);
  EXPECT_EQ(status("N=4611686018427387904..9223372036854775807"), 2) << "it does not count beyond what there is";
  EXPECT_EQ(status("N=2048..2048"), 0) << "one point";
}

TEST(Diagnose, ASweepThatCannotGoOnKeepsWhatItHas) {
  const json document = diagnose({"kernels/reduction", "--shape", "ROWS=4,COLUMNS=64", "--sweep", "COLUMNS=64..65536",
                                  "--instruction-limit", "3000", "--device", "vgpu:h200"});
  EXPECT_GE(document["sweep"].size(), 2u);
  EXPECT_LT(document["sweep"].size(), 11u);
  EXPECT_TRUE(document["sweep_ended"].get<std::string>().starts_with("COLUMNS=")) << document["sweep_ended"];
}

}  // namespace
}  // namespace assay::cli
