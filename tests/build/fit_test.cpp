// SPDX-License-Identifier: MIT
#include "build/fit.hpp"

#include <gtest/gtest.h>

#include "small_kernel.hpp"

namespace assay::build {
namespace {

TargetUsage usage_for(const std::string& target, int registers) {
  ResourceUsage usage;
  usage.entry = "scale";
  usage.registers = registers;
  usage.static_shared_bytes = 0;
  return {target, {usage}};
}

std::string target_on(const char* model, const std::vector<TargetUsage>& usages, bool* recompiled_out = nullptr) {
  bool recompiled = false;
  const std::optional<std::string> target = best_target(*gpu::find_model(model), usages, recompiled);
  if (recompiled_out != nullptr) *recompiled_out = recompiled;
  return target.value_or("");
}

const ModelFit& on(const std::vector<ModelFit>& fits, std::string_view id) {
  for (const ModelFit& fit : fits) {
    if (fit.model->id == id) return fit;
  }
  throw std::out_of_range("no such model");
}

TEST(Fit, EveryModelRunsItsBestTarget) {
  const std::vector<TargetUsage> all{usage_for("sm_80", 1), usage_for("sm_89", 2), usage_for("sm_90", 3),
                                     usage_for("sm_90a", 4)};
  EXPECT_EQ(target_on("a100", all), "sm_80");
  EXPECT_EQ(target_on("l4", all), "sm_89");
  EXPECT_EQ(target_on("rtx4090", all), "sm_89");
  EXPECT_EQ(target_on("h100", all), "sm_90a");
  bool recompiled = false;
  EXPECT_EQ(target_on("l4", {usage_for("sm_80", 1)}, &recompiled), "sm_80");
  EXPECT_FALSE(recompiled) << "code for 8.0 runs on 8.9";
  EXPECT_EQ(target_on("h200", {usage_for("sm_80", 1)}, &recompiled), "sm_80");
  EXPECT_TRUE(recompiled) << "only its PTX can be used on 9.0";
  EXPECT_EQ(target_on("l4", {usage_for("sm_90", 1), usage_for("sm_90a", 1)}, &recompiled), "");
  EXPECT_EQ(target_on("l4", {usage_for("nonsense", 1), usage_for("sm_", 1), usage_for("sm_80xyz", 1)}), "");
  EXPECT_EQ(target_on("l4", {}), "");
}

TEST(Fit, OneLaunchOnAllModels) {
  const std::vector<ModelFit> fits = model_fits(std::vector{usage_for("sm_80", 64)}, "scale", 128, 100 * 1024);
  ASSERT_EQ(fits.size(), gpu::all_models().size());
  EXPECT_EQ(on(fits, "l4").occupancy.fit, gpu::Fit::does_not_fit);
  EXPECT_EQ(on(fits, "a100").occupancy.fit, gpu::Fit::fits_with_optin);
  EXPECT_EQ(on(fits, "a100").occupancy.blocks_per_sm, 1);
  // Recompiled for Hopper: it fits whatever the driver's compiler does, but how many do is not known.
  EXPECT_TRUE(on(fits, "h100").recompiled);
  EXPECT_EQ(on(fits, "h100").occupancy.fit, gpu::Fit::fits_with_optin);
  EXPECT_FALSE(on(fits, "h100").occupancy.blocks_per_sm);
}

TEST(Fit, WhatWasNotBuiltOrNotFoundIsUnknown) {
  const std::vector<ModelFit> wrong_target = model_fits(std::vector{usage_for("sm_90a", 64)}, "scale", 128, 0);
  EXPECT_EQ(on(wrong_target, "l4").occupancy.fit, gpu::Fit::unknown);
  EXPECT_EQ(on(wrong_target, "l4").target, "");
  EXPECT_EQ(on(wrong_target, "h100").occupancy.fit, gpu::Fit::fits);
  const std::vector<ModelFit> wrong_entry = model_fits(std::vector{usage_for("sm_80", 64)}, "other", 128, 0);
  EXPECT_EQ(on(wrong_entry, "a100").occupancy.fit, gpu::Fit::unknown);
}

TEST(Fit, ShapesThatAreLaunchedAlikeAreJudgedOnce) {
  const TemporaryFolder project;
  const Result<spec::KernelSpec> spec = write_small_kernel(project, "THREADS = [64]\nUNROLL = [1]");
  ASSERT_TRUE(spec.ok()) << to_string(spec.error());
  const auto shapes = spec::shapes(*spec, "canonical");
  ASSERT_TRUE(shapes.ok());
  const auto fits =
      launch_fits(*spec, *spec::default_configuration(*spec), *shapes, std::vector{usage_for("sm_80", 40)});
  ASSERT_TRUE(fits.ok()) << to_string(fits.error());
  ASSERT_EQ(fits->size(), 2u);
  EXPECT_EQ((*fits)[0].shape, "N=100");
  EXPECT_EQ((*fits)[0].threads, 64);
  EXPECT_EQ((*fits)[0].dynamic_shared_bytes, 0);
  EXPECT_EQ((*fits)[1].shape, "N=5000");
  EXPECT_EQ((*fits)[1].dynamic_shared_bytes, 65536);
  EXPECT_EQ(on((*fits)[1].models, "l4").occupancy.fit, gpu::Fit::fits_with_optin);
}

}  // namespace
}  // namespace assay::build
