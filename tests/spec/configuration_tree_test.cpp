// SPDX-License-Identifier: MIT
#include "spec/configuration_tree.hpp"

#include <gtest/gtest.h>
#include <set>

#include "sample_spec.hpp"
#include "spec/configuration_sampler.hpp"

namespace assay::spec {
namespace {

KernelSpec with_tunables(const std::string& tunables) {
  const std::string text = R"toml([kernel]
name = "k"
source = "k.cu"
entry = "k"
targets = ["sm_90"]
[problem]
reference = "row_sum"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["N"] }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["N"], output = true }
[launch]
grid = ["N"]
block = [32]
[let]
PRODUCT = "A*B"
[shapes]
canonical = [{ N = 1024 }]
[tunable]
)toml" + tunables;
  auto spec = parse(text, "kernel.toml", ".", {.check_files = false});
  EXPECT_TRUE(spec.ok()) << to_string(spec.error());
  return std::move(spec).value();
}

// 10^8 combinations; constraints bind A to B, and C to D.
const std::string kLarge = R"toml(A = { from = 1, to = 100 }
B = { from = 1, to = 100 }
C = { from = 1, to = 100 }
D = { from = 1, to = 100 }
constraints = ["PRODUCT <= 100", "C % D == 0"]
)toml";

size_t pairs_up_to_100() {
  size_t count = 0;
  for (int a = 1; a <= 100; ++a) count += 100 / static_cast<size_t>(a);
  return count;  // pairs with a*b <= 100: as many as pairs of which one divides the other
}

TEST(ConfigurationTree, WalksInTheFilesOrderAndStops) {
  const KernelSpec spec = with_tunables("A = [1, 2, 3]\nB = [1, 2]\nconstraints = [\"A != 2\"]\n");
  ConfigurationTree tree(spec);
  std::vector<ConfigurationRow> rows;
  const auto whole = tree.walk([&](const ConfigurationRow& row) -> Result<bool> {
    rows.push_back(row);
    return true;
  });
  EXPECT_TRUE(*whole);
  EXPECT_EQ(rows, (std::vector<ConfigurationRow>{{0, 0}, {0, 1}, {2, 0}, {2, 1}}));
  EXPECT_EQ(configuration_of(spec, rows[2]).id(), "A=3,B=1");
  EXPECT_EQ(row_of(spec, configuration_of(spec, rows[2])), rows[2]);
  EXPECT_FALSE(*tree.walk([](const ConfigurationRow&) -> Result<bool> { return false; }));
  EXPECT_FALSE(*tree.walk([](const ConfigurationRow&) -> Result<bool> { return true; }, 3));
}

// B = 0 would be a division by zero, and the constraint before keeps it away although C comes later in the tree.
TEST(ConfigurationTree, OneConstraintShieldsTheNext) {
  const KernelSpec spec =
      with_tunables("A = [4]\nB = [0, 2]\nC = [0, 1]\nconstraints = [\"C == 0 && B > 0\", \"A % B == 0\"]\n");
  EXPECT_EQ(configurations(spec)->size(), 1u);
}

TEST(ConfigurationTree, ALargeSpaceIsLoadedAndItsDefaultIsFoundAtOnce) {
  const KernelSpec spec = with_tunables(kLarge + "[defaults]\nA = 1\nB = 100\nC = 100\nD = 50\n");
  EXPECT_EQ(default_configuration(spec)->id(), "A=1,B=100,C=100,D=50");
  EXPECT_EQ(parse_configuration(spec, "D=25")->id(), "A=1,B=100,C=100,D=25");
  const auto list = configurations(spec);
  ASSERT_FALSE(list.ok());
  EXPECT_NE(list.error().message.find("too many for a list"), std::string::npos) << list.error().message;
  EXPECT_EQ(matching_configurations(spec, "A=50,B=2,D=10")->size(), 10u);
}

TEST(ConfigurationSampler, CountsGroupsApartAndDrawsLegalOnes) {
  const KernelSpec spec = with_tunables(kLarge);
  EXPECT_EQ(groups_of_tunables(spec), (std::vector<std::vector<size_t>>{{0, 1}, {2, 3}}));
  auto sampler = ConfigurationSampler::make(spec, {}, 1);
  ASSERT_TRUE(sampler.ok());
  const double each = static_cast<double>(pairs_up_to_100());
  EXPECT_EQ(sampler->count(), each * each);
  EXPECT_TRUE(sampler->exact());
  EXPECT_EQ(sampler->combinations(), 1e8);
  Random random(7);
  std::set<ConfigurationRow> seen;
  for (int i = 0; i < 200; ++i) {
    const auto row = sampler->draw(random);
    ASSERT_TRUE(row.ok() && row->has_value());
    EXPECT_TRUE(*sampler->legal(**row));
    seen.insert(**row);
  }
  EXPECT_GT(seen.size(), 190u);
  EXPECT_FALSE(*sampler->legal({99, 99, 0, 0}));
}

// One constraint binds all: nothing can be listed, and random paths estimate.
TEST(ConfigurationSampler, EstimatesWhereOneConstraintBindsAll) {
  const KernelSpec spec = with_tunables(
      "A = { from = 0, to = 99 }\nB = { from = 0, to = 99 }\nC = { from = 0, to = 99 }\nD = { from = 0, to = 99 }\n"
      "constraints = [\"A + B + C + D < 150\"]\n");
  auto sampler = ConfigurationSampler::make(spec, {}, 1);
  ASSERT_TRUE(sampler.ok());
  EXPECT_FALSE(sampler->exact());
  double exact = 0;
  for (int a = 0; a < 100; ++a) {
    for (int b = 0; b < 100; ++b) {
      for (int c = 0; c < 100; ++c) exact += std::clamp(150 - a - b - c, 0, 100);
    }
  }
  EXPECT_NEAR(sampler->count() / exact, 1, 4 * sampler->error());
  EXPECT_LT(sampler->error(), 0.1);
  Random random(3);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(*sampler->legal(**sampler->draw(random)));
}

}  // namespace
}  // namespace assay::spec
