// SPDX-License-Identifier: MIT
// What PTX and source tell of a kernel, each by a kernel in another style.
#include "build/kernel_signature.hpp"

#include <gtest/gtest.h>

namespace assay::build {
namespace {

std::string with_entry(const std::string& before, const std::string& entry) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + before + ".visible .entry " + entry;
}

KernelSignature only(const std::string& ptx, const std::string& source) {
  const auto read = kernel_signatures(ptx, "k.ptx", source);
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  if (!read.ok() || read->size() != 1) return {};
  return read->front();
}

TEST(KernelSignature, ConstantsThatTheHostSetsAreKnownByTheirUse) {
  const std::string ptx = with_entry(
      ".const .align 4 .b8 _ZN1a2kFE[28];\n"
      ".const .align 4 .f32 given = 0f3F800000;\n"
      ".const .align 4 .b8 unused[8];\n"
      ".const .align 4 .b8 packed[8];\n",
      "k(.param .u64 k_0)\n{\n  .reg .b64 %d<3>;\n  .reg .f32 %f<4>;\n"
      "  ld.param.u64 %d1, [k_0];\n  mov.u64 %d2, _ZN1a2kFE;\n"
      "  ld.const.f32 %f1, [%d2+4];\n  ld.const.f32 %f2, [packed+4];\n"
      "  ld.const.f32 %f3, [given];\n  st.global.f32 [%d1], %f1;\n  ret;\n}\n");
  const KernelSignature signature = only(ptx,
                                         "namespace a { __constant__ float kF[7]; }\n__constant__ Pair packed;\n"
                                         "extern \"C\" __global__ void k(float* y) {}");
  ASSERT_EQ(signature.constants.size(), 2u);
  EXPECT_EQ(signature.constants[0].name, "_ZN1a2kFE");
  EXPECT_EQ(signature.constants[0].plain, "kF");
  EXPECT_EQ(signature.constants[0].bytes, 28u);
  EXPECT_EQ(signature.constants[0].dtype, "f32");
  EXPECT_EQ(signature.constants[1].name, "packed");
  EXPECT_EQ(signature.constants[1].dtype, "") << "a structure";
}

TEST(KernelSignature, MembersAreFollowedThroughTheParametersAddress) {
  const std::string ptx = with_entry("",
                                     "k(.param .align 8 .b8 k_0[24])\n{\n  .reg .b64 %d<6>;\n  .reg .f32 %f1;\n"
                                     "  mov.b64 %d1, k_0;\n  add.s64 %d2, %d1, 16;\n"
                                     "  ld.param.u64 %d3, [%d2+-16];\n  ld.param.u64 %d4, [%d2+-8];\n"
                                     "  ld.global.f32 %f1, [%d3];\n  st.global.f32 [%d4], %f1;\n  ret;\n}\n");
  const KernelSignature signature = only(ptx,
                                         "struct Args { const float* in; float* out; int sizes[2]; };\n"
                                         "extern \"C\" __global__ void k(const __grid_constant__ Args p) {}");
  ASSERT_EQ(signature.parameters.size(), 1u);
  const std::vector<SignatureValue>& values = signature.parameters[0].values;
  ASSERT_EQ(values.size(), 4u);
  EXPECT_TRUE(values[0].read && !values[0].written);
  EXPECT_TRUE(values[1].written && !values[1].read);
  EXPECT_EQ(values[2].name, "sizes_0");
  EXPECT_EQ(values[3].offset, 20u);
}

TEST(KernelSignature, NamesOfTwoStructuresAreToldApart) {
  const std::string ptx = with_entry("", "k(.param .align 8 .b8 k_0[8], .param .align 8 .b8 k_1[8])\n{\n  ret;\n}\n");
  const KernelSignature signature =
      only(ptx, "struct View { float* data; };\nextern \"C\" __global__ void k(View from, View to) {}");
  ASSERT_EQ(signature.parameters.size(), 2u);
  EXPECT_EQ(signature.parameters[0].values.at(0).name, "from_data");
  EXPECT_EQ(signature.parameters[1].values.at(0).name, "to_data");
}

TEST(KernelSignature, EnumerationsRowsAndMacros) {
  const std::string ptx = with_entry("", "k(.param .u64 k_0, .param .u32 k_1, .param .u64 k_2)\n{\n  ret;\n}\n");
  const KernelSignature signature = only(ptx,
                                         "enum class Mode : int { a, b };\n#define KERNEL __global__ void\n"
                                         "extern \"C\" KERNEL k(float (*rows)[64], Mode mode, uchar4* pixels) {}");
  ASSERT_EQ(signature.parameters.size(), 3u);
  const auto value = [&](size_t i) { return signature.parameters[i].values.at(0); };
  EXPECT_EQ(value(0).name, "rows");
  EXPECT_EQ(value(0).dtype, "f32");
  EXPECT_TRUE(value(0).pointer);
  EXPECT_EQ(value(1).name, "mode");
  EXPECT_EQ(value(1).dtype, "i32");
  EXPECT_EQ(value(2).dtype, "u8");
  EXPECT_EQ(value(2).vector, 4u);
}

TEST(KernelSignature, AStructureWithAnUnknownMemberStaysWhole) {
  const std::string ptx = with_entry("", "k(.param .align 8 .b8 k_0[16])\n{\n  ret;\n}\n");
  const KernelSignature signature =
      only(ptx, "struct Args { Other inner; int n; };\nextern \"C\" __global__ void k(Args p) {}");
  ASSERT_EQ(signature.parameters.size(), 1u);
  EXPECT_TRUE(signature.parameters[0].structure);
  EXPECT_TRUE(signature.parameters[0].values.empty());
}

}  // namespace
}  // namespace assay::build
