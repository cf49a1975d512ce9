// SPDX-License-Identifier: MIT
#include "spec/kernel_spec.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "sample_spec.hpp"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

TEST(KernelSpec, ReadsEverySection) {
  const KernelSpec spec = sample_spec();
  EXPECT_EQ(spec.kernel.name, "sample");
  EXPECT_EQ(spec.source_path(), fs::path("./sample.cu"));
  EXPECT_EQ(spec.kernel.targets, (std::vector<std::string>{"sm_80", "sm_90a"}));
  EXPECT_EQ(spec.kernel.flags.size(), 3u);
  EXPECT_EQ(spec.kernel.include_folders, std::vector<fs::path>{"../primitives"});
  EXPECT_FALSE(spec.problem.reference_is_file);
  EXPECT_EQ(std::get<std::string>(spec.problem.options.at("op")), "sum");
  EXPECT_EQ(std::get<double>(spec.problem.options.at("epsilon")), 1e-5);
  EXPECT_EQ(std::get<int64_t>(spec.problem.options.at("axis")), 1);
  EXPECT_EQ(std::get<bool>(spec.problem.options.at("keep")), true);
  EXPECT_FALSE(spec.problem.bytes.has_value());
  ASSERT_EQ(spec.arguments.size(), 5u);
  EXPECT_EQ(spec.arguments[2].tensor()->role, Role::output);
  EXPECT_EQ(spec.arguments[1].tensor()->fill.kind, FillKind::constant);
  ASSERT_EQ(spec.baselines.size(), 1u);
  EXPECT_EQ(spec.baselines[0].provider, "torch_sample");
  EXPECT_EQ(std::get<int64_t>(spec.baselines[0].options.at("warmup")), 10);
  EXPECT_FALSE(spec.expect.has_value());
}

TEST(KernelSpec, LimitsOfProcesses) {
  const auto usual = parse(kSampleText, "kernel.toml", ".", {.check_files = false});
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->limits.reference_seconds, 60);
  EXPECT_EQ(usual->limits.provider_gib, std::nullopt);
  const std::string text =
      kSampleText + "\n[limits]\nreference_seconds = 0.5\nprovider_seconds = 30\nprovider_gib = 4\n";
  const auto own = parse(text, "kernel.toml", ".", {.check_files = false});
  ASSERT_TRUE(own.ok()) << to_string(own.error());
  EXPECT_EQ(own->limits.reference_seconds, 0.5);
  EXPECT_EQ(own->limits.reference_gib, 16);
  EXPECT_EQ(own->limits.provider_seconds, 30);
  EXPECT_EQ(own->limits.provider_gib, 4);
  for (const char* wrong : {"reference_seconds = 0", "reference_gib = -1", "provider_seconds = 1e9",
                            "provider_gib = inf", "provider_gib = \"much\"", "provider = 1"}) {
    const auto refused = parse(kSampleText + "\n[limits]\n" + wrong + "\n", "kernel.toml", ".", {.check_files = false});
    EXPECT_FALSE(refused.ok()) << wrong;
  }
}

TEST(KernelSpec, KeepsTheOrderOfTheFile) {
  const KernelSpec spec = sample_spec();
  ASSERT_EQ(spec.tunable.tunables.size(), 3u);
  EXPECT_EQ(spec.tunable.tunables[0].name, "BLOCK");
  EXPECT_EQ(spec.tunable.tunables[1].name, "WARPS");
  EXPECT_EQ(spec.tunable.tunables[2].name, "FAST");
  EXPECT_EQ(spec.shapes.sets[0].name, "canonical");
  EXPECT_EQ(spec.shapes.sets[1].name, "edges");
  EXPECT_EQ(spec.shapes.sets[2].name, "huge");
}

TEST(KernelSpec, PutsLetsInOrderOfUse) {
  const KernelSpec spec = sample_spec();
  ASSERT_EQ(spec.lets.size(), 3u);
  EXPECT_EQ(spec.lets[1].name, "pad");
  EXPECT_EQ(spec.lets[2].name, "pitch");
}

TEST(KernelSpec, ConstraintsThatNameDimensionsConcernPairs) {
  const KernelSpec spec = sample_spec();
  ASSERT_EQ(spec.tunable.constraints.size(), 1u);
  ASSERT_EQ(spec.tunable.pair_constraints.size(), 1u);
  EXPECT_EQ(spec.tunable.pair_constraints[0].text(), "BLOCK <= 2*S");
}

