// SPDX-License-Identifier: MIT
// planted/*.cu: kernels with a planted mistake, and the same without it, as nvcc compiles them. planted_KIND_name must
// show a finding of that kind on a line that says "// finds KIND"; whatever else is found must be on such a line too,
// and the other side that its message names on one that says "finds" or "side". clean_name must show nothing, under all
// checks together.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/observe/check_registry.hpp"
#include "vgpu/observe/checked_launch.hpp"

namespace assay::vgpu {
namespace {

const std::string kPlantedFolder = ASSAY_SOURCE_DIR "/tests/vgpu/observe/planted/";

struct PlantedFile {
  const char* name;
  const char* model;
  size_t least;  // pairs
};

class PlantedKernels : public testing::TestWithParam<PlantedFile> {
 protected:
  PlantedKernels() : gpu_(*gpu::find_model(GetParam().model)) {
    const std::string stem = kPlantedFolder + GetParam().name;
    const auto ptx = read_file(stem + ".ptx");
    const auto source = read_file(stem + ".cu");
    EXPECT_TRUE(ptx.ok() && source.ok()) << stem;
    for (const std::string_view line : split(*source, '\n')) lines_.emplace_back(line);
    const auto loaded = load(gpu_, *ptx, stem + ".ptx");
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : to_string(loaded.error()));
    program_ = *loaded;
  }

  std::vector<Finding> findings_of(const Function& kernel) {
    constexpr size_t kBytes = 65536 * sizeof(uint32_t);
    const uint64_t data = *gpu_.memory().allocate(kBytes, "data");
    const uint64_t fresh = *gpu_.memory().allocate(kBytes, "fresh");
    std::memset(gpu_.memory().host(data), 0, kBytes);
    std::memset(gpu_.memory().host(fresh), 0xff, kBytes);
    UnwrittenMemory unwritten;
    unwritten.add(fresh, kBytes);
    Launch launch;
    launch.program = program_;
    launch.kernel = &kernel;
    launch.grid = {8, 1, 1};
    launch.block = {kernel.max_threads, 1, 1};
    launch.instruction_limit = 2'000'000;
    for (const uint64_t address : {data, fresh}) {
      launch.parameters.resize(launch.parameters.size() + sizeof address);
      std::memcpy(launch.parameters.data() + launch.parameters.size() - sizeof address, &address, sizeof address);
    }
    const auto checked = launch_checked(gpu_, launch, all_checks(), unwritten);
    EXPECT_TRUE(checked.ok()) << kernel.name << ": " << (checked.ok() ? "" : to_string(checked.error()));
    EXPECT_TRUE(gpu_.memory().free(data).ok() && gpu_.memory().free(fresh).ok());
    if (!checked.ok()) return {};
    std::vector<Finding> findings = checked->found.findings();
    if (checked->result.fault) findings.push_back(*checked->result.fault);
    return findings;
  }

  bool says(int line, std::string_view what) const {
    return line > 0 && static_cast<size_t>(line) <= lines_.size() &&
           lines_[static_cast<size_t>(line) - 1].find(what) != std::string::npos;
  }
  bool is_marked(int line) const { return says(line, "// finds") || says(line, "// side"); }
  // The line of the other side: "... at races.cu:12: ..."
  int other_line(const std::string& message) const {
    const std::string file = std::string(GetParam().name) + ".cu:";
    const size_t at = message.find(file);
    return at == std::string::npos ? 0 : std::atoi(message.c_str() + at + file.size());
  }
  static std::string text_of(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
      const SourceLine* line = user_line(finding);
      text += fmt::format("  line {}: {}: {} [{}]\n", line != nullptr ? line->line : 0, gpu::to_string(finding.kind),
                          finding.message, trim(finding.instruction));
    }
    return text;
  }

