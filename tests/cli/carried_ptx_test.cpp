// SPDX-License-Identifier: MIT
// The PTX that kernels carry is what nvcc makes of their sources: regenerated and compared where nvcc is there.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "build/builder.hpp"
#include "build/carried_artifact.hpp"
#include "build/toolkit.hpp"
#include "spec/configuration.hpp"

namespace assay::cli {
namespace {

std::vector<std::filesystem::path> kernel_specs() {
  std::vector<std::filesystem::path> specs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/kernels")) {
    if (entry.path().filename() == "kernel.toml") specs.push_back(entry.path());
  }
  std::sort(specs.begin(), specs.end());
  return specs;
}

// Names with internal linkage hold a hash of where the source lay ("_INTERNAL_5b383140_...", "_GLOBAL__N__..."), in the
// text and in the strings for debuggers at its end: neither is part of what the kernel does.
std::string without_place_of_source(std::string ptx) {
  if (const size_t strings = ptx.find(".section"); strings != std::string::npos) ptx.resize(strings);
  constexpr size_t kHashDigits = 8;
  for (const std::string_view mark : {"_INTERNAL_", "_GLOBAL__N__"}) {
    for (size_t at = ptx.find(mark); at != std::string::npos; at = ptx.find(mark, at + mark.size())) {
      ptx.replace(at + mark.size(), kHashDigits, kHashDigits, '0');
    }
  }
  return ptx;
}

TEST(CarriedPtx, EveryKernelCarriesEveryTargetAndItIsUpToDate) {
  for (const auto& path : kernel_specs()) {
    const auto spec = spec::load(path);
    ASSERT_TRUE(spec.ok()) << to_string(spec.error());
    const auto configuration = spec::default_configuration(*spec);
    ASSERT_TRUE(configuration.ok()) << to_string(configuration.error());
    for (const std::string& target : spec->kernel.targets) {
      const auto carried = build::load_carried(*spec, *configuration, target);
      EXPECT_TRUE(carried.ok()) << path << " " << target << ": " << to_string(carried.error())
                                << " (make carry regenerates it)";
    }
  }
}

TEST(CarriedPtx, IsWhatTheCompilerMakesOfTheSources) {
  for (const auto& path : kernel_specs()) {
    const auto spec = spec::load(path);
    ASSERT_TRUE(spec.ok());
    const auto configuration = spec::default_configuration(*spec);
    ASSERT_TRUE(configuration.ok());
    // One target of each kernel: compiling is slow, and the sources are the same.
    const std::string target = spec->kernel.targets.back();
    build::BuildOptions options;
    options.targets = {target};
    options.quiet = true;
    const auto report = build::build(*spec, {*configuration}, options);
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    const build::BuildResult& result = report->results.at(0);
    const auto carried = build::load_carried(*spec, *configuration, target);
    ASSERT_TRUE(carried.ok());
    // Another compiler makes other text of the same source; without one the carried text itself comes back.
    if (report->compiler && *report->compiler != carried->compiler) continue;
    ASSERT_TRUE(result.usable()) << result.reason << result.output;
    EXPECT_TRUE(without_place_of_source(*read_file(result.ptx)) == without_place_of_source(carried->ptx))
        << path << " " << target << ": make carry regenerates it";
  }
}

}  // namespace
}  // namespace assay::cli
