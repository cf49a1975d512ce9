// SPDX-License-Identifier: MIT
#include "page/page.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "example_ledger.hpp"
#include "page/ceilings.hpp"
#include "page/drawing.hpp"
#include "page/gather.hpp"
#include "page/ranking.hpp"
#include "page/read_attempt.hpp"

namespace assay::page {
namespace {

class Page : public testing::Test {
 protected:
  Content content(const Subject& subject) {
    auto ledger = ledger::Ledger::open(example_.file(), ledger::Ledger::Mode::read);
    EXPECT_TRUE(ledger.ok());
    auto gathered = gather(*ledger, subject);
    EXPECT_TRUE(gathered.ok()) << (gathered.ok() ? "" : to_string(gathered.error()));
    return gathered.ok() ? std::move(*gathered) : Content{};
  }
  Content of_kernel(const std::string& name) {
    return content({.kernel = name, .attempts = {}, .since_us = {}, .since = ""});
  }
  Content of_attempts(std::vector<int64_t> ids) {
    return content({.kernel = "", .attempts = std::move(ids), .since_us = {}, .since = ""});
  }

  TemporaryFolder folder_;
  ExampleLedger example_{folder_.path()};
};

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Page, TheVerdictIsASentence) {
  const std::string verdict = verdict_line(of_kernel("example"));
  EXPECT_TRUE(verdict.starts_with(
      "example is correct in 87 cases on vgpu:h200, and the checks found nothing. It is 1.24 to 1.29 times "
      "as fast as torch (measured: faster at 2 of 2 cases)."))
      << verdict;
  EXPECT_TRUE(
      holds(verdict, "0.79 to 1.04 times as fast as torch.compile (measured: faster at 1, slower at 1 of 2 cases)"))
      << verdict;
}

TEST_F(Page, OfABrokenKernelTheVerdictIsWhatIsWrong) {
  const std::string verdict = verdict_line(of_attempts({example_.broken_run}));
  EXPECT_EQ(verdict,
            "broken is not sound: misaligned asynchronous copy of 16 bytes in shared memory: address 0x82 is 2 bytes "
            "past a multiple of "
            "16 at broken.cu:4 (1 finding in all, 4,488 occurrences).");
}

TEST_F(Page, TheVerdictSaysKindAndPlaceOnce) {
  Content content = of_attempts({example_.broken_run});
  content.findings.front().kind = "race";
  content.findings.front().message = "this thread reads what thread (16, 0, 0) wrote at broken.cu:4";
  EXPECT_EQ(verdict_line(content),
            "broken is not sound: race: this thread reads what thread (16, 0, 0) wrote at broken.cu:4 (1 finding in "
            "all, 4,488 occurrences).");
}

Content of_diagnoses(const std::vector<std::string>& configurations) {
  Content content;
  content.title = "scan";
  for (const std::string& configuration : configurations) {
    ledger::Attempt attempt;
    attempt.id = static_cast<int64_t>(content.attempts.size()) + 1;
    attempt.kind = ledger::Kind::profile;
    attempt.kernel = "scan";
    attempt.configuration = configuration;
    attempt.shape = "N=4096";
    attempt.device = "vgpu:h200";
    attempt.details = R"({"command": "diagnose", "time_us": 20.0, "measured": false,
      "floor": {"time_us": 5.0, "by": "bytes that must move"},
      "estimate": {"time_us": 20.0, "low_us": 14.0, "high_us": 29.0, "lower_bound_us": 12.0, "limiter": "LSU"},
      "findings": [{"rule": "uneven_warps", "title": "Most warps of a block wait for few", "evidence": ["one", "two"],
                    "file": "scan.cu", "line": 10, "cap_us": 8.0, "remedy": "deal this part over all warps"}],
      "sweep": [{"shape": "N=8192", "time_us": 40.0, "known": "estimated", "floor_us": 10.0, "tflops": 0.0,
                 "gb_per_s": 819.0, "limiter": "DRAM"}]})";
    content.diagnosed.push_back(diagnosed_case(attempt).value());
    content.estimated.push_back(estimated_case(attempt).value());
    content.attempts.push_back(std::move(attempt));
  }
  return content;
}

TEST(PageOfADiagnosis, HasItsFindingsCapsAndRemedies) {
  const Content content = of_diagnoses({"V=0"});
  const std::string page = html_page(content);
  for (const char* words : {"Why it is not faster", "4.0 times the floor of 5 us (bytes that must move)",
                            "Most warps of a block wait for few", "scan.cu:10", "one; two", "-8 us (40 %)",
                            "deal this part over all warps", "N=8192", "819"})
    EXPECT_TRUE(holds(page, words)) << words;
  EXPECT_TRUE(holds(verdict_line(content), "First finding: Most warps of a block wait for few, at most -8 us"));
  const std::string text = markdown_page(content);
  EXPECT_TRUE(holds(text, "Why it is not faster")) << text;
}