  void expect_planted(const Function& function) {
    const std::vector<Finding> findings = findings_of(function);
    const std::string text = text_of(findings);
    bool found = false;
    bool other_side = false;
    for (const Finding& finding : findings) {
      const SourceLine* line = user_line(finding);
      ASSERT_NE(line, nullptr) << function.name << "\n" << text;
      // nvcc gives some copies of an unrolled loop the line of a header alone.
      if (line->file != std::string(GetParam().name) + ".cu") continue;
      const std::string kind(gpu::to_string(finding.kind));
      const bool right_place = says(line->line, "// finds " + kind);
      EXPECT_TRUE(right_place) << function.name << ": " << kind << " at line " << line->line << "\n" << text;
      const int other = other_line(finding.message);
      EXPECT_TRUE(other == 0 || is_marked(other)) << function.name << ": other side at line " << other << "\n" << text;
      if (!right_place || !function.name.starts_with("planted_" + kind + "_")) continue;
      found = true;
      other_side |= other != 0;
    }
    EXPECT_TRUE(found) << function.name << "\n" << text;
    const bool has_two_sides = function.name.starts_with("planted_race_");
    EXPECT_TRUE(other_side || !has_two_sides) << function.name << "\n" << text;
  }

  Gpu gpu_;
  const Program* program_ = nullptr;
  std::vector<std::string> lines_;
};

TEST_P(PlantedKernels, MistakesAreFoundWhereTheyAreAndCleanTwinsAreClean) {
  size_t clean = 0, planted = 0;
  for (const Function& function : program_->functions) {
    if (!function.is_entry) continue;
    ASSERT_FALSE(function.undecodable.has_value()) << function.name << ": " << to_string(*function.undecodable);
    if (function.name.starts_with("planted_")) {
      ++planted;
      expect_planted(function);
      continue;
    }
    ++clean;
    ASSERT_TRUE(function.name.starts_with("clean_")) << function.name;
    const std::vector<Finding> findings = findings_of(function);
    EXPECT_TRUE(findings.empty()) << function.name << "\n" << text_of(findings);
  }
  EXPECT_GE(clean, GetParam().least);
  EXPECT_GE(planted, GetParam().least);
}

// At least forty with a mistake, half of them variations of kernels that people write, and as many correct ones.
TEST(PlantedKernelCount, FortyMistakesHalfOfThemInRealKernels) {
  constexpr std::array kReal = {"reduction", "scan",    "gemm",     "product", "tiles",    "histogram",   "bins",
                                "stream_k",  "slice",   "split",    "stencil", "halo",     "look_back",   "chained",
                                "transpose", "softmax", "rescaled", "layer",   "warp_sum", "running_max", "copy_ring"};
  size_t planted = 0, real = 0, clean = 0;
  for (const char* file : {"planted/asynchronous", "planted/contents", "planted/mbarriers", "planted/memory",
                           "planted/phases", "planted/protocols", "races/races"}) {
    const auto ptx = read_file(fmt::format(ASSAY_SOURCE_DIR "/tests/vgpu/observe/{}.ptx", file));
    ASSERT_TRUE(ptx.ok()) << file;
    for (const std::string_view line : split(*ptx, '\n')) {
      constexpr std::string_view kEntry = ".visible .entry ";
      if (!line.starts_with(kEntry)) continue;
      const std::string_view name = line.substr(kEntry.size());
      const bool correct = name.starts_with("clean_");
      ++(correct ? clean : planted);
      const auto is_in_name = [&](const char* word) { return name.find(word) != name.npos; };
      real += !correct && std::ranges::any_of(kReal, is_in_name) ? 1 : 0;
    }
  }
  EXPECT_GE(planted, 40u);
  EXPECT_GE(clean, 40u);
  EXPECT_GE(real, 20u);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedKernels,
                         testing::Values(PlantedFile{"asynchronous", "h100", 15}, PlantedFile{"contents", "a100", 16},
                                         PlantedFile{"mbarriers", "h100", 15}, PlantedFile{"memory", "a100", 19},
                                         PlantedFile{"phases", "h100", 21}, PlantedFile{"protocols", "h100", 13}),
                         [](const auto& file) { return std::string(file.param.name); });

}  // namespace
}  // namespace assay::vgpu
