// SPDX-License-Identifier: MIT
// Texture and surface objects of the virtual GPU, by requests; and what its checks say of accesses to them.
#include "device/virtual/virtual_texture.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "device/virtual/virtual_device.hpp"

namespace assay::device {
namespace {

// Thread i reads texel (i, 0) of the texture and writes it to the surface, `OUTSIDE` texels further.
constexpr const char* kKernel = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry move(.param .u64 t, .param .u64 s)
{
  .reg .b32 %i, %x, %y, %r<5>;
  .reg .f32 %u, %v;
  .reg .b64 %t, %s;
  mov.u32 %i, %tid.x;
  ld.param.u64 %t, [t];
  ld.param.u64 %s, [s];
  cvt.rn.f32.u32 %u, %i;
  mov.f32 %v, 0f00000000;
  mov.u32 %y, 0;
  tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}];
  mad.lo.u32 %x, %i, 4, OUTSIDE;
  sust.b.2d.b32.MODE [%s, {%x, %y}], {%r1};
  ret;
}
)";

std::string replaced(std::string text, const std::string& mark, const std::string& value) {
  return text.replace(text.find(mark), mark.size(), value);
}

class VirtualTextureTest : public testing::Test {
 protected:
  void SetUp() override {
    from_ = *device_.allocate(sizeof(float) * 8, "from");
    to_ = *device_.allocate(sizeof(float) * 8, "to");
    const std::vector<float> texels{1, 2, 3, 4, 5, 6, 7, 8};
    ASSERT_TRUE(device_.upload(from_, std::as_bytes(std::span(texels))).ok());
    ASSERT_TRUE(device_.upload(to_, std::vector<std::byte>(32)).ok());
  }
  static TextureRequest request(uint64_t address, bool surface) {
    TextureRequest made;
    made.name = surface ? "out" : "in";
    made.surface = surface;
    made.shape = "2d";
    made.dtype = "f32";
    made.address = address;
    made.width = 4;
    made.height = 2;
    return made;
  }
  LaunchOutcome launch(const std::string& mode, int outside, bool checked) {
    const std::string text = replaced(replaced(kKernel, "OUTSIDE", std::to_string(outside)), "MODE", mode);
    module_ = *device_.load(text, "move.ptx");
    LaunchRequest request_;
    request_.module = module_.get();
    request_.entry = "move";
    request_.block.x = 4;
    if (checked) request_.checks = {"memcheck", "racecheck", "initcheck"};
    for (const uint64_t object :
         {*device_.texture_object(request(from_, false)), *device_.texture_object(request(to_, true))}) {
      std::vector<std::byte> bytes(sizeof object);
      std::memcpy(bytes.data(), &object, sizeof object);
      request_.arguments.push_back(bytes);
    }
    auto outcome = device_.launch(request_);
    EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
    return outcome.ok() ? *outcome : LaunchOutcome{};
  }
  std::vector<float> result() {
    std::vector<float> got(8);
    EXPECT_TRUE(device_.download(to_, std::as_writable_bytes(std::span(got))).ok());
    return got;
  }

  VirtualDevice device_{*gpu::find_model("l4")};
  std::unique_ptr<Module> module_;
  uint64_t from_ = 0;
  uint64_t to_ = 0;
};

TEST_F(VirtualTextureTest, MovesTexelsAndFindsNothing) {
  const LaunchOutcome outcome = launch("trap", 0, true);
  EXPECT_TRUE(outcome.clean()) << (outcome.findings.empty() ? "" : outcome.findings.front().message);
  EXPECT_EQ(result(), (std::vector<float>{1, 2, 3, 4, 0, 0, 0, 0}));
}

TEST_F(VirtualTextureTest, FindsWritesBehindARowThoughTheMemoryGoesOn) {
  const LaunchOutcome outcome = launch("trap", 4, true);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_FALSE(outcome.fault.has_value()) << "the kernel goes on";
  EXPECT_EQ(outcome.findings.front().kind, gpu::FindingKind::out_of_bounds);
  EXPECT_EQ(outcome.findings.front().message,
            "out-of-bounds write of 4 bytes in surface 'out' at byte 16 of a row, row 0");
  EXPECT_EQ(result(), (std::vector<float>{0, 1, 2, 3, 0, 0, 0, 0}));
}

TEST_F(VirtualTextureTest, StopsThereWithoutChecks) {
  const LaunchOutcome outcome = launch("trap", 4, false);
  ASSERT_TRUE(outcome.fault.has_value());
  EXPECT_EQ(outcome.fault->kind, gpu::FindingKind::out_of_bounds);
}

TEST_F(VirtualTextureTest, SaysNothingOfWhatTheKernelAskedToDropOrToClamp) {
  EXPECT_TRUE(launch("zero", 4, true).clean());
  EXPECT_EQ(result(), (std::vector<float>{0, 1, 2, 3, 0, 0, 0, 0}));
  const LaunchOutcome clamped = launch("clamp", 8, false);
  EXPECT_TRUE(clamped.clean());
  EXPECT_EQ(result(), (std::vector<float>{0, 1, 1, 4, 0, 0, 0, 0}));
}

TEST_F(VirtualTextureTest, GivesTheSameObjectUntilTheMemoryIsReleased) {
  const uint64_t object = *device_.texture_object(request(from_, false));
  EXPECT_EQ(*device_.texture_object(request(from_, false)), object);
  ASSERT_TRUE(device_.release(from_).ok());
  EXPECT_NE(*device_.texture_object(request(from_, false)), object);
}

TEST_F(VirtualTextureTest, RefusesWhatItDoesNotKnow) {
  TextureRequest wrong = request(from_, false);
  wrong.shape = "4d";
  EXPECT_FALSE(device_.texture_object(wrong).ok());
  wrong = request(from_, false);
  wrong.dtype = "f64";
  EXPECT_FALSE(device_.texture_object(wrong).ok());
}

}  // namespace
}  // namespace assay::device