TEST(PageOfADiagnosis, NamesTheConfigurationAndCallsALowerBoundNoFloor) {
  Content content = of_diagnoses({"V=0", "V=1"});
  const std::string two = html_page(content);
  for (const char* words : {"N=4096 [V=0] on vgpu:h200", "N=4096 [V=1] on vgpu:h200", "20 us (25 % of floor)"})
    EXPECT_TRUE(holds(two, words)) << words;
  content.diagnosed.clear();
  EXPECT_TRUE(holds(html_page(content), "20 us (60 % of lower bound)"));
}

TEST(PageOfADiagnosis, TwoOfThemStandSideBySide) {
  Content content = of_diagnoses({"V=0", "V=1"});
  content.kind = SubjectKind::pair;
  content.contrast = Contrast{2, 1, {}, {}};
  const std::string text = markdown_page(content);
  EXPECT_TRUE(holds(text, "| estimated time | 20 us (14 us to 29 us), limited by LSU |")) << text;
  EXPECT_TRUE(holds(text, "| first finding | Most warps of a block wait for few, at most -8 us |")) << text;
}

TEST(PageOfAFailedCheck, SaysWhatIsWrongAndWhere) {
  ledger::Attempt check;
  check.id = 1;
  check.kind = ledger::Kind::check;
  check.kernel = "sort";
  check.shape = "N=4096";
  check.device = "vgpu:h200";
  check.verdict = "incorrect";
  check.exit_code = 1;
  check.details = R"({"failure": {"message": "y[32]: expected -2.4, got 2.56", "shape": "N=4096", "findings":
    [{"kind": "race", "message": "two threads write", "file": "sort.cu", "line": 3, "count": 5}]}})";
  Content content;
  content.title = "sort";
  content.attempts = {check};
  EXPECT_EQ(verdict_line(content),
            "sort is incorrect: y[32]: expected -2.4, got 2.56 at N=4096 on vgpu:h200. Its time is not measured: that "
            "needs a GPU.");
  ASSERT_EQ(findings_of(check).size(), 1u);
  EXPECT_EQ(findings_of(check)[0].shape, "N=4096");
}

TEST_F(Page, SectionsAreThereForWhatThereIs) {
  const std::string all = html_page(of_kernel("example"));
  for (const char* id : {"speed", "roofline", "samples", "loads", "source", "counters", "inversion", "occupancy",
                         "tuning", "leaderboard", "history", "attempts"})
    EXPECT_TRUE(holds(all, fmt::format("<section id=\"{}\"", id))) << id;
  EXPECT_FALSE(holds(all, "<section id=\"findings\""));
  const std::string broken = html_page(of_attempts({example_.broken_run}));
  for (const char* id : {"findings", "steps", "source", "attempts"})
    EXPECT_TRUE(holds(broken, fmt::format("<section id=\"{}\"", id))) << id;
  for (const char* id : {"speed", "roofline", "samples", "counters", "leaderboard", "history", "inversion", "tuning"})
    EXPECT_FALSE(holds(broken, fmt::format("<section id=\"{}\"", id))) << id;
}

TEST_F(Page, ARunIsWhatItDidAndNothingElse) {
  const Content run = of_attempts({example_.run});
  EXPECT_EQ(run.kind, SubjectKind::run);
  EXPECT_EQ(run.attempts.size(), 8u);
  for (const ledger::Attempt& attempt : run.attempts) {
    EXPECT_EQ(attempt.kernel, "example");
    EXPECT_GT(attempt.id, example_.first_profile);
  }
  EXPECT_EQ(run.steps.size(), 4u);
  EXPECT_EQ(run.measured.size(), 2u);
}

TEST_F(Page, ASuiteIsItsItems) {
  const Content suite = of_attempts({example_.suite});
  EXPECT_EQ(suite.kind, SubjectKind::suite);
  EXPECT_EQ(suite.title, "rows");
  EXPECT_EQ(suite.measured.size(), 7u);
  EXPECT_TRUE(holds(html_page(suite), "7 items measured, 0 rejected, 0 failed, 1 skipped"));
}

TEST_F(Page, ANameIsCutAfterAnUnderscoreWhereThePageIsNarrow) {
  Content suite = of_attempts({example_.suite});
  suite.title = "rows_of<b>";
  EXPECT_TRUE(holds(html_page(suite), "<h1>rows_<wbr>of&lt;b&gt;</h1>"));
}

