// SPDX-License-Identifier: MIT
#include "device/cuda/nvml.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "fake_libraries.hpp"

namespace assay::device::cuda {
namespace {

class NvmlTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Nvml::open(kFakeNvml);
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    nvml_ = std::move(*opened);
  }
  std::unique_ptr<Nvml> nvml_;
};

TEST_F(NvmlTest, ReadsTheState) {
  const auto gpu = nvml_->by_bus_id("0000:10:00.0");
  ASSERT_TRUE(gpu.ok()) << to_string(gpu.error());
  const GpuState state = nvml_->state(*gpu);
  EXPECT_EQ(state.name, "NVIDIA H200");
  EXPECT_EQ(state.uuid, "GPU-1234");
  EXPECT_EQ(state.driver_version, "580.95.05");
  EXPECT_EQ(state.reading.sm_clock_mhz, 1305U);
  EXPECT_EQ(state.max_sm_clock_mhz, 1980U);
  EXPECT_EQ(state.reading.memory_clock_mhz, 3201U);
  EXPECT_DOUBLE_EQ(*state.reading.power_w, 698.5);
  EXPECT_DOUBLE_EQ(*state.power_limit_w, 700);
  EXPECT_EQ(state.ecc, true);
  EXPECT_EQ(state.mig, false);
  EXPECT_EQ(state.memory_free_bytes, 149'000'000'000U);
  EXPECT_EQ(state.utilisation_percent, 97U);
}

TEST_F(NvmlTest, WhatItDoesNotTellIsEmpty) {
  const GpuState state = nvml_->state(*nvml_->by_bus_id("0000:10:00.0"));
  EXPECT_FALSE(state.reading.temperature_c) << "answered with an error";
  EXPECT_FALSE(state.persistence) << "there is no such function";
  const auto nowhere = nvml_->by_bus_id("0000:99:00.0");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_TRUE(mentions(nowhere.error().message, "0000:99:00.0: as the fake says")) << nowhere.error().message;
}

TEST_F(NvmlTest, ListsAllProcessesHoweverMany) {
  const GpuState state = nvml_->state(*nvml_->by_bus_id("0000:10:00.0"));
  ASSERT_EQ(state.processes.size(), 70U);
  EXPECT_EQ(state.processes[0].name, "/usr/bin/python3");
  EXPECT_EQ(state.processes[0].used_bytes, 2'000'000'000U);
  EXPECT_EQ(state.processes[1].name, "");
  EXPECT_FALSE(state.processes[1].used_bytes);
}

TEST_F(NvmlTest, KnowsThrottlingByEitherNameOfTheFunction) {
  const GpuReading reading = nvml_->reading(*nvml_->by_bus_id("0000:10:00.0"));
  ASSERT_TRUE(reading.clock_reasons);
  EXPECT_TRUE(reading.throttled());
  EXPECT_EQ(describe_clock_reasons(*reading.clock_reasons), "power cap");
}

TEST(Nvml, LibrariesThatAreMissingOrNotNvmlAreErrors) {
  EXPECT_FALSE(Nvml::open("/nowhere/libnvidia-ml.so.1").ok());
  const auto other = Nvml::open(kFakeCupti);
  ASSERT_FALSE(other.ok());
  EXPECT_TRUE(mentions(other.error().message, "not an NVML"));
  ASSERT_EQ(::setenv("FAKE_NVML_INIT", "9", 1), 0);
  const auto refused = Nvml::open(kFakeNvml);
  ::unsetenv("FAKE_NVML_INIT");
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(mentions(refused.error().message, "does not start: as the fake says")) << refused.error().message;
}

TEST(ClockReasons, AreNamedAndIdleIsNoThrottling) {
  EXPECT_EQ(describe_clock_reasons(0), "none");
  EXPECT_EQ(describe_clock_reasons(0x41), "idle, thermal slowdown by hardware");
  EXPECT_EQ(describe_clock_reasons(0x10000), "unknown (0x10000)");
  GpuReading reading;
  EXPECT_FALSE(reading.throttled());
  reading.clock_reasons = clock_reason::kIdle | clock_reason::kApplicationSetting;
  EXPECT_FALSE(reading.throttled());
  reading.clock_reasons = clock_reason::kHardwareThermal;
  EXPECT_TRUE(reading.throttled());
}

}  // namespace
}  // namespace assay::device::cuda
