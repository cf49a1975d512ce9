// SPDX-License-Identifier: MIT
// The rows of docs/exit_codes.md: whose fault it is, and with which code and words the program says so.
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "reduction_copy.hpp"

namespace assay::cli {
namespace {

constexpr const char* kShape = "ROWS=2,COLUMNS=513";

class ExitCodes : public testing::Test {
 protected:
  // The specification with one text in the place of another.
  void change_specification(const std::string& from, const std::string& to) const {
    const auto text = read_file(file());
    ASSERT_TRUE(text.ok());
    ASSERT_NE(text->find(from), std::string::npos) << from;
    copy_.folder().write("reduction/kernel.toml", replace_all(*text, from, to));
  }
  void use_reference(const std::string& body, const std::string& output = "y") const {
    change_specification("\"row_reduction\"", "\"reference.cpp\"");
    copy_.folder().write("reduction/reference.cpp",
                         "#include <assay/reference.h>\n#include <cmath>\n#include <cstdlib>\n"
                         "int assay_reference(AssayProblem* p) {\n"
                         "  const AssayTensor* y = assay_tensor(p, \"" +
                             output + "\");\n  const AssayTensor* x = assay_tensor(p, \"x\");\n" + body +
                             "\n  return 0;\n}\n");
  }
  void use_reference_again(const std::string& body) const {
    change_specification("\"reference.cpp\"", "\"row_reduction\"");
    use_reference(body);
  }
  std::string file() const { return (copy_.kernel() / "kernel.toml").string(); }
  ProcessOutcome run_on(const std::string& command, std::vector<std::string> more) const {
    std::vector<std::string> arguments{command, copy_.kernel().string(), "--device", "vgpu:l4", "--ledger", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return assay_program(arguments);
  }
  ProcessOutcome check(std::vector<std::string> more = {"--shape", kShape}) const { return run_on("check", more); }

  void expect_error(const ProcessOutcome& outcome, int code, const std::string& words) const {
    EXPECT_EQ(outcome.exit_status, code) << outcome.output << outcome.errors;
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.output.find("INCORRECT"), std::string::npos) << outcome.output;
  }

