// SPDX-License-Identifier: MIT
#include "work/resumption.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"

namespace assay::work {
namespace {

class ResumptionTest : public testing::Test {
 protected:
  Resumption open(const std::string& work = "work") { return *Resumption::open(&ledger_, work); }

  TemporaryFolder folder_;
  ledger::Ledger ledger_ = *ledger::Ledger::open(folder_.path() / "ledger.sqlite");
};

TEST_F(ResumptionTest, finds_what_an_interrupted_run_has_done) {
  {
    Resumption first = open();
    EXPECT_EQ(first.size(), 0u);
    EXPECT_EQ(first.recall("a"), nullptr);
    ASSERT_TRUE(first.remember("a", "found").ok());
    ASSERT_TRUE(first.flush().ok());
  }
  const Resumption second = open();
  EXPECT_EQ(second.size(), 1u);
  ASSERT_NE(second.recall("a"), nullptr);
  EXPECT_EQ(*second.recall("a"), "found");
  EXPECT_EQ(second.recall("b"), nullptr);
  EXPECT_EQ(open("other work").size(), 0u) << "another source, device or seed begins anew";
}

TEST_F(ResumptionTest, begins_anew_after_a_run_that_came_to_its_end) {
  Resumption first = open();
  ASSERT_TRUE(first.remember("a", "found").ok());
  ASSERT_TRUE(first.flush().ok());
  ASSERT_TRUE(first.finish().ok());
  EXPECT_EQ(open().size(), 0u);
}

TEST_F(ResumptionTest, remembers_nothing_without_a_ledger) {
  Resumption nowhere = *Resumption::open(nullptr, "work");
  EXPECT_TRUE(nowhere.remember("a", "found").ok());
  EXPECT_TRUE(nowhere.flush().ok());
  EXPECT_TRUE(nowhere.finish().ok());
  EXPECT_EQ(open().size(), 0u);
}

}  // namespace
}  // namespace assay::work
