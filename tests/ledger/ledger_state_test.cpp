// SPDX-License-Identifier: MIT
// Machine values, baselines and work items.
#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

class LedgerStateTest : public testing::Test {
 protected:
  LedgerStateTest() : ledger_(opened(folder_.path() / "ledger.sqlite")) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(ledger_.append(sample_attempt()).ok());
  }

  TemporaryFolder folder_;
  Ledger ledger_;
};

TEST_F(LedgerStateTest, machine_values_are_found_again_and_replaced) {
  EXPECT_EQ(*ledger_.machine_value("m", "calibration"), std::nullopt);
  ASSERT_TRUE(ledger_.set_machine_value("m", "calibration", R"({"rate": 0.01})").ok());
  ASSERT_TRUE(ledger_.set_machine_value("other", "calibration", "{}").ok());
  EXPECT_EQ(*ledger_.machine_value("m", "calibration"), R"({"rate":0.01})");
  ASSERT_TRUE(ledger_.set_machine_value("m", "calibration", R"({"rate": 0.02})").ok());
  EXPECT_EQ(*ledger_.machine_value("m", "calibration"), R"({"rate":0.02})");
  EXPECT_EQ(*ledger_.machine_value("other", "calibration"), "{}");
  EXPECT_EQ(*ledger_.machine_value("m", "else"), std::nullopt);
  EXPECT_FALSE(ledger_.set_machine_value("m", "calibration", "no object").ok());
}

TEST_F(LedgerStateTest, baselines_name_attempts) {
  EXPECT_EQ(ledger_.baseline("main")->has_value(), false);
  ASSERT_TRUE(ledger_.set_baseline("main", 1).ok());
  ASSERT_TRUE(ledger_.set_baseline("best", 2).ok());
  ASSERT_TRUE(ledger_.set_baseline("main", 3).ok());
  EXPECT_EQ((*ledger_.baseline("main"))->attempt, 3);
  const auto all = ledger_.baselines();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].name, "best");
  EXPECT_FALSE(ledger_.set_baseline("main", 99).ok());
  EXPECT_FALSE(ledger_.set_baseline("", 1).ok());
  EXPECT_EQ((*ledger_.baseline("main"))->attempt, 3);
}

TEST_F(LedgerStateTest, work_goes_on_where_it_was) {
  EXPECT_TRUE(ledger_.work_items("suite").value().empty());
  ASSERT_TRUE(ledger_.set_work_item("suite", {"b", std::nullopt, false}).ok());
  ASSERT_TRUE(ledger_.set_work_item("suite", {"a", 1, true}).ok());
  ASSERT_TRUE(ledger_.set_work_item("other", {"a", 2, true}).ok());
  EXPECT_EQ(*ledger_.work_items("suite"), (std::vector<WorkItem>{{"a", 1, true}, {"b", std::nullopt, false}}));
  ASSERT_TRUE(ledger_.set_work_item("suite", {"b", 3, true}).ok());
  EXPECT_EQ(*ledger_.work_items("suite"), (std::vector<WorkItem>{{"a", 1, true}, {"b", 3, true}}));
  EXPECT_FALSE(ledger_.set_work_item("suite", {"c", 99, true}).ok());
}

TEST_F(LedgerStateTest, pieces_of_work_keep_what_they_found_until_they_are_forgotten) {
  const std::vector<WorkItem> items{{"a", std::nullopt, true, "{\"x\": 1}"}, {"b", 1, true, ""}};
  ASSERT_TRUE(ledger_.set_work_items("work", items).ok());
  EXPECT_EQ(*ledger_.work_items("work"), items);
  EXPECT_FALSE(ledger_.set_work_items("work", std::vector<WorkItem>{{"c", std::nullopt, true}, {"d", 99, true}}).ok());
  EXPECT_EQ(*ledger_.work_items("work"), items) << "all or none";
  ASSERT_TRUE(ledger_.set_work_item("other", {"a", std::nullopt, true}).ok());
  ASSERT_TRUE(ledger_.forget_work_items("work").ok());
  EXPECT_TRUE(ledger_.work_items("work")->empty());
  EXPECT_EQ(ledger_.work_items("other")->size(), 1u);
}

}  // namespace
}  // namespace assay::ledger
