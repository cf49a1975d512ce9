// SPDX-License-Identifier: MIT
#include "device/cuda/cupti.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "fake_libraries.hpp"

namespace assay::device::cuda {
namespace {

TEST(ActivityTrace, ListsWhatRanBetweenStartAndStop) {
  const auto trace = ActivityTrace::open({kFakeCupti});
  ASSERT_TRUE(trace.ok()) << to_string(trace.error());
  EXPECT_EQ((*trace)->version(), 130000U);
  ASSERT_TRUE((*trace)->start().ok());
  const auto ran = (*trace)->stop();
  ASSERT_TRUE(ran.ok()) << to_string(ran.error());
  ASSERT_EQ(ran->size(), 3U) << "what was recorded before the start does not count, nor do kinds that we do not know";
  EXPECT_EQ(ran->at(0).name, "first");
  EXPECT_EQ(ran->at(0).stream, 13U);
  EXPECT_EQ(ran->at(1).name, "second") << "by time, not by record";
  EXPECT_EQ(ran->at(1).stream, 14U);
  EXPECT_EQ(ran->at(1).grid_x, 7U);
  EXPECT_EQ(ran->at(1).correlation, 99U);
  EXPECT_EQ(ran->at(1).end_ns - ran->at(1).start_ns, 500U);
  EXPECT_EQ(ran->at(2).kind, ActivityKind::copy);
  EXPECT_EQ(ran->at(2).bytes, 4096U);
  EXPECT_EQ((*trace)->dropped(), 2U);
}

TEST(ActivityTrace, IsNotAvailableWithoutTheLibrary) {
  const auto trace = ActivityTrace::open({"/nowhere/libcupti.so", "/nowhere/libcupti.so.13"});
  ASSERT_FALSE(trace.ok());
  EXPECT_TRUE(mentions(trace.error().message, "CUPTI was not found"));
  EXPECT_TRUE(mentions(trace.error().hint, "ASSAY_CUPTI_LIBRARY"));
  EXPECT_FALSE(ActivityTrace::open({kFakeNvml}).ok()) << "another library";
}

TEST(ActivityTrace, PermissionDeniedIsToldAtTheStart) {
  const auto trace = ActivityTrace::open({kFakeCupti});
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(::setenv("FAKE_CUPTI_ENABLE", "35", 1), 0);
  const auto started = (*trace)->start();
  ::unsetenv("FAKE_CUPTI_ENABLE");
  ASSERT_FALSE(started.ok());
  EXPECT_TRUE(mentions(started.error().message, "CUPTI_ERROR_OF_THE_FAKE"));
}

TEST(CuptiCandidates, TheVariableComesFirstAndAlone) {
  ASSERT_EQ(::setenv("ASSAY_CUPTI_LIBRARY", "/some/libcupti.so", 1), 0);
  EXPECT_EQ(cupti_candidates(), std::vector<std::string>{"/some/libcupti.so"});
  ::unsetenv("ASSAY_CUPTI_LIBRARY");
  EXPECT_GE(cupti_candidates().size(), 3U) << "at least the names that the loader may know";
}

}  // namespace
}  // namespace assay::device::cuda
