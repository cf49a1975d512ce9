// SPDX-License-Identifier: MIT
#include "evidence/source_layout.hpp"

#include <gtest/gtest.h>

namespace assay::evidence {
namespace {

std::vector<std::string> paths(const SourceLayout& layout) {
  std::vector<std::string> found;
  for (const PackedFile& file : layout.files) found.push_back(file.path);
  return found;
}

TEST(SourceLayout, the_kernel_finds_what_it_includes) {
  const std::vector<ledger::SourceFile> sources = {{"../primitives/row.cuh", ""}, {"kernel.toml", ""}, {"a/b.cuh", ""}};
  const SourceLayout layout = lay_out(sources, "/home/me/kernels/softmax/kernel.toml", folders_above(sources));
  EXPECT_EQ(layout.kernel_folder, "softmax");
  EXPECT_EQ(paths(layout), (std::vector<std::string>{"primitives/row.cuh", "softmax/kernel.toml", "softmax/a/b.cuh"}));
}

TEST(SourceLayout, folders_without_a_name_get_one) {
  const std::vector<ledger::SourceFile> sources = {{"../../x.cuh", ""}, {"kernel.toml", ""}};
  EXPECT_EQ(lay_out(sources, "kernel.toml", 2).kernel_folder, "kernel/kernel");
  EXPECT_EQ(lay_out(sources, "../..../k/kernel.toml", 2).kernel_folder, "kernel/k");
  EXPECT_EQ(lay_out({{"kernel.toml", ""}}, "s/kernel.toml", 0).kernel_folder, "s");
}

TEST(SourceLayout, nothing_lies_elsewhere) {
  const std::vector<ledger::SourceFile> sources = {
      {"/etc/passwd", ""}, {"../../../../../../../../../../../x", ""}, {"a\x01.cu", ""}, {"kernel.toml", ""}};
  const SourceLayout layout = lay_out(sources, "/s/kernel.toml", folders_above(sources));
  EXPECT_EQ(paths(layout), std::vector<std::string>{"s/kernel.toml"});
  EXPECT_EQ(layout.left_out.size(), 3u);
}

}  // namespace
}  // namespace assay::evidence
