// SPDX-License-Identifier: MIT
#include "check/cases.hpp"

#include <gtest/gtest.h>
#include <set>

#include "check/shape_fuzzer.hpp"
#include "shape_value.hpp"
#include "spec/configuration.hpp"

namespace assay::check {
namespace {

constexpr const char* kSpecification = R"toml(
[kernel]
name    = "scale"
source  = "scale.cu"
entry   = "scale_d{D}"
targets = ["sm_80"]

[problem]
reference = "copy"
flops     = "B*S*S*D"

[[argument]]
name = "x"
tensor = { dtype = "f16", shape = ["B", "S", "D"], fill = "normal" }
[[argument]]
name = "y"
tensor = { dtype = "f16", shape = ["B", "S", "D"], output = true }

[launch]
grid  = ["ceil_div(S, BLOCK)", "B"]
block = ["32*WARPS"]

[tunable]
BLOCK = [48, 80]
WARPS = [4]

[shapes]
canonical = [{ B = 2, S = 4000, D = 64 }, { B = 1, S = 512, D = 128 }]
grid      = { B = [1, 3], S = [1, 63, 64], D = [64, 65], flag = [false, true] }
constraints = ["B*S != 63"]

[tolerance]
atol = 1e-2
rtol = 1e-2
)toml";

spec::KernelSpec specification(const std::string& text = kSpecification) {
  spec::ParseOptions options;
  options.check_files = false;
  const auto parsed = spec::parse(text, "kernel.toml", ".", options);
  EXPECT_TRUE(parsed) << (parsed ? "" : to_string(parsed.error()));
  return parsed ? *parsed : spec::KernelSpec{};
}

CasePlan plan(const spec::KernelSpec& spec, const CaseOptions& options) {
  const auto made = plan_cases(spec, *spec::default_configuration(spec), options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? *made : CasePlan{};
}

TEST(Domains, OpenAndClosed) {
  const auto list = domains(specification());
  ASSERT_TRUE(list) << to_string(list.error());
  ASSERT_EQ(list->size(), 4u);
  for (const Domain& domain : *list) EXPECT_EQ(domain.open, domain.name == "B" || domain.name == "S") << domain.name;
  // D has a value that is no multiple of 8, but the kernel's name is made from it.
  for (const Domain& domain : *list) {
    if (domain.name == "S") {
      EXPECT_EQ(domain.limit, 4000);
    }
    if (domain.name == "D") {
      EXPECT_EQ(domain.values.size(), 3u);
    }
  }
}

TEST(TileEdges, AreTunablesAndTheBlock) {
  const spec::KernelSpec spec = specification();
  const auto edges = tile_edges(spec, *spec::default_configuration(spec));
  ASSERT_TRUE(edges) << to_string(edges.error());
  EXPECT_EQ(*edges, (std::vector<int64_t>{4, 48, 128}));
}

TEST(Cases, SmallestFirstThenDistributionsThenFuzz) {
  const CasePlan made = plan(specification(), {});
  ASSERT_FALSE(made.cases.empty());
  EXPECT_EQ(spec::volume(made.cases.front().shape), 64);
  double volume = 0;
  Origin origin = Origin::specified;
  std::set<Distribution> distributions;
  for (const Case& one : made.cases) {
    EXPECT_LE(origin, one.origin);
    origin = one.origin;
    if (origin == Origin::specified) {
      EXPECT_GE(spec::volume(one.shape), volume);
      EXPECT_EQ(one.distribution, Distribution::specified);
      volume = spec::volume(one.shape);
    }
    distributions.insert(one.distribution);
  }
  EXPECT_EQ(origin, Origin::fuzz);
  EXPECT_EQ(distributions.size(), all_distributions().size());
}

TEST(Cases, SkipsWhatCostsTooMuchAndSaysSo) {
  const CasePlan made = plan(specification(), {.work_limit = 1e8});
  ASSERT_EQ(made.skipped.size(), 1u);
  EXPECT_EQ(get(made.skipped[0].shape, "S"), 4000);
  EXPECT_NE(made.skipped[0].reason.find("over the limit"), std::string::npos);
  EXPECT_TRUE(plan(specification(), {.work_limit = 1e12}).skipped.empty());
}

TEST(Cases, FuzzStaysWithinConstraintsLimitsAndWork) {
  const spec::KernelSpec spec = specification();
  const CaseOptions options{.seed = 7, .fuzz_cases = 64, .fuzz_work_limit = 1e7};
  std::set<spec::Shape> shapes;
  size_t fuzzed = 0, at_edges = 0, long_ones = 0;
  for (const Case& one : plan(spec, options).cases) {
    if (one.origin != Origin::fuzz) continue;
    ++fuzzed;
    const int64_t s = get(one.shape, "S");
    EXPECT_TRUE(shapes.insert(one.shape).second) << one.shape.text();
    EXPECT_NE(get(one.shape, "B") * s, 63);
    EXPECT_TRUE(s >= 1 && s <= 4000) << one.shape.text();
    EXPECT_LE(*work(spec, *spec::default_configuration(spec), one.shape), 1e7) << one.shape.text();
    at_edges += s % 48 == 47 || s % 48 <= 1 || s % 128 == 127 || s % 128 <= 1;
    long_ones += s > 100;
  }
  EXPECT_EQ(fuzzed, 64u);
  EXPECT_GT(at_edges, 12u) << "seed " << options.seed;
  EXPECT_GT(long_ones, 12u) << "seed " << options.seed;
}

TEST(Cases, ArePlannedTheSameForTheSameSeed) {
  const spec::KernelSpec spec = specification();
  EXPECT_EQ(plan(spec, {.seed = 3}).cases, plan(spec, {.seed = 3}).cases);
  EXPECT_NE(plan(spec, {.seed = 3}).cases, plan(spec, {.seed = 4}).cases);
}

TEST(Cases, WithNothingOpenThereIsNothingToFuzz) {
  std::string text = kSpecification;
  const size_t canonical = text.find("canonical");
  text.replace(canonical, text.find("constraints = [\"B*S") - canonical, "only = [{ B = 8, S = 64, D = 64 }]\n");
  const CasePlan made = plan(specification(text), {});
  for (const Case& one : made.cases) EXPECT_NE(one.origin, Origin::fuzz);
  EXPECT_EQ(made.cases.size(), all_distributions().size());
}

TEST(Cases, ShapesThatTheConfigurationCannotTakeAreSkippedWithTheReason) {
  std::string text = kSpecification;
  text.replace(text.find("WARPS = [4]"), 11, "WARPS = [4]\nconstraints = [\"S % 2 == 0 || BLOCK > 50\"]");
  const CasePlan made = plan(specification(text), {});
  EXPECT_FALSE(made.skipped.empty());
  for (const SkippedShape& skipped : made.skipped) EXPECT_FALSE(skipped.reason.empty());
  for (const Case& one : made.cases) EXPECT_EQ(get(one.shape, "S") % 2, 0) << one.shape.text();
}

}  // namespace
}  // namespace assay::check