TEST(KernelSpec, TolerancePerTypeThenGeneralThenUsual) {
  KernelSpec spec = sample_spec();
  EXPECT_EQ(tolerance(spec, "o", DType::bf16).atol, 3e-2);
  EXPECT_EQ(tolerance(spec, "o", DType::f16).rtol, 2e-2);
  spec.tolerance = {};
  EXPECT_EQ(tolerance(spec, "o", DType::f32).atol, 1e-4);
  EXPECT_EQ(tolerance(spec, "o", DType::i32).atol, 0);
}

TEST(KernelSpec, PlacesAreExactInsideLiteralStringsAndAfterUnicode) {
  const std::string text = replace_all(kSampleText, "flops = \"4*S*D*(causal ? 0.5 : 1)\"", "flops = '4*S*DD'");
  const auto literal = parse(text, "k", ".", {.check_files = false});
  ASSERT_FALSE(literal.ok());
  EXPECT_EQ(literal.error().place, (Place{"k", 12, 14}));

  // Columns count characters, not bytes.
  const size_t start = kSampleText.find("[problem]");
  std::string unicode = kSampleText;
  unicode.erase(start, kSampleText.find("[[argument]]") - start);
  const std::string line = "problem = { options = { a = \"\u00e9\" }, reference = \"copy\", flops = \"4*S*DD\" }\n";
  const auto wrong = parse(line + unicode, "k", ".", {.check_files = false});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().place, (Place{"k", 1, static_cast<int>(line.find("DD"))})) << to_string(wrong.error());

  // With escapes the column of the string itself is given.
  const std::string escaped = replace_all(kSampleText, "\"4*S*D*(causal ? 0.5 : 1)\"", "\"4*\\u0053*DD\"");
  const auto inside = parse(escaped, "k", ".", {.check_files = false});
  ASSERT_FALSE(inside.ok());
  EXPECT_EQ(inside.error().place.line, 12);
}

class KernelFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("assay_spec_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    text_ = replace_all(kSampleText, "include = [\"../primitives\"]\n", "");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& content) {
    ASSERT_TRUE(write_file_atomically(folder_ / name, content).ok());
  }

  fs::path folder_;
  std::string text_;
};

TEST_F(KernelFolder, LoadsAFolderOrTheFile) {
  write("kernel.toml", text_);
  write("sample.cu", "");
  for (const fs::path& path : {folder_, folder_ / "kernel.toml"}) {
    const auto spec = load(path);
    ASSERT_TRUE(spec.ok()) << to_string(spec.error());
    EXPECT_EQ(spec->folder, folder_);
    EXPECT_EQ(spec->file, folder_ / "kernel.toml");
  }
}

TEST_F(KernelFolder, MissingSpecification) {
  const auto empty = load(folder_);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().message, "the folder " + folder_.string() + " has no kernel.toml");
  const auto nothing = load(folder_ / "no" / "where");
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().exit_code, ExitCode::usage);
}

TEST_F(KernelFolder, MissingSource) {
  write("kernel.toml", text_);
  const auto spec = load(folder_);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().message,
            "the source \"sample.cu\" does not exist; expected a file at " + (folder_ / "sample.cu").string());
  EXPECT_EQ(spec.error().place, (Place{(folder_ / "kernel.toml").string(), 3, 10}));
}

TEST_F(KernelFolder, MissingReference) {
  write("kernel.toml", replace_all(text_, "reference = \"copy\"", "reference = \"sample.cpp\""));
  write("sample.cu", "");
  const auto spec = load(folder_);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().message,
            "the reference \"sample.cpp\" does not exist; expected a file at " + (folder_ / "sample.cpp").string());
  EXPECT_EQ(spec.error().place.line, 9);
}

TEST_F(KernelFolder, MissingIncludeFolder) {
  write("kernel.toml", kSampleText);
  write("sample.cu", "");
  const auto spec = load(folder_);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().place.line, 7);
  EXPECT_EQ(spec.error().place.column, 12);
}

TEST(KernelSpec, EveryShippedKernelLoads) {
  int loaded = 0;
  for (const auto& entry : fs::recursive_directory_iterator(ASSAY_SOURCE_DIR "/kernels")) {
    if (entry.path().filename() != "kernel.toml") continue;
    const auto spec = load(entry.path());
    EXPECT_TRUE(spec.ok()) << to_string(spec.error());
    ++loaded;
  }
  EXPECT_GE(loaded, 1);
}

}  // namespace
}  // namespace assay::spec
