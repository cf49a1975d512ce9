// SPDX-License-Identifier: MIT
#include "gpu/finding_list.hpp"

#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

Finding sample(FindingKind kind, int line, uint32_t thread) {
  Finding finding;
  finding.kind = kind;
  finding.access = AccessKind::load;
  finding.thread = {thread, 0, 0};
  finding.address = 4 * thread;
  finding.source.push_back({"kernel.cu", line, 1, "kernel"});
  return finding;
}

TEST(FindingList, AFindingIsAPlaceAndThreadsAreCountedThere) {
  FindingList list;
  EXPECT_TRUE(list.add(sample(FindingKind::misaligned, 5, 1)));
  EXPECT_FALSE(list.add(sample(FindingKind::misaligned, 5, 2)));
  EXPECT_FALSE(list.add(sample(FindingKind::misaligned, 5, 1)));
  EXPECT_TRUE(list.add(sample(FindingKind::out_of_bounds, 5, 1)));
  EXPECT_TRUE(list.add(sample(FindingKind::misaligned, 6, 1)));
  ASSERT_EQ(list.findings().size(), 3u);
  const Finding& first = list.findings()[0];
  EXPECT_EQ(first.count, 3u);
  EXPECT_EQ(first.thread_count, 2u);
  ASSERT_EQ(first.threads.size(), 2u);
  EXPECT_EQ(first.threads[0].count, 2u);
  EXPECT_EQ(first.threads[1].thread, (Dim3{2, 0, 0}));
  EXPECT_EQ(first.threads[1].address, 8u);
  EXPECT_EQ(list.occurrences(), 5u);
}

TEST(FindingList, ColumnsOfALineAreDifferentPlaces) {
  FindingList list;
  Finding left = sample(FindingKind::out_of_bounds, 5, 0);
  Finding right = left;
  right.source[0].column = 20;
  list.add(left);
  list.add(right);
  EXPECT_EQ(list.findings().size(), 2u);
}

TEST(FindingList, TellsInstructionsApartWhereThereAreNoLines) {
  FindingList list;
  Finding finding = sample(FindingKind::misaligned, 5, 1);
  finding.source.clear();
  finding.kernel = "kernel";
  finding.ptx_line = 8;
  list.add(finding);
  finding.ptx_line = 9;
  list.add(finding);
  list.add(finding);
  ASSERT_EQ(list.findings().size(), 2u);
  EXPECT_EQ(list.findings()[1].count, 2u);
}

TEST(FindingList, MergesInOrderAndKeepsTheFirst) {
  FindingList first;
  FindingList second;
  Finding early = sample(FindingKind::misaligned, 5, 1);
  early.block = {0, 0, 0};
  Finding late = early;
  late.block = {3, 0, 0};
  first.add(early);
  second.add(late);
  second.add(sample(FindingKind::misaligned, 7, 0));
  first.merge(std::move(second));
  ASSERT_EQ(first.findings().size(), 2u);
  EXPECT_EQ(first.findings()[0].block, (Dim3{0, 0, 0}));
  EXPECT_EQ(first.findings()[0].count, 2u);
  EXPECT_EQ(first.findings()[0].thread_count, 1u);
  EXPECT_EQ(first.occurrences(), 3u);
}

TEST(FindingList, CountsThreadsThatItDoesNotList) {
  FindingList list;
  for (uint32_t i = 0; i < 1000; ++i) list.add(sample(FindingKind::misaligned, 5, i));
  FindingList all;
  all.merge(std::move(list));
  ASSERT_EQ(all.findings().size(), 1u);
  EXPECT_EQ(all.findings()[0].thread_count, 1000u);
  EXPECT_EQ(all.findings()[0].threads.size(), FindingList::kMostThreads);
  EXPECT_EQ(all.findings()[0].count, 1000u);
  // What came through a pipe knows how many there were, and lists the first of them.
  FindingList again;
  again.add(all.findings()[0]);
  again.add(all.findings()[0]);
  EXPECT_EQ(again.findings()[0].thread_count, 1000u);
  EXPECT_EQ(again.findings()[0].count, 2000u);
  EXPECT_EQ(again.findings()[0].threads[3].count, 2u);
}

TEST(FindingList, CountsWhatItDoesNotList) {
  FindingList list;
  for (size_t i = 0; i < FindingList::kMost + 10; ++i)
    list.add(sample(FindingKind::misaligned, static_cast<int>(i), 0));
  list.add(sample(FindingKind::misaligned, 0, 0));
  EXPECT_EQ(list.findings().size(), FindingList::kMost);
  EXPECT_EQ(list.occurrences(), FindingList::kMost + 11);
  EXPECT_EQ(list.findings()[0].count, 2u);
  FindingList all;
  all.merge(std::move(list));
  EXPECT_EQ(all.occurrences(), FindingList::kMost + 11);
}

TEST(FindingKinds, HaveNamesOfTheirOwnAndSomethingToSay) {
  for (const FindingKindInfo& kind : finding_kinds()) {
    EXPECT_EQ(finding_kind_named(kind.name), kind.kind);
    EXPECT_FALSE(kind.summary.empty() || kind.meaning.empty() || kind.hint.empty()) << kind.name;
  }
  EXPECT_EQ(finding_kind_named("nonsense"), std::nullopt);
  for (int i = 0; i <= static_cast<int>(AccessKind::mbarrier); ++i) {
    const auto kind = static_cast<AccessKind>(i);
    EXPECT_EQ(access_kind_named(to_string(kind)), kind);
  }
  EXPECT_EQ(to_string(AccessKind::async_write), "async_write");
  EXPECT_EQ(space_named("param"), Space::parameter);
}

}  // namespace
}  // namespace assay::gpu
