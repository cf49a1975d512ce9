// SPDX-License-Identifier: MIT
#include "work/practices.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace assay::work {
namespace {

using ledger::Kind;

constexpr int64_t kHourUs = int64_t{3600} * 1'000'000;

Event event(Kind kind, int64_t hour, const std::string& source = "s", int exit_code = 0) {
  Event made;
  made.kind = kind;
  made.time_us = hour * kHourUs;
  made.machine = "m";
  made.kernel = "k";
  made.device = "d";
  made.source = source;
  made.exit_code = exit_code;
  return made;
}

Event measured(int64_t hour, const std::string& source, double time_us) {
  Event made = event(Kind::measure, hour, source);
  made.results = {"case"};
  made.times_us = {time_us};
  return made;
}

std::vector<learn::Practice> of(const std::vector<Event>& events, const std::string& rule) {
  std::vector<learn::Practice> found = practices_of(events);
  std::erase_if(found, [&](const learn::Practice& each) { return each.rule != rule; });
  return found;
}

TEST(Practices, a_change_after_a_profile_is_told_from_others) {
  Event loop = measured(5, "c", 8);
  loop.has_hypothesis = true;
  const std::vector<Event> events = {measured(1, "a", 20), event(Kind::profile, 2, "a"), measured(3, "b", 10), loop};
  const auto profiled = of(events, "profile_first");
  ASSERT_EQ(profiled.size(), 2u);
  EXPECT_TRUE(profiled[0].followed);
  EXPECT_DOUBLE_EQ(profiled[0].outcome, 2);
  EXPECT_FALSE(profiled[1].followed);
  EXPECT_DOUBLE_EQ(profiled[1].outcome, 1.25);
  EXPECT_TRUE(of(events, "the_loop")[1].followed);
  const auto baseline = of(events, "baseline_first");
  ASSERT_EQ(baseline.size(), 1u);
  EXPECT_FALSE(baseline[0].followed);
  EXPECT_DOUBLE_EQ(baseline[0].outcome, 2.5);
}

TEST(Practices, the_same_source_measured_twice_is_no_change) {
  EXPECT_TRUE(of({measured(1, "a", 20), measured(2, "a", 10)}, "profile_first").empty());
  Event other = measured(2, "b", 10);
  other.results = {"another case"};
  EXPECT_TRUE(of({measured(1, "a", 20), other}, "profile_first").empty());
}

TEST(Practices, a_repair_lasts_until_the_next_success) {
  const auto repairs = of({event(Kind::check, 1), event(Kind::check, 2, "s", 5), event(Kind::bisect, 3),
                           event(Kind::check, 4), event(Kind::check, 5, "s", 5), event(Kind::check, 9)},
                          "bisect_first");
  ASSERT_EQ(repairs.size(), 2u);
  EXPECT_TRUE(repairs[0].followed);
  EXPECT_DOUBLE_EQ(repairs[0].outcome, 2 * 3600);
  EXPECT_FALSE(repairs[1].followed);
  EXPECT_DOUBLE_EQ(repairs[1].outcome, 4 * 3600);
}

TEST(Practices, a_kernel_that_never_worked_was_not_broken) {
  EXPECT_TRUE(of({event(Kind::check, 1, "s", 5), event(Kind::check, 2)}, "bisect_first").empty());
}

TEST(Practices, failures_of_the_environment_by_how_machine_and_day_began) {
  const std::vector<Event> events = {event(Kind::run, 1), event(Kind::check, 2, "s", 6), event(Kind::check, 30),
                                     event(Kind::run, 60), event(Kind::check, 61, "s", 6)};
  const auto first = of(events, "environment_first");
  ASSERT_EQ(first.size(), 5u);
  EXPECT_TRUE(std::ranges::all_of(first, &learn::Practice::followed));
  const auto later = of(events, "environment_always");
  ASSERT_EQ(later.size(), 3u) << "the first day is not counted";
  EXPECT_FALSE(later[0].followed);
  EXPECT_TRUE(later[1].followed);
  EXPECT_DOUBLE_EQ(later[2].outcome, 1);
}

TEST(Practices, sources_tell_of_assertions_templates_and_units) {
  Event build = event(Kind::build, 1, "s", 6);
  build.has_sources = build.is_template = true;
  build.units = 2;
  Event check = event(Kind::check, 2);
  check.has_sources = check.asserts = true;
  const std::vector<Event> events = {build, check, event(Kind::build, 3)};
  ASSERT_EQ(of(events, "explicit_instantiation").size(), 1u);
  EXPECT_DOUBLE_EQ(of(events, "explicit_instantiation")[0].outcome, 1);
  EXPECT_FALSE(of(events, "one_unit").at(0).followed);
  EXPECT_TRUE(of(events, "static_assertions").at(0).followed);
}

TEST(Practices, a_step_is_one_case) {
  learn::Step step;
  step.expected = "5 %";
  step.ratios = {2, 8};
  learn::Step empty;
  const auto found = practices_of(std::vector{step, empty});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_DOUBLE_EQ(found[0].outcome, 4);
  EXPECT_FALSE(found[0].followed);
  EXPECT_TRUE(found[1].followed);
}

}  // namespace
}  // namespace assay::work
