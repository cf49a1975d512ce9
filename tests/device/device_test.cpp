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

TensorMapRequest map_of_images() {
  TensorMapRequest request;
  request.dtype = "f16";
  request.address = 0x7000'0000'0000;
  request.dims = {3, 5, 7, 64};
  request.stride_bytes = {4480, 896, 128, 2};
  request.im2col = Im2colRequest{{-1, -2}, {-3, -4}, 64, 100};
  request.element_strides = {1, 2, 3, 1};
  request.swizzle = 128;
  return request;
}

TEST(VirtualTensorMap, OfImagesHasTheDimensionsTheOtherWayRoundToo) {
  const auto device = open_device("vgpu:h200");
  ASSERT_TRUE(device.ok());
  const auto bytes = (*device)->encode_tensor_map(map_of_images());
  ASSERT_TRUE(bytes.ok()) << to_string(bytes.error());
  const auto map = vgpu::TensorMap::unpack(std::span<const std::byte, kTensorMapBytes>(*bytes));
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->is_im2col());
  EXPECT_EQ(map->pixels, 100);
  EXPECT_EQ(map->box, (std::array<uint16_t, 5>{64, 1, 1, 1, 0}));
  EXPECT_EQ(map->lower, (std::array<int16_t, 3>{-2, -1, 0}));
  EXPECT_EQ(map->upper, (std::array<int16_t, 3>{-4, -3, 0}));
  EXPECT_EQ(map->steps, (std::array<uint8_t, 5>{1, 3, 2, 1, 1}));
  EXPECT_EQ(map->tile_bytes(), 12800u);
}

TEST(VirtualTensorMap, OfImagesKeepsTheRulesOfTheDriver) {
  const auto device = open_device("vgpu:h200");
  ASSERT_TRUE(device.ok());
  const auto refusal = [&](auto change) {
    TensorMapRequest request = map_of_images();
    change(request, *request.im2col);
    const auto map = (*device)->encode_tensor_map(request);
    return map ? std::string("accepted") : map.error().message;
  };
  using R = TensorMapRequest;
  using I = Im2colRequest;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {refusal([](R&, I&) {}), "accepted"},
      {refusal([](R& r, I&) { r.dims = {7, 64}, r.stride_bytes = {128, 2}, r.element_strides = {1, 1}; }),
       "im2col with 2 dimensions"},
      {refusal([](R&, I& i) { i.lower = {0}; }), "lower corner has 1 dimensions; the tensor has 2"},
      {refusal([](R&, I& i) { i.upper = {0, 0, 0}; }), "upper corner has 3 dimensions"},
      {refusal([](R&, I& i) { i.lower = {-129, 0}; }), "lower corner has -129; -128 to 127 are possible"},
      {refusal([](R&, I& i) { i.lower[0] = 127, i.upper[0] = 128; }), "upper corner has 128"},
      {refusal([](R&, I& i) { i.upper[1] = -9; }), "leave nothing of dimension 3, which has 7"},
      {refusal([](R&, I& i) { i.upper[1] = -8; }), "accepted"},
      {refusal([](R& r, I& i) { i.channels = 0, r.swizzle = 0; }), "0 channels"},
      {refusal([](R& r, I& i) { i.channels = 257, r.swizzle = 0; }), "257 channels"},
      {refusal([](R& r, I& i) { i.channels = 12, r.swizzle = 0; }), "a pixel has 24 bytes"},
      {refusal([](R&, I& i) { i.channels = 128; }), "a pixel has 256 bytes, more than the swizzle's 128"},
      {refusal([](R&, I& i) { i.pixels = 0; }), "0 pixels"},
      {refusal([](R&, I& i) { i.pixels = 1025; }), "1025 pixels"},
      {refusal([](R& r, I&) { r.element_strides[1] = 9; }), "element stride of dimension 2 is 9"},
      {refusal([](R& r, I&) { r.element_strides[0] = 2; }), "element stride of images"},
      {refusal([](R&, I& i) { i.channels = 32; }), "swizzle wider than a pixel"},
  };
  for (const auto& [message, expected] : cases)
    EXPECT_NE(message.find(expected), std::string::npos) << message << ", expected " << expected;
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
