// SPDX-License-Identifier: MIT
#include "reference/reference.hpp"

#include <gtest/gtest.h>

#include "problem_builder.hpp"

namespace assay::reference {
namespace {

TEST(References, AreFoundByName) {
  for (const char* name : {"attention_forward", "copy", "gemm", "layer_norm", "row_reduction", "softmax"}) {
    const auto found = find_reference(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->name, name);
  }
}

TEST(References, AnUnknownNameListsTheKnownOnes) {
  const auto found = find_reference("sofmax");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("row_reduction"), std::string::npos);
  EXPECT_EQ(found.error().hint, "did you mean 'softmax'?");
  EXPECT_EQ(found.error().exit_code, ExitCode::usage);
}

TEST(References, EvaluateByName) {
  ProblemBuilder builder;
  builder.input("x", {2}, {1, 2}).output("y", {});
  const auto outputs = evaluate(*find_reference("row_reduction"), builder.problem());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("y").values, std::vector<double>{3});
}

TEST(References, ExpectWhatIsReadAndWrittenAndNotTheirsAsItWas) {
  ProblemBuilder builder;
  builder.input("x", {2}, {1, 2}).output("y", {}).input("arrivals", {3}, {0, 7, 0}).output("arrivals", {3});
  const auto outputs = evaluate(*find_reference("row_reduction"), builder.problem());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("y").values, std::vector<double>{3});
  EXPECT_EQ(outputs->at("arrivals").values, (std::vector<double>{0, 7, 0}));
}

std::string complaint(const ProblemBuilder& builder) {
  const auto outputs = evaluate(*find_reference("softmax"), builder.problem());
  return outputs ? "" : outputs.error().message;
}

TEST(References, SayWhichArgumentIsWrong) {
  EXPECT_NE(complaint(ProblemBuilder().input("z", {1}, {1}).output("y", {1})).find("'x' is missing"),
            std::string::npos);
  EXPECT_NE(complaint(ProblemBuilder().input("x", {1}, {1}).input("z", {1}, {1}).output("y", {1})).find("'z'"),
            std::string::npos);
  EXPECT_NE(complaint(ProblemBuilder().input("x", {1}, {1}).output("o", {1})).find("no output 'o'"), std::string::npos);
  EXPECT_NE(complaint(ProblemBuilder().input("x", {1}, {1})).find("'y'"), std::string::npos);
  EXPECT_NE(complaint(ProblemBuilder().input("x", {2}, {1}).output("y", {2})).find("needs 2 values, found 1"),
            std::string::npos);
  EXPECT_NE(complaint(ProblemBuilder().input("x", {-2}, {}).output("y", {-2})).find("impossible"), std::string::npos);
  EXPECT_EQ(complaint(ProblemBuilder().input("x", {1}, {1}).output("y", {1})), "");
}

TEST(References, NoneCrashesOnTensorsWithoutDimensionsOrElements) {
  for (const Reference& reference : references()) {
    for (const Shape& shape :
         {Shape{}, Shape{0}, Shape{1}, Shape{0, 0}, Shape{0, 3}, Shape{3, 0}, Shape{0, 0, 0}, Shape{2, 2, 2, 2, 2}}) {
      ProblemBuilder builder;
      for (const std::string& name : reference.inputs) builder.normal(name, shape, 1);
      builder.output(reference.output, shape);
      const auto outputs = evaluate(reference, builder.problem());
      if (outputs) {
        EXPECT_EQ(outputs->size(), 1u) << reference.name << " " << to_string(shape);
      }
    }
  }
}

TEST(References, RefuseIntegersThatADoubleDoesNotHold) {
  Problem problem = ProblemBuilder().input("x", {2}, {0x1p60, 1}).output("y", {}).problem();
  EXPECT_TRUE(evaluate(*find_reference("row_reduction"), problem));
  problem.inputs["x"].integers = Integers::i64;
  problem.inputs["x"].words = {uint64_t{1} << 60, 1};
  EXPECT_TRUE(evaluate(*find_reference("row_reduction"), problem)) << "a double holds it";
  problem.inputs["x"].words = {(uint64_t{1} << 60) + 1, 1};
  const auto refused = evaluate(*find_reference("row_reduction"), problem);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the reference 'row_reduction' computes in float64, which does not hold 1152921504606846977, element 0 of "
            "'x'");
  problem.output_shapes["y"] = {2};
  const auto copied = evaluate(*find_reference("copy"), problem);
  ASSERT_TRUE(copied) << to_string(copied.error());
  EXPECT_EQ(copied->at("y").words, problem.inputs["x"].words);
}

}  // namespace
}  // namespace assay::reference
