// SPDX-License-Identifier: MIT
// Rows of the opcode table: f32 and f64 arithmetic.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

using enum Fidelity;

constexpr std::array kFloatRows = {
    OpcodeRow{"add.f32", "add{.$rnd}{.ftz}{.sat}.f32 d, a, b", "d = a + b, rounded once"},
    OpcodeRow{"add.f64", "add{.$rnd}.f64 d, a, b", "d = a + b, rounded once"},
    OpcodeRow{"sub.f32", "sub{.$rnd}{.ftz}{.sat}.f32 d, a, b", "d = a - b, rounded once"},
    OpcodeRow{"sub.f64", "sub{.$rnd}.f64 d, a, b", "d = a - b, rounded once"},
    OpcodeRow{"mul.f32", "mul{.$rnd}{.ftz}{.sat}.f32 d, a, b", "d = a * b, rounded once"},
    OpcodeRow{"mul.f64", "mul{.$rnd}.f64 d, a, b", "d = a * b, rounded once"},
    OpcodeRow{"fma.f32", "fma.$rnd{.ftz}{.sat}.f32 d, a, b, c", "d = a * b + c, rounded once"},
    OpcodeRow{"fma.f64", "fma.$rnd.f64 d, a, b, c", "d = a * b + c, rounded once"},
    OpcodeRow{"mad.f32", "mad.$rnd{.ftz}{.sat}.f32 d, a, b, c", "d = a * b + c, rounded once: fma by its older name"},
    OpcodeRow{"mad.f64", "mad.$rnd.f64 d, a, b, c", "d = a * b + c, rounded once: fma by its older name"},

    OpcodeRow{"div.approx", "div.approx{.ftz}.f32 d, a, b", "d = a / b within 2 ulp; 0 for divisors above 2^126",
              approximate},
    OpcodeRow{"div.full", "div.full{.ftz}.f32 d, a, b", "d = a / b within 2 ulp", approximate},
    OpcodeRow{"div.f32", "div.$rnd{.ftz}.f32 d, a, b", "d = a / b, rounded once"},
    OpcodeRow{"div.f64", "div.$rnd.f64 d, a, b", "d = a / b, rounded once"},
    OpcodeRow{"rcp.approx", "rcp.approx{.ftz}.f32 d, a", "d = 1 / a within 1 ulp", approximate},
    OpcodeRow{"rcp.approx.f64", "rcp.approx.ftz.f64 d, a", "d = 1 / a; only the upper 32 bits count", approximate},
    OpcodeRow{"rcp.f32", "rcp.$rnd{.ftz}.f32 d, a", "d = 1 / a, rounded once"},
    OpcodeRow{"rcp.f64", "rcp.$rnd.f64 d, a", "d = 1 / a, rounded once"},
    OpcodeRow{"sqrt.approx", "sqrt.approx{.ftz}.f32 d, a", "d = the square root of a, within 2^-23", approximate},
    OpcodeRow{"sqrt.f32", "sqrt.$rnd{.ftz}.f32 d, a", "d = the square root of a, rounded once"},
    OpcodeRow{"sqrt.f64", "sqrt.$rnd.f64 d, a", "d = the square root of a, rounded once"},
    OpcodeRow{"rsqrt.approx", "rsqrt.approx{.ftz}.f32 d, a", "d = 1 / the square root of a, within 2^-22.9",
              approximate},
    OpcodeRow{"rsqrt.approx.f64", "rsqrt.approx{.ftz}.f64 d, a",
              "d = 1 / the square root of a; with .ftz only the upper 32 bits count", approximate},

    OpcodeRow{"sin", "sin.approx{.ftz}.f32 d, a", "d = the sine of a, in radians", approximate},
    OpcodeRow{"cos", "cos.approx{.ftz}.f32 d, a", "d = the cosine of a, in radians", approximate},
    OpcodeRow{"lg2", "lg2.approx{.ftz}.f32 d, a", "d = the binary logarithm of a", approximate},
    OpcodeRow{"ex2", "ex2.approx{.ftz}.f32 d, a", "d = 2 to the power of a, within 2 ulp", approximate},
    OpcodeRow{"tanh", "tanh.approx.f32 d, a", "d = the hyperbolic tangent of a, within 2^-11", approximate},

    OpcodeRow{"neg.f32", "neg{.ftz}.f32 d, a", "d = -a"},
    OpcodeRow{"neg.f64", "neg.f64 d, a", "d = -a"},
    OpcodeRow{"abs.f32", "abs{.ftz}.f32 d, a", "d = |a|"},
    OpcodeRow{"abs.f64", "abs.f64 d, a", "d = |a|"},
    OpcodeRow{"min.f32", "min{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b",
              "d = the smaller; of a NaN and a number the number, or with .NaN the NaN"},
    OpcodeRow{"min.f64", "min.f64 d, a, b", "d = the smaller; of a NaN and a number the number"},
    OpcodeRow{"max.f32", "max{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b",
              "d = the larger; of a NaN and a number the number, or with .NaN the NaN"},
    OpcodeRow{"max.f64", "max.f64 d, a, b", "d = the larger; of a NaN and a number the number"},
    OpcodeRow{"copysign", "copysign.(f32|f64) d, a, b", "d = b with the sign of a"},
    OpcodeRow{"testp", "testp.(finite|infinite|number|notanumber|normal|subnormal).(f32|f64) d:pred, a",
              "d = a is of this kind"},
};

}  // namespace

std::span<const OpcodeRow> float_rows() {
  return kFloatRows;
}

}  // namespace assay::ptx
