// SPDX-License-Identifier: MIT
#include "build/entry_points.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "small_kernel.hpp"
#include "spec/configuration.hpp"

namespace assay::build {
namespace {

constexpr const char* kPtx = R"ptx(.version 8.8
.target sm_80
.address_size 64
.extern .func  (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.visible .entry scale(
	.param .u64 .ptr .align 1 scale_param_0,
	.param .u64 .ptr .align 1 scale_param_1,
	.param .u32 scale_param_2
)
.maxntid 128
{
	.reg .b32 %r<3>;
	ret;
}
.visible .entry none()
{
	ret;
}
.visible .entry maps(
	.param .align 64 .b8 maps_param_0[128],
	.param .align 8 .b8 maps_param_1[24],
	.param .f32 maps_param_2
)
.maxntid 384, 1, 1
.explicitcluster
{
	ret;
}
)ptx";

class EntryPoints : public testing::Test {
 protected:
  // What is said about `ptx` if the specification is changed by replacing `from` with `to`.
  std::string said(const std::string& ptx, const std::string& from = "", const std::string& to = "") {
    EXPECT_TRUE(write_small_kernel(project_, "THREADS = [64]\nUNROLL = [1]").ok());
    const std::string text = *read_file(project_.path() / "kernel.toml");
    EXPECT_NE(text.find(from), std::string::npos);
    const auto spec = spec::parse(replace_all(text, from, to), "kernel.toml", project_.path());
    EXPECT_TRUE(spec.ok()) << to_string(spec.error());
    const auto shapes = spec::all_shapes(*spec);
    const auto result = check_entry_points(*spec, *spec::default_configuration(*spec), *shapes, entry_points(ptx));
    if (result) return "";
    EXPECT_EQ(result.error().exit_code, ExitCode::usage);
    return to_string(result.error());
  }

  TemporaryFolder project_;
};

TEST_F(EntryPoints, AreReadWithTheSizesOfTheirParameters) {
  const std::vector<EntryPoint> entries = entry_points(kPtx);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "scale");
  EXPECT_EQ(entries[0].parameter_bytes, (std::vector<size_t>{8, 8, 4}));
  EXPECT_EQ(entries[1].name, "none");
  EXPECT_TRUE(entries[1].parameter_bytes.empty());
  EXPECT_EQ(entries[2].parameter_bytes, (std::vector<size_t>{128, 24, 4}));
}

TEST_F(EntryPoints, OfTextThatIsNoPtxAreNone) {
  EXPECT_TRUE(entry_points("").empty());
  EXPECT_TRUE(entry_points(".entry").empty());
  EXPECT_TRUE(entry_points(".entry } ( {").empty());
}

TEST_F(EntryPoints, ASpecificationThatFitsHasNoMistake) {
  EXPECT_EQ(said(kPtx), "");
}

TEST_F(EntryPoints, AnEntryThatIsNotThereIsAnsweredWithThoseThatAre) {
  EXPECT_EQ(said(kPtx, "entry   = \"scale\"", "entry   = \"scala\""),
            "kernel.toml:4:12: there is no kernel \"scala\" in scale.cu; it has: scale, none, maps\n"
            "  hint: did you mean \"scale\"?");
}

TEST_F(EntryPoints, ACppNameIsRecognised) {
  EXPECT_EQ(said(replace_all(kPtx, "entry scale(", "entry _Z5scalePfPKfi(")), "");
}

TEST_F(EntryPoints, AnArgumentTooFewIsNamedWithBothLists) {
  EXPECT_EQ(said(kPtx, "[[argument]]\nname = \"n\"\nscalar = { type = \"i32\", value = \"N\" }\n", ""),
            "kernel.toml:11:8: kernel \"scale\" takes 3 parameters (of 8, 8, 4 bytes), but the specification has 2 "
            "arguments: out (8), in (8)\n"
            "  hint: give an [[argument]] for each parameter, in their order");
}

TEST_F(EntryPoints, AnArgumentOfAnotherSizeIsNamed) {
  EXPECT_EQ(said(kPtx, "type = \"i32\"", "type = \"i64\""),
            "kernel.toml:19:8: argument \"n\" has 8 bytes, but parameter 3 of kernel \"scale\" has 4 bytes; it takes 3 "
            "parameters (of 8, 8, 4 bytes)\n"
            "  hint: compare the arguments and their types with the kernel's signature");
}

}  // namespace
}  // namespace assay::build
