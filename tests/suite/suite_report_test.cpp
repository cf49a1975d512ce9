// SPDX-License-Identifier: MIT
#include "suite/suite_report.hpp"

#include <gtest/gtest.h>

#include "suite_files.hpp"

namespace assay::suite {
namespace {

using nlohmann::json;

class SuiteReportTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = files_.plan(
        "[suite]\nname = \"title\"\ndescription = \"words\"\n[[kernel]]\nfolder = \"a\"\nshapes = { N = [64, 65, 66, "
        "1001] }\n");
    ASSERT_TRUE(made.ok()) << to_string(made.error());
    plan_ = std::move(*made);
    const Group& group = plan_.groups[0];
    const auto add = [&](size_t i, const std::string& document) {
      auto row = row_from_document(group, group.items[i], document);
      ASSERT_TRUE(row.ok()) << to_string(row.error());
      rows_.push_back(std::move(*row));
    };
    add(0, case_document(group.items[0].shape.text(), 10,
                         {FakeBaseline{"x|y", 0.5, 1e-9, judge::Verdict::faster, true},
                          FakeBaseline{"z", 0.8, 1e-9, judge::Verdict::faster, true}}));
    rows_.back().attempt = 7;
    add(1, case_document(group.items[1].shape.text(), 10, {FakeBaseline{"x|y", 0.5}}, true));
    rows_.push_back(failed_row(group, group.items[2], Error{"no compiler,\n\"really\"", {}, "get one"}));
    rows_.push_back(row_of(group, group.items[3]));
    summary_ = summarize(rows_, correct_for_many(rows_));
  }

  SuiteFiles files_;
  Plan plan_;
  std::vector<Row> rows_;
  Summary summary_;
};

TEST_F(SuiteReportTest, TellsAnItemAsSoonAsItIsKnown) {
  EXPECT_EQ(row_text(rows_[0]).substr(rows_[0].label().size()), ": 10.00 us, speedup 1.250x (1.225 to 1.276) over z");
  EXPECT_NE(row_text(rows_[1]).find(": rejected: "), std::string::npos) << row_text(rows_[1]);
  EXPECT_NE(row_text(rows_[2]).find(": failed: no compiler"), std::string::npos) << row_text(rows_[2]);
}

TEST_F(SuiteReportTest, TheDocumentIsComplete) {
  const json document = suite_document(plan_, rows_, summary_);
  EXPECT_EQ(document["suite"], "title");
  EXPECT_EQ(document["items"], 4);
  ASSERT_EQ(document["rows"].size(), 4u);
  const json& first = document["rows"][0];
  EXPECT_EQ(first["status"], "measured");
  EXPECT_EQ(first["best_baseline"], "z");
  EXPECT_EQ(first["attempt"], 7);
  EXPECT_EQ(first["baselines"].size(), 2u);
  EXPECT_DOUBLE_EQ(first["baselines"][0]["speedup"], 2);
  EXPECT_EQ(first["baselines"][0]["verdict"], "FASTER");
  EXPECT_TRUE(first["case"]["contenders"].is_array());
  EXPECT_EQ(document["rows"][1]["status"], "rejected");
  EXPECT_TRUE(document["rows"][1]["best_baseline"].is_null());
  EXPECT_EQ(document["rows"][2]["hint"], "get one");
  EXPECT_EQ(document["rows"][3]["status"], "skipped");
  const json& summary = document["summary"];
  EXPECT_EQ(summary["comparisons"], 2);
  EXPECT_EQ(summary["rejected"], 1);
  const json& mean = summary["means"][0];
  EXPECT_EQ(mean["kernel"], "a");
  EXPECT_EQ(mean["baseline"], "x|y");
  EXPECT_DOUBLE_EQ(mean["geometric_mean"], 2);
  EXPECT_EQ(mean["best"]["row"], 0);
  EXPECT_EQ(mean["left_out"].size(), 1u);
}

TEST_F(SuiteReportTest, TheTextHasEveryRowAndEveryReason) {
  const std::string text = suite_text(rows_, summary_, report::Terminal(false));
  for (const char* part : {"1.250x (1.225 to 1.276)", "FASTER", "REJECTED", "FAILED", "skipped", "geometric mean",
                           "2.000x", "fingerprint: outputs differ", "no compiler", "get one",
                           "1 measured, 1 rejected, 1 failed, 1 skipped", "over 2 comparisons"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(SuiteReportTest, CsvHasOneLineForEachItemAndBaseline) {
  const std::string text = suite_csv(rows_);
  EXPECT_TRUE(text.starts_with("kernel,configuration,shape,dtype,status,reason,p50_us,baseline,"));
  EXPECT_NE(text.find("a,BLOCK=64,\"N=64,causal=false,dtype=f32\",f32,measured,,10,x|y,20,2,"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\"no compiler,\\n\"\"really\"\"\""), std::string::npos) << text;
}

TEST_F(SuiteReportTest, MarkdownEscapesItsCells) {
  const std::string text = suite_markdown(plan_, rows_, summary_);
  EXPECT_TRUE(text.starts_with("## <code>title</code>\n\n<code>words</code>\n")) << text;
  EXPECT_NE(text.find("x&#124;y"), std::string::npos) << text;
  EXPECT_EQ(text.find("x|y"), std::string::npos) << text;
  EXPECT_NE(text.find("really"), std::string::npos) << text;  // of the failed row, on one line
  EXPECT_EQ(text.find("\n\"really"), std::string::npos) << text;
}

TEST_F(SuiteReportTest, ThePlanIsListed) {
  EXPECT_EQ(plan_document(plan_)["plan"].size(), 4u);
  const std::string text = plan_text(plan_, report::Terminal(false));
  EXPECT_NE(text.find("4 items, 3 of them to be measured"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped: the constraint"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::suite
