// SPDX-License-Identifier: MIT
// The catalogue of assay invert: the thirty injections and fifteen ablations of docs/invert.md are there, each row says
// how it is done, what it tells and what it needs, and each changes some kernel of this repository.
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "assay_program.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

const json& catalogue() {
  static const json document = parsed(assay_program({"invert", "--list", "--json"}));
  return document["catalogue"];
}

TEST(InvertCatalogue, HasEveryExperimentOnce) {
  std::map<std::string, std::set<int>> numbers;
  std::set<std::string> names;
  for (const json& row : catalogue()) {
    EXPECT_TRUE(names.insert(row["name"].get<std::string>()).second) << row["name"];
    EXPECT_TRUE(numbers[row["kind"].get<std::string>()].insert(row["number"].get<int>()).second) << row["name"];
  }
  ASSERT_EQ(numbers.size(), 2U);
  for (int number = 1; number <= 30; ++number) EXPECT_TRUE(numbers["injection"].contains(number)) << number;
  for (int number = 1; number <= 15; ++number) EXPECT_TRUE(numbers["ablation"].contains(number)) << number;
}

TEST(InvertCatalogue, EachRowSaysHowWhatItTellsAndWhatItNeeds) {
  const ProcessOutcome text = assay_program({"invert", "--list"});
  for (const json& row : catalogue()) {
    for (const char* part : {"resource", "how", "tells", "needs"}) EXPECT_NE(row[part], "") << row["name"] << part;
    const auto needs = row["needs"].get<std::string>();
    EXPECT_NE(text.output.find(row["name"].get<std::string>() + "  "), std::string::npos) << row["name"];
    EXPECT_NE(text.output.find("  needs  " + needs), std::string::npos) << row["name"];
  }
}

// A dose of 1 is once more; others double. What is on or off, or has only a few steps, has fewer.
TEST(InvertCatalogue, DosesAreOneTwoFourEightOrTheirBeginning) {
  size_t all = 0;
  for (const json& row : catalogue()) {
    const auto doses = row["doses"].get<std::vector<int>>();
    ASSERT_FALSE(doses.empty()) << row["name"];
    for (size_t i = 0; i < doses.size(); ++i) EXPECT_EQ(doses[i], 1 << i) << row["name"];
    if (row["kind"] == "ablation") {
      EXPECT_EQ(doses.size(), 1U) << row["name"];
    }
    all += doses.size() == 4 ? 1 : 0;
  }
  EXPECT_GE(all, 16U);
}

struct Fires {
  const char* kernel;
  const char* shape;
  const char* rows;
};
constexpr Fires kFires[] = {
    {"planted/transpose_conflicts", "ROWS=256,COLUMNS=512",
     "extra_fma,extra_alu,extra_shared_reads,extra_shared_writes,bank_conflicts,extra_l2_reads,extra_dram_reads,"
     "extra_writes,misaligned,not_staged,extra_barriers,skewed_warps,diverged,fewer_registers,lower_occupancy,"
     "block_order,cold_caches,larger_code,split_launch,no_shared_reads,no_global_reads,no_stores,no_barriers,"
     "no_addresses,nothing_left,no_bounds_checks,coalesced,no_bank_conflicts"},
    {"planted/histogram_global", "PARTS=1056,SIZE=256", "uncoalesced,one_block_more,contended_atomics,no_atomics"},
    {"planted/local_array", "N=65536", "smaller_blocks,through_f64,no_local_memory"},
    {"planted/f64_rounds", "N=33792", "no_conversions,half_the_loop,f64_as_f32"},
    {"planted/divergent_lanes", "N=65536", "converged"},
    {"planted/shuffle_rounds", "N=33792", "no_shuffles"},
    {"planted/division_rounds", "N=33792", "no_divisions"},
    {"planted/exponential_rounds", "N=33792", "extra_special_functions,no_special_functions"},
    {"planted/attention_without_heads", "B=1,H=2,S=64", "more_blocks"},
    {"gemm", "M=256,N=256,K=128,dtype=f16",
     "extra_products,narrow_accesses,no_overlap,fewer_stages,no_products,no_copies"},
    {"broken/bulk_copy_not_awaited", "", "smaller_copies"},
};

TEST(InvertCatalogue, EachRowChangesAKernelOfThisRepository) {
  std::set<std::string> fired;
  std::string refused;
  for (const Fires& each : kFires) {
    std::vector<std::string> words = {"invert",   std::string("kernels/") + each.kernel,
                                      "--device", "vgpu:h200",
                                      "--quick",  "--blocks",
                                      "1",        "--only",
                                      each.rows,  "--json",
                                      "--ledger", "none"};
    if (*each.shape != '\0') words.insert(words.end(), {"--shape", each.shape});
    const ProcessOutcome outcome = assay_program(words);
    ASSERT_EQ(outcome.exit_status, 0) << each.kernel << outcome.errors << outcome.output;
    const json document = parsed(outcome);
    for (const json& experiment : document["experiments"]) {
      const auto name = experiment["name"].get<std::string>();
      const auto why = experiment["why"].get<std::string>();
      // Another configuration has to be compiled.
      const bool needs_compiler = name == "fewer_stages" && why.find("nvcc") != std::string::npos;
      const bool made = experiment["state"] != "not applicable" && experiment["state"] != "not tried";
      if (made || needs_compiler)
        fired.insert(name);
      else
        refused += name + " in " + each.kernel + ": " + why + "\n";
    }
  }
  for (const json& row : catalogue())
    EXPECT_TRUE(fired.contains(row["name"].get<std::string>())) << row["name"] << "\n" << refused;
}

}  // namespace
}  // namespace assay::cli
