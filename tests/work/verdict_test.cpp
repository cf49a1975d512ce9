// SPDX-License-Identifier: MIT
#include "work/verdict.hpp"

#include <gtest/gtest.h>

namespace assay::work {
namespace {

using check::Outcome;

TEST(Verdict, FiveIsForKernelsThatAreWrong) {
  for (const Outcome outcome : {Outcome::finding, Outcome::fault, Outcome::wrong_value, Outcome::nan,
                                Outcome::unwritten, Outcome::input_changed, Outcome::red_zone, Outcome::does_not_fit})
    EXPECT_EQ(exit_code(outcome), ExitCode::incorrect) << name(outcome);
  EXPECT_EQ(exit_code(Outcome::passed), ExitCode::good);
  EXPECT_EQ(exit_code(Outcome::not_launched), ExitCode::usage);
  EXPECT_EQ(exit_code(Outcome::reference_failed), ExitCode::usage);
  EXPECT_EQ(exit_code(Outcome::timed_out), ExitCode::inconclusive);
  EXPECT_EQ(exit_code(Outcome::cannot_run), ExitCode::environment);
  EXPECT_EQ(exit_code(Outcome::crashed), ExitCode::internal);
}

TEST(Verdict, WhatSaysNothingAboutTheKernelIsAnErrorThatNamesWhoIsToBlame) {
  spec::KernelSpec spec;
  spec.problem.reference = "mine.cpp";
  check::CaseResult result;
  result.message = "it crashed";
  result.outcome = Outcome::reference_failed;
  const auto error = no_verdict(spec, result);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->exit_code, ExitCode::usage);
  EXPECT_NE(error->message.find("'mine.cpp'"), std::string::npos) << error->message;
  result.outcome = Outcome::cannot_run;
  EXPECT_EQ(no_verdict(spec, result)->message.find("cannot judge here"), 0u);
  for (const Outcome verdict : {Outcome::passed, Outcome::wrong_value, Outcome::timed_out}) {
    result.outcome = verdict;
    EXPECT_FALSE(no_verdict(spec, result)) << name(verdict);
  }
}

TEST(Verdict, TheKernelsFaultIsWorseThanWhatCouldNotBeJudged) {
  EXPECT_EQ(worse(ExitCode::good, ExitCode::environment), ExitCode::environment);
  EXPECT_EQ(worse(ExitCode::environment, ExitCode::incorrect), ExitCode::incorrect);
  EXPECT_EQ(worse(ExitCode::incorrect, ExitCode::usage), ExitCode::usage);
  EXPECT_EQ(worse(ExitCode::inconclusive, ExitCode::regression), ExitCode::regression);
  EXPECT_EQ(worse(ExitCode::good, ExitCode::good), ExitCode::good);
}

}  // namespace
}  // namespace assay::work
