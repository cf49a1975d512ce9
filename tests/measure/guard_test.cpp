// SPDX-License-Identifier: MIT
#include "measure/guard.hpp"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

TEST(Guards, keep_a_failure_whatever_comes_later) {
  Guards guards;
  guards.pass("streams");
  guards.fail("streams", "another stream");
  guards.pass("streams", "fine");
  guards.fail("streams", "a third one");
  guards.unavailable("streams", "no profiler");
  ASSERT_EQ(guards.all().size(), 1u);
  EXPECT_EQ(guards.all()[0].state, GuardState::failed);
  EXPECT_EQ(guards.all()[0].detail, "another stream");
}

TEST(Guards, do_not_forget_a_result_for_one_that_could_not_be_had) {
  Guards guards;
  guards.pass("poison", "all sets");
  guards.unavailable("poison", "too large");
  ASSERT_EQ(guards.all().size(), 1u);
  EXPECT_EQ(guards.all()[0].state, GuardState::passed);
  EXPECT_EQ(guards.all()[0].detail, "all sets");
}

TEST(Guards, prefer_a_result_to_none) {
  Guards guards;
  guards.unavailable("roofline", "no flops");
  EXPECT_EQ(guards.all()[0].state, GuardState::unavailable);
  guards.pass("roofline", "floor 1 us");
  EXPECT_EQ(guards.all()[0].state, GuardState::passed);
  guards.unavailable("streams", "no profiler");
  guards.fail("streams", "another stream");
  EXPECT_EQ(guards.all()[1].state, GuardState::failed);
}

TEST(Guards, name_the_first_failure) {
  Guards guards;
  EXPECT_EQ(guards.first_failure(), nullptr);
  guards.pass("poison");
  guards.unavailable("streams", "no profiler");
  EXPECT_EQ(guards.first_failure(), nullptr);
  guards.fail("fingerprint", "sample 3");
  guards.fail("poison", "set 2");
  ASSERT_NE(guards.first_failure(), nullptr);
  EXPECT_EQ(guards.first_failure()->name, "poison");
  EXPECT_EQ(guards.all().size(), 3u);
}

TEST(Guards, have_words_for_their_states) {
  EXPECT_EQ(name(GuardState::passed), "passed");
  EXPECT_EQ(name(GuardState::failed), "failed");
  EXPECT_EQ(name(GuardState::unavailable), "unavailable");
}

}  // namespace
}  // namespace assay::measure
