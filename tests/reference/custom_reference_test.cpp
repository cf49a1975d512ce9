// SPDX-License-Identifier: MIT
#include "reference/custom_reference.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "problem_builder.hpp"
#include "reference/reference_program.hpp"

namespace assay::reference {
namespace {

namespace fs = std::filesystem;

class CustomReferenceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = temporary_.path();
    options_.cache_folder = folder_ / "cache";
  }

  fs::path write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file_atomically(folder_ / name, text));
    return folder_ / name;
  }
  Result<CustomReference> compile(const std::string& body) const {
    return CustomReference::compile(
        write("reference.cpp",
              "#include <assay/reference.h>\n#include <math.h>\n#include <signal.h>\n#include <stdio.h>\n"
              "#include <stdlib.h>\n"
              "int assay_reference(AssayProblem* problem) {\n" +
                  body + "\n}\n"),
        options_);
  }
  // The error of compiling or running, or "" if both went well.
  std::string complaint(const std::string& body, const Problem& problem) const {
    const auto reference = compile(body);
    if (!reference) return reference.error().message;
    const auto outputs = reference->evaluate(problem);
    return outputs ? "" : outputs.error().message;
  }
  size_t programs() const {
    return static_cast<size_t>(std::count_if(fs::directory_iterator(options_.cache_folder), fs::directory_iterator(),
                                             [](const auto&) { return true; }));
  }

  TemporaryFolder temporary_;
  fs::path folder_;
  CustomReferenceOptions options_;
};

Problem doubling() {
  return ProblemBuilder().input("x", {2, 2}, {1, -0.0, 1e-310, 4}).output("y", {2, 2}).problem();
}

constexpr const char* kDouble =
    "for (int64_t i = 0; i < assay_tensor(problem, \"y\")->count; ++i)\n"
    "  assay_tensor(problem, \"y\")->data[i] = 2 * assay_tensor(problem, \"x\")->data[i];\n"
    "return 0;";

TEST_F(CustomReferenceTest, Computes) {
  const auto reference = compile(kDouble);
  ASSERT_TRUE(reference) << to_string(reference.error());
  const auto outputs = reference->evaluate(doubling());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("y").values, (std::vector<double>{2, -0.0, 2e-310, 8}));
  EXPECT_TRUE(std::signbit(outputs->at("y").values[1]));
  EXPECT_EQ(outputs->at("y").shape, (Shape{2, 2}));
}

TEST_F(CustomReferenceTest, SeesScalarsVariablesShapesAndTensorsInPlace) {
  const Problem problem = ProblemBuilder()
                              .input("y", {3}, {10, 20, 30})
                              .output("y", {3})
                              .scalar("eps", 0.5)
                              .variable("S", 3)
                              .output("z", {2, 5})
                              .problem();
  const auto reference = compile(
      "const AssayTensor* y = assay_tensor(problem, \"y\");\n"
      "const AssayTensor* z = assay_tensor(problem, \"z\");\n"
      "if (problem->version != 2 || problem->tensor_count != 2 || assay_tensor(problem, \"x\")) return 1;\n"
      "y->data[0] += assay_number(problem, \"eps\", 9);\n"
      "y->data[1] += assay_number(problem, \"S\", 9);\n"
      "y->data[2] += assay_number(problem, \"absent\", 9);\n"
      "for (int i = 0; i < 10; ++i) z->data[i] = (double)(z->rank * 100 + z->shape[0] * 10 + z->shape[1] + "
      "z->is_output);\n"
      "z->data[9] = NAN;\n"
      "return 0;");
  ASSERT_TRUE(reference) << to_string(reference.error());
  const auto outputs = reference->evaluate(problem);
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("y").values, (std::vector<double>{10.5, 23, 39}));
  EXPECT_EQ(outputs->at("z").values[0], 226);
  EXPECT_FALSE(has_result(outputs->at("z").values[9]));
}

