// SPDX-License-Identifier: MIT
// Launches with clusters; tests/ptx/cluster has what their blocks do together.
#include "vgpu/machine/cluster.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"

namespace assay::vgpu {
namespace {

// Each block stores the number of its cluster and its rank there.
constexpr const char* kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .reg .b32 %b, %x, %y, %z, %nx, %ny, %r;
  .reg .b64 %out;
  mov.u32 %x, %ctaid.x;
  mov.u32 %y, %ctaid.y;
  mov.u32 %nx, %nctaid.x;
  mad.lo.u32 %b, %y, %nx, %x;
  ld.param.u64 %out, [out];
  mad.wide.u32 %out, %b, 8, %out;
  mov.u32 %x, %clusterid.x;
  mov.u32 %y, %clusterid.y;
  mov.u32 %nx, %nclusterid.x;
  mad.lo.u32 %r, %y, %nx, %x;
  st.global.u32 [%out], %r;
  mov.u32 %r, %cluster_ctarank;
  st.global.u32 [%out+4], %r;
  ret;
}
)";

class ClusterLaunch {
 public:
  explicit ClusterLaunch(const std::string& text, const char* model = "h200") : gpu_(*gpu::find_model(model)) {
    const auto loaded = load(gpu_, text, "kernel.ptx");
    EXPECT_TRUE(loaded.ok()) << (loaded ? "" : to_string(loaded.error()));
    if (!loaded) return;
    launch.program = *loaded;
    launch.kernel = (*loaded)->entry("kernel");
    out_ = *gpu_.memory().allocate(kBytes, "out");
    launch.parameters.resize(sizeof out_);
    std::memcpy(launch.parameters.data(), &out_, sizeof out_);
  }
  Result<LaunchResult> run() { return gpu_.launch(launch); }
  std::string refusal() {
    const auto result = run();
    return result ? "accepted" : result.error().message;
  }
  std::vector<uint32_t> words(size_t count) {
    std::vector<uint32_t> result(count);
    std::memcpy(result.data(), gpu_.memory().host(out_), count * sizeof(uint32_t));
    return result;
  }

  Launch launch;

 private:
  static constexpr uint64_t kBytes = 4096;
  Gpu gpu_;
  uint64_t out_ = 0;
};

TEST(Cluster, BlocksKnowTheirPlace) {
  for (const unsigned threads : {1u, 4u}) {
    ClusterLaunch run(kKernel);
    run.launch.grid = {4, 2, 1};
    run.launch.cluster = {2, 2, 1};
    run.launch.host_threads = threads;
    ASSERT_TRUE(run.run().ok());
    EXPECT_EQ(run.words(16), (std::vector<uint32_t>{0, 0, 0, 1, 1, 0, 1, 1, 0, 2, 0, 3, 1, 2, 1, 3}));
  }
}

TEST(Cluster, WithoutOneEveryBlockIsAlone) {
  ClusterLaunch run(kKernel, "l4");
  run.launch.grid = {3, 1, 1};
  ASSERT_TRUE(run.run().ok());
  EXPECT_EQ(run.words(6), (std::vector<uint32_t>{0, 0, 1, 0, 2, 0}));
}

TEST(Cluster, WhatTheKernelWasCompiledForNeedNotBeSaid) {
  std::string text = kKernel;
  text.insert(text.find("\n{"), "\n.explicitcluster\n.reqnctapercluster 2, 1, 1");
  text.replace(text.find("sm_80"), 5, "sm_90");
  ClusterLaunch run(text);
  run.launch.grid = {2, 1, 1};
  ASSERT_TRUE(run.run().ok());
  EXPECT_EQ(run.words(4), (std::vector<uint32_t>{0, 0, 0, 1}));
  run.launch.cluster = {4, 1, 1};
  EXPECT_NE(run.refusal().find("the kernel was compiled for (2, 1, 1)"), std::string::npos) << run.refusal();
}

TEST(Cluster, BadOnesAreRefused) {
  ClusterLaunch run(kKernel);
  run.launch.grid = {3, 1, 1};
  run.launch.cluster = {2, 1, 1};
  EXPECT_NE(run.refusal().find("is no multiple of the cluster"), std::string::npos) << run.refusal();
  run.launch.grid = {32, 1, 1};
  run.launch.cluster = {32, 1, 1};
  EXPECT_NE(run.refusal().find("1 to 16 are possible"), std::string::npos) << run.refusal();
  ClusterLaunch small(kKernel, "l4");
  small.launch.grid = {2, 1, 1};
  small.launch.cluster = {2, 1, 1};
  EXPECT_NE(small.refusal().find("has no clusters"), std::string::npos) << small.refusal();
}

// The block that faults lies in the first cluster, blocks with smaller numbers in the second.
TEST(Cluster, AFaultIsReportedWhateverTheOrderOfTheBlocks) {
  std::string text = kKernel;
  text.insert(text.find("  ret;"), "  setp.ne.u32 %p, %b, 2;\n  @!%p trap;\n");
  text.insert(text.find("  .reg .b64"), "  .reg .pred %p;\n");
  ClusterLaunch run(text);
  run.launch.grid = {2, 2, 1};
  run.launch.cluster = {1, 2, 1};
  run.launch.host_threads = 1;
  const auto result = run.run();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->fault.has_value());
  EXPECT_EQ(result->fault->kind, FindingKind::trap);
}

}  // namespace
}  // namespace assay::vgpu
