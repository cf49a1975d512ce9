// SPDX-License-Identifier: MIT
// compute-sanitizer's records, as written on an H200 for tests/gpu/sanitizer_truth.cu.
#include "profiling/sanitizer_records.hpp"

#include <gtest/gtest.h>

#include "../support/by_thread.hpp"
#include "base/file.hpp"

namespace assay::profiling {
namespace {

using gpu::AccessKind;
using gpu::FindingKind;
using gpu::Space;

std::string recorded(const std::string& name) {
  const auto text = read_file(ASSAY_SOURCE_DIR "/tests/profiling/recorded/" + name + ".xml");
  EXPECT_TRUE(text.ok());
  return text ? *text : "";
}

SanitizerRecords read(const std::string& name) {
  auto records = read_sanitizer_records(recorded(name));
  EXPECT_TRUE(records.ok()) << to_string(records.error());
  if (!records) return {};
  records->findings = by_thread(records->findings);
  return *records;
}

TEST(SanitizerRecords, AWriteBehindTheEnd) {
  const SanitizerRecords records = read("write_behind_the_end");
  ASSERT_EQ(records.findings.size(), 12) << "threads 44 to 55 of block 1";
  EXPECT_EQ(records.other_records, 1) << "the launch that failed for it";
  const gpu::Finding& first = records.findings.front();
  EXPECT_EQ(first.kind, FindingKind::out_of_bounds);
  EXPECT_EQ(first.access, AccessKind::store);
  EXPECT_EQ(first.space, Space::global);
  EXPECT_EQ(first.bytes, 4);
  EXPECT_EQ(first.address, 0x7f4b6e800190u);
  EXPECT_EQ(first.thread, (gpu::Dim3{44, 0, 0}));
  EXPECT_EQ(first.block, (gpu::Dim3{1, 0, 0}));
  EXPECT_EQ(first.kernel, "write_behind_the_end");
  ASSERT_EQ(first.source.size(), 1);
  EXPECT_EQ(first.source[0].file, "sanitizer_truth.cu");
  EXPECT_EQ(first.source[0].line, 9);
}

TEST(SanitizerRecords, SharedMemory) {
  const SanitizerRecords records = read("shared_behind_the_end");
  ASSERT_EQ(records.findings.size(), 8);
  EXPECT_EQ(records.findings[0].space, Space::shared);
  EXPECT_EQ(records.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(records.findings[7].thread, (gpu::Dim3{31, 0, 0}));
}

TEST(SanitizerRecords, ANullPointer) {
  const SanitizerRecords records = read("null_pointer");
  ASSERT_EQ(records.findings.size(), 2);
  EXPECT_EQ(records.findings[0].kind, FindingKind::null_pointer);
  EXPECT_EQ(records.findings[1].address, 4);
}

TEST(SanitizerRecords, ARaceNamesBothLines) {
  const SanitizerRecords records = read("race");
  ASSERT_EQ(records.findings.size(), 1);
  const gpu::Finding& race = records.findings.front();
  EXPECT_EQ(race.kind, FindingKind::race);
  EXPECT_EQ(race.space, Space::shared);
  EXPECT_EQ(race.kernel, "race");
  EXPECT_EQ(race.source.at(0).line, 27);
  EXPECT_NE(race.message.find("sanitizer_truth.cu:28"), std::string::npos) << race.message;
  EXPECT_EQ(race.count, 256);
  EXPECT_EQ(records.occurrences, 256);
}

TEST(SanitizerRecords, MemoryThatNobodyWrote) {
  const SanitizerRecords records = read("uninitialised_read");
  ASSERT_EQ(records.findings.size(), 4);
  EXPECT_EQ(records.findings[0].kind, FindingKind::uninitialised);
  EXPECT_EQ(records.findings[0].access, AccessKind::load);
  EXPECT_EQ(records.findings[0].bytes, 4);
}

TEST(SanitizerRecords, ABarrierThatSomeThreadsSkip) {
  const SanitizerRecords records = read("parted_barrier");
  ASSERT_EQ(records.findings.size(), 16);
  EXPECT_EQ(records.findings[0].kind, FindingKind::barrier);
  EXPECT_EQ(records.findings[0].access, AccessKind::none);
  EXPECT_EQ(records.findings[0].source.at(0).line, 36);
  EXPECT_NE(records.findings[0].message.find("Divergent thread(s) in warp"), std::string::npos);
}

TEST(SanitizerRecords, AFileThatWasCutGivesItsRecords) {
  const std::string whole = recorded("write_behind_the_end");
  for (size_t cut = 0; cut < whole.size(); cut += 211) {
    const auto records = read_sanitizer_records(std::string_view(whole).substr(0, cut));
    EXPECT_LE(records ? records->findings.size() : 0, 12u);
  }
}

TEST(SanitizerRecords, NothingFoundAndNothingUnderstood) {
  const auto clean = read_sanitizer_records("<?xml version=\"1.0\"?>\n<ComputeSanitizerOutput/>\n");
  ASSERT_TRUE(clean.ok());
  EXPECT_TRUE(clean->findings.empty());
  EXPECT_FALSE(read_sanitizer_records("").ok());
  EXPECT_FALSE(read_sanitizer_records("========= COMPUTE-SANITIZER\n").ok());
  EXPECT_FALSE(read_sanitizer_records("<html><record/></html>").ok());
  const auto odd = read_sanitizer_records(
      "<ComputeSanitizerOutput><record><what><text>x</text><size>many</size></what><who/></record><record/>"
      "</ComputeSanitizerOutput>");
  ASSERT_TRUE(odd.ok());
  ASSERT_EQ(odd->findings.size(), 1);
  EXPECT_EQ(odd->findings[0].bytes, 0);
}

TEST(SanitizerRecords, WhatEndsEarlyGivesWhatWasComplete) {
  const std::string whole = recorded("write_behind_the_end");
  const auto half = read_sanitizer_records(std::string_view(whole).substr(0, whole.size() / 2));
  ASSERT_TRUE(half.ok()) << to_string(half.error());
  EXPECT_GT(half->occurrences, 3u);
  EXPECT_LT(half->occurrences, 12u);
  EXPECT_EQ(half->findings.front().thread, (gpu::Dim3{44, 0, 0}));
}

TEST(SanitizerRecords, WhatIsNoReportIsRefused) {
  for (const char* text : {"", "text", "<", "</a></b>", "<!--", "<a/>", "<?xml version=\"1.0\"?>"})
    EXPECT_FALSE(read_sanitizer_records(text).ok()) << text;
  std::string deep = "<ComputeSanitizerOutput>";
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_TRUE(read_sanitizer_records(deep).ok()) << "however deep it is";
  // Entities that a file defines are text: none of them is expanded.
  const auto bomb = read_sanitizer_records(
      "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><ComputeSanitizerOutput><record><who/><what><text>"
      "&b;</text></what></record></ComputeSanitizerOutput>");
  ASSERT_TRUE(bomb.ok());
  ASSERT_EQ(bomb->findings.size(), 1u);
  EXPECT_EQ(bomb->findings[0].message, "&b;");
}

}  // namespace
}  // namespace assay::profiling