TEST_F(CustomReferenceTest, IsCompiledOnceUntilSomethingChanges) {
  const fs::path included = write("factor.h", "#define FACTOR 2\n");
  const std::string body = "#include \"factor.h\"\nassay_tensor(problem, \"y\")->data[0] = FACTOR; return 0;";
  const auto first = compile(body);
  ASSERT_TRUE(first) << to_string(first.error());
  const auto stamp = fs::last_write_time(first->program());
  const auto again = compile(body);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->program(), first->program());
  EXPECT_EQ(fs::last_write_time(again->program()), stamp);
  write("factor.h", "#define FACTOR 3\n");
  const auto changed = compile(body);
  ASSERT_TRUE(changed);
  EXPECT_NE(changed->program(), first->program());
  const auto outputs = changed->evaluate(ProblemBuilder().output("y", {1}).problem());
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->at("y").values, std::vector<double>{3});
  EXPECT_EQ(programs(), 2u) << "scratch folders must be gone";
}

TEST_F(CustomReferenceTest, ItsMessageIsShown) {
  EXPECT_EQ(complaint("return assay_fail(problem, \"expected an even S\");", doubling()),
            "the reference refused the problem: expected an even S");
  EXPECT_NE(complaint("return 3;", doubling()).find("gave no message"), std::string::npos);
}

TEST_F(CustomReferenceTest, ACrashIsAnError) {
  EXPECT_EQ(complaint("raise(SIGSEGV); return 0;", doubling()), "the reference crashed: it was killed by SIGSEGV");
}

TEST_F(CustomReferenceTest, AHangIsAnError) {
  options_.run_time_limit = std::chrono::milliseconds(300);
  const std::string hang = complaint("for (volatile int i = 0;; ++i) {}", doubling());
  EXPECT_NE(hang.find("time limit"), std::string::npos) << hang;
}

TEST_F(CustomReferenceTest, NoOrHalfAnAnswerIsAnError) {
  EXPECT_NE(complaint("exit(0);", doubling()).find("without an answer"), std::string::npos);
  EXPECT_NE(complaint("exit(7);", doubling()).find("exited with 7"), std::string::npos);
  const std::string half = complaint("assay_tensor(problem, \"y\")->data[0] = 1; return 0;", doubling());
  EXPECT_NE(half.find("left 3 of 4 elements of 'y' unwritten, the first at position 1"), std::string::npos) << half;
}

TEST_F(CustomReferenceTest, PrintingDoesNoHarm) {
  EXPECT_EQ(complaint(std::string("puts(\"hello\"); ") + kDouble, doubling()), "");
}

TEST_F(CustomReferenceTest, WhatDoesNotCompileShowsTheCompilersWords) {
  const auto reference = compile("return undefined_name;");
  ASSERT_FALSE(reference);
  EXPECT_NE(reference.error().message.find("undefined_name"), std::string::npos);
  EXPECT_EQ(reference.error().exit_code, ExitCode::usage);
  EXPECT_EQ(reference.error().place.file, (folder_ / "reference.cpp").string());
}

TEST_F(CustomReferenceTest, AMissingFunctionOrFileOrCompilerIsExplained) {
  const auto empty = CustomReference::compile(write("empty.cpp", "int unrelated;\n"), options_);
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().message.find("assay_reference"), std::string::npos);
  EXPECT_FALSE(CustomReference::compile(folder_ / "absent.cpp", options_));
  options_.compiler = "no-such-compiler";
  const auto reference = compile(kDouble);
  ASSERT_FALSE(reference);
  EXPECT_EQ(reference.error().exit_code, ExitCode::environment);
  EXPECT_NE(reference.error().hint.find("g++"), std::string::npos);
}

TEST(PublicHeader, IsTheOneInTheRepository) {
  const auto file = read_file(fs::path(ASSAY_SOURCE_DIR) / "include/assay/reference.h");
  ASSERT_TRUE(file) << to_string(file.error());
  EXPECT_EQ(*file, program_text("reference.h"));
}

TEST(PublicHeader, IsPlainC) {
  Command command;
  command.arguments = {"c++", "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-"};
  command.input = std::string(program_text("reference.h"));
  const auto outcome = assay::run(command);
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_TRUE(outcome->succeeded()) << outcome->errors;
}