TEST_F(Page, TwoProfilesAreComparedCounterByCounter) {
  const std::string page = html_page(of_attempts({example_.last_profile, example_.first_profile}));
  EXPECT_TRUE(holds(page, "5,600,000")) << "before";
  EXPECT_TRUE(holds(page, "-10.7 %"));
  EXPECT_TRUE(holds(page, "-50.0 %")) << "bank conflicts";
}

TEST_F(Page, ThePeriodHasItsTotals) {
  const Content period = content({.kernel = "", .attempts = {}, .since_us = 0, .since = "2000-01-01"});
  const std::string page = html_page(period);
  EXPECT_EQ(period.title, kAllKernels) << "though a suite is in it";
  EXPECT_FALSE(holds(page, "id=\"source\"")) << "of no single kernel";
  EXPECT_TRUE(holds(page, "What was tried, and what it cost"));
  EXPECT_TRUE(holds(page, "What did not work, and why"));
  EXPECT_TRUE(holds(page, "misaligned asynchronous copy"));
  EXPECT_TRUE(holds(page, "24.2 % less time")) << "from 26.5 us to 20.1 us";
  EXPECT_TRUE(holds(page, "<strong>total</strong>"));
}

// Whatever failed is named, and says why: an empty header of a row is none.
TEST_F(Page, WhatDidNotWorkHasANameAndAReason) {
  Content period = content({.kernel = "", .attempts = {}, .since_us = 0, .since = "2000-01-01"});
  ledger::Attempt suite = period.attempts.back();
  suite.kind = ledger::Kind::suite;
  suite.kernel = "";
  suite.exit_code = 5;
  suite.verdict = "failed";
  suite.details = R"({"suite": "odd", "summary": {"failed": 2, "rejected": 1}})";
  ledger::Attempt check = suite;
  check.kind = ledger::Kind::check;
  check.kernel = "wrong";
  check.details = R"({"failure": {"message": "y[0]: expected 1, got 2"}})";
  ledger::Attempt tune = suite;
  tune.kind = ledger::Kind::tune;
  tune.kernel = "hopeless";
  tune.details = R"({"evaluated": [{"configuration": "A=1", "failure": "compile", "value": null},
    {"configuration": "A=2", "failure": "compile", "value": null}], "quantity": "measured time", "unit": "ms"})";
  period.attempts.insert(period.attempts.end(), {suite, check, tune});
  for (const std::string& page : {html_page(period), markdown_page(period)}) {
    EXPECT_TRUE(holds(page, "(none, or several)"));
    EXPECT_TRUE(holds(page, "2 failed, 1 rejected"));
    EXPECT_TRUE(holds(page, "expected 1, got 2"));
    EXPECT_TRUE(holds(page, "2 of 2 configurations failed, the first one at: compile"));
  }
  EXPECT_FALSE(holds(html_page(period), "data-name=\"kernel\"></th>"));
}

// There is no best of nothing.
TEST_F(Page, ATuningInWhichNothingRanSaysWhy) {
  Content tuning = of_kernel("example");
  TunedCase tuned{tuning.attempts.back(), "measured time", "ms", 3, {}, {}};
  tuned.points = {{"A=1", std::nullopt, "compile"}, {"A=2", std::nullopt, "check"}, {"A=3", std::nullopt, "compile"}};
  tuning.tuned = {tuned};
  for (const std::string& page : {html_page(tuning), markdown_page(tuning)}) {
    EXPECT_FALSE(holds(page, "the best of"));
    EXPECT_TRUE(holds(page, "configurations that gave no result"));
    EXPECT_TRUE(holds(page, "A=1"));
    EXPECT_TRUE(holds(page, "3 of 3 evaluated, 3 failed. None gave a result."));
  }
  EXPECT_FALSE(holds(markdown_page(tuning), "A=3")) << "the first of each reason";
}

