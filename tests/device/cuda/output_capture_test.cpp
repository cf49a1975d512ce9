// SPDX-License-Identifier: MIT
#include "device/cuda/output_capture.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <unistd.h>

namespace assay::device::cuda {
namespace {

TEST(OutputCapture, TakesBothStreamsAndGivesThemBack) {
  testing::internal::CaptureStdout();
  std::printf("before ");
  {
    OutputCapture capture;
    std::printf("caught");
    ASSERT_EQ(::write(STDERR_FILENO, "an error", 8), 8);
    capture.finish();
    EXPECT_EQ(capture.output(), "caught");
    EXPECT_EQ(capture.errors(), "an error");
  }
  std::printf("after");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before after");
}

TEST(OutputCapture, KeepsNoMoreThanItsLimit) {
  OutputCapture capture;
  const std::string much(OutputCapture::kLimit + 1000, 'x');
  std::fwrite(much.data(), 1, much.size(), stdout);
  capture.finish();
  EXPECT_EQ(capture.output().size(), OutputCapture::kLimit);
}

}  // namespace
}  // namespace assay::device::cuda