  ReductionCopy copy_;
};

TEST_F(ExitCodes, ACorrectKernelIsGood) {
  const ProcessOutcome outcome = check();
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find(" % of the tolerance)\n"), std::string::npos) << outcome.output;
}

// A sum of terms that cancel is many units of its last place off, and well within the tolerance.
TEST_F(ExitCodes, ACorrectKernelIsShownNoNumberThatAlarms) {
  const ProcessOutcome outcome = check({"--shape", "ROWS=64,COLUMNS=8192"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_EQ(outcome.output.find(" ulp, "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find(" % of the tolerance)\n"), std::string::npos) << outcome.output;
}

TEST_F(ExitCodes, AWrongValueIsIncorrect) {
  copy_.change_ptx(
      "sm_89", [](const std::string& text) { return replace_all(text, "mov.u32 \t%r43, 16;", "mov.u32 \t%r43, 8;"); });
  const ProcessOutcome outcome = check();
  EXPECT_EQ(outcome.exit_status, 5) << outcome.errors;
  EXPECT_NE(outcome.output.find("INCORRECT"), std::string::npos) << outcome.output;
}

TEST_F(ExitCodes, AKernelThatNeverEndsIsIncorrect) {
  const ProcessOutcome outcome =
      assay_program({"check", "kernels/broken/hangs", "--instruction-limit", "200000", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 5) << outcome.output << outcome.errors;
}

TEST_F(ExitCodes, OurTimeLimitIsInconclusive) {
  const ProcessOutcome outcome = check({"--shape", "ROWS=1024,COLUMNS=4096", "--time-limit", "0.05"});
  EXPECT_EQ(outcome.exit_status, 4) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("INCONCLUSIVE"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("INCORRECT"), std::string::npos) << outcome.output;
  const ProcessOutcome sanitize = run_on("sanitize", {"--shape", "ROWS=1024,COLUMNS=4096", "--time-limit", "0.05"});
  EXPECT_EQ(sanitize.exit_status, 4) << sanitize.output << sanitize.errors;
}

TEST_F(ExitCodes, AnInstructionThatTheVirtualGpuLacksCannotBeJudgedHere) {
  copy_.change_ptx("sm_89", [](const std::string& text) {
    return replace_all(text, "mov.u32 \t%r43, 16;", "mov.u32 \t%r43, 16;\n\tnosuchinstruction.u32 \t%r43, %r43;");
  });
  expect_error(check(), 6, "nosuchinstruction.u32");
  expect_error(run_on("sanitize", {}), 6, "nosuchinstruction.u32");
}

TEST_F(ExitCodes, NotEnoughMemoryNamesTheSizeWanted) {
  const ProcessOutcome outcome = check({"--shape", "ROWS=1000000,COLUMNS=2000000"});
  expect_error(outcome, 6, "8000004000000 bytes");
}

TEST_F(ExitCodes, NoSuchEntryIsAMistakeOfTheSpecification) {
  change_specification("\"row_sum_f32\"", "\"column_sum_f32\"");
  expect_error(check(), 2, "column_sum_f32");
  expect_error(run_on("sanitize", {}), 2, "row_sum_f32");
}

TEST_F(ExitCodes, AnotherNumberOrSizeOfArgumentsIsAMistakeOfTheSpecification) {
  change_specification("scalar = { type = \"i32\", value = \"COLUMNS\" }",
                       "scalar = { type = \"i64\", value = \"COLUMNS\" }");
  expect_error(check(), 2, "has 8 bytes, but parameter 3");
  change_specification("scalar = { type = \"i64\", value = \"COLUMNS\" }",
                       "scalar = { type = \"i32\", value = \"COLUMNS\" }\n\n[[argument]]\nname = \"more\"\n"
                       "scalar = { type = \"i32\", value = \"1\" }");
  expect_error(check(), 2, "takes 3 parameters");
}

TEST_F(ExitCodes, AReferenceThatNamesOtherTensorsIsAMistake) {
  change_specification("\"row_reduction\"", "\"softmax\"");
  change_specification("name   = \"y\"", "name   = \"z\"");
  expect_error(check(), 2, "reference");
}

TEST_F(ExitCodes, ACompilationThatFailedIsTheKernelsFault) {
  const std::string compiler = copy_.compiler_that("echo 'reduction.cu(9): error: no such thing' >&2; exit 2").string();
  for (const char* name : {"build", "check", "sanitize", "run"}) {
    Command command = assay_command({name, copy_.kernel().string(), "--ledger", "none"});
    command.environment["ASSAY_NVCC"] = compiler;
    command.environment["ASSAY_CACHE"] = (copy_.folder().path() / "cache").string();
    command.folder = copy_.folder().path();
    const ProcessOutcome outcome = run_command(command);
    EXPECT_EQ(outcome.exit_status, 5) << name << outcome.output << outcome.errors;
    EXPECT_NE((outcome.output + outcome.errors).find("error: no such thing"), std::string::npos)
        << name << outcome.output << outcome.errors;
  }
}

TEST_F(ExitCodes, AReferenceThatDoesNotCompileIsNamed) {
  use_reference("  this is no C++;");
  expect_error(check(), 2, "the reference does not compile");
}

TEST_F(ExitCodes, AReferenceThatCrashesIsNamed) {
  use_reference("  std::abort();");
  expect_error(check(), 2, "reference");
}

TEST_F(ExitCodes, AReferenceThatHangsIsNamed) {
  use_reference("  volatile bool forever = true;\n  while (forever) {\n  }");
  change_specification("[launch]", "[limits]\nreference_seconds = 1\n\n[launch]");
  expect_error(check(), 2, "the reference 'reference.cpp'");
}

TEST_F(ExitCodes, ATrapIsTheKernelsFault) {
  copy_.change_ptx("sm_89", [](const std::string& text) { return replace_all(text, "ret;", "trap;"); });
  const ProcessOutcome outcome = check();
  EXPECT_EQ(outcome.exit_status, 5) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("INCORRECT"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("fault"), std::string::npos) << outcome.output;
}

TEST_F(ExitCodes, OfSeveralKernelsTheWorstCounts) {
  const std::string sound = copy_.kernel().string();
  const std::vector<std::string> shape{"--shape", kShape, "--device", "vgpu:l4", "--ledger", "none"};
  const auto check_all = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    words.insert(words.end(), shape.begin(), shape.end());
    return assay_program(words).exit_status;
  };
  EXPECT_EQ(check_all({sound, sound}), 0);
  EXPECT_EQ(check_all({sound, "kernels/nowhere"}), 2);
  copy_.change_ptx("sm_89", [](const std::string& text) { return replace_all(text, "ret;", "trap;"); });
  EXPECT_EQ(check_all({"kernels/reduction", sound}), 5);
  EXPECT_EQ(check_all({sound, "kernels/nowhere"}), 2) << "before 5: nothing is known of that one";
}

constexpr const char* kRowSums = R"(
  const int64_t columns = x->count / y->count;
  for (int64_t r = 0; r < y->count; ++r) {
    y->data[r] = 0;
    for (int64_t c = 0; c < columns; ++c) y->data[r] += x->data[r * columns + c];
  })";

TEST_F(ExitCodes, AReferenceOfTheUsersIsAskedBeforeAKernelRuns) {
  // The kernel itself is wrong as well: whose fault is told first shows what ran first.
  copy_.change_ptx("sm_89", [](const std::string& text) { return replace_all(text, "ret;", "trap;"); });
  use_reference(
      R"(  if (assay_tensor(p, "bias") == NULL) return assay_fail(p, "expected a tensor 'bias'"); (void)x; (void)y;)");
  const ProcessOutcome outcome = check();
  expect_error(outcome, 2, "expected a tensor 'bias'");
  expect_error(outcome, 2, "the reference 'reference.cpp' is to blame");
  use_reference_again(kRowSums);
  EXPECT_EQ(check().exit_status, 5) << "now it is the kernel";
}

TEST_F(ExitCodes, AReferenceThatIgnoresItsInputsIsNoVerdict) {
  use_reference("  for (int64_t i = 0; i < y->count; ++i) y->data[i] = 1 + i; (void)x;");
  expect_error(check(), 2, "the reference gives the same for both");
  use_reference_again(std::string(kRowSums) + "\n  (void)p;");
  const ProcessOutcome right = check({"--shape", kShape, "--json"});
  EXPECT_EQ(right.exit_status, 0) << right.errors;
  EXPECT_EQ(parsed(right)["would_have_caught"]["results_vary"], true);
  use_reference_again("  for (int64_t i = 0; i < y->count; ++i) y->data[i] = 0; (void)x;");
  copy_.change_ptx("sm_89", [](const std::string& text) {
    return replace_all(text, "st.global.f32 \t[%rd44], %f98;", "st.global.u32 \t[%rd44], 0;");
  });
  const ProcessOutcome same = check();
  expect_error(same, 2, "the reference gives the same for both");
}

TEST_F(ExitCodes, AnOutputOfEqualValuesIsSuspicious) {
  change_specification("\"normal\"", "\"zeros\"");
  const ProcessOutcome outcome = check();
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("suspicious of the reference: y: all 2 values are 0"), std::string::npos)
      << outcome.output;
}

TEST_F(ExitCodes, ACheckThatCannotFailIsNoVerdict) {
  const ProcessOutcome narrow = check({"--shape", kShape, "--json"});
  EXPECT_EQ(narrow.exit_status, 0) << narrow.errors;
  for (const auto& trial : parsed(narrow)["would_have_caught"]["perturbations"]) EXPECT_EQ(trial["caught"], true);
  EXPECT_EQ(parsed(narrow)["would_have_caught"]["perturbations"].size(), 4u);
  EXPECT_NE(
      check().output.find("would have caught: one element, one row, one ulp beyond tolerance, NaN (in y at shape"),
      std::string::npos);
  change_specification("[tolerance]", "[tolerance.f32]\natol = 1e6\nrtol = 1e-5\n[tolerance]");
  const ProcessOutcome wide = check();
  expect_error(wide, 2, "no verdict, this check cannot fail: one element is not caught: y[");
  expect_error(wide, 2, "narrow [tolerance]");
  EXPECT_EQ(wide.output.find("correct"), std::string::npos) << wide.output;
}

TEST_F(ExitCodes, AReferenceThatDefinesNothingIsNoVerdict) {
  use_reference("  for (int64_t i = 0; i < y->count; ++i) y->data[i] = NAN; (void)x;");
  expect_error(check(), 2, "the reference");
  change_specification("\"reference.cpp\"", "\"reference.cpp\"\noptions = { nonfinite = true }");
  expect_error(check(), 2, "nothing was compared");
}

TEST_F(ExitCodes, ANaNThatTheSpecificationDoesNotExpectIsTheReferencesMistake) {
  use_reference(R"(
  for (int64_t r = 0; r < y->count; ++r) {
    y->data[r] = 0;
    for (int64_t c = 0; c < x->count / y->count; ++c) y->data[r] += x->data[r * (x->count / y->count) + c];
  }
  y->data[1] = NAN;)");
  expect_error(check(), 2, "y[1]");
  change_specification("\"reference.cpp\"", "\"reference.cpp\"\noptions = { nonfinite = true }");
  const ProcessOutcome outcome = check({"--shape", kShape, "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_EQ(parsed(outcome)["cases"][0]["compared"], 1);
  EXPECT_EQ(parsed(outcome)["cases"][0]["elements"], 2);
}

TEST_F(ExitCodes, ABuildThatBuiltNothingIsNotGood) {
  std::filesystem::remove_all(copy_.kernel() / "ptx");
  const ProcessOutcome outcome = run_on("build", {});
  EXPECT_EQ(outcome.exit_status, 6) << outcome.output << outcome.errors;
}

TEST_F(ExitCodes, RunSaysTheSameAsItsSteps) {
  copy_.change_ptx("sm_89", [](const std::string& text) {
    return replace_all(text, "mov.u32 \t%r43, 16;", "mov.u32 \t%r43, 16;\n\tnosuchinstruction.u32 \t%r43, %r43;");
  });
  const std::string report = (copy_.folder().path() / "report.json").string();
  const ProcessOutcome outcome = run_on("run", {"--report", report});
  EXPECT_EQ(outcome.exit_status, 6) << outcome.output << outcome.errors;
}

TEST(ExitCodePage, NamesEveryCode) {
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/exit_codes.md");
  ASSERT_TRUE(page.ok());
  for (int code = 0; code <= 6; ++code)
    EXPECT_NE(page->find("| " + std::to_string(code) + " | "), std::string::npos) << code;
}

// What happened, as the page's second table has it, and a test of the program that it happens in.
const std::map<std::string, std::vector<std::string>> kTestsOfRows = {
    {"a wrong value, NaN or infinity, an element that was not written, an input that was changed",
     {"ExitCodes.AWrongValueIsIncorrect", "All/BrokenKernelTest.FailsAsExpected/nan_on_masked_row",
      "All/BrokenKernelTest.FailsAsExpected/unwritten_output", "All/BrokenKernelTest.FailsAsExpected/writes_input"}},
    {"a bad access, a race, a read of unwritten memory",
     {"All/BrokenKernelTest.FailsAsExpected/out_of_bounds_read",
      "All/BrokenKernelTest.FailsAsExpected/race_missing_barrier",
      "All/BrokenKernelTest.FailsAsExpected/unfilled_tile"}},
    {"a trap, an assertion, a deadlock, the instruction limit: a kernel that never ends",
     {"ExitCodes.ATrapIsTheKernelsFault", "All/BrokenKernelTest.FailsAsExpected/mbarrier_never_completes",
      "ExitCodes.AKernelThatNeverEndsIsIncorrect"}},
    {"more threads, registers or shared memory than the device has",
     {"All/BrokenKernelTest.FailsAsExpected/shared_memory_too_large"}},
    {"a compilation that failed", {"ExitCodes.ACompilationThatFailedIsTheKernelsFault"}},
    {"our time limit (`--time-limit`), while the kernel still makes progress",
     {"ExitCodes.OurTimeLimitIsInconclusive"}},
    {"an instruction or a feature that the virtual GPU lacks",
     {"ExitCodes.AnInstructionThatTheVirtualGpuLacksCannotBeJudgedHere"}},
    {"not enough memory for the shape", {"ExitCodes.NotEnoughMemoryNamesTheSizeWanted"}},
    {"no GPU, no nvcc, no tool", {"MeasuringCommands.SayWhatIsMissingWithoutAGpu"}},
    {"`build` without nvcc, and no prebuilt PTX to use instead", {"ExitCodes.ABuildThatBuiltNothingIsNotGood"}},
    {"no such entry in the compiled kernel", {"ExitCodes.NoSuchEntryIsAMistakeOfTheSpecification"}},
    {"another number of arguments than the kernel has parameters, or of another size",
     {"ExitCodes.AnotherNumberOrSizeOfArgumentsIsAMistakeOfTheSpecification"}},
    {"a reference that names tensors that the specification does not have",
     {"ExitCodes.AReferenceThatNamesOtherTensorsIsAMistake"}},
    {"a reference that crashed, hung, or could not be compiled",
     {"ExitCodes.AReferenceThatCrashesIsNamed", "ExitCodes.AReferenceThatHangsIsNamed",
      "ExitCodes.AReferenceThatDoesNotCompileIsNamed"}},
    {"a reference with NaN or infinity where the specification does not expect one (`nonfinite`)",
     {"ExitCodes.ANaNThatTheSpecificationDoesNotExpectIsTheReferencesMistake"}},
    {"a reference that defines no element at all, so that nothing was compared",
     {"ExitCodes.AReferenceThatDefinesNothingIsNoVerdict"}},
    {"a reference with a number that no element of the output's type is near: 0.5 or 1e12 for i32, 2 for bool",
     {"hostile: compiled: half an integer, which no kernel can write",
      "hostile: compiled: an integer that its type cannot hold", "hostile: compiled: 2 for a bool"}},
    {"a reference that reads or gives integers as float64 where float64 does not hold them: beyond 2^53",
     {"hostile: compiled: a reference that reads doubles", "hostile: compiled: a reference that gives doubles"}},
    {"shapes whose outputs have no element, so that nothing was compared",
     {"hostile: shapes without an element: nothing is compared"}},
    {"a reference of the user's whose results are the same for two seeds, though the inputs differ",
     {"ExitCodes.AReferenceThatIgnoresItsInputsIsNoVerdict"}},
    {"a check that cannot fail: the tolerance takes a wrong copy of the expected output for right, an output has no "
     "result "
     "at all, a comparison of the user's accepts rubbish",
     {"ExitCodes.ACheckThatCannotFailIsNoVerdict", "hostile: a comparison that takes everything for right"}},
    {"a mistake in kernel.toml, suite.toml or the command line",
     {"SpecificationTest.what_compares_and_what_fills_must_exist_and_fit", "Commands.AWrongOptionIsAnsweredInWords"}},
};

// Tests of this program, and cases of tests/hostile.
std::set<std::string> known_tests() {
  std::set<std::string> known;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      known.insert(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
  }
  for (const char* kind : {"references", "specifications", "integers"}) {
    const auto cases = read_file(std::string(ASSAY_SOURCE_DIR "/tests/hostile/") + kind + ".toml");
    EXPECT_TRUE(cases.ok());
    if (!cases.ok()) continue;
    for (const std::string_view line : split(*cases, '\n')) {
      constexpr std::string_view kName = "name = \"";
      if (line.starts_with(kName))
        known.insert("hostile: " + std::string(line.substr(kName.size(), line.size() - kName.size() - 1)));
    }
  }
  return known;
}

TEST(ExitCodePage, HasATestForEachRow) {
  const std::set<std::string> known = known_tests();
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/exit_codes.md");
  ASSERT_TRUE(page.ok());
  const std::string_view table = std::string_view(*page).substr(page->find("## Whose fault is it?"));
  size_t rows = 0;
  for (const std::string_view line : split(table, '\n')) {
    if (!line.starts_with("| ") || line.starts_with("| what happened")) continue;
    const std::string what(trim(split(line, '|')[1]));
    const auto found = kTestsOfRows.find(what);
    ASSERT_NE(found, kTestsOfRows.end()) << "no test is named for: " << what;
    for (const std::string& test : found->second) EXPECT_TRUE(known.contains(test)) << test << " does not exist";
    ++rows;
  }
  EXPECT_EQ(rows, kTestsOfRows.size()) << "a test is named for a row that the page does not have";
}

}  // namespace
}  // namespace assay::cli