TEST_F(Page, ATuningIsAMapAndLinesAndInMarkdownASmallTable) {
  const Content tuned = of_kernel("tuned");
  const std::string page = html_page(tuned);
  EXPECT_TRUE(holds(page, "data-chart=\"map\""));
  EXPECT_TRUE(holds(page, "data-chart=\"lines\""));
  EXPECT_TRUE(holds(page, "of the variance of log time."));
  EXPECT_TRUE(holds(page, "does not fit</span>: 294912 bytes"));
  EXPECT_TRUE(holds(page, "The 9 cells of the map as a table"));
  const std::string markdown = markdown_page(tuned);
  EXPECT_TRUE(holds(markdown, "| tunable | explains | best with each value |"));
  EXPECT_FALSE(holds(markdown, "The cells of the map"));
  EXPECT_LT(markdown.size(), 12'000u) << "162 configurations are not in it one by one";
  EXPECT_FALSE(holds(html_page(of_kernel("example")), "data-chart=\"lines\"")) << "of two tunables the map says all";
}

TEST(Drawing, NeighbouringTicksDoNotReadTheSame) {
  EXPECT_EQ(tick_names({10.005, 10.01, 10.015}), (std::vector<std::string>{"10.005", "10.010", "10.015"}));
  EXPECT_EQ(tick_names({0, 200, 400}), (std::vector<std::string>{"0", "200", "400"}));
  EXPECT_EQ(tick_names({1, 10, 100}), (std::vector<std::string>{"1", "10", "100"}));
  EXPECT_TRUE(tick_names({}).empty());
}

TEST(Drawing, CapitalsTakeMoreRoom) {
  EXPECT_GT(text_width("BATCH=6,COLUMNS"), text_width("batch.6,columns"));
  EXPECT_LE(text_width(shortened("BATCH=6,COLUMNS=1024,ROWS=512 on vgpu:h200", 200)), 205);
  EXPECT_EQ(shortened("short", 200), "short");
}

TEST_F(Page, ThePeriodSumsUpWhatStopsSaved) {
  Content period = content({.kernel = "", .attempts = {}, .since_us = 0, .since = "2000-01-01"});
  EXPECT_FALSE(holds(html_page(period), "what that saved")) << "nothing was stopped";
  ledger::Attempt run = period.attempts.back();
  run.kind = ledger::Kind::run;
  run.kernel = "slow";
  run.exit_code = 3;
  run.details = R"({"stopped": {"baseline": "torch", "speed": 0.01, "first_finding": "not_enough_blocks",
    "saved": {"shapes": 3, "steps": ["profile"], "estimated_s": 12.5}}})";
  ledger::Attempt tune = run;
  tune.kind = ledger::Kind::tune;
  tune.details = R"({"stopped": {"baseline": "torch", "speed": 0.4, "first_finding": "latency",
    "saved": {"evaluations": 200, "estimated_s": 30}}})";
  ledger::Attempt absurd = run;
  absurd.details = R"({"stopped": {"speed": "fast", "saved": {"shapes": -1e300, "steps": 7, "estimated_s": null}}})";
  period.attempts.insert(period.attempts.end(), {run, tune, absurd});
  for (const std::string& page : {html_page(period), markdown_page(period)}) {
    EXPECT_TRUE(holds(page, "saved (estimated)")) << page;
    EXPECT_TRUE(holds(page, "0.01x of torch"));
    EXPECT_TRUE(holds(page, "3 shapes, profile"));
    EXPECT_TRUE(holds(page, "3 shapes, 200 evaluations")) << "the total";
    EXPECT_TRUE(holds(page, "42.5 s")) << "the total";
  }
}

// What a formula makes of counts was called counted when it was recorded, and is shown as what it is.
TEST_F(Page, CyclesThatWereEstimatedAreCalledSo) {
  ledger::Attempt tuning;
  tuning.kind = ledger::Kind::tune;
  tuning.details = R"({"quantity": "counted: predicted cycles", "unit": "cycles",
    "evaluated": [{"configuration": "A=1", "value": 7.5, "failure": ""}]})";
  EXPECT_EQ(tuned_case(tuning).value().quantity, "estimated cycles");
}