bool has_numpy() {
  static const bool kFound = [] {
    for (const char* python : {"python3", "/usr/bin/python3"}) {
      Command command;
      command.arguments = {python, "-c", "import numpy"};
      const auto outcome = run(command);
      if (outcome && outcome->succeeded()) return true;
    }
    return false;
  }();
  return kFound;
}

class PythonReferenceTest : public CustomReferenceTest {
 protected:
  void SetUp() override {
    CustomReferenceTest::SetUp();
    if (!has_numpy()) GTEST_SKIP() << "no Python with NumPy here";
    problem_.inputs["x"] = {"x", {2, 3}, {1, 2, 3, 4, 5, 6}};
    problem_.output_shapes["y"] = {2};
    problem_.scalars["scale"] = 0.5;
    problem_.variables["N"] = 3;
  }
  Result<Outputs> evaluate(const std::string& text, ProgramRole role = ProgramRole::reference) const {
    ASSAY_TRY(const CustomReference reference, CustomReference::compile(write("r.py", text), options_, role));
    return reference.evaluate(problem_);
  }
  std::string complaint(const std::string& text) const {
    const auto outputs = evaluate(text);
    return outputs ? "" : outputs.error().message;
  }

  Problem problem_;
};

TEST_F(PythonReferenceTest, GetsWhatItNamesAndReturnsAnArray) {
  const auto outputs = evaluate("def reference(x, scale, N):\n    assert N == 3\n    return scale * x.sum(axis=1)\n");
  ASSERT_TRUE(outputs.ok()) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("y").values, (std::vector<double>{3, 7.5}));
}

TEST_F(PythonReferenceTest, ItsMistakesAreItsOwn) {
  EXPECT_EQ(complaint("def reference(z):\n    return z\n"),
            "the reference refused the problem: reference() asks for z; there are: N, scale, x");
  EXPECT_EQ(complaint("def reference(x):\n    return x\n"),
            "the reference refused the problem: 'y' has the shape [2, 3]; expected [2]");
  EXPECT_EQ(complaint("x = 1\n"), "the reference refused the problem: the file defines no function reference(...)");
  EXPECT_NE(complaint("def reference(x):\n    return 1 / 0\n").find("ZeroDivisionError"), std::string::npos);
  options_.run_time_limit = std::chrono::seconds(2);
  EXPECT_NE(complaint("def reference(x):\n    while True: pass\n").find("time"), std::string::npos);
}

constexpr int64_t kFar = (int64_t{1} << 60) + 1;

// y = x + s, all of them beyond what a double holds.
Problem large_integers() {
  Problem problem;
  problem.inputs["x"] = {"x", {2}, {0x1p60, 3}, {static_cast<uint64_t>(kFar), 3}, Integers::i64};
  problem.output_shapes["y"] = {2};
  problem.output_integers["y"] = Integers::i64;
  problem.scalars["s"] = 0x1p60;
  problem.large_scalars["s"] = kFar;
  return problem;
}

TEST_F(CustomReferenceTest, GetsAndGivesLargeIntegersExactly) {
  const auto exact = compile(
      "const int64_t* x = assay_i64(assay_tensor(problem, \"x\"));\n"
      "int64_t* y = assay_i64(assay_tensor(problem, \"y\"));\n"
      "if (assay_u64(assay_tensor(problem, \"x\"))) return assay_fail(problem, \"another type\");\n"
      "for (int i = 0; i < 2; ++i) y[i] = x[i] + assay_integer(problem, \"s\", 0);\nreturn 0;");
  ASSERT_TRUE(exact) << to_string(exact.error());
  const auto outputs = exact->evaluate(large_integers());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("y").words, (std::vector<uint64_t>{2 * kFar, kFar + 3}));
}

