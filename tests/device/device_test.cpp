// SPDX-License-Identifier: MIT
// Devices by name, on a machine with two (pretended) GPUs.
#include "device/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include "cuda/fake_libraries.hpp"

namespace assay::device {
namespace {

// The driver is opened once in a process: this comes before every test.
const int kEnvironment = ::setenv("ASSAY_CUDA_DRIVER", cuda::kFakeDriver.c_str(), 1);

TEST(Devices, GpusComeFirst) {
  ASSERT_EQ(kEnvironment, 0);
  const std::vector<std::string> names = device_names();
  ASSERT_GE(names.size(), 4U);
  EXPECT_EQ(names[0], "cuda:0");
  EXPECT_EQ(names[1], "cuda:1");
  EXPECT_TRUE(std::ranges::find(names, "vgpu:l4") != names.end());
  EXPECT_EQ(default_device_name(), "cuda:0");
}

TEST(Devices, AreOpenedByName) {
  const auto gpu = open_device("cuda:1");
  ASSERT_TRUE(gpu.ok()) << to_string(gpu.error());
  EXPECT_EQ((*gpu)->name(), "cuda:1");
  EXPECT_TRUE((*gpu)->has_tensor_maps());
  const auto twin = open_device("vgpu:h200");
  ASSERT_TRUE(twin.ok());
  EXPECT_FALSE((*twin)->has_tensor_maps());
  EXPECT_TRUE((*twin)->checks_memory());
  EXPECT_EQ(virtual_twin(**twin), "vgpu:h200");
}

TEST(Devices, UnknownNamesListThoseThereAre) {
  for (const char* name : {"cuda:2", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "gpu", "vgpu:nosuch", ""}) {
    const auto device = open_device(name);
    ASSERT_FALSE(device.ok()) << name;
    EXPECT_NE(device.error().hint.find("cuda:0, cuda:1, vgpu:"), std::string::npos) << device.error().hint;
    EXPECT_EQ(device.error().exit_code, ExitCode::usage);
  }
}

TEST(Devices, TheVirtualOneRefusesWhatItLacks) {
  const auto device = open_device("vgpu:h100");
  ASSERT_TRUE(device.ok());
  const auto map = (*device)->encode_tensor_map({});
  ASSERT_FALSE(map.ok());
  EXPECT_NE(map.error().message.find("does not support tensor maps yet"), std::string::npos);
}

}  // namespace
}  // namespace assay::device
