// SPDX-License-Identifier: MIT
#include "spec/configuration.hpp"

#include <gtest/gtest.h>

#include "sample_spec.hpp"

namespace assay::spec {
namespace {

std::vector<std::string> ids(const std::vector<Configuration>& configurations) {
  std::vector<std::string> result;
  for (const Configuration& configuration : configurations) result.push_back(configuration.id());
  return result;
}

TEST(Configuration, LegalOnesInTheFilesOrder) {
  const auto all = configurations(sample_spec());
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(ids(*all), (std::vector<std::string>{"BLOCK=64,FAST=false,WARPS=4", "BLOCK=64,FAST=true,WARPS=4",
                                                 "BLOCK=128,FAST=false,WARPS=4", "BLOCK=128,FAST=true,WARPS=4",
                                                 "BLOCK=128,FAST=false,WARPS=8", "BLOCK=128,FAST=true,WARPS=8"}));
}

TEST(Configuration, RangesAndPowersOfTwoAreListsOfValues) {
  std::string text = kSampleText;
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  put("BLOCK = [64, 128]", "BLOCK = { from = 64, to = 200, step = 64 }");
  put("WARPS = [4, 8]", "WARPS = { from = 1, to = 9, powers_of_two = true }");
  const auto spec = parse(text, "kernel.toml", ".", {.check_files = false});
  ASSERT_TRUE(spec.ok()) << to_string(spec.error());
  EXPECT_EQ(spec->tunable.tunables[0].values, (std::vector<Value>{Value(64), Value(128), Value(192)}));
  EXPECT_EQ(spec->tunable.tunables[1].values, (std::vector<Value>{Value(1), Value(2), Value(4), Value(8)}));
}

TEST(Configuration, DefaultIsTheFirstThatAgreesWithDefaults) {
  KernelSpec spec = sample_spec();
  EXPECT_EQ(default_configuration(spec)->id(), "BLOCK=64,FAST=true,WARPS=4");
  spec.tunable.defaults.clear();
  EXPECT_EQ(default_configuration(spec)->id(), "BLOCK=64,FAST=false,WARPS=4");
}

TEST(Configuration, WithoutTunablesThereIsOne) {
  KernelSpec spec = sample_spec();
  spec.tunable = {};
  const auto all = configurations(spec);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().id(), "default");
  EXPECT_TRUE(defines(all->front()).empty());
}

TEST(Configuration, Defines) {
  EXPECT_EQ(defines(*default_configuration(sample_spec())),
            (std::vector<std::string>{"-DBLOCK=64", "-DFAST=1", "-DWARPS=4"}));
}

TEST(Configuration, ParsesAndCompletes) {
  const KernelSpec spec = sample_spec();
  EXPECT_EQ(parse_configuration(spec, "")->id(), "BLOCK=64,FAST=true,WARPS=4");
  EXPECT_EQ(parse_configuration(spec, "FAST=false")->id(), "BLOCK=64,FAST=false,WARPS=4");
  EXPECT_EQ(parse_configuration(spec, "FAST=0, BLOCK = 128")->id(), "BLOCK=128,FAST=false,WARPS=4");
  // The default's BLOCK=64 is not legal with eight warps, so another one is taken.
  EXPECT_EQ(parse_configuration(spec, "WARPS=8")->id(), "BLOCK=128,FAST=false,WARPS=8");
  EXPECT_EQ(matching_configurations(spec, "WARPS=8")->size(), 2u);
}

TEST(Configuration, ParsingMistakes) {
  const KernelSpec spec = sample_spec();
  const std::vector<std::pair<std::string, std::string>> cases{
      {"BLOK=64", "unknown name \"BLOK\" in --config \"BLOK=64\""},
      {"BLOCK", "\"BLOCK\" in --config \"BLOCK\" is not of the form NAME=VALUE"},
      {"=4", "\"=4\" in --config \"=4\" is not of the form NAME=VALUE"},
      {"BLOCK=64,", "\"\" in --config \"BLOCK=64,\" is not of the form NAME=VALUE"},
      {"BLOCK=x", "\"x\" in --config \"BLOCK=x\" is not a value; expected an integer, true, false or an element type"},
      {"BLOCK=99999999999999999999",
       "\"99999999999999999999\" in --config \"BLOCK=99999999999999999999\" is not a value; "
       "expected an integer, true, false or an element type"},
      {"BLOCK=32", "BLOCK=32 in --config \"BLOCK=32\" is no value of this tunable; expected one of 64, 128"},
      {"FAST=2", "FAST=2 in --config \"FAST=2\" is no value of this tunable; expected one of false, true"},
      {"WARPS=4,WARPS=4", "\"WARPS\" is given twice in --config \"WARPS=4,WARPS=4\""},
      {"WARPS=8,BLOCK=64", "no legal configuration has BLOCK=64,WARPS=8"},
      {"WARPS=8,BLOCK=64,FAST=1",
       "no legal configuration has BLOCK=64,FAST=true,WARPS=8; it breaks the constraint "
       "\"BLOCK % (16*WARPS) == 0\""},
  };
  for (const auto& [text, message] : cases) {
    const auto parsed = parse_configuration(spec, text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().message, message);
    EXPECT_EQ(parsed.error().exit_code, ExitCode::usage);
  }
  EXPECT_EQ(parse_configuration(spec, "BLOK=64").error().hint, "did you mean \"BLOCK\"?");
}

}  // namespace
}  // namespace assay::spec
