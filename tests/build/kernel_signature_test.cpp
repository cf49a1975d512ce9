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

std::string members(const KernelSignature& signature, size_t parameter = 0) {
  std::string text;
  for (const SignatureValue& value : signature.parameters.at(parameter).values)
    text += (text.empty() ? "" : " ") + value.name + "@" + std::to_string(value.offset) + ":" +
            (value.pointer ? "*" : "") + value.dtype;
  return text;
}

KernelSignature of_structure(const std::string& definition, const std::string& parameter, int bytes) {
  return only(with_entry("", "k(.param .align 8 .b8 k_0[" + std::to_string(bytes) + "])\n{\n  ret;\n}\n"),
              definition + "\nextern \"C\" __global__ void k(" + parameter + ") {}");
}

TEST(KernelSignature, MethodsAreNoMembers) {
  EXPECT_EQ(members(of_structure("struct Axpy {\n  Axpy(float f) : a(f) {}\n  float a = 1.0f; // factor\n"
                                 "  const float* x; float* y;\n  static constexpr int kN = 4; using T = float;\n"
                                 "  __device__ void operator()(long i) const { if (i) { y[i] = a * x[i]; } }\n"
                                 " private:\n  int n{0};\n  int size() const;\n};",
                                 "Axpy f", 32)),
            "a@0:f32 x@8:*f32 y@16:*f32 n@24:i32");
}

TEST(KernelSignature, TemplatesAreFilledIn) {
  const char* const accessor =
      "template <typename T, int N = 2>\nstruct Accessor { T* data; int sizes[N]; __device__ T& at(int i); };";
  EXPECT_EQ(members(of_structure(accessor, "Accessor<const float, 2> a", 16)),
            "data@0:*f32 sizes_0@8:i32 sizes_1@12:i32");
  EXPECT_TRUE(members(of_structure(accessor, "Accessor<const float, 2> a", 12)).empty()) << "it would not fit";
}

TEST(KernelSignature, StructuresAndVectorsInside) {
  EXPECT_EQ(
      members(of_structure("struct Size { int w, h; };\nstruct Image { char kind; Size size; float3 low; uchar4* p; };",
                           "Image image", 32)),
      "kind@0:i8 size_w@4:i32 size_h@8:i32 low_x@12:f32 low_y@16:f32 low_z@20:f32 p@24:*u8");
  EXPECT_EQ(members(of_structure("typedef struct { double d; short s; } Pair;", "Pair pair", 16)), "d@0:f64 s@8:i16");
  EXPECT_EQ(members(of_structure("struct A { alignas(16) float x; alignas(8) int n; };", "A a", 16)),
            "x@0:f32 n@8:i32");
  EXPECT_EQ(members(of_structure("", "int2 size", 8)), "size_x@0:i32 size_y@4:i32");
}

TEST(KernelSignature, WhatIsNotUnderstoodStaysWhole) {
  for (const char* const definition :
       {"struct S { int a : 3; };", "struct S { void (*call)(int); };", "struct S { union { int i; float f; } u; };",
        "struct S { int m[2][2]; };", "struct S { int many[400]; };", "struct S { Unknown u; };", "struct S { S s; };",
        "struct S", "struct S {", "template <struct S { int"})
    EXPECT_TRUE(members(of_structure(definition, "S s", 8)).empty()) << definition;
}

TEST(KernelSignature, APackOfParametersHasNames) {
  const KernelSignature signature = only(
      with_entry(
          "", "_Z3sumIfJffEEvPT_iPKT0_Dp(.param .u64 a, .param .u32 b, .param .u64 c, .param .u64 d)\n{\n  ret;\n}\n"),
      "template <typename T, typename... In>\n__global__ void _Z3sumIfJffEEvPT_iPKT0_Dp(T* out, int n, const In*... "
      "in) {}");
  ASSERT_EQ(signature.parameters.size(), 4u);
  EXPECT_EQ(signature.parameters[1].name, "n");
  EXPECT_EQ(signature.parameters[2].name, "in_0");
  EXPECT_EQ(signature.parameters[3].name, "in_1");
}

TEST(KernelSignature, TheRankInAGroupNeedsOneAxis) {
  const std::string ptx = with_entry("",
                                     "k(.param .u64 k_0)\n{\n  .reg .b32 %r<4>;\n  mov.u32 %r1, %tid.x;\n"
                                     "  mov.u32 %r2, %tid.y;\n  mov.u32 %r3, %tid.z;\n  ret;\n}\n");
  const std::string kernel = "extern \"C\" __global__ void k(float* x) {}";
  EXPECT_TRUE(only(ptx, kernel).thread_index[1]);
  const std::string groups = "#include <cooperative_groups.h>\n";
  EXPECT_FALSE(only(ptx, groups + kernel).thread_index[1]);
  EXPECT_TRUE(only(ptx, groups + "// threadIdx.y\nint i = threadIdx.y;" + kernel).thread_index[1]);
}

TEST(KernelSignature, TheBlockOfALaunchIsReadWhereTheSourceTellsIt) {
  using Block = std::vector<int64_t>;
  EXPECT_EQ(launched_block("void f() { k<<<n / 128, 128>>>(x); }", "k"), (Block{128}));
  EXPECT_EQ(launched_block("#define T 32\nconst int rows = 8;\nvoid f() { dim3 grid(4), threads(T, rows); "
                           "k<float><<<grid, threads>>>(x); }",
                           "k"),
            (Block{32, 8}));
  EXPECT_EQ(launched_block("void f() { const dim3 b = dim3(16, 16, 2); ns::k<<<1, b, 0, s>>>(x); }", "k"),
            (Block{16, 16, 2}));
  EXPECT_EQ(launched_block("void f() { k<<<1, dim3{64}>>>(x); }", "k"), (Block{64}));
  EXPECT_EQ(launched_block("void f(int t) { k<<<1, t>>>(x); }", "k"), (Block{})) << "only the caller knows";
  EXPECT_EQ(launched_block("void f(int t) { dim3 b(t, 8); k<<<1, b>>>(x); }", "k"), (Block{}));
  EXPECT_EQ(launched_block("void f() { k<<<1, dim3(64, 64)>>>(x); }", "k"), (Block{})) << "more than a block holds";
  EXPECT_EQ(launched_block("void f() { other<<<1, 64>>>(x); }", "k"), (Block{}));
  EXPECT_EQ(launched_block("void f() { k<<<n, 4 * 32>>>(x); }", "k"), (Block{128})) << "all of the expression";
  EXPECT_EQ(launched_block("void f() { k<<<n, 2 * t>>>(x); }", "k"), (Block{}));
  EXPECT_EQ(launched_block("void f() { if (t == 64) k<<<n, t>>>(x); }", "k"), (Block{}))
      << "a comparison defines nothing";
  EXPECT_EQ(launched_block("void f(int t = 64) { k<<<n, t>>>(x); }", "k"), (Block{})) << "nor does a default";
  EXPECT_EQ(launched_block("void f() { mask_k<<<n, 64>>>(x); }", "k"), (Block{})) << "another kernel";
  EXPECT_EQ(
      launched_block("#define WARPS 8\n#define THREADS (WARPS * 32u)\nvoid f() { a::k<int, 4><<<n, THREADS>>>(x); }",
                     "a::k"),
      (Block{256}));
  EXPECT_EQ(launched_block("const unsigned BM = 64; const unsigned BN = 64; constexpr int TM = 8;\n"
                           "void f() { dim3 blockDim((BM * BN) / TM); k<BM, BN, TM><<<g, blockDim>>>(x); }",
                           "k"),
            (Block{512}));
}

}  // namespace
}  // namespace assay::build
