// SPDX-License-Identifier: MIT
#include "build/compile.hpp"

#include <gtest/gtest.h>

#include "fake_toolkit.hpp"

namespace assay::build {
namespace {

using std::chrono::seconds;

class Compile : public testing::Test {
 protected:
  Toolkit toolkit() { return *find_toolkit(); }
  CompileRequest request(std::vector<std::string> defines = {}) {
    return {.source = source_, .target = "sm_80", .defines = std::move(defines), .flags = {}, .include_folders = {}};
  }

  FakeToolkit fake_;
  TemporaryFolder project_;
  TemporaryFolder output_;
  std::filesystem::path source_ = project_.write("k.cu", "#include \"tile.cuh\"\nbody\n");
};

TEST_F(Compile, MakesPtxCubinAndDependencies) {
  project_.write("tile.cuh", "tile");
  const Result<CompileOutcome> outcome = compile(toolkit(), request({"-DBLOCK_M=64"}), output_.path(), seconds(20));
  ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
  EXPECT_TRUE(outcome->succeeded) << outcome->output;
  const std::string ptx = *read_file(output_.path() / kPtxName);
  EXPECT_NE(ptx.find("-lineinfo -std=c++17 -DBLOCK_M=64 -ptx -arch=compute_80 k.cu"), std::string::npos) << ptx;
  EXPECT_TRUE(std::filesystem::exists(output_.path() / kCubinName));
  EXPECT_NE(outcome->ptxas_output.find("Used 40 registers"), std::string::npos);
  EXPECT_EQ(outcome->dependencies, (std::vector<std::string>{"k.cu", "tile.cuh", fake_.nvcc().string()}));
}

TEST_F(Compile, AFailureKeepsTheCompilersWords) {
  const Result<CompileOutcome> outcome = compile(toolkit(), request({"-DFAIL=1"}), output_.path(), seconds(20));
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->succeeded);
  EXPECT_EQ(outcome->end, "nvcc exited with 2");
  EXPECT_NE(outcome->output.find("k.cu(7): error: expected a ;"), std::string::npos);
}

TEST_F(Compile, ASlowCompilerMeetsItsTimeLimit) {
  const auto start = std::chrono::steady_clock::now();
  const Result<CompileOutcome> outcome =
      compile(toolkit(), request({"-DSLEEP=30"}), output_.path(), std::chrono::milliseconds(200));
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->succeeded);
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
}

TEST_F(Compile, ACompilerThatIsStoppedLeavesNothingBehind) {
  TemporaryFolder temporary;
  const Variable everybodys("TMPDIR", temporary.path().string());
  ASSERT_TRUE(compile(toolkit(), request({"-DSLEEP=30"}), output_.path(), std::chrono::milliseconds(200)).ok());
  ASSERT_TRUE(compile(toolkit(), request({"-DFAIL=1"}), output_.path(), seconds(20)).ok());
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  EXPECT_TRUE(std::filesystem::is_empty(output_.path()));
}

TEST_F(Compile, AStandardOfTheUsersReplacesOurs) {
  project_.write("tile.cuh", "tile");
  CompileRequest with_flags = request();
  with_flags.flags = {"-std=c++20"};
  with_flags.include_folders = {project_.path() / "inc"};
  ASSERT_TRUE(compile(toolkit(), with_flags, output_.path(), seconds(20)).ok());
  const std::string ptx = *read_file(output_.path() / kPtxName);
  EXPECT_NE(ptx.find("-std=c++20"), std::string::npos);
  EXPECT_NE(ptx.find("-Iinc "), std::string::npos) << "folders near the source by their relative name";
  EXPECT_EQ(ptx.find("-std=c++17"), std::string::npos);
}

TEST(CompileText, VirtualArchitectures) {
  EXPECT_EQ(virtual_architecture("sm_80"), "compute_80");
  EXPECT_EQ(virtual_architecture("sm_90a"), "compute_90a");
}

TEST(CompileText, DependencyRules) {
  EXPECT_EQ(read_dependency_rule("k.ptx : k.cu \\\n    a.h \\\n    /usr/include/b.h\n"),
            (std::vector<std::string>{"k.cu", "a.h", "/usr/include/b.h"}));
  EXPECT_EQ(read_dependency_rule("k.o: k.cu with\\ blank.h\n"), (std::vector<std::string>{"k.cu", "with blank.h"}));
  EXPECT_EQ(read_dependency_rule("nothing here"), std::vector<std::string>{});
  EXPECT_EQ(read_dependency_rule(""), std::vector<std::string>{});
  EXPECT_EQ(read_dependency_rule("k.o: a\\"), std::vector<std::string>{"a\\"});
}

TEST(CompileText, FileNamesDoNotDependOnWhereTheProjectLies) {
  const std::string ptx =
      "\t.file\t1 \"/home/ann/repo/kernels/gemm/gemm.cu\"\n"
      "\t.file\t2 \"/home/ann/repo/kernels/shared/tile.cuh\"\n"
      "\t.file\t3 \"/opt/cuda/bin/../targets/x86_64-linux/include/cuda_fp16.hpp\"\n"
      "\t.file\t4 \"/usr/include/stdlib.h\"\n"
      "\tadd.s32 %r1, %r2, %r3; // \"/home/ann/repo/kernels/gemm/x\"\n"
      ".file 5 \"unfinished";
  EXPECT_EQ(relocate_file_names(ptx, "/home/ann/repo/kernels/gemm", "/opt/cuda"),
            "\t.file\t1 \"gemm.cu\"\n"
            "\t.file\t2 \"../shared/tile.cuh\"\n"
            "\t.file\t3 \"cuda/include/cuda_fp16.hpp\"\n"
            "\t.file\t4 \"/usr/include/stdlib.h\"\n"
            "\tadd.s32 %r1, %r2, %r3; // \"/home/ann/repo/kernels/gemm/x\"\n"
            ".file 5 \"unfinished");
}

}  // namespace
}  // namespace assay::build
