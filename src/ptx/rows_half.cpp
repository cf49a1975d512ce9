// SPDX-License-Identifier: MIT
// Rows of the opcode table: f16 and bf16 arithmetic. The x2 types are two values in a 32-bit register.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

using enum Fidelity;

constexpr std::array kHalfRows = {
    OpcodeRow{"add.f16", "add{.rn}{.ftz}{.sat}.(f16|f16x2) d, a, b", "d = a + b, rounded once"},
    OpcodeRow{"add.bf16", "add{.rn}.(bf16|bf16x2) d, a, b", "d = a + b, rounded once"},
    OpcodeRow{"sub.f16", "sub{.rn}{.ftz}{.sat}.(f16|f16x2) d, a, b", "d = a - b, rounded once"},
    OpcodeRow{"sub.bf16", "sub{.rn}.(bf16|bf16x2) d, a, b", "d = a - b, rounded once"},
    OpcodeRow{"mul.f16", "mul{.rn}{.ftz}{.sat}.(f16|f16x2) d, a, b", "d = a * b, rounded once"},
    OpcodeRow{"mul.bf16", "mul{.rn}.(bf16|bf16x2) d, a, b", "d = a * b, rounded once"},
    OpcodeRow{"fma.f16", "fma.rn{.ftz}{.sat}{.relu}.(f16|f16x2) d, a, b, c",
              "d = a * b + c, rounded once; .relu: negative results become 0"},
    OpcodeRow{"fma.bf16", "fma.rn{.relu}.(bf16|bf16x2) d, a, b, c",
              "d = a * b + c, rounded once; .relu: negative results become 0"},
    OpcodeRow{"neg.f16", "neg{.ftz}.(f16|f16x2) d, a", "d = -a"},
    OpcodeRow{"neg.bf16", "neg.(bf16|bf16x2) d, a", "d = -a"},
    OpcodeRow{"abs.f16", "abs{.ftz}.(f16|f16x2) d, a", "d = |a|"},
    OpcodeRow{"abs.bf16", "abs.(bf16|bf16x2) d, a", "d = |a|"},
    OpcodeRow{"min.f16", "min{.ftz}{.NaN}{.xorsign.abs}.(f16|f16x2) d, a, b",
              "d = the smaller; of a NaN and a number the number, or with .NaN the NaN"},
    OpcodeRow{"min.bf16", "min{.NaN}{.xorsign.abs}.(bf16|bf16x2) d, a, b",
              "d = the smaller; of a NaN and a number the number, or with .NaN the NaN"},
    OpcodeRow{"max.f16", "max{.ftz}{.NaN}{.xorsign.abs}.(f16|f16x2) d, a, b",
              "d = the larger; of a NaN and a number the number, or with .NaN the NaN"},
    OpcodeRow{"max.bf16", "max{.NaN}{.xorsign.abs}.(bf16|bf16x2) d, a, b",
              "d = the larger; of a NaN and a number the number, or with .NaN the NaN"},
    OpcodeRow{"ex2.f16", "ex2.approx.(f16|f16x2) d, a", "d = 2 to the power of a", approximate},
    OpcodeRow{"ex2.bf16", "ex2.approx.ftz.(bf16|bf16x2) d, a", "d = 2 to the power of a", approximate},
    OpcodeRow{"tanh.half", "tanh.approx.(f16|f16x2|bf16|bf16x2) d, a", "d = the hyperbolic tangent of a", approximate},
};

}  // namespace

std::span<const OpcodeRow> half_rows() {
  return kHalfRows;
}

}  // namespace assay::ptx
