// SPDX-License-Identifier: MIT
#include "spec/choice.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "sample_spec.hpp"

namespace assay::spec {
namespace {

// The sample with a choice of sources, of flags, and a word that is a name in C++.
KernelSpec chosen_spec() {
  std::string text = kSampleText;
  text = replace_all(text, "source = \"sample.cu\"", "source = \"{SOURCE}\"");
  text = replace_all(text, "flags = [\"-O3\",", "flags = [\"{FLAGS}\",");
  text = replace_all(text, "[tunable]\n",
                     "[tunable]\nSOURCE = [\"a.cu\", \"b.cu\"]\nFLAGS = [\"-O3\", \"-O2 -maxrregcount=64\"]\n"
                     "LAYOUT = [\"row_major\", \"column_major\"]\n");
  const std::string mark = "constraints = [";
  text.insert(text.find(mark, text.find("[tunable]")) + mark.size(), "\"SOURCE == 'b.cu' || LAYOUT == 'row_major'\", ");
  auto spec = parse(text, "kernel.toml", ".", {.check_files = false});
  EXPECT_TRUE(spec.ok()) << to_string(spec.error());
  return std::move(spec).value();
}

TEST(Choice, TheDefaultsSourceAndFlagsStandInTheSection) {
  const KernelSpec spec = chosen_spec();
  EXPECT_EQ(spec.kernel.source, "a.cu");
  EXPECT_EQ(spec.kernel.flags, (std::vector<std::string>{"-O3", "--use_fast_math", "-Iinclude"}));
  EXPECT_EQ(spec.sources(), (std::vector<std::filesystem::path>{"a.cu", "b.cu"}));
}

TEST(Choice, AConfigurationHasItsOwn) {
  const KernelSpec spec = chosen_spec();
  const auto configuration =
      parse_configuration(spec, "SOURCE=b.cu,FLAGS=-O2 -maxrregcount=64,LAYOUT=column_major,BLOCK=128");
  ASSERT_TRUE(configuration.ok()) << to_string(configuration.error());
  const KernelSection kernel = kernel_of(spec, *configuration);
  EXPECT_EQ(kernel.source, "b.cu");
  EXPECT_EQ(kernel.flags, (std::vector<std::string>{"-O2", "-maxrregcount=64", "--use_fast_math", "-Iinclude"}));
  // Its name is read back, and the compiler hears of it only where it can be a name.
  EXPECT_EQ(parse_configuration(spec, configuration->id())->id(), configuration->id());
  EXPECT_EQ(join(defines(*configuration), " "), "-DBLOCK=128 -DFAST=1 -DLAYOUT=column_major -DWARPS=4");
}

TEST(Choice, ConstraintsCompareWords) {
  const KernelSpec spec = chosen_spec();
  EXPECT_FALSE(parse_configuration(spec, "SOURCE=a.cu,LAYOUT=column_major").ok());
  EXPECT_TRUE(parse_configuration(spec, "SOURCE=b.cu,LAYOUT=column_major").ok());
  const auto mistaken = parse_configuration(spec, "SOURCE=c.cu");
  ASSERT_FALSE(mistaken.ok());
  EXPECT_NE(mistaken.error().message.find("expected one of a.cu, b.cu"), std::string::npos);
}

TEST(Choice, WithoutOneNothingChanges) {
  const KernelSpec spec = sample_spec();
  EXPECT_TRUE(spec.kernel.source_texts.empty());
  EXPECT_EQ(kernel_of(spec, *default_configuration(spec)).source, spec.kernel.source);
}

}  // namespace
}  // namespace assay::spec
