// SPDX-License-Identifier: MIT
// The prebuilt PTX of kernels is what nvcc makes of their sources: regenerated and compared where nvcc is there.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "build/builder.hpp"
#include "build/prebuilt_artifact.hpp"
#include "build/toolkit.hpp"
#include "reduction_copy.hpp"
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

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// What is compiled, without what it happens to be called. A name with internal linkage holds hashes of where the source
// lay, and nvcc's process id in an anonymous namespace ("_GLOBAL__N__9fcdb811_18_tensor_map_copy_cu_b1b3e21b_31958");
// its length, which mangling puts in front, varies with that. Such names become numbers in the order in which they
// appear. The strings for debuggers at the end hold them too, and are no part of what the kernel does.
std::string without_internal_names(std::string_view ptx) {
  ptx = ptx.substr(0, ptx.find(".section"));
  std::string text;
  std::map<std::string_view, size_t> numbers;
  for (size_t at = 0; at < ptx.size();) {
    size_t end = at;
    while (end < ptx.size() && is_name_character(ptx[end])) ++end;
    const std::string_view word = ptx.substr(at, std::max<size_t>(end - at, 1));
    if (word.find("_GLOBAL__N_") != word.npos || word.find("_INTERNAL_") != word.npos) {
      text += "internal_" + std::to_string(numbers.try_emplace(word, numbers.size()).first->second);
    } else {
      text += word;
    }
    at += word.size();
  }
  return text;
}

TEST(PrebuiltPtx, NamesOfAnonymousNamespacesAreNoDifference) {
  const auto kernel = [](const std::string& one, const std::string& other) {
    return "mov.u32 %r1, _ZN39_GLOBAL__N__" + one + "6s_fullE;\nmov.u32 %r2, _ZN39_GLOBAL__N__" + other + "6s_tileE;\n";
  };
  const std::string text =
      without_internal_names(kernel("9fcdb811_7_copy_cu_b1b3e21b_31958", "9fcdb811_7_copy_cu_b1b3e21b_31958"));
  EXPECT_EQ(text, "mov.u32 %r1, internal_0;\nmov.u32 %r2, internal_1;\n");
  EXPECT_EQ(text, without_internal_names(kernel("0badcafe_7_copy_cu_12345678_7", "0badcafe_7_copy_cu_12345678_7")));
  EXPECT_EQ(without_internal_names("add.f32 %f1, %f2, %f3;"), "add.f32 %f1, %f2, %f3;");
}

TEST(PrebuiltPtx, OtherUsesOfTheSameNamesAreADifference) {
  EXPECT_NE(without_internal_names("st [_GLOBAL__N__1_a], 0; st [_GLOBAL__N__1_b], 0; ld [_GLOBAL__N__1_a];"),
            without_internal_names("st [_GLOBAL__N__1_a], 0; st [_GLOBAL__N__1_b], 0; ld [_GLOBAL__N__1_b];"));
}

TEST(PrebuiltPtx, EveryKernelCarriesEveryTargetAndItIsUpToDate) {
  for (const auto& path : kernel_specs()) {
    const auto spec = spec::load(path);
    ASSERT_TRUE(spec.ok()) << to_string(spec.error());
    const auto configuration = spec::default_configuration(*spec);
    ASSERT_TRUE(configuration.ok()) << to_string(configuration.error());
    for (const std::string& target : spec->kernel.targets) {
      const auto prebuilt = build::load_prebuilt(*spec, *configuration, target);
      EXPECT_TRUE(prebuilt.ok()) << path << " " << target << ": " << to_string(prebuilt.error())
                                 << " (make prebuilt regenerates it)";
    }
  }
}

TEST(PrebuiltPtx, IsWhatTheCompilerMakesOfTheSources) {
  for (const auto& path : kernel_specs()) {
    const auto spec = spec::load(path);
    ASSERT_TRUE(spec.ok());
    const auto configuration = spec::default_configuration(*spec);
    ASSERT_TRUE(configuration.ok());
    // One target of each kernel: compiling is slow, and the sources are the same.
    const std::string target = spec->kernel.targets.back();
    build::BuildOptions options;
    options.targets = {target};
    const auto report = build::build(*spec, {*configuration}, options);
    ASSERT_TRUE(report.ok()) << to_string(report.error());
    const build::BuildResult& result = report->results.at(0);
    const auto prebuilt = build::load_prebuilt(*spec, *configuration, target);
    ASSERT_TRUE(prebuilt.ok());
    // Another compiler makes other text of the same source; without one the prebuilt text itself comes back.
    if (report->compiler && *report->compiler != prebuilt->compiler) continue;
    ASSERT_TRUE(result.usable()) << result.reason << result.output;
    EXPECT_TRUE(without_internal_names(*read_file(result.ptx)) == without_internal_names(prebuilt->ptx))
        << path << " " << target << ": make prebuilt regenerates it";
  }
}

TEST(PrebuiltPtx, IsWrittenWithADocumentForPrograms) {
  const ReductionCopy copy;
  const ProcessOutcome outcome = assay_program({"build", copy.kernel().string(), "--prebuilt", "--json"}, true);
  const nlohmann::json document = parsed(outcome);
  if (outcome.exit_status == static_cast<int>(ExitCode::environment)) GTEST_SKIP() << "there is no nvcc";
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_EQ(document["verdict"], "good");
  ASSERT_EQ(document["prebuilt"].size(), 3u);
  for (const nlohmann::json& file : document["prebuilt"])
    EXPECT_TRUE(std::filesystem::exists(file.get<std::string>())) << file;
}

}  // namespace
}  // namespace assay::cli
