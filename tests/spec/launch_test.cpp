// SPDX-License-Identifier: MIT
#include "spec/launch.hpp"

#include <gtest/gtest.h>

#include "sample_spec.hpp"

namespace assay::spec {
namespace {

TEST(Launch, Geometry) {
  const KernelSpec spec = sample_spec();
  const auto geometry = launch_geometry(spec, spec.stages.front(), *parse_configuration(spec, "BLOCK=128,WARPS=8"),
                                        *parse_shape(spec, "S=500,D=100,dtype=f32"));
  ASSERT_TRUE(geometry.ok()) << to_string(geometry.error());
  EXPECT_EQ(geometry->grid, (std::array<uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(geometry->block, (std::array<uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(geometry->shared_bytes, 4u * 128 * (128 + 8));
  EXPECT_FALSE(geometry->cluster.has_value());
}

TEST(Launch, Cluster) {
  KernelSpec spec = sample_spec();
  spec.stages.front().launch.cluster = {Expression::constant(2, {}), Expression::constant(2, {})};
  const Configuration configuration = *default_configuration(spec);
  EXPECT_EQ(*launch_geometry(spec, spec.stages.front(), configuration, *parse_shape(spec, "S=512,D=64"))->cluster,
            (std::array<uint32_t, 3>{2, 2, 1}));
  EXPECT_FALSE(launch_geometry(spec, spec.stages.front(), configuration, *parse_shape(spec, "S=65,D=64")).ok() &&
               launch_geometry(spec, spec.stages.front(), configuration, *parse_shape(spec, "S=129,D=64")).ok());
}

TEST(Launch, TooManyThreadsInAllDimensions) {
  KernelSpec spec = sample_spec();
  spec.stages.front().launch.block = {Expression::constant(1024, Place{"k", 1, 1}), Expression::constant(2, {})};
  const auto geometry = launch_geometry(spec, spec.stages.front(), *default_configuration(spec), *first_shape(spec));
  ASSERT_FALSE(geometry.ok());
  EXPECT_TRUE(geometry.error().message.starts_with("a block has 2048 threads with ")) << geometry.error().message;
  EXPECT_NE(geometry.error().hint.find("constraint"), std::string::npos) << geometry.error().hint;
}

TEST(Launch, EntryNameAndWork) {
  const KernelSpec spec = sample_spec();
  const Configuration configuration = *default_configuration(spec);
  EXPECT_EQ(*entry_name(spec, spec.stages.front(), configuration, *parse_shape(spec, "S=8,D=64,dtype=bf16")),
            "sample_bf16_d64_true");
  EXPECT_EQ(**flops(spec, configuration, *parse_shape(spec, "S=8,D=64")), 2048.0);
  EXPECT_EQ(**flops(spec, configuration, *parse_shape(spec, "S=8,D=64,causal=true")), 1024.0);
  EXPECT_FALSE(bytes_moved(spec, configuration, *first_shape(spec))->has_value());
}

}  // namespace
}  // namespace assay::spec
