// SPDX-License-Identifier: MIT
#include "vgpu/decode/contraction.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/machine/gpu.hpp"

namespace assay::vgpu {
namespace {

std::string module_with(const std::string& body) {
  return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 data)
{{
  .reg .f32 %a, %b, %c, %d, %p, %q;
  .reg .f64 %x;
  .reg .b64 %at;
  .reg .pred %o;
  ld.param.u64 %at, [data];
  ld.global.f32 %a, [%at];
  ld.global.f32 %b, [%at+4];
  ld.global.f32 %c, [%at+8];
  {}
  st.global.f32 [%at+12], %d;
  ret;
}}
)",
                     body);
}

size_t pairs_of(const std::string& body) {
  Gpu machine(*gpu::find_model("l4"));
  const auto program = vgpu::load(machine, module_with(body), "kernel.ptx");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  return program.ok() ? (*program)->fusible.size() : 0;
}

constexpr float kA = 1.0f + 0x1p-12f, kB = 1.0f + 0x1p-13f, kC = -1.0f;

float run(const std::string& body, bool fuse) {
  Gpu machine(*gpu::find_model("l4"));
  const auto program = vgpu::load(machine, module_with(body), "kernel.ptx", {.fuse = fuse});
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  const uint64_t data = *machine.memory().allocate(16, "data");
  const float values[4] = {kA, kB, kC, 0};
  std::memcpy(machine.memory().host(data), values, sizeof values);
  Launch launch;
  launch.program = *program;
  launch.kernel = (*program)->entry("kernel");
  launch.parameters.resize(sizeof data);
  std::memcpy(launch.parameters.data(), &data, sizeof data);
  const auto result = machine.launch(launch);
  EXPECT_TRUE(result.ok() && !result->fault);
  float d = 0;
  std::memcpy(&d, machine.memory().host(data) + 12, sizeof d);
  return d;
}

TEST(Contraction, AProductThatOnlyASumTakes) {
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nadd.f32 %d, %p, %c;"), 1u);
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nadd.f32 %q, %a, %a;\nadd.f32 %d, %c, %p;"), 1u);
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nsub.f32 %d, %c, %p;"), 1u);
}
TEST(Contraction, ARoundingModifierForbidsIt) {
  EXPECT_EQ(pairs_of("mul.rn.f32 %p, %a, %b;\nadd.f32 %d, %p, %c;"), 0u);
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nadd.rn.f32 %d, %p, %c;"), 0u);
}
TEST(Contraction, OtherUsesOtherCodeAndOtherTypesForbidIt) {
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nadd.f32 %d, %p, %c;\nadd.f32 %q, %p, %p;"), 0u);
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nadd.f32 %d, %p, %p;"), 0u);
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nlabel:\nadd.f32 %d, %p, %c;"), 0u);
  EXPECT_EQ(pairs_of("mul.f32 %p, %a, %b;\nmov.f32 %a, %c;\nadd.f32 %d, %p, %c;"), 0u) << "a has changed";
  EXPECT_EQ(pairs_of("mul.ftz.f32 %p, %a, %b;\nadd.f32 %d, %p, %c;"), 0u);
  EXPECT_EQ(pairs_of("mul.sat.f32 %p, %a, %b;\nadd.f32 %d, %p, %c;"), 0u);
}
TEST(Contraction, FusedItRoundsOnce) {
  const std::string sum = "mul.f32 %p, %a, %b;\nadd.f32 %d, %p, %c;";
  EXPECT_EQ(run(sum, false), kA * kB + kC);
  EXPECT_EQ(run(sum, true), std::fma(kA, kB, kC));
  EXPECT_NE(run(sum, true), run(sum, false));
  EXPECT_EQ(run("mul.f32 %p, %a, %b;\nsub.f32 %d, %p, %a;", true), std::fma(kA, kB, -kA));
  EXPECT_EQ(run("mul.f32 %p, %a, %b;\nsub.f32 %d, %b, %p;", true), std::fma(-kA, kB, kB));
  EXPECT_EQ(run("mul.rn.f32 %p, %a, %b;\nadd.rn.f32 %d, %p, %c;", true), kA * kB + kC);
}

}  // namespace
}  // namespace assay::vgpu
