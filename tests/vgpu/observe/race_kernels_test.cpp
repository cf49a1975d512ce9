// SPDX-License-Identifier: MIT
// races/races.cu: what nvcc makes of kernels with a race and of the same kernels without one. Findings name lines that
// say "// race", on both sides; clean kernels have none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/observe/race_check.hpp"

namespace assay::vgpu {
namespace {

const std::string kFolder = ASSAY_SOURCE_DIR "/tests/vgpu/observe/races/";

class RaceKernels : public testing::Test {
 protected:
  RaceKernels() : gpu_(*gpu::find_model("a100")) {
    const auto ptx = read_file(kFolder + "races.ptx");
    const auto source = read_file(kFolder + "races.cu");
    EXPECT_TRUE(ptx.ok() && source.ok());
    for (const std::string_view line : split(*source, '\n')) lines_.emplace_back(line);
    const auto loaded = load(gpu_, *ptx, "races.ptx");
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : to_string(loaded.error()));
    program_ = *loaded;
  }

  std::vector<Finding> findings_of(const Function& kernel, bool one_by_one = false) {
    constexpr size_t kBytes = 65536 * sizeof(uint32_t);
    constexpr uint64_t kPage = 4096;  // so that pages of the shadow begin at the same place every time
    const uint64_t room = *gpu_.memory().allocate(kBytes + kPage, "data");
    const uint64_t data = (room + kPage - 1) / kPage * kPage;
    std::memset(gpu_.memory().host(data), 0, kBytes);
    Launch launch;
    launch.program = program_;
    launch.kernel = &kernel;
    launch.grid = {8, 1, 1};
    launch.block = {128, 1, 1};
    launch.parameters.resize(sizeof data);
    std::memcpy(launch.parameters.data(), &data, sizeof data);
    RaceCheck check;
    check.one_by_one = one_by_one;
    launch.observers = {&check};
    const auto result = gpu_.launch(launch);
    EXPECT_TRUE(result.ok()) << kernel.name << ": " << (result.ok() ? "" : to_string(result.error()));
    if (result.ok() && result->fault) ADD_FAILURE() << kernel.name << ": " << result->fault->message;
    EXPECT_TRUE(gpu_.memory().free(room).ok());
    return check.findings();
  }
  bool says_race(int line) const {
    return line > 0 && static_cast<size_t>(line) <= lines_.size() &&
           lines_[static_cast<size_t>(line) - 1].find("// race") != std::string::npos;
  }
  // The line of the other side: "... at races.cu:12: ..."
  static int other_line(const std::string& message) {
    const size_t at = message.find("races.cu:");
    return at == std::string::npos ? 0 : std::atoi(message.c_str() + at + 9);
  }

  Gpu gpu_;
  const Program* program_ = nullptr;
  std::vector<std::string> lines_;
};

TEST_F(RaceKernels, CleanOnesAreCleanAndRacyOnesAreFoundWithBothSides) {
  size_t clean = 0, racy = 0;
  for (const Function& function : program_->functions) {
    if (!function.is_entry) continue;
    const bool is_clean = function.name.starts_with("clean_");
    ++(is_clean ? clean : racy);
    const std::vector<Finding> findings = findings_of(function);
    std::string text;
    for (const Finding& finding : findings) {
      const SourceLine* line = user_line(finding);
      text += fmt::format("  line {}: {}\n", line != nullptr ? line->line : 0, finding.message);
    }
    EXPECT_EQ(findings.empty(), is_clean) << function.name << "\n" << text;
    // nvcc gives some copies of an unrolled loop the line of a header alone.
    bool any_named = false;
    for (const Finding& finding : findings) {
      const SourceLine* line = user_line(finding);
      ASSERT_NE(line, nullptr);
      const bool here = line->file == "races.cu";
      const int other = other_line(finding.message);
      EXPECT_TRUE(!here || says_race(line->line)) << function.name << "\n" << text;
      EXPECT_TRUE(other == 0 || says_race(other)) << function.name << "\n" << text;
      any_named |= here && other != 0;
    }
    EXPECT_TRUE(is_clean || any_named) << function.name << "\n" << text;
  }
  EXPECT_GE(clean, 22u);
  EXPECT_GE(racy, 22u);
}

// Rows of lanes, lanes that are far apart and lanes alone have ways of their own; what they find is what each lane
// finds that looks for itself.
TEST_F(RaceKernels, QuickLooksFindWhatEachLaneFinds) {
  const auto ptx = read_file(kFolder + "mixture.ptx");
  ASSERT_TRUE(ptx.ok());
  const auto mixture = load(gpu_, *ptx, "mixture.ptx");
  ASSERT_TRUE(mixture.ok()) << to_string(mixture.error());
  size_t races = 0;
  for (const Program* const program : {program_, *mixture}) {
    program_ = program;
    for (const Function& function : program->functions) {
      if (!function.is_entry) continue;
      const std::vector<Finding> quick = findings_of(function), slow = findings_of(function, true);
      ASSERT_EQ(quick.size(), slow.size()) << function.name;
      for (size_t i = 0; i < quick.size(); ++i) {
        EXPECT_EQ(quick[i].message, slow[i].message) << function.name;
        EXPECT_EQ(quick[i].count, slow[i].count) << function.name << ": " << slow[i].message;
        EXPECT_EQ(quick[i].thread, slow[i].thread) << function.name << ": " << slow[i].message;
        EXPECT_EQ(quick[i].bytes, slow[i].bytes) << function.name << ": " << slow[i].message;
        races += quick[i].count;
      }
    }
  }
  EXPECT_GT(races, 10'000u);
}

TEST_F(RaceKernels, EqualValuesAreNamed) {
  const Function* kernel = program_->entry("racy_flag_of_equal_values");
  ASSERT_NE(kernel, nullptr);
  const std::vector<Finding> findings = findings_of(*kernel);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings.front().message.find("both store the same value"), std::string::npos) << findings.front().message;
}

}  // namespace
}  // namespace assay::vgpu
