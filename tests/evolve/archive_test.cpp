// SPDX-License-Identifier: MIT
#include "evolve/archive.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

const Cell kDram{"DRAM", "none", 1, "4"};
const Cell kTensor{"tensor cores", "up to 100 KiB", 3, "9 to 16"};

TEST(Archive, OneChampionForEachKind) {
  Archive archive;
  EXPECT_TRUE(archive.add(kDram, {"a", 10}));
  EXPECT_FALSE(archive.add(kDram, {"b", 11}));
  EXPECT_TRUE(archive.add(kDram, {"c", 9}));
  EXPECT_TRUE(archive.add(kTensor, {"d", 20}));
  EXPECT_EQ(archive.cells().at(kDram).id, "c");
  EXPECT_EQ(archive.cells().size(), 2u);
}

TEST(Archive, OtherKindsBecomeParentsWhenNothingHelps) {
  Archive archive;
  archive.add(kDram, {"a", 10});
  archive.add(kTensor, {"d", 20});
  EXPECT_EQ(archive.parent("a", 0), "a");
  EXPECT_EQ(archive.parent("a", 4), "a");
  EXPECT_EQ(archive.parent("a", 5), "d");
  EXPECT_EQ(archive.parent("a", 6), "a");
  Archive alone;
  alone.add(kDram, {"a", 10});
  EXPECT_EQ(alone.parent("a", 5), "a");
}

TEST(Archive, Classes) {
  EXPECT_EQ(shared_memory_class(0), "none");
  EXPECT_EQ(shared_memory_class(16 * 1024), "up to 16 KiB");
  EXPECT_EQ(shared_memory_class(16 * 1024 + 1), "up to 48 KiB");
  EXPECT_EQ(shared_memory_class(200 * 1024), "more than 164 KiB");
  EXPECT_EQ(work_class(0.01), "less than 1");
  EXPECT_EQ(work_class(1), "1");
  EXPECT_EQ(work_class(2), "2");
  EXPECT_EQ(work_class(3), "3 to 4");
  EXPECT_EQ(work_class(16), "9 to 16");
}

}  // namespace
}  // namespace assay::evolve
