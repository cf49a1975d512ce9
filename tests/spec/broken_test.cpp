// SPDX-License-Identifier: MIT
// Every file of tests/spec/broken has one mistake, and one is reported: what follows from it is not reported as well.
// Its first line says what must be said about it:
//   # expect LINE:COLUMN: message | hint
// A message that ends in "..." is compared up to there.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <vector>

#include "base/file.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::spec {
namespace {

std::vector<std::filesystem::path> broken_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/tests/spec/broken")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Broken : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Broken, SaysWhatAndWhere) {
  const auto text = read_file(GetParam());
  ASSERT_TRUE(text.ok());
  constexpr std::string_view kMark = "# expect ";
  ASSERT_TRUE(text->starts_with(kMark));
  std::string expected = text->substr(kMark.size(), text->find('\n') - kMark.size());

  const auto spec = parse(*text, "kernel.toml", GetParam().parent_path(), {.check_files = false});
  ASSERT_FALSE(spec.ok()) << "no mistake was found; expected " << expected;
  EXPECT_EQ(spec.error().exit_code, ExitCode::usage);
  EXPECT_EQ(spec.error().message.find(" mistakes"), std::string::npos) << spec.error().message;
  ASSERT_EQ(spec.error().place.file, "kernel.toml");
  const Place place{"", spec.error().place.line, spec.error().place.column};
  std::string actual = to_string(place).substr(1) + ": " + spec.error().message;
  if (!spec.error().hint.empty()) actual += " | " + spec.error().hint;
  if (expected.ends_with("...")) {
    expected.resize(expected.size() - 3);
    actual.resize(std::min(actual.size(), expected.size()));
  }
  EXPECT_EQ(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(Files, Broken, testing::ValuesIn(broken_files()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(BrokenFiles, ThereAreEnoughOfThem) {
  EXPECT_GE(broken_files().size(), 100u);
}

}  // namespace
}  // namespace assay::spec
