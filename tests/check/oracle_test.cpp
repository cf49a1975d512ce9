// SPDX-License-Identifier: MIT
#include "check/oracle.hpp"

#include <gtest/gtest.h>

#include "../support/mentions.hpp"
#include "../support/temporary_folder.hpp"
#include "base/process.hpp"

namespace assay::check {
namespace {

// c = alpha * a b + beta * c, of two rows and columns; alpha is an argument, beta an option or a dimension.
std::string toml_of(const std::string& reference, const std::string& options = "") {
  return "[kernel]\nname = \"product\"\nsource = \"product.cu\"\nentry = \"product\"\ntargets = [\"sm_80\"]\n"
         "[problem]\nreference = \"" +
         reference + "\"\n" + options + R"toml(
[[argument]]
name = "a"
tensor = { dtype = "f32", shape = ["N", "N"] }
[[argument]]
name = "b"
tensor = { dtype = "f32", shape = ["N", "N"] }
[[argument]]
name = "c"
tensor = { dtype = "f32", shape = ["N", "N"], inout = true }
[[argument]]
name = "alpha"
scalar = { type = "f32", value = "0.5" }
[launch]
grid = ["1"]
block = ["32"]
[shapes]
canonical = [{ N = 2, transposed = false }]
)toml";
}

class OracleTest : public testing::Test {
 protected:
  spec::KernelSpec load(const std::string& toml) const {
    folder_.write("product.cu", "// never compiled\n");
    folder_.write("kernel.toml", toml);
    auto spec = spec::load(folder_.path());
    EXPECT_TRUE(spec.ok()) << (spec ? "" : to_string(spec.error()));
    return *spec;
  }
  Result<reference::Outputs> evaluate(const spec::KernelSpec& spec, const Oracle& oracle) const {
    const spec::Shape shape = *spec::first_shape(spec);
    const auto arguments = spec::resolve_arguments(spec, *spec::default_configuration(spec), shape);
    EXPECT_TRUE(arguments.ok());
    return oracle.expected(spec, shape, *arguments,
                           {{"a", {1, 2, 3, 4}}, {"b", {1, 0, 0, 1}}, {"c", {10, 20, 30, 40}}});
  }

  TemporaryFolder folder_;
};

TEST_F(OracleTest, evaluates_a_built_in_reference_with_its_scalars) {
  const spec::KernelSpec spec = load(toml_of("gemm"));
  const auto oracle = Oracle::open(spec, folder_.path() / "cache");
  ASSERT_TRUE(oracle.ok()) << to_string(oracle.error());
  const auto outputs = evaluate(spec, *oracle);
  ASSERT_TRUE(outputs.ok()) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("c").values, (std::vector<double>{0.5, 1, 1.5, 2}));
}

TEST_F(OracleTest, gives_options_to_the_reference_as_numbers) {
  for (const char* beta : {"1", "1.0", "true"}) {
    const spec::KernelSpec spec = load(toml_of("gemm", std::string("[problem.options]\nbeta = ") + beta + "\n"));
    const auto oracle = Oracle::open(spec, folder_.path() / "cache");
    ASSERT_TRUE(oracle.ok());
    const auto outputs = evaluate(spec, *oracle);
    ASSERT_TRUE(outputs.ok()) << to_string(outputs.error());
    EXPECT_EQ(outputs->at("c").values, (std::vector<double>{10.5, 21, 31.5, 42})) << beta;
  }
}

TEST_F(OracleTest, what_the_kernel_gets_counts_before_an_option_of_that_name) {
  const spec::KernelSpec spec = load(toml_of("gemm", "[problem.options]\nalpha = 7\n"));
  const auto oracle = Oracle::open(spec, folder_.path() / "cache");
  ASSERT_TRUE(oracle.ok());
  const auto outputs = evaluate(spec, *oracle);
  ASSERT_TRUE(outputs.ok()) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("c").values, (std::vector<double>{0.5, 1, 1.5, 2}));
}

TEST_F(OracleTest, allows_infinities_where_the_reference_does) {
  const auto oracle = Oracle::open(load(toml_of("gemm")), folder_.path() / "cache");
  ASSERT_TRUE(oracle.ok());
  EXPECT_TRUE(oracle->allows_infinities("a"));
  EXPECT_FALSE(oracle->allows_infinities("c"));
  EXPECT_FALSE(oracle->allows_infinities("nothing"));
}

TEST_F(OracleTest, refuses_an_unknown_reference_with_a_list) {
  spec::KernelSpec spec = load(toml_of("gemm"));
  spec.problem.reference = "gem";
  const auto oracle = Oracle::open(spec, folder_.path() / "cache");
  ASSERT_FALSE(oracle.ok());
  EXPECT_TRUE(mentions(oracle.error().message, "'gem'")) << oracle.error().message;
  EXPECT_TRUE(mentions(oracle.error().hint, "gemm")) << oracle.error().hint;
}

TEST_F(OracleTest, says_which_argument_the_reference_misses) {
  const spec::KernelSpec spec = load(toml_of("gemm"));
  const auto oracle = Oracle::open(spec, folder_.path() / "cache");
  ASSERT_TRUE(oracle.ok());
  const spec::Shape shape = *spec::first_shape(spec);
  const auto arguments = spec::resolve_arguments(spec, *spec::default_configuration(spec), shape);
  const auto outputs = oracle->expected(spec, shape, *arguments, {{"a", {1, 2, 3, 4}}});
  ASSERT_FALSE(outputs.ok());
  EXPECT_TRUE(mentions(outputs.error().message, "'b' is missing")) << outputs.error().message;
}

TEST_F(OracleTest, refuses_a_reference_file_that_is_not_there) {
  spec::KernelSpec spec = load(toml_of("gemm"));
  spec.problem.reference = "missing.cpp";
  spec.problem.reference_is_file = true;
  EXPECT_FALSE(Oracle::open(spec, folder_.path() / "cache").ok());
}

}  // namespace
}  // namespace assay::check