TEST_F(CustomReferenceTest, IsRefusedIfItReadsOrLeavesWhatADoubleDoesNotHold) {
  const auto complaint = [&](const std::string& body) {
    const auto reference = compile(body);
    EXPECT_TRUE(reference) << to_string(reference.error());
    const auto outputs = reference->evaluate(large_integers());
    return outputs ? "" : outputs.error().message;
  };
  const std::string zero = "assay_tensor(problem, \"y\")->data[0] = assay_tensor(problem, \"y\")->data[1] = 0;\n";
  const std::string ask = "assay_i64(assay_tensor(problem, \"x\"));\n";
  EXPECT_EQ(complaint(zero + "return 0;"), "the reference reads a number that float64 does not hold: element 0 of 'x'");
  EXPECT_EQ(complaint(zero + ask + "return 0;"), "") << "asked for exactly, and so seen";
  EXPECT_EQ(complaint(zero + ask + "return assay_number(problem, \"s\", 0) < 0;"),
            "the reference reads a number that float64 does not hold: 's'");
  EXPECT_EQ(complaint(ask + "assay_i64(assay_tensor(problem, \"y\"))[1] = 7;\nreturn 0;"),
            "the reference left 1 of 2 elements of 'y' unwritten, the first at position 0");
}

TEST_F(PythonReferenceTest, GetsAndGivesLargeIntegersExactly) {
  problem_ = large_integers();
  const auto words = [&](const std::string& text) {
    const auto outputs = evaluate(text);
    EXPECT_TRUE(outputs.ok()) << to_string(outputs.error());
    return outputs ? outputs->at("y").words : std::vector<uint64_t>();
  };
  const std::vector<uint64_t> right = {2 * kFar, kFar + 3};
  EXPECT_EQ(words("def reference(x, s):\n    return x + s\n"), right);
  EXPECT_EQ(words("def reference(x, s):\n    return [int(v) + s for v in x]\n"), right);
  EXPECT_EQ(words("import numpy\ndef reference(x, s):\n    return (x + s).astype(object)\n"), right);
  EXPECT_EQ(words("def reference(x, s):\n    return (x + s).astype('float64')\n"), std::vector<uint64_t>())
      << "doubles remain what they are";
  EXPECT_EQ(words("import numpy\ndef reference(x, s):\n    return numpy.array([2**63, 1], dtype='uint64')\n"),
            std::vector<uint64_t>())
      << "no i64 is that large";
}

TEST_F(PythonReferenceTest, AComparisonSaysWhyOrNothing) {
  problem_.output_shapes.clear();
  const auto judged = [&](const std::string& text) {
    const auto reference = CustomReference::compile(write("c.py", text), options_, ProgramRole::compare);
    const auto verdict = reference->judge(problem_);
    EXPECT_TRUE(verdict.ok()) << to_string(verdict.error());
    return *verdict ? **verdict : "right";
  };
  EXPECT_EQ(judged("def compare(x):\n    return None\n"), "right");
  EXPECT_EQ(judged("def compare(x):\n    return x[0, 0] == 1\n"), "right");
  EXPECT_EQ(judged("def compare(x):\n    return 'not sorted'\n"), "not sorted");
  EXPECT_EQ(judged("def compare(x):\n    return x[0, 0] == 2\n"), "the comparison says that the outputs are wrong");
}

TEST_F(CustomReferenceTest, AComparisonInCppHasItsOwnName) {
  const auto compare = CustomReference::compile(
      write("compare.cpp",
            "#include <assay/reference.h>\nint assay_compare(AssayProblem* problem) {\n"
            "  return assay_tensor(problem, \"x\")->data[0] > 1 ? assay_fail(problem, \"too large\") : 0;\n}\n"),
      options_, ProgramRole::compare);
  ASSERT_TRUE(compare.ok()) << to_string(compare.error());
  Problem problem;
  problem.inputs["x"] = {"x", {1}, {1}};
  EXPECT_FALSE(compare->judge(problem)->has_value());
  problem.inputs["x"].values[0] = 2;
  EXPECT_EQ(**compare->judge(problem), "too large");
}

}  // namespace
}  // namespace assay::reference
