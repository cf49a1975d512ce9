// SPDX-License-Identifier: MIT
#include "spec/open_points.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"

namespace assay::spec {
namespace {

TEST(OpenPoints, AreCommentsOfTheSpecificationAndItsPrograms) {
  TemporaryFolder folder;
  folder.write("kernel.toml", "x = 1   # open: which value?\n# closed\n");
  folder.write("reference.cpp", "int a;\n  // open: write it\n");
  folder.write("k.cu", "// open: none of ours\n");
  KernelSpec spec;
  spec.folder = folder.path();
  spec.file = folder.path() / "kernel.toml";
  spec.kernel.source = "k.cu";
  spec.problem.reference = "reference.cpp";
  spec.problem.reference_is_file = true;
  const std::vector<Open> points = open_points(spec);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].place.line, 1);
  EXPECT_EQ(points[0].text, "which value?");
  EXPECT_EQ(points[1].place.line, 2);
  EXPECT_EQ(points[1].text, "write it");
  const Error error = still_open(points);
  EXPECT_EQ(error.exit_code, ExitCode::usage);
  EXPECT_TRUE(error.message.starts_with("2 points are still open:\n")) << error.message;
  folder.write("kernel.toml", "x = 2\n");
  folder.write("reference.cpp", "int a;\n");
  EXPECT_TRUE(open_points(spec).empty());
}

}  // namespace
}  // namespace assay::spec
