// SPDX-License-Identifier: MIT
#include "suite/suite.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "base/text.hpp"

namespace assay::suite {
namespace {

const std::string kHead = "[suite]\nname = \"s\"\n[[kernel]]\nfolder = \"a\"\n";  // the next line is line 5

Result<Suite> parsed(const std::string& text) {
  return parse(text, "s.toml", ".");
}

TEST(Suite, ReadsEverything) {
  const auto suite = parsed(R"([suite]
name = "all"
description = "every key"

[defaults]
baselines = ["sdpa"]
cache = "cold"
samples = 200

[[kernel]]
folder = "a"

[[kernel]]
folder = "../b"
configurations = ["default", "BLOCK=64"]
shapes = [{ N = 64, causal = true }, { N = 65, dtype = "bf16" }]
dtypes = ["f16", "bf16"]
baselines = ["sdpa:flash", "../c"]
protocol = "event"
cache = "warm"
sets = 8
samples = 300
most_samples = 400
budget = 2.5
width = 0.01

[[kernel]]
folder = "c"
candidate = "library"
shapes = { N = [1, 2, 3], causal = false }
baselines = []

[[kernel]]
folder = "d"
shapes = "edges"
)");
  ASSERT_TRUE(suite.ok()) << to_string(suite.error());
  EXPECT_EQ(suite->name, "all");
  EXPECT_EQ(suite->description, "every key");
  ASSERT_EQ(suite->kernels.size(), 4u);
  const KernelEntry& plain = suite->kernels[0];
  EXPECT_EQ(plain.configurations[0].text, "default");
  EXPECT_EQ(plain.shapes.set->text, "canonical");
  EXPECT_EQ(plain.baselines[0].text, "sdpa");
  EXPECT_EQ(plain.measuring.cache, "cold");
  EXPECT_EQ(plain.measuring.samples, 200u);
  EXPECT_EQ(plain.measuring.protocol, "graph");
  const KernelEntry& full = suite->kernels[1];
  EXPECT_EQ(full.folder.text, "../b");
  EXPECT_EQ(full.configurations.size(), 2u);
  ASSERT_EQ(full.shapes.list.size(), 2u);
  EXPECT_EQ(full.shapes.list[0].dimensions[1].name, "causal");
  EXPECT_EQ(full.shapes.list[0].dimensions[1].values[0], spec::Value(true));
  EXPECT_EQ(full.shapes.list[1].dimensions[1].values[0], spec::Value(spec::DType::bf16));
  EXPECT_EQ(full.dtypes.types, (std::vector{spec::DType::f16, spec::DType::bf16}));
  EXPECT_EQ(full.baselines.size(), 2u);
  EXPECT_EQ(full.measuring, (Measuring{"event", "warm", 8, 300, 400, 2.5, 0.01}));
  const KernelEntry& grid = suite->kernels[2];
  EXPECT_EQ(grid.candidate->text, "library");
  EXPECT_TRUE(grid.baselines.empty());
  ASSERT_TRUE(grid.shapes.grid.has_value());
  EXPECT_EQ(grid.shapes.grid->dimensions[0].values.size(), 3u);
  EXPECT_EQ(grid.shapes.grid->dimensions[1].values.size(), 1u);
  EXPECT_EQ(suite->kernels[3].shapes.set->text, "edges");
}

struct Mistake {
  std::string text;
  std::string expected;  // a part of "place: message"
};

TEST(Suite, EveryMistakeHasItsPlace) {
  const std::vector<Mistake> mistakes = {
      {"", "the file has no [suite] section"},
      {"[suite]\nname = \"s\"\n", "the file has no [[kernel]] section"},
      {"suite = 1\n", "s.toml:1:1: \"suite\" is an integer; expected [suite]"},
      {"[suite]\n[[kernel]]\nfolder = \"a\"\n", "[suite] has no \"name\"; expected name = \"NAME\""},
      {"[suite]\nname = 3\n", "s.toml:2:8: \"name\" in [suite] is an integer; expected a string"},
      {"[suite]\nname = \"\"\n", "s.toml:2:8: \"name\" in [suite] is empty"},
      {"[suite]\nname = \"a\\nb\"\n", "s.toml:2:8: \"name\" in [suite] has line breaks"},
      {"[suite]\nname = \"s\"\ntitle = \"t\"\n", "s.toml:3:1: unknown key \"title\" in [suite]"},
      {"[suit]\n", "s.toml:1:2: unknown section \"suit\" in the file"},
      {"[suite]\nname = \"s\"\n[kernel]\nfolder = \"a\"\n", "s.toml:3:2: \"kernel\" is a table; expected [[kernel]]"},
      {"kernel = [1]\n[suite]\nname = \"s\"\n", "s.toml:1:11: \"kernel\" is an integer; expected a table"},
      {"kernel = []\n[suite]\nname = \"s\"\n", "the file has no [[kernel]]; expected at least one"},
      {"[suite]\nname = \"s\"\n[defaults]\nfolder = \"a\"\n", "s.toml:4:1: unknown key \"folder\" in [defaults]"},
      {"[suite]\nname = \"s\"\n[[defaults]]\ncache = \"warm\"\n", "\"defaults\" in the file is an array"},
      {"[suite]\nname = \"s\"\n[defaults]\ncache = \"hot\"\n",
       "s.toml:4:9: \"cache\" in [defaults] is \"hot\"; expected one of warm, cold"},
      {"[suite]\nname = \"s\"\n[[kernel]]\n", "s.toml:3:1: [[kernel]] number 1 has no \"folder\""},
      {"[suite]\nname = \"s\"\n[[kernel]]\nfolder = \"\"\n", "s.toml:4:10: \"folder\" is empty"},
      {kHead + "shape = \"x\"\n", "s.toml:5:1: unknown key \"shape\" in [[kernel]] number 1"},
      {kHead + "configurations = 3\n", "s.toml:5:18: \"configurations\" in [[kernel]] number 1 is an integer"},
      {kHead + "configurations = \"\"\n", "s.toml:5:18: \"configurations\" in [[kernel]] number 1 is empty"},
      {kHead + "configurations = []\n", "s.toml:5:18: \"configurations\" in [[kernel]] number 1 is empty"},
      {kHead + "configurations = [3]\n",
       "s.toml:5:19: an item of \"configurations\" in [[kernel]] number 1 is an integer"},
      {kHead + "configurations = [\"all\", \"all\"]\n", "s.toml:5:26: \"all\" occurs twice"},
      {kHead + "shapes = 3\n",
       "s.toml:5:10: \"shapes\" in [[kernel]] number 1 is an integer; expected the name of a set"},
      {kHead + "shapes = []\n", "s.toml:5:10: \"shapes\" in [[kernel]] number 1 is empty"},
      {kHead + "shapes = [3]\n", "s.toml:5:11: a shape in [[kernel]] number 1 is an integer; expected a table"},
      {kHead + "shapes = [{}]\n", "s.toml:5:11: the shape is empty"},
      {kHead + "shapes = {}\n", "s.toml:5:10: the grid is empty"},
      {kHead + "shapes = { N = [] }\n", "s.toml:5:16: \"N\" of the grid has no values"},
      {kHead + "shapes = { N = [-1] }\n", "s.toml:5:17: dimension \"N\" is -1; expected at least 0"},
      {kHead + "shapes = [{ N = [1, 2] }]\n", "s.toml:5:17: dimension \"N\" is an array"},
      {kHead + "shapes = [{ N = 1.5 }]\n", "s.toml:5:17: dimension \"N\" is a real number"},
      {kHead + "shapes = [{ dtype = \"f17\" }]\n", "s.toml:5:21: dimension \"dtype\" is \"f17\""},
      {kHead + "dtypes = \"f16\"\n", "s.toml:5:10: \"dtypes\" in [[kernel]] number 1 is a string; expected an array"},
      {kHead + "dtypes = []\n", "s.toml:5:10: \"dtypes\" in [[kernel]] number 1 is empty"},
      {kHead + "dtypes = [\"half\"]\n", "s.toml:5:11: \"half\" in \"dtypes\" is not an element type"},
      {kHead + "baselines = \"sdpa\"\n", "s.toml:5:13: \"baselines\" in [[kernel]] number 1 is a string"},
      {kHead + "baselines = [\"\"]\n", "s.toml:5:14: an item of \"baselines\" in [[kernel]] number 1 is empty"},
      {kHead + "protocol = \"loop\"\n", "s.toml:5:12: \"protocol\" in [[kernel]] number 1 is \"loop\""},
      {kHead + "sets = 65\n", "s.toml:5:8: \"sets\" in [[kernel]] number 1 is 65; expected 1 to 64"},
      {kHead + "samples = 99\n", "s.toml:5:11: \"samples\" in [[kernel]] number 1 is 99; expected 100 to"},
      {kHead + "most_samples = -1\n", "s.toml:5:16: \"most_samples\" in [[kernel]] number 1 is -1"},
      {kHead + "budget = 0\n", "s.toml:5:10: \"budget\" in [[kernel]] number 1 is 0"},
      {kHead + "budget = inf\n", "s.toml:5:10: \"budget\" in [[kernel]] number 1 is not finite"},
      {kHead + "width = 2.0\n", "s.toml:5:9: \"width\" in [[kernel]] number 1 is 2"},
      {kHead + "width = \n", "not valid TOML"},
  };
  for (const Mistake& each : mistakes) {
    const auto suite = parsed(each.text);
    ASSERT_FALSE(suite.ok()) << each.text;
    EXPECT_NE(to_string(suite.error()).find(each.expected), std::string::npos)
        << each.text << "\ngot: " << to_string(suite.error()) << "\nexpected: " << each.expected;
    EXPECT_EQ(suite.error().exit_code, ExitCode::usage);
  }
}

TEST(Suite, SizesAreLimited) {
  std::string grid = "shapes = { ";
  for (const char* name : {"A", "B", "C"}) {
    grid += std::string(name) + " = [";
    for (int i = 1; i <= 40; ++i) grid += std::to_string(i) + ",";
    grid += "], ";
  }
  const auto suite = parsed(kHead + grid.substr(0, grid.size() - 2) + " }\n");
  ASSERT_FALSE(suite.ok());
  EXPECT_NE(suite.error().message.find("more than 20000 shapes"), std::string::npos);
  std::string names = "baselines = [";
  for (int i = 0; i < 1001; ++i) names += "\"b" + std::to_string(i) + "\",";
  EXPECT_FALSE(parsed(kHead + names + "]\n").ok());
  std::string many = "[suite]\nname = \"s\"\n";
  for (size_t i = 0; i <= kMaxKernels; ++i) many += "[[kernel]]\nfolder = \"a\"\n";
  const auto too_many = parsed(many);
  ASSERT_FALSE(too_many.ok());
  EXPECT_NE(too_many.error().message.find("expected at most 1000"), std::string::npos);
}

TEST(Suite, LoadNamesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load(folder.path()).ok());
  EXPECT_FALSE(load(folder.path() / "none.toml").ok());
  const auto file = folder.write("s.toml", kHead);
  const auto suite = load(file);
  ASSERT_TRUE(suite.ok());
  EXPECT_EQ(suite->folder, folder.path());
}

TEST(Suite, AllMistakesAreToldInOneRun) {
  const auto suite = parsed(kHead +
                            "sampels = 200\n"
                            "cache = \"hot\"\n"
                            "baselines = \"sdpa\"\n"
                            "[[kernel]]\n"
                            "shapes = { N = [-1] }\n");
  ASSERT_FALSE(suite.ok());
  EXPECT_EQ(to_string(suite.error()),
            "s.toml:5:1: unknown key \"sampels\" in [[kernel]] number 1\n"
            "  hint: did you mean \"samples\"?\n"
            "s.toml:6:9: \"cache\" in [[kernel]] number 1 is \"hot\"; expected one of warm, cold, rotating\n"
            "s.toml:7:13: \"baselines\" in [[kernel]] number 1 is a string; expected an array\n"
            "  hint: write baselines = [\"sdpa\"]\n"
            "s.toml:8:1: [[kernel]] number 2 has no \"folder\"; expected folder = \"FOLDER\"\n"
            "s.toml:9:17: dimension \"N\" is -1; expected at least 0\n"
            "5 mistakes");
}

}  // namespace
}  // namespace assay::suite
