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

}  // namespace
}  // namespace assay::reference
