// SPDX-License-Identifier: MIT
#include "device/cuda/driver.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "fake_libraries.hpp"

namespace assay::device::cuda {
namespace {

TEST(Driver, MissingLibraryIsAnErrorOfTheEnvironment) {
  const auto driver = Driver::open("/nowhere/libcuda.so.1");
  ASSERT_FALSE(driver.ok());
  EXPECT_TRUE(mentions(driver.error().message, "/nowhere/libcuda.so.1"));
  EXPECT_TRUE(mentions(driver.error().hint, "virtual GPU"));
  EXPECT_EQ(driver.error().exit_code, ExitCode::environment);
}

TEST(Driver, MissingFunctionsAreNamed) {
  const auto driver = Driver::open(kFakeOldDriver);
  ASSERT_FALSE(driver.ok());
  EXPECT_TRUE(mentions(driver.error().message, "lacks cuLaunchKernelEx")) << driver.error().message;
  EXPECT_FALSE(mentions(driver.error().message, "cuTensorMapEncodeTiled")) << "optional functions are no reason";
  EXPECT_TRUE(mentions(driver.error().hint, "11.8"));
}

TEST(Driver, InitialisationThatFailsSaysWhy) {
  ASSERT_EQ(::setenv("FAKE_CUDA_INIT", "100", 1), 0);
  const auto driver = Driver::open(kFakeDriver);
  ::unsetenv("FAKE_CUDA_INIT");
  ASSERT_FALSE(driver.ok());
  EXPECT_TRUE(mentions(driver.error().message, "CUDA_ERROR_NO_DEVICE (as the fake says)")) << driver.error().message;
  EXPECT_TRUE(mentions(driver.error().hint, "CUDA_VISIBLE_DEVICES"));
}

TEST_F(FakeDriverTest, TellsVersionAndAttributes) {
  EXPECT_EQ(driver_->version(), 12040);
  EXPECT_EQ(driver_->attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), 132);
  EXPECT_EQ(driver_->attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0), 0) << "this one it does not know";
}

TEST_F(FakeDriverTest, ErrorsCarryTheDriversText) {
  EXPECT_TRUE(driver_->check(CUDA_SUCCESS, "nothing").ok());
  const auto failed = driver_->check(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (as the fake says)");
  EXPECT_EQ(driver_->describe(static_cast<CUresult>(4711)), "CUDA error 4711");
}

TEST(LosesContext, AfterFaultsAlone) {
  for (const CUresult code : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ASSERT,
                              CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ILLEGAL_INSTRUCTION})
    EXPECT_TRUE(loses_context(code)) << code;
  for (const CUresult code : {CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_READY,
                              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_INVALID_PTX})
    EXPECT_FALSE(loses_context(code)) << code;
}

}  // namespace
}  // namespace assay::device::cuda