TEST_F(Page, NamesOfOthersAreText) {
  const Content hostile = of_kernel(kHostileName);
  const std::string page = html_page(hostile);
  EXPECT_FALSE(holds(page, "<img"));
  EXPECT_FALSE(holds(page, "<b>rival"));
  EXPECT_FALSE(holds(page, "<script>alert"));
  EXPECT_FALSE(holds(page, "<svg onload"));
  EXPECT_TRUE(holds(page, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
  size_t scripts = 0;
  for (size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++scripts;
  EXPECT_EQ(scripts, 2u) << "the data and the program";
  const std::string markdown = markdown_page(hostile);
  EXPECT_FALSE(holds(markdown, "<img"));
  EXPECT_FALSE(holds(markdown, "<script"));
  EXPECT_FALSE(holds(markdown, "<b>"));
}

TEST_F(Page, TheSameContentGivesTheSameBytes) {
  EXPECT_EQ(html_page(of_kernel("example")), html_page(of_kernel("example")));
  EXPECT_EQ(markdown_page(of_kernel("example")), markdown_page(of_kernel("example")));
  EXPECT_FALSE(holds(html_page(of_kernel("broken")), folder_.path().string())) << "no path of this machine";
}

TEST_F(Page, MarkdownSaysOfEachTableHowItIsKnown) {
  const std::string page = markdown_page(of_kernel("example"));
  EXPECT_TRUE(holds(page, "*Time of one call, the newest measurement of each case (measured"));
  EXPECT_TRUE(holds(page, "*The samples summed up (measured)*"));
  EXPECT_TRUE(holds(page, "how long each part alone would take (estimated)*"));
  EXPECT_TRUE(holds(page, "(counted, exact)*"));
}

TEST_F(Page, WhatWasOnlyEstimatedIsNotCalledMeasured) {
  Content content = of_kernel("example");
  EXPECT_FALSE(holds(html_page(content), "no GPU has measured it"));
  content.measured.clear();
  content.history.clear();
  const std::string page = html_page(content);
  EXPECT_TRUE(holds(page, "with the range of the estimate (estimated: no GPU has measured it)"));
  EXPECT_FALSE(holds(page, "the newest measurement of each case"));
}

TEST_F(Page, MarkdownFitsACommentAndSaysWhatIsLeftOut) {
  const std::string whole = markdown_page(of_kernel("example"));
  EXPECT_LE(whole.size(), 65'000u);
  EXPECT_TRUE(whole.starts_with("## example\n\n**example is correct** in 87 cases"));
  EXPECT_TRUE(holds(whole, "### Speed and the floor"));
  EXPECT_TRUE(holds(whole, "| p50 |")) << "a table";
  EXPECT_FALSE(holds(whole, "<svg"));
}

TEST_F(Page, NothingOfASubjectIsAnError) {
  auto ledger = ledger::Ledger::open(example_.file(), ledger::Ledger::Mode::read);
  ASSERT_TRUE(ledger.ok());
  const auto none = gather(*ledger, {.kernel = "no such", .attempts = {}, .since_us = {}, .since = ""});
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(holds(none.error().message, "nothing is recorded of a kernel 'no such'"));
  EXPECT_FALSE(gather(*ledger, {.kernel = "", .attempts = {999}, .since_us = {}, .since = ""}).ok());
}

TEST_F(Page, ABoardPutsTogetherWhatCannotBeOrdered) {
  MeasuredCase one;
  one.attempt.shape = "N=1";
  one.attempt.correct = true;
  one.attempt.source_hash = "a";
  const auto contender = [](const char* name, double us, const char* verdict) {
    MeasuredContender made;
    made.name = name;
    made.good = true;
    made.p50_us = us;
    made.median_us = {us * 0.999, us * 1.001};
    if (verdict != nullptr) made.comparison = AgainstCandidate{verdict, 10 / us, {}, ""};
    return made;
  };
  one.contenders = {contender("ours", 10, nullptr), contender("close", 10.2, "INCONCLUSIVE"),
                    contender("slow", 12, "FASTER")};
  MeasuredCase other = one;  // another state, in another run
  other.attempt.source_hash = "b";
  other.contenders = {contender("ours", 10.05, nullptr)};
  other.contenders.push_back(contender("rejected", 5, "SLOWER"));
  other.contenders.back().good = false;
  const std::vector<Board> boards = boards_of({one, other});
  ASSERT_EQ(boards.size(), 1u);
  ASSERT_EQ(boards[0].ranked.size(), 4u) << "what a guard rejects has no rank";
  EXPECT_EQ(boards[0].ranked[0].group, 1);
  EXPECT_EQ(boards[0].ranked[1].group, 1) << "0.5 % apart";
  EXPECT_EQ(boards[0].ranked[2].group, 1) << "not decided in the same run";
  EXPECT_EQ(boards[0].ranked[3].group, 2);
}

TEST_F(Page, RoofsAreThoseOfTheInstruction) {
  const Ceilings hopper = ceilings_of(*gpu::find_model("h200"));
  EXPECT_EQ(hopper.compute[0].name, "wgmma f16");
  EXPECT_LT(hopper.compute[1].tflops, 0.7 * hopper.compute[0].tflops) << "mma.sync";
  const Ceilings ada = ceilings_of(*gpu::find_model("l4"));
  EXPECT_EQ(ada.compute[0].name, "mma.sync f16");
  const std::vector<Roofline> list = rooflines_of(of_kernel("example"));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(std::ranges::count_if(list[0].points, [](const RooflinePoint& point) { return !point.measured; }), 2)
      << "DRAM and L2";
}

}  // namespace
}  // namespace assay::page
