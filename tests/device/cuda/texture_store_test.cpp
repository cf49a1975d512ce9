// SPDX-License-Identifier: MIT
// Textures and surfaces through the fake driver: arrays are filled before a launch and drained behind it.
#include "device/cuda/texture_store.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "device/cuda/cuda_device.hpp"
#include "fake_libraries.hpp"

namespace assay::device::cuda {
namespace {

class TextureStoreTest : public FakeDriverTest {
 protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    auto opened = CudaDevice::open(*driver_, 0);
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    device_ = std::move(*opened);
    module_ = *device_->load("some PTX", "kernel.ptx");
    from_ = *device_->allocate(sizeof(float) * kTexels, "from");
    to_ = *device_->allocate(sizeof(float) * kTexels, "to");
  }

  static TextureRequest request(uint64_t address, bool surface) {
    TextureRequest made;
    made.name = surface ? "surface" : "texture";
    made.surface = surface;
    made.shape = "2d";
    made.dtype = "f32";
    made.address = address;
    made.width = 4;
    made.height = 3;
    made.address_modes = {"clamp", "clamp", "clamp"};
    return made;
  }
  static std::vector<std::byte> bytes_of(uint64_t value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  static constexpr size_t kTexels = 12;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<Module> module_;
  uint64_t from_ = 0;
  uint64_t to_ = 0;
};

TEST_F(TextureStoreTest, CopiesTensorsToArraysAndSurfacesBack) {
  const auto texture = device_->texture_object(request(from_, false));
  const auto surface = device_->texture_object(request(to_, true));
  ASSERT_TRUE(texture.ok()) << to_string(texture.error());
  ASSERT_TRUE(surface.ok()) << to_string(surface.error());
  std::vector<float> texels(kTexels);
  for (size_t i = 0; i < kTexels; ++i) texels[i] = static_cast<float>(i) + 0.5f;
  ASSERT_TRUE(device_->upload(from_, std::as_bytes(std::span(texels))).ok());
  LaunchRequest launch;
  launch.module = module_.get();
  launch.entry = "texture_copy_f32";
  launch.block.x = 32;
  launch.arguments = {bytes_of(*texture), bytes_of(*surface)};
  const auto outcome = device_->launch(launch);
  ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
  std::vector<float> got(kTexels);
  ASSERT_TRUE(device_->download(to_, std::as_writable_bytes(std::span(got))).ok());
  EXPECT_EQ(got, texels);
}

TEST_F(TextureStoreTest, GivesTheSameObjectForTheSameRequest) {
  const uint64_t first = *device_->texture_object(request(from_, false));
  EXPECT_EQ(*device_->texture_object(request(from_, false)), first);
  TextureRequest other = request(from_, false);
  other.linear = true;
  EXPECT_NE(*device_->texture_object(other), first);
  EXPECT_NE(*device_->texture_object(request(from_, true)), first);
}

TEST_F(TextureStoreTest, ForgetsWhatLiesInReleasedMemory) {
  ASSERT_TRUE(device_->texture_object(request(from_, false)).ok());
  EXPECT_FALSE(device_->textures().empty());
  ASSERT_TRUE(device_->release(to_).ok());
  EXPECT_FALSE(device_->textures().empty());
  ASSERT_TRUE(device_->release(from_).ok());
  EXPECT_TRUE(device_->textures().empty());
}

TEST_F(TextureStoreTest, SaysWhichTextureTheDriverRefuses) {
  TextureRequest wrong = request(from_, false);
  wrong.dtype = "u8";
  wrong.linear = true;  // integers cannot be filtered
  const auto refused = device_->texture_object(wrong);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("cannot make the texture 'texture'"), std::string::npos)
      << refused.error().message;
  wrong.dtype = "f64";
  EXPECT_FALSE(device_->texture_object(wrong).ok());
}

TEST_F(TextureStoreTest, FillsTheLevelsOfAMipmap) {
  const uint64_t half = *device_->allocate(sizeof(float) * 2, "half");
  TextureRequest mipmap = request(from_, false);
  mipmap.normalised = true;
  mipmap.levels = {half};
  const auto texture = device_->texture_object(mipmap);
  ASSERT_TRUE(texture.ok()) << to_string(texture.error());
  EXPECT_EQ(*device_->texture_object(mipmap), *texture);
  TextureRequest smaller = request(to_, true);
  smaller.width = 2;
  smaller.height = 1;
  const auto surface = device_->texture_object(smaller);
  ASSERT_TRUE(surface.ok()) << to_string(surface.error());
  const std::array<float, 2> texels = {3, 4};
  ASSERT_TRUE(device_->upload(half, std::as_bytes(std::span(texels))).ok());
  LaunchRequest launch;
  launch.module = module_.get();
  launch.entry = "texture_copy_f32";
  launch.block.x = 32;
  launch.arguments = {bytes_of(*texture), bytes_of(*surface)};
  ASSERT_TRUE(device_->launch(launch).ok());
  std::array<float, 2> got{};
  ASSERT_TRUE(device_->download(to_, std::as_writable_bytes(std::span(got))).ok());
  EXPECT_EQ(got, texels) << "the fake kernel copies level 1";
  ASSERT_TRUE(device_->release(to_).ok());
  ASSERT_TRUE(device_->release(half).ok());
  EXPECT_TRUE(device_->textures().empty()) << "a mipmap goes with any of its tensors";
}

TEST_F(TextureStoreTest, LeavesLinearMemoryWhereItIs) {
  TextureRequest linear = request(from_, false);
  linear.shape = "linear";
  linear.height = 1;
  ASSERT_TRUE(device_->texture_object(linear).ok());
  linear.shape = "pitch";
  ASSERT_TRUE(device_->texture_object(linear).ok());
  EXPECT_TRUE(device_->textures().empty()) << "no array is copied";
}

}  // namespace
}  // namespace assay::device::cuda
