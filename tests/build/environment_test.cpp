// SPDX-License-Identifier: MIT
#include "build/environment.hpp"

#include <gtest/gtest.h>

#include "fake_toolkit.hpp"

namespace assay::build {
namespace {

const Fact& fact(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& candidate : facts) {
    if (candidate.name == name) return candidate;
  }
  throw std::out_of_range("no fact about " + name);
}

TEST(Environment, NamesEverythingOnceAndHintsAtWhatIsMissing) {
  const TemporaryFolder cache;
  const std::vector<Fact> facts = environment_facts(cache.path());
  for (const char* name : {"nvcc", "ptxas", "host compiler", "driver", "nvidia-smi", "ncu", "compute-sanitizer",
                           "python3", "torch", "git", "cores", "memory", "disk", "cache"}) {
    EXPECT_FALSE(fact(facts, name).value.empty()) << name;
    if (fact(facts, name).status == FactStatus::missing) {
      EXPECT_FALSE(fact(facts, name).hint.empty()) << name;
    }
  }
  EXPECT_EQ(facts.size(), 14u);
  EXPECT_EQ(fact(facts, "cache").value, cache.path().string());
  EXPECT_NE(fact(facts, "memory").value.find("GiB"), std::string::npos);
}

TEST(Environment, TellsTheCompilersVersionAndPlace) {
  const FakeToolkit fake;
  const TemporaryFolder cache;
  const Fact nvcc = fact(environment_facts(cache.path()), "nvcc");
  EXPECT_EQ(nvcc.status, FactStatus::ok);
  EXPECT_EQ(nvcc.value, "13.0.88 (" + fake.nvcc().string() + ")");
}

TEST(Environment, AMachineWithNothing) {
  const TemporaryFolder empty;
  const Variable none("ASSAY_NVCC", "none");
  const Variable no_programs("PATH", empty.path().string());
  const std::vector<Fact> facts = environment_facts(empty.path() / "file" / "cache");
  for (const char* name :
       {"nvcc", "ptxas", "host compiler", "nvidia-smi", "ncu", "compute-sanitizer", "python3", "torch", "git"}) {
    EXPECT_EQ(fact(facts, name).status, FactStatus::missing) << name;
    EXPECT_FALSE(fact(facts, name).hint.empty()) << name;
  }
  EXPECT_EQ(fact(facts, "cache").status, FactStatus::ok) << "it can be created";
}

TEST(Environment, ADriverIsFoundByItsFile) {
  const TemporaryFolder folder;
  folder.write("libcuda.so.550.54.15", "");
  std::filesystem::create_symlink("libcuda.so.550.54.15", folder.path() / "libcuda.so.1");
  const Variable libraries("LD_LIBRARY_PATH", folder.path().string());
  const Fact driver = fact(environment_facts(folder.path()), "driver");
  EXPECT_EQ(driver.status, FactStatus::ok);
  EXPECT_EQ(driver.value, "550.54.15 (" + (folder.path() / "libcuda.so.1").string() + ")");
}

TEST(Environment, ReadsTheNewestHostCompilerThatNvccTakes) {
  EXPECT_EQ(newest_supported_gcc("#error -- unsupported GNU version! gcc versions later than 15 are not supported!"),
            15);
  EXPECT_EQ(newest_supported_gcc("something else"), 0);
  EXPECT_EQ(newest_supported_gcc("gcc versions later than "), 0);
}

}  // namespace
}  // namespace assay::build
