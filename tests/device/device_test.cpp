// SPDX-License-Identifier: MIT
// Devices by name, on a machine with two (pretended) GPUs.
#include "device/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

#include "cuda/fake_libraries.hpp"
#include "device/open/open_device.hpp"
#include "vgpu/machine/tensor_map.hpp"

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
  EXPECT_TRUE((*twin)->has_tensor_maps());
  EXPECT_TRUE((*twin)->has_clusters());
  EXPECT_TRUE((*twin)->has_checks());
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

TensorMapRequest map_of_a_matrix() {
  TensorMapRequest request;
  request.dtype = "f16";
  request.address = 0x7000'0000'0000;
  request.dims = {100, 200};
  request.stride_bytes = {400, 2};
  request.box = {8, 64};
  request.element_strides = {1, 1};
  request.swizzle = 128;
  return request;
}

TEST(VirtualTensorMap, HasTheDimensionsTheOtherWayRound) {
  const auto device = open_device("vgpu:h200");
  ASSERT_TRUE(device.ok());
  const auto bytes = (*device)->encode_tensor_map(map_of_a_matrix());
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  ASSERT_EQ(bytes->size(), kTensorMapBytes);
  const auto map = vgpu::TensorMap::unpack(std::span<const std::byte, kTensorMapBytes>(*bytes));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->rank, 2);
  EXPECT_EQ(map->sizes[0], 200u);
  EXPECT_EQ(map->sizes[1], 100u);
  EXPECT_EQ(map->strides[1], 400u);
  EXPECT_EQ(map->box[0], 64);
  EXPECT_EQ(map->box[1], 8);
  EXPECT_EQ(map->swizzle_bits, 3);
  EXPECT_EQ(map->tile_bytes(), 1024u);
}

TEST(VirtualTensorMap, KeepsTheRulesOfTheDriver) {
  const auto device = open_device("vgpu:h200");
  ASSERT_TRUE(device.ok());
  const auto refusal = [&](auto change) {
    TensorMapRequest request = map_of_a_matrix();
    change(request);
    const auto map = (*device)->encode_tensor_map(request);
    return map ? std::string("accepted") : map.error().message;
  };
  using Request = TensorMapRequest;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {refusal([](Request& r) { r.dtype = "f12"; }), "none of type f12"},
      {refusal([](Request& r) { r.dtype = "u16", r.out_of_bounds_nan = true; }), "u16 has none"},
      {refusal([](Request& r) { r.dims.clear(); }), "0 dimensions"},
      {refusal([](Request& r) { r.box.pop_back(); }), "must have as many"},
      {refusal([](Request& r) { r.stride_bytes = {400, 4}; }), "must be contiguous"},
      {refusal([](Request& r) { r.address += 8; }), "not a multiple of 16"},
      {refusal([](Request& r) { r.stride_bytes = {408, 2}; }), "408 bytes"},
      {refusal([](Request& r) { r.box = {257, 64}; }), "257 elements"},
      {refusal([](Request& r) { r.element_strides = {9, 1}; }), "element stride of dimension 1 is 9"},
      {refusal([](Request& r) { r.box = {8, 4}; }), "a row of the box has 8 bytes"},
      {refusal([](Request& r) { r.box = {8, 128}; }), "more than the swizzle's 128"},
      {refusal([](Request& r) { r.dims = {0, 200}; }), "has 0 elements"},
      {refusal([](Request& r) { r.interleave = 16; }), "interleaved"},
      {refusal([](Request& r) { r.box = {8, 32}; }), "swizzle wider than a row"},
  };
  for (const auto& [message, expected] : cases) EXPECT_NE(message.find(expected), std::string::npos) << message;
}

TEST(VirtualTensorMap, NeedsHopper) {
  const auto device = open_device("vgpu:a100");
  ASSERT_TRUE(device.ok());
  const auto map = (*device)->encode_tensor_map(map_of_a_matrix());
  ASSERT_FALSE(map.ok());
  EXPECT_NE(map.error().message.find("has no tensor maps"), std::string::npos) << map.error().message;
  EXPECT_EQ(map.error().exit_code, ExitCode::environment);
}

}  // namespace
}  // namespace assay::device
