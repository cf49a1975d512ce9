// SPDX-License-Identifier: MIT
// assay claims: documents beside what was recorded. Our own documents are the last test.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "ledger/ledger.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr const char* kResults =
    "# assay results 1\n# what: a test\n# kind: measured\n# device: NVIDIA H200\n# date: 2026-11-16\n"
    "# versions: CUDA 13.0\n# command: none\nshape mask us\nsmall full 5.79\nsmall causal 5.82\n";

class ClaimsTest : public testing::Test {
 protected:
  ProcessOutcome claims(const std::string& text, std::vector<std::string> more = {}) const {
    folder_.write("docs/page.md", text);
    more.insert(more.begin(), {"claims", (folder_.path() / "docs").string()});
    return assay_program(std::move(more));
  }

  TemporaryFolder folder_;
};

TEST_F(ClaimsTest, figures_that_agree_pass_and_others_fail_with_their_place) {
  folder_.write("docs/r.txt", kResults);
  const ProcessOutcome good = claims("It took 5.79 us<!--claim r.txt: [mask=full].us-->, or 5.8.\n");
  EXPECT_EQ(good.exit_status, 0) << good.output << good.errors;
  EXPECT_NE(good.output.find("1 claim in 1 document: 1 figure compared, all agree"), std::string::npos) << good.output;
  const ProcessOutcome bad = claims("Title\n\nIt took 5.97 us<!--claim r.txt: [mask=full].us-->.\n");
  EXPECT_EQ(bad.exit_status, 5);
  EXPECT_NE(bad.output.find("page.md:3: 5.97, but r.txt has 5.79"), std::string::npos) << bad.output;
  EXPECT_EQ(claims("a program: does it\n\nusage: a program\n\n5.97<!--claim r.txt: [mask=full].us-->\n").exit_status, 0)
      << "a help page";
  const json document = parsed(claims("x 5.97 us<!--claim r.txt: [mask=full].us-->\n", {"--json"}));
  EXPECT_EQ(document["wrong"][0]["figure"], "5.97");
  EXPECT_EQ(document["exit_code"], 5);
}

TEST_F(ClaimsTest, attempts_of_the_ledger_can_be_claimed) {
  const std::string file = (folder_.path() / "ledger.sqlite").string();
  {
    auto ledger = ledger::Ledger::open(file);
    ASSERT_TRUE(ledger.ok());
    ledger::Attempt attempt;
    attempt.kind = ledger::Kind::measure;
    attempt.kernel = "k";
    attempt.p50_us = 12.34;
    ledger::Samples samples;
    samples.contender = "sdpa";
    samples.times_us = {20, 21, 22};
    ASSERT_TRUE(ledger->append(attempt, std::vector{samples}).ok());
  }
  const std::string text =
      "12.3 us<!--claim attempt 1: p50_us-->, SDPA 21<!--claim attempt 1: samples[contender=sdpa].p50_us--> us, "
      "1.70x<!--claim attempt 1: samples[contender=sdpa].p50_us / p50_us-->\n";
  const ProcessOutcome good = claims(text, {"--ledger", file});
  EXPECT_EQ(good.exit_status, 0) << good.output << good.errors;
  EXPECT_EQ(claims("12.4 us<!--claim attempt 1: p50_us-->", {"--ledger", file}).exit_status, 5);
  EXPECT_EQ(claims("12.4 us<!--claim attempt 2: p50_us-->", {"--ledger", file}).exit_status, 2);
  EXPECT_EQ(claims("12.4 us<!--claim attempt x: p50_us-->", {"--ledger", file}).exit_status, 2);
}

TEST_F(ClaimsTest, a_claim_that_says_nothing_is_a_mistake_with_its_place) {
  folder_.write("docs/r.txt", kResults);
  folder_.write("docs/bad.txt", "shape us\nsmall 5\n");
  folder_.write("docs/bad.json", "{");
  for (const char* text : {"5<!--claim missing.txt: us-->", "5<!--claim r.txt: nothing-->", "<!--claim r.txt: us-->",
                           "5<!--claim r.txt: us-->", "5<!--claim bad.txt: us-->", "5<!--claim bad.json: us-->",
                           "5<!--claim r.txt-->", "5<!--claim r.txt: [mask=full].us"}) {
    const ProcessOutcome outcome = claims(text);
    EXPECT_EQ(outcome.exit_status, 2) << text << outcome.output << outcome.errors;
    EXPECT_NE(outcome.errors.find(".md:1"), std::string::npos) << text << outcome.errors;
  }
  EXPECT_EQ(assay_program({"claims", "/no/such/page.md"}).exit_status, 2);
  EXPECT_EQ(assay_program({"claims"}).exit_status, 2);
}

TEST_F(ClaimsTest, our_own_documents_say_what_was_recorded) {
  // docs/cli shows how claims are written: help pages are no documents.
  std::vector<std::string> words = {"claims", "README.md", "kernels", "python/README.md", "docs"};
  const ProcessOutcome ours = assay_program(words);
  EXPECT_EQ(ours.exit_status, 0) << ours.output << ours.errors;
  words.push_back("--json");
  const json document = parsed(assay_program(words));
  EXPECT_GE(document["figures"].get<size_t>(), 1400u);
  EXPECT_GE(document["files_with_claims"].get<size_t>(), 10u);
}

}  // namespace
}  // namespace assay::cli
