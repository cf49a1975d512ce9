// SPDX-License-Identifier: MIT
#include "build/toolkit.hpp"

#include <gtest/gtest.h>

#include "fake_toolkit.hpp"

namespace assay::build {
namespace {

TEST(Toolkit, IsFoundThroughTheVariable) {
  const FakeToolkit fake;
  const Result<Toolkit> toolkit = find_toolkit();
  ASSERT_TRUE(toolkit.ok()) << to_string(toolkit.error());
  EXPECT_EQ(toolkit->nvcc, fake.nvcc());
  EXPECT_EQ(toolkit->version, "13.0.88");
}

TEST(Toolkit, IsFoundThroughCudaHomeBeforeThePath) {
  const FakeToolkit fake;
  const Variable no_direct("ASSAY_NVCC", "");
  const Variable home("CUDA_HOME", fake.nvcc().parent_path().parent_path().string());
  const Result<Toolkit> toolkit = find_toolkit();
  ASSERT_TRUE(toolkit.ok()) << to_string(toolkit.error());
  EXPECT_EQ(toolkit->nvcc, fake.nvcc());
}

TEST(Toolkit, AsksForTheVersionOnceWhileTheCompilerStaysTheSame) {
  const FakeToolkit fake;
  const TemporaryFolder memory;
  const Result<Toolkit> first = find_toolkit(memory.path());
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(find_toolkit(memory.path()).ok());
  EXPECT_EQ(fake.runs_of("version"), 1u);
  std::ofstream(fake.nvcc(), std::ios::app) << "# newer\n";
  const Result<Toolkit> changed = find_toolkit(memory.path());
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(fake.runs_of("version"), 2u);
  EXPECT_EQ(changed->identity, first->identity) << "the same release in another file is the same compiler";
}

TEST(Toolkit, FlagsFromTheEnvironmentMakeItAnotherCompiler) {
  const FakeToolkit fake;
  const Result<Toolkit> plain = find_toolkit();
  const Variable flags("NVCC_APPEND_FLAGS", "-O0");
  const Result<Toolkit> steered = find_toolkit();
  ASSERT_TRUE(plain.ok() && steered.ok());
  EXPECT_NE(plain->identity, steered->identity);
}

TEST(Toolkit, AMissingOneIsAnEnvironmentErrorThatSaysHowToGetIt) {
  const Variable none("ASSAY_NVCC", "none");
  const Result<Toolkit> toolkit = find_toolkit();
  ASSERT_FALSE(toolkit.ok());
  EXPECT_EQ(toolkit.error().exit_code, ExitCode::environment);
  EXPECT_NE(toolkit.error().hint.find("12.4"), std::string::npos);
  EXPECT_NE(toolkit.error().hint.find("CUDA_HOME"), std::string::npos);
}

TEST(Toolkit, ANameThatIsNoProgramIsAnError) {
  const Variable wrong("ASSAY_NVCC", "/nowhere/nvcc");
  const Result<Toolkit> toolkit = find_toolkit();
  ASSERT_FALSE(toolkit.ok());
  EXPECT_NE(toolkit.error().message.find("/nowhere/nvcc"), std::string::npos);
}

TEST(Toolkit, ReadsVersions) {
  EXPECT_EQ(version_in("Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0"), "13.0.88");
  EXPECT_EQ(version_in("Cuda compilation tools, release 12.4, V12.4.131"), "12.4.131");
  EXPECT_EQ(version_in("some other compiler 3.1"), "");
  EXPECT_EQ(version_in(""), "");
}

}  // namespace
}  // namespace assay::build
