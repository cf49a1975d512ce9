// SPDX-License-Identifier: MIT
// assay report, and the pages that run writes, as a user meets them.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

class ReportCommand : public testing::Test {
 protected:
  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", ledger()});
    return assay_program(std::move(arguments));
  }
  std::string ledger() const { return (folder_.path() / "ledger.sqlite").string(); }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string text(const std::string& name) const { return *read_file(folder_.path() / name); }

  TemporaryFolder folder_;
};

TEST_F(ReportCommand, RunWritesThePageAndSaysWhere) {
  const ProcessOutcome ran = assay({"run", "kernels/broken/misaligned_rows", "--report", file("r.json"), "--json"});
  EXPECT_EQ(ran.exit_status, 5) << ran.errors;
  const auto document = parsed(ran);
  EXPECT_EQ(document["page"], file("reports/misaligned_rows.html"));
  const std::string page = text("reports/misaligned_rows.html");
  EXPECT_NE(page.find("misaligned_rows is not sound"), std::string::npos);
  EXPECT_NE(page.find("misaligned_<wbr>rows.cu:25"), std::string::npos);
  EXPECT_NE(page.find("<tr class=\"note\">"), std::string::npos) << "the finding is below its line";

  const ProcessOutcome reported =
      assay({"report", "kernels/broken/misaligned_rows", "--out", file("again.html"), "--json"});
  ASSERT_EQ(reported.exit_status, 0) << reported.errors;
  EXPECT_EQ(parsed(reported)["subject"], "kernel");
  EXPECT_EQ(parsed(reported)["file"], file("again.html"));
}

TEST_F(ReportCommand, DiagnoseAndTuneWriteThePageAndSayWhere) {
  const ProcessOutcome diagnosed = assay({"diagnose", "kernels/planted/shuffle_rounds", "--device", "vgpu:h200"});
  ASSERT_EQ(diagnosed.exit_status, 0) << diagnosed.errors;
  EXPECT_NE(diagnosed.output.find("page: " + folder_.path().string()), std::string::npos) << diagnosed.output;
  const size_t at = diagnosed.output.find("page: ") + 6;
  const auto written = read_file(diagnosed.output.substr(at, diagnosed.output.find('\n', at) - at));
  ASSERT_TRUE(written.ok());
  EXPECT_NE(written->find("shuffle_rounds"), std::string::npos);

  const ProcessOutcome tuned =
      assay({"tune", "kernels/reduction", "--device", "vgpu:l4", "--shape", "ROWS=2,COLUMNS=16", "--only",
             "ACCUMULATORS=4,BLOCK=128", "--journal", "none", "--json"});
  ASSERT_EQ(tuned.exit_status, 0) << tuned.errors;
  const std::string page = parsed(tuned)["page"];
  EXPECT_NE(read_file(page)->find("Tuning"), std::string::npos);
  EXPECT_NE(read_file(page)->find("that were tried is ACCUMULATORS="), std::string::npos)
      << "the verdict is the answer";

  const ProcessOutcome unrecorded = assay_program(
      {"diagnose", "kernels/planted/shuffle_rounds", "--device", "vgpu:h200", "--ledger", "none", "--json"});
  EXPECT_FALSE(parsed(unrecorded).contains("page"));
}

TEST_F(ReportCommand, AProfileHasItsSourceAndItsPtx) {
  ASSERT_EQ(assay({"profile", "kernels/reduction"}).exit_status, 0);
  const ProcessOutcome shown = assay({"report", "reduction", "--out", "-"});
  ASSERT_EQ(shown.exit_status, 0) << shown.errors;
  EXPECT_TRUE(shown.output.starts_with("<!doctype html>"));
  EXPECT_NE(shown.output.find("kernels/primitives/block_reduce.cuh"), std::string::npos);
  EXPECT_NE(shown.output.find("PTX of row_sum_f32"), std::string::npos);
  EXPECT_NE(shown.output.find("<div class=\"ptx\""), std::string::npos);
  const ProcessOutcome markdown = assay({"report", "reduction", "--out", "-", "--format", "markdown"});
  EXPECT_TRUE(markdown.output.starts_with("## reduction\n"));
  const ProcessOutcome period = assay({"report", "--since", "1h", "--out", file("p.html")});
  EXPECT_EQ(period.exit_status, 0) << period.errors;
  EXPECT_NE(text("p.html").find("What was tried, and what it cost"), std::string::npos);
}

TEST_F(ReportCommand, MistakesNameTheRemedy) {
  EXPECT_EQ(assay({"report", "softmax"}).exit_status, 6) << "no ledger yet";
  ASSERT_EQ(assay({"profile", "kernels/reduction"}).exit_status, 0);
  const ProcessOutcome unknown = assay({"report", "softmax"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_NE(unknown.errors.find("nothing is recorded of a kernel 'softmax'"), std::string::npos) << unknown.errors;
  EXPECT_EQ(assay({"report", "7"}).exit_status, 2) << "no such attempt";
  EXPECT_EQ(assay({"report", "1", "kernels/reduction"}).exit_status, 2);
  EXPECT_EQ(assay({"report", "reduction", "softmax"}).exit_status, 2);
  EXPECT_EQ(assay({"report", "reduction", "--out", "/no/such/folder/x.html"}).exit_status, 6);
  EXPECT_EQ(assay({"report", "reduction", "--since", "yesterday"}).exit_status, 2);
  EXPECT_EQ(assay({"report", "reduction", "--out", "-", "--json"}).exit_status, 2);
}

TEST_F(ReportCommand, OpenNamesTheProgramThatIsNotThere) {
  ASSERT_EQ(assay({"profile", "kernels/reduction"}).exit_status, 0);
  Command command = assay_command({"report", "reduction", "--out", file("x.html"), "--open", "--ledger", ledger()});
  command.environment["BROWSER"] = "no-such-browser";
  const ProcessOutcome none = run_command(command);
  EXPECT_EQ(none.exit_status, 6);
  EXPECT_NE(none.errors.find("there is no program 'no-such-browser'"), std::string::npos) << none.errors;
  command.environment["BROWSER"] = "true";
  EXPECT_EQ(run_command(command).exit_status, 0);
}

}  // namespace
}  // namespace assay::cli
