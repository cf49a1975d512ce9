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
  finding.access = gpu::AccessKind::async_write;
  finding.space = gpu::Space::shared;
  finding.address = 0x82;
  finding.bytes = 16;
  finding.kernel = "attention";
  finding.block = {0, 0, 0};
  finding.thread = {1, 0, 0};
  finding.message = "16 bytes at 0x82";
  finding.count = 3;
  finding.thread_count = 2;
  finding.source = {{"/project/kernels/copy.cuh", 12, 5, "copy(int)"}, {"/project/kernels/attention.cu", 40, 0, ""}};
  return finding;
}

json document_of(const gpu::Finding& finding) {
  return sarif_document(
      {{finding}, "1.2.3", "/project", "kernels/attention.cu", {{"memcheck"}, {"accesses"}, {"races"}}});
}

TEST(Sarif, AFindingBecomesAResult) {
  const json document = document_of(sample());
  EXPECT_EQ(document["version"], "2.1.0");
  const json& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "assay");
  EXPECT_EQ(run["tool"]["driver"]["semanticVersion"], "1.2.3");
  ASSERT_EQ(run["results"].size(), 1u);
  const json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "misaligned");
  const size_t index = result["ruleIndex"];
  EXPECT_EQ(run["tool"]["driver"]["rules"][index]["id"], "misaligned");
  EXPECT_EQ(result["occurrenceCount"], 3);
  EXPECT_EQ(result["properties"]["threads"], 2);
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/copy.cuh") << "relative to the project";
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_EQ(place["region"]["startColumn"], 5);
  EXPECT_EQ(result["stacks"][0]["frames"].size(), 2);
  const std::string text = result["message"]["text"];
  for (const char* part :
       {"thread (1,0,0)", "0x82", "16 bytes", "async_write", "shared", "attention", "3 times", "2 threads"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST(Sarif, SaysWhatWasCheckedAndWhatWasNot) {
  const json document = document_of(sample());
  const json& invocation = document["runs"][0]["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], true);
  EXPECT_EQ(invocation["properties"]["checks"], json({"memcheck"}));
  EXPECT_EQ(invocation["properties"]["not_checked"], json({"races"}));
}

TEST(Sarif, FilesOutsideOfTheProjectKeepTheirPlace) {
  gpu::Finding finding = sample();
  finding.source = {{"/else where/x#1.cu", 0, 0, ""}};
  const json document = document_of(finding);
  const json& place = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file:///else%20where/x%231.cu");
  EXPECT_EQ(place["region"]["startLine"], 1) << "lines begin at 1";
}

TEST(Sarif, FingerprintsTellPlacesApartAndSurviveOtherThreads) {
  const auto fingerprint = [](const gpu::Finding& finding) {
    return document_of(finding)["runs"][0]["results"][0]["partialFingerprints"]["assayFinding/v1"].get<std::string>();
  };
  gpu::Finding other_thread = sample();
  other_thread.thread = {9, 0, 0};
  other_thread.address = 0x1234;
  EXPECT_EQ(fingerprint(sample()), fingerprint(other_thread));
  gpu::Finding other_line = sample();
  other_line.source[0].line = 13;
  EXPECT_NE(fingerprint(sample()), fingerprint(other_line));
  gpu::Finding other_kind = sample();
  other_kind.kind = gpu::FindingKind::out_of_bounds;
  EXPECT_NE(fingerprint(sample()), fingerprint(other_kind));
}

TEST(Sarif, EveryKindHasARuleWithHelpAndEveryResultAPlace) {
  for (const gpu::FindingKindInfo& kind : gpu::finding_kinds()) {
    gpu::Finding finding;
    finding.kind = kind.kind;
    const json document = document_of(finding);
    const json& run = document["runs"][0];
    const json& rule = run["tool"]["driver"]["rules"][run["results"][0]["ruleIndex"].get<size_t>()];
    EXPECT_EQ(rule["id"], run["results"][0]["ruleId"]);
    for (const char* part : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(rule[part]["text"].get<std::string>().empty()) << part;
    EXPECT_EQ(rule["help"]["text"].get<std::string>().find("{bytes}"), std::string::npos);
    const json& place = run["results"][0]["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/attention.cu") << "without line information: the source";
    EXPECT_EQ(place["region"]["startLine"], 1);
  }
  EXPECT_TRUE(sarif_document({})["runs"][0]["results"].empty());
}

}  // namespace
}  // namespace assay::report
