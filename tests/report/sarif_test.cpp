// SPDX-License-Identifier: MIT
#include "report/sarif.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay::report {
namespace {

using nlohmann::json;

gpu::Finding sample() {
  gpu::Finding finding;
  finding.kind = gpu::FindingKind::misaligned;
  finding.access = gpu::AccessKind::async_read;
  finding.space = gpu::Space::shared;
  finding.address = 0x82;
  finding.bytes = 16;
  finding.kernel = "attention";
  finding.block = {0, 0, 0};
  finding.thread = {1, 0, 0};
  finding.message = "16 bytes at 0x82";
  finding.count = 3;
  finding.source = {{"/project/kernels/copy.cuh", 12, 5, "copy(int)"}, {"/project/kernels/attention.cu", 40, 0, ""}};
  return finding;
}

TEST(Sarif, AFindingBecomesAResult) {
  const json document = sarif_document({sample()}, "1.2.3", "/project");
  EXPECT_EQ(document["version"], "2.1.0");
  const json& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "assay");
  EXPECT_EQ(run["tool"]["driver"]["semanticVersion"], "1.2.3");
  const json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "misaligned");
  const size_t index = result["ruleIndex"];
  EXPECT_EQ(run["tool"]["driver"]["rules"][index]["id"], "misaligned");
  EXPECT_EQ(result["occurrenceCount"], 3);
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/copy.cuh") << "relative to the project";
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_EQ(place["region"]["startColumn"], 5);
  EXPECT_EQ(result["stacks"][0]["frames"].size(), 2);
  const std::string text = result["message"]["text"];
  for (const char* part : {"thread (1,0,0)", "0x82", "16 bytes", "shared", "attention", "3 times"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(Sarif, FilesOutsideOfTheProjectKeepTheirPlace) {
  gpu::Finding finding = sample();
  finding.source = {{"/elsewhere/x.cu", 0, 0, ""}};
  const json document = sarif_document({finding}, "1", "/project");
  const json& place = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "/elsewhere/x.cu");
  EXPECT_EQ(place["region"]["startLine"], 1) << "lines begin at 1";
}

TEST(Sarif, EveryKindHasARule) {
  using enum gpu::FindingKind;
  for (const gpu::FindingKind kind :
       {out_of_bounds, misaligned, null_pointer, use_after_free, illegal_address, trap, assertion, deadlock,
        instruction_limit, invalid_free, illegal_instruction, uninitialised, race, barrier}) {
    gpu::Finding finding;
    finding.kind = kind;
    const json document = sarif_document({finding}, "1", "/");
    const json& run = document["runs"][0];
    const size_t index = run["results"][0]["ruleIndex"];
    EXPECT_EQ(run["tool"]["driver"]["rules"][index]["id"], run["results"][0]["ruleId"]);
    EXPECT_TRUE(run["results"][0]["locations"].empty()) << "without line information there is no place";
  }
  EXPECT_TRUE(sarif_document({}, "1", "/")["runs"][0]["results"].empty());
}

}  // namespace
}  // namespace assay::report
