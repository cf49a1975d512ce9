// SPDX-License-Identifier: MIT
#include "tune/parameter_role.hpp"

#include <gtest/gtest.h>

namespace assay::tune {
namespace {

Parameter with_values(const std::string& name, const std::vector<double>& values) {
  Parameter parameter{name, {}};
  for (const double value : values) parameter.values.push_back(number_value(value));
  return parameter;
}

TEST(ParameterRole, NamesOfKnownTuningSpaces) {
  const std::vector<std::pair<const char*, ParameterRole>> known{{"block_size_x", ParameterRole::threads},
                                                                 {"BLOCK", ParameterRole::threads},
                                                                 {"MDIMC", ParameterRole::threads},
                                                                 {"WORK_GROUP_SIZE_Y", ParameterRole::threads},
                                                                 {"TBX", ParameterRole::threads},
                                                                 {"threads_per_block", ParameterRole::threads},
                                                                 {"NUM_WARPS", ParameterRole::warps},
                                                                 {"tile_size_y", ParameterRole::of_thread},
                                                                 {"WPTX", ParameterRole::of_thread},
                                                                 {"work_per_thread_x", ParameterRole::of_thread},
                                                                 {"MWG", ParameterRole::of_block},
                                                                 {"BLOCK_M", ParameterRole::of_block},
                                                                 {"VWM", ParameterRole::vector},
                                                                 {"vector", ParameterRole::vector},
                                                                 {"blocks_per_sm", ParameterRole::other},
                                                                 {"tile_stride_x", ParameterRole::other},
                                                                 {"loop_unroll_factor_t", ParameterRole::other},
                                                                 {"temporal_tiling_factor", ParameterRole::other},
                                                                 {"KWG", ParameterRole::other},
                                                                 {"q", ParameterRole::other},
                                                                 {"", ParameterRole::other}};
  for (const auto& [name, role] : known) EXPECT_EQ(role_of(with_values(name, {1, 2, 4})), role) << name;
}

TEST(ParameterRole, SwitchesAndWordsAreOther) {
  EXPECT_EQ(role_of(with_values("block_size_x", {0, 1})), ParameterRole::other);
  EXPECT_EQ(role_of({"vector", {word_value("float2"), word_value("float4")}}), ParameterRole::other);
}

TEST(ParameterRole, TheRowOfABlock) {
  EXPECT_TRUE(along_row(with_values("block_size_x", {1})));
  EXPECT_TRUE(along_row(with_values("TBX", {1})));
  EXPECT_FALSE(along_row(with_values("block_size_y", {1})));
  EXPECT_FALSE(along_row(with_values("", {1})));
}

}  // namespace
}  // namespace assay::tune
