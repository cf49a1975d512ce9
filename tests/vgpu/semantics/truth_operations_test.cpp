// SPDX-License-Identifier: MIT
// The table behind truth_operations.hpp.
#include "truth_operations.hpp"

#include <gtest/gtest.h>

#include "vgpu/semantics/approximate.hpp"
#include "vgpu/semantics/bits.hpp"
#include "vgpu/semantics/compare.hpp"
#include "vgpu/semantics/convert.hpp"
#include "vgpu/semantics/float8.hpp"
#include "vgpu/semantics/float_arithmetic.hpp"
#include "vgpu/semantics/half_arithmetic.hpp"
#include "vgpu/semantics/integer.hpp"
#include "vgpu/semantics/video.hpp"

namespace assay::vgpu::semantics::truth {
namespace {

using enum Rounding;
using Table = std::map<std::string, Operation>;
using Word = uint64_t;

float f(Word x) {
  return float_of(static_cast<uint32_t>(x));
}
double d(Word x) {
  return double_of(x);
}
f16 h(Word x) {
  return f16{static_cast<uint16_t>(x)};
}
bf16 b(Word x) {
  return bf16{static_cast<uint16_t>(x)};
}
int32_t s(Word x) {
  return static_cast<int32_t>(static_cast<uint32_t>(x));
}
uint32_t u(Word x) {
  return static_cast<uint32_t>(x);
}
int64_t sl(Word x) {
  return static_cast<int64_t>(x);
}

Word o(float x) {
  return bits_of(x);
}
Word o(double x) {
  return bits_of(x);
}
Word o(f16 x) {
  return x.bits;
}
Word o(bf16 x) {
  return x.bits;
}
Word o(uint32_t x) {
  return x;
}
Word o(int32_t x) {
  return static_cast<uint32_t>(x);
}
Word o(uint64_t x) {
  return x;
}
Word o(int64_t x) {
  return static_cast<uint64_t>(x);
}
Word o(uint16_t x) {
  return x;
}
Word o(int16_t x) {
  return static_cast<uint16_t>(x);
}

#define ONE(EXPRESSION)                                          \
  {                                                              \
    [](Word x, Word, Word) -> Word { return o(EXPRESSION); }, {} \
  }
#define TWO(EXPRESSION)                                            \
  {                                                                \
    [](Word x, Word y, Word) -> Word { return o(EXPRESSION); }, {} \
  }
#define THREE(EXPRESSION)                                            \
  {                                                                  \
    [](Word x, Word y, Word z) -> Word { return o(EXPRESSION); }, {} \
  }
#define NEAR(EXPRESSION, ...)                                   \
  {                                                             \
    [](Word x, Word, Word) -> Word { return o(EXPRESSION); }, { \
      __VA_ARGS__                                               \
    }                                                           \
  }
#define NEAR2(EXPRESSION, ...)                                    \
  {                                                               \
    [](Word x, Word y, Word) -> Word { return o(EXPRESSION); }, { \
      __VA_ARGS__                                                 \
    }                                                             \
  }

// The ISA's bounds, widened by the half unit in the last place that our own rounding may take.
void add_approximate(Table& t) {
  constexpr double kUlp = 0x1p-23;
  t["ex2.approx.f32"] = NEAR(ex2_approx<false>(f(x)), 2.5 * kUlp, 0, 32);
  t["ex2.approx.ftz.f32"] = NEAR(ex2_approx<true>(f(x)), 2.5 * kUlp, 0, 32);
  t["lg2.approx.f32"] = NEAR(lg2_approx<false>(f(x)), 1.25 * 0x1p-22, 1.25 * 0x1p-22, 32);
  t["lg2.approx.ftz.f32"] = NEAR(lg2_approx<true>(f(x)), 1.25 * 0x1p-22, 1.25 * 0x1p-22, 32);
  t["sin.approx.f32"] = NEAR(sin_approx<false>(f(x)), 0, 0x1p-14, 32);
  t["cos.approx.f32"] = NEAR(cos_approx<false>(f(x)), 0, 0x1p-14, 32);
  t["sin.approx.ftz.f32"] = NEAR(sin_approx<true>(f(x)), 0, 0x1p-14, 32);
  t["cos.approx.ftz.f32"] = NEAR(cos_approx<true>(f(x)), 0, 0x1p-14, 32);
  t["rcp.approx.f32"] = NEAR(rcp_approx<false>(f(x)), 1.5 * kUlp, 0, 32);
  t["rcp.approx.ftz.f32"] = NEAR(rcp_approx<true>(f(x)), 1.5 * kUlp, 0, 32);
  t["rsqrt.approx.f32"] = NEAR(rsqrt_approx<false>(f(x)), 1.6 * kUlp, 0, 32);
  t["rsqrt.approx.ftz.f32"] = NEAR(rsqrt_approx<true>(f(x)), 1.6 * kUlp, 0, 32);
  t["sqrt.approx.f32"] = NEAR(sqrt_approx<false>(f(x)), 1.5 * kUlp, 0, 32);
  t["sqrt.approx.ftz.f32"] = NEAR(sqrt_approx<true>(f(x)), 1.5 * kUlp, 0, 32);
  t["tanh.approx.f32"] = NEAR(tanh_approx(f(x)), 0x1.15p-11, 0, 32);
  t["div.approx.f32"] = NEAR2((div_approx<false>(f(x), f(y))), 2.5 * kUlp, 0, 32);
  t["div.approx.ftz.f32"] = NEAR2((div_approx<true>(f(x), f(y))), 2.5 * kUlp, 0, 32);
  t["div.full.f32"] = NEAR2((div_full<false>(f(x), f(y))), 2.5 * kUlp, 0, 32);
  t["div.full.ftz.f32"] = NEAR2((div_full<true>(f(x), f(y))), 2.5 * kUlp, 0, 32);
  t["ex2.approx.f16"] = NEAR((half_ex2_approx<f16, false>(h(x))), 0x1p-9, 0, 16);
  t["tanh.approx.f16"] = NEAR(half_tanh_approx(h(x)), 0, 0x1p-10, 16);
  t["ex2.approx.ftz.bf16"] = NEAR((half_ex2_approx<bf16, true>(b(x))), 0x1p-6, 0, 17);
  t["tanh.approx.bf16"] = NEAR(half_tanh_approx(b(x)), 0, 0x1p-7, 17);
  t["rcp.approx.ftz.f64"] = NEAR(rcp_approx_ftz(d(x)), 0x1p-18, 0, 64);
  t["rsqrt.approx.ftz.f64"] = NEAR(rsqrt_approx_ftz(d(x)), 0x1p-18, 0, 64);
  t["rsqrt.approx.f64"] = NEAR(rsqrt_approx(d(x)), 0x1p-50, 0, 64);
}

void add_floats(Table& t) {
  t["add.rn.f32"] = TWO((add<rn, false, false>(f(x), f(y))));
  t["add.rz.f32"] = TWO((add<rz, false, false>(f(x), f(y))));
  t["add.rm.f32"] = TWO((add<rm, false, false>(f(x), f(y))));
  t["add.rp.ftz.f32"] = TWO((add<rp, true, false>(f(x), f(y))));
  t["sub.rn.ftz.sat.f32"] = TWO((sub<rn, true, true>(f(x), f(y))));
  t["mul.rn.f32"] = TWO((mul<rn, false, false>(f(x), f(y))));
  t["mul.rz.f32"] = TWO((mul<rz, false, false>(f(x), f(y))));
  t["mul.rm.f32"] = TWO((mul<rm, false, false>(f(x), f(y))));
  t["mul.rp.ftz.f32"] = TWO((mul<rp, true, false>(f(x), f(y))));
  t["fma.rn.f32"] = THREE((fma<rn, false, false>(f(x), f(y), f(z))));
  t["fma.rz.f32"] = THREE((fma<rz, false, false>(f(x), f(y), f(z))));
  t["fma.rm.ftz.f32"] = THREE((fma<rm, true, false>(f(x), f(y), f(z))));
  t["fma.rp.sat.f32"] = THREE((fma<rp, false, true>(f(x), f(y), f(z))));
  t["div.rn.f32"] = TWO((div<rn, false>(f(x), f(y))));
  t["div.rz.ftz.f32"] = TWO((div<rz, true>(f(x), f(y))));
  t["div.rm.f32"] = TWO((div<rm, false>(f(x), f(y))));
  t["div.rp.f32"] = TWO((div<rp, false>(f(x), f(y))));
  t["rcp.rn.f32"] = ONE((rcp<rn, false>(f(x))));
  t["rcp.rp.ftz.f32"] = ONE((rcp<rp, true>(f(x))));
  t["sqrt.rn.f32"] = ONE((sqrt<rn, false>(f(x))));
  t["sqrt.rz.f32"] = ONE((sqrt<rz, false>(f(x))));
  t["sqrt.rm.ftz.f32"] = ONE((sqrt<rm, true>(f(x))));
  t["sqrt.rp.f32"] = ONE((sqrt<rp, false>(f(x))));
  t["min.f32"] = TWO(min(f(x), f(y)));
  t["max.ftz.f32"] = TWO(max<true>(f(x), f(y)));
  t["min.NaN.f32"] = TWO((min<false, true>(f(x), f(y))));
  t["max.NaN.xorsign.abs.f32"] = TWO((max_xorsign_abs<false, true>(f(x), f(y))));
  t["min.ftz.xorsign.abs.f32"] = TWO((min_xorsign_abs<true>(f(x), f(y))));
  t["abs.f32"] = ONE(abs(f(x)));
  t["abs.ftz.f32"] = ONE(abs<true>(f(x)));
  t["neg.f32"] = ONE(neg(f(x)));
  t["neg.ftz.f32"] = ONE(neg<true>(f(x)));
  t["copysign.f32"] = TWO(copysign(f(x), f(y)));
  t["add.rn.f64"] = TWO((add<rn>(d(x), d(y))));
  t["add.rz.f64"] = TWO((add<rz>(d(x), d(y))));
  t["mul.rm.f64"] = TWO((mul<rm>(d(x), d(y))));
  t["fma.rn.f64"] = THREE((fma<rn>(d(x), d(y), d(z))));
  t["fma.rp.f64"] = THREE((fma<rp>(d(x), d(y), d(z))));
  t["div.rn.f64"] = TWO((div<rn>(d(x), d(y))));
  t["div.rz.f64"] = TWO((div<rz>(d(x), d(y))));
  t["sqrt.rn.f64"] = ONE((sqrt<rn>(d(x))));
  t["rcp.rm.f64"] = ONE((rcp<rm>(d(x))));
  t["min.f64"] = TWO(min(d(x), d(y)));
  t["sub.rn.f64"] = TWO((sub<rn>(d(x), d(y))));
  t["sub.rm.f64"] = TWO((sub<rm>(d(x), d(y))));
  t["mul.rn.f64"] = TWO((mul<rn>(d(x), d(y))));
  t["max.f64"] = TWO(max(d(x), d(y)));
  t["copysign.f64"] = TWO(copysign(d(x), d(y)));
  t["rcp.rn.f64"] = ONE((rcp<rn>(d(x))));
  t["sqrt.rz.f64"] = ONE((sqrt<rz>(d(x))));
  t["mul.rn.ftz.f32"] = TWO((mul<rn, true, false>(f(x), f(y))));
  t["mul.rz.ftz.f32"] = TWO((mul<rz, true, false>(f(x), f(y))));
  t["mul.rm.ftz.f32"] = TWO((mul<rm, true, false>(f(x), f(y))));
  t["fma.rn.ftz.f32"] = THREE((fma<rn, true, false>(f(x), f(y), f(z))));
  t["div.rn.ftz.f32"] = TWO((div<rn, true>(f(x), f(y))));
  t["div.rp.ftz.f32"] = TWO((div<rp, true>(f(x), f(y))));
  t["rcp.rn.ftz.f32"] = ONE((rcp<rn, true>(f(x))));
  t["abs.f64"] = ONE(abs(d(x)));
  t["neg.f64"] = ONE(neg(d(x)));
}

void add_halves(Table& t) {
  t["add.rn.f16"] = TWO((half_add<f16>(h(x), h(y))));
  t["add.rn.ftz.f16"] = TWO((half_add<f16, true>(h(x), h(y))));
  t["sub.rn.sat.f16"] = TWO((half_sub<f16, false, true>(h(x), h(y))));
  t["mul.rn.f16"] = TWO((half_mul<f16>(h(x), h(y))));
  t["mul.rn.ftz.sat.f16"] = TWO((half_mul<f16, true, true>(h(x), h(y))));
  t["fma.rn.f16"] = THREE((half_fma<f16>(h(x), h(y), h(z))));
  t["fma.rn.relu.f16"] = THREE((half_fma<f16, false, false, true>(h(x), h(y), h(z))));
  t["fma.rn.ftz.sat.f16"] = THREE((half_fma<f16, true, true>(h(x), h(y), h(z))));
  t["fma.rn.f16x2"] = THREE(packed<f16>([](f16 p, f16 q, f16 r) { return half_fma(p, q, r); }, u(x), u(y), u(z)));
  t["add.rn.f16x2"] = TWO(packed<f16>([](f16 p, f16 q) { return half_add(p, q); }, u(x), u(y)));
  t["min.f16"] = TWO(half_min(h(x), h(y)));
  t["max.NaN.f16"] = TWO((half_max<f16, false, true>(h(x), h(y))));
  t["max.ftz.f16"] = TWO((half_max<f16, true>(h(x), h(y))));
  t["min.xorsign.abs.f16"] = TWO(half_min_xorsign_abs(h(x), h(y)));
  t["abs.f16"] = ONE(half_abs(h(x)));
  t["neg.f16"] = ONE(half_neg(h(x)));
  t["neg.ftz.f16"] = ONE((half_neg<f16, true>(h(x))));
  t["abs.ftz.f16"] = ONE((half_abs<f16, true>(h(x))));
  t["mul.rn.ftz.f16"] = TWO((half_mul<f16, true>(h(x), h(y))));
  t["fma.rn.ftz.f16"] = THREE((half_fma<f16, true>(h(x), h(y), h(z))));
  t["neg.f16x2"] = ONE(packed<f16>([](f16 p) { return half_neg(p); }, u(x)));
  t["abs.f16x2"] = ONE(packed<f16>([](f16 p) { return half_abs(p); }, u(x)));
  t["neg.bf16x2"] = ONE(packed<bf16>([](bf16 p) { return half_neg(p); }, u(x)));
  t["abs.bf16x2"] = ONE(packed<bf16>([](bf16 p) { return half_abs(p); }, u(x)));
  t["add.rn.bf16"] = TWO(half_add(b(x), b(y)));
  t["mul.rn.bf16"] = TWO(half_mul(b(x), b(y)));
  t["fma.rn.bf16"] = THREE(half_fma(b(x), b(y), b(z)));
  t["fma.rn.relu.bf16"] = THREE((half_fma<bf16, false, false, true>(b(x), b(y), b(z))));
  t["fma.rn.bf16x2"] = THREE(packed<bf16>([](bf16 p, bf16 q, bf16 r) { return half_fma(p, q, r); }, u(x), u(y), u(z)));
  t["min.bf16"] = TWO(half_min(b(x), b(y)));
  t["max.NaN.bf16"] = TWO((half_max<bf16, false, true>(b(x), b(y))));
  t["abs.bf16"] = ONE(half_abs(b(x)));
  t["neg.bf16"] = ONE(half_neg(b(x)));
  t["set.ltu.f16.f16"] =
      TWO(f16{static_cast<uint16_t>(compare<Comparison::ltu>(to_float(h(x)), to_float(h(y))) ? 0x3c00 : 0)});
  t["set.ge.f16x2.f16x2"] = TWO(packed<f16>(
      [](f16 p, f16 q) {
        return f16{static_cast<uint16_t>(compare<Comparison::ge>(to_float(p), to_float(q)) ? 0x3c00 : 0)};
      },
      u(x), u(y)));
  t["set.neu.f32.f32"] = TWO(compare<Comparison::neu>(f(x), f(y)) ? 1.0f : 0.0f);
  t["set.lt.ftz.u32.f32"] = TWO((compare<Comparison::lt, true>(f(x), f(y)) ? 0xffffffffu : 0u));
}

void add_float_conversions(Table& t) {
  t["cvt.rn.f16.f32"] = ONE((narrow_to<f16, rn>(f(x))));
  t["cvt.rz.f16.f32"] = ONE((narrow_to<f16, rz>(f(x))));
  t["cvt.rn.sat.f16.f32"] = ONE((narrow_to<f16, rn, false, true>(f(x))));
  t["cvt.rn.relu.f16.f32"] = ONE((narrow_to<f16, rn, false, false, true>(f(x))));
  t["cvt.rn.f16.f64"] = ONE((narrow_to<f16, rn>(d(x))));
  t["cvt.rp.f16.f64"] = ONE((narrow_to<f16, rp>(d(x))));
  t["cvt.f32.f16"] = ONE(widen<float>(h(x)));
  t["cvt.ftz.f32.f16"] = ONE((widen<float, true>(h(x))));
  t["cvt.f64.f16"] = ONE(widen<double>(h(x)));
  t["cvt.rn.bf16.f32"] = ONE((narrow_to<bf16, rn>(f(x))));
  t["cvt.rz.bf16.f32"] = ONE((narrow_to<bf16, rz>(f(x))));
  t["cvt.rn.relu.bf16.f32"] = ONE((narrow_to<bf16, rn, false, false, true>(f(x))));
  t["cvt.rn.bf16.f64"] = ONE((narrow_to<bf16, rn>(d(x))));
  t["cvt.f32.bf16"] = ONE(widen<float>(b(x)));
  t["cvt.sat.f64.f32"] = ONE((widen<double, false, true>(f(x))));
  t["cvt.sat.f64.f16"] = ONE((widen<double, false, true>(h(x))));
  t["cvt.f64.bf16"] = ONE(widen<double>(b(x)));
  t["cvt.sat.f32.f16"] = ONE((widen<float, false, true>(h(x))));
  t["cvt.rn.bf16.f16"] = ONE((narrow_to<bf16, rn>(to_float(h(x)))));
  t["cvt.rn.f16.bf16"] = ONE((narrow_to<f16, rn>(to_float(b(x)))));
  t["cvt.rz.tf32.f32"] = ONE(to_tf32<rz>(f(x)));
  t["cvt.rn.relu.tf32.f32"] = ONE((to_tf32<rn, true>(f(x))));
  t["cvt.rzi.f64.f64"] = ONE(round_float<rz>(d(x)));
  t["cvt.rni.f16.f16"] = ONE(round_float<rn>(h(x)));
  t["cvt.rni.bf16.bf16"] = ONE(round_float<rn>(b(x)));
  t["cvt.rn.ftz.f32.f64"] = ONE((narrow_to<float, rn, true>(d(x))));
  t["cvt.rn.bf16.s32"] = ONE((integer_to_float<bf16, rn>(s(x))));
  t["cvt.rn.f16x2.f32"] = TWO(pack(narrow_to<f16, rn>(f(y)), narrow_to<f16, rn>(f(x))));
  t["cvt.rn.bf16x2.f32"] = TWO(pack(narrow_to<bf16, rn>(f(y)), narrow_to<bf16, rn>(f(x))));
  t["cvt.rz.relu.bf16x2.f32"] =
      TWO(pack(narrow_to<bf16, rz, false, false, true>(f(y)), narrow_to<bf16, rz, false, false, true>(f(x))));
  t["cvt.rna.tf32.f32"] = ONE(to_tf32<rna>(f(x)));
  t["cvt.rn.tf32.f32"] = ONE(to_tf32<rn>(f(x)));
  t["cvt.rz.relu.tf32.f32"] = ONE((to_tf32<rz, true>(f(x))));
  t["cvt.rn.satfinite.e4m3x2.f32"] = TWO(to_float8x2<e4m3>(f(x), f(y)));
  t["cvt.rn.satfinite.e5m2x2.f32"] = TWO(to_float8x2<e5m2>(f(x), f(y)));
  t["cvt.rn.satfinite.relu.e4m3x2.f32"] = TWO((to_float8x2<e4m3, true>(f(x), f(y))));
  t["cvt.rn.satfinite.e4m3x2.f16x2"] = ONE(to_float8x2<e4m3>(u(x)));
  t["cvt.rn.satfinite.e5m2x2.f16x2"] = ONE(to_float8x2<e5m2>(u(x)));
  t["cvt.rn.f16x2.e4m3x2"] = ONE(float8x2_to_f16x2<e4m3>(static_cast<uint16_t>(x)));
  t["cvt.rn.f16x2.e5m2x2"] = ONE(float8x2_to_f16x2<e5m2>(static_cast<uint16_t>(x)));
  t["cvt.rni.f32.f32"] = ONE(round_float<rn>(f(x)));
  t["cvt.rmi.ftz.f32.f32"] = ONE((round_float<rm, true>(f(x))));
  t["cvt.rpi.sat.f32.f32"] = ONE((round_float<rp, false, true>(f(x))));
  t["cvt.sat.f32.f32"] = ONE((pass_float<false, true>(f(x))));
  t["cvt.rzi.f16.f16"] = ONE(round_float<rz>(h(x)));
  t["cvt.rni.f64.f64"] = ONE(round_float<rn>(d(x)));
  t["cvt.rn.f32.f64"] = ONE((narrow_to<float, rn>(d(x))));
  t["cvt.rz.f32.f64"] = ONE((narrow_to<float, rz>(d(x))));
  t["cvt.rp.ftz.f32.f64"] = ONE((narrow_to<float, rp, true>(d(x))));
  t["cvt.rm.sat.f32.f64"] = ONE((narrow_to<float, rm, false, true>(d(x))));
  t["cvt.f64.f32"] = ONE(widen<double>(f(x)));
  t["cvt.ftz.f64.f32"] = ONE((widen<double, true>(f(x))));
}

void add_integer_conversions(Table& t) {
  t["cvt.rzi.s32.f32"] = ONE((float_to_integer<int32_t, rz>(f(x))));
  t["cvt.rni.s32.f32"] = ONE((float_to_integer<int32_t, rn>(f(x))));
  t["cvt.rmi.ftz.s32.f32"] = ONE((float_to_integer<int32_t, rm, true>(f(x))));
  t["cvt.rzi.u32.f32"] = ONE((float_to_integer<uint32_t, rz>(f(x))));
  t["cvt.rpi.ftz.u32.f32"] = ONE((float_to_integer<uint32_t, rp, true>(f(x))));
  t["cvt.rzi.s64.f32"] = ONE((float_to_integer<int64_t, rz>(f(x))));
  t["cvt.rzi.u64.f32"] = ONE((float_to_integer<uint64_t, rz>(f(x))));
  t["cvt.rzi.s16.f32"] = ONE((float_to_integer<int16_t, rz>(f(x))));
  t["cvt.rzi.s32.f64"] = ONE((float_to_integer<int32_t, rz>(d(x))));
  t["cvt.rni.u32.f64"] = ONE((float_to_integer<uint32_t, rn>(d(x))));
  t["cvt.rzi.s64.f64"] = ONE((float_to_integer<int64_t, rz>(d(x))));
  t["cvt.rzi.u64.f64"] = ONE((float_to_integer<uint64_t, rz>(d(x))));
  t["cvt.rzi.s32.f16"] = ONE((float_to_integer<int32_t, rz>(h(x))));
  t["cvt.rni.u16.f16"] = ONE((float_to_integer<uint16_t, rn>(h(x))));
  t["cvt.rzi.s64.f16"] = ONE((float_to_integer<int64_t, rz>(h(x))));
  t["cvt.rn.f32.s32"] = ONE((integer_to_float<float, rn>(s(x))));
  t["cvt.rz.f32.s32"] = ONE((integer_to_float<float, rz>(s(x))));
  t["cvt.rp.f32.u32"] = ONE((integer_to_float<float, rp>(u(x))));
  t["cvt.rn.f32.s64"] = ONE((integer_to_float<float, rn>(sl(x))));
  t["cvt.rn.f32.u64"] = ONE((integer_to_float<float, rn>(x)));
  t["cvt.rm.f64.u64"] = ONE((integer_to_float<double, rm>(x)));
  t["cvt.rn.f64.s64"] = ONE((integer_to_float<double, rn>(sl(x))));
  t["cvt.rn.f16.s32"] = ONE((integer_to_float<f16, rn>(s(x))));
  t["cvt.rz.f16.u64"] = ONE((integer_to_float<f16, rz>(x)));
  t["cvt.sat.s32.s64"] = ONE((saturate_integer<int32_t>(sl(x))));
  t["cvt.sat.u32.s64"] = ONE((saturate_integer<uint32_t>(sl(x))));
  t["cvt.sat.s16.u32"] = ONE((saturate_integer<int16_t>(u(x))));
}

void add_integers(Table& t) {
  t["div.s32"] = TWO(div(s(x), s(y)));
  t["rem.s32"] = TWO(rem(s(x), s(y)));
  t["div.u32"] = TWO(div(u(x), u(y)));
  t["rem.u32"] = TWO(rem(u(x), u(y)));
  t["div.s64"] = TWO(div(sl(x), sl(y)));
  t["rem.u64"] = TWO(rem(x, y));
  t["div.u64"] = TWO(div(x, y));
  t["rem.s64"] = TWO(rem(sl(x), sl(y)));
  t["div.s16"] = TWO(div(static_cast<int16_t>(x), static_cast<int16_t>(y)));
  t["rem.s16"] = TWO(rem(static_cast<int16_t>(x), static_cast<int16_t>(y)));
  t["div.u16"] = TWO(div(static_cast<uint16_t>(x), static_cast<uint16_t>(y)));
  t["rem.u16"] = TWO(rem(static_cast<uint16_t>(x), static_cast<uint16_t>(y)));
  t["add.sat.s32"] = TWO(add_sat(s(x), s(y)));
  t["sub.sat.s32"] = TWO(sub_sat(s(x), s(y)));
  t["mad.hi.sat.s32"] = THREE(mad_hi_sat(s(x), s(y), s(z)));
  t["mul24.hi.s32"] = TWO(mul24_hi(s(x), s(y)));
  t["mul24.lo.u32"] = TWO(mul24_lo(u(x), u(y)));
  t["mad24.hi.sat.s32"] = THREE(mad24_hi_sat(s(x), s(y), s(z)));
  t["sad.s32"] = THREE(sad(s(x), s(y), s(z)));
  t["dp4a.s32.u32"] = THREE((dp4a<int32_t, uint32_t>(u(x), u(y), u(z))));
  t["dp2a.hi.s32.u32"] = THREE((dp2a<int32_t, uint32_t, true>(u(x), u(y), u(z))));
  t["dp2a.lo.u32.s32"] = THREE((dp2a<uint32_t, int32_t, false>(u(x), u(y), u(z))));
  t["abs.s32"] = ONE(abs_integer(s(x)));
  t["min.relu.s32"] = TWO(min_integer<true>(s(x), s(y)));
  t["max.s16x2"] = TWO(packed16<int16_t>([](int16_t p, int16_t q) { return max_integer(p, q); }, u(x), u(y)));
}

void add_bits(Table& t) {
  t["bfe.s32"] = THREE(bfe(s(x), u(y), u(z)));
  t["bfe.u32"] = THREE(bfe(u(x), u(y), u(z)));
  t["bfe.s64"] = THREE(bfe(sl(x), u(y), u(z)));
  t["bfe.u64"] = THREE(bfe(x, u(y), u(z)));
  t["bfi.b32"] = THREE(bfi(u(x), ~u(x), u(y), u(z)));  // into its complement
  t["bfi.b64"] = THREE(bfi(x, ~x, u(y), u(z)));
  t["bfind.s32"] = ONE(bfind<false>(s(x)));
  t["bfind.shiftamt.u32"] = ONE(bfind<true>(u(x)));
  t["bfind.shiftamt.s64"] = ONE(bfind<true>(sl(x)));
  t["prmt.b32"] = THREE(prmt(u(x), u(y), u(z)));
  t["prmt.b32.f4e"] = THREE(prmt<PermuteMode::f4e>(u(x), u(y), u(z)));
  t["prmt.b32.b4e"] = THREE(prmt<PermuteMode::b4e>(u(x), u(y), u(z)));
  t["prmt.b32.rc8"] = THREE(prmt<PermuteMode::rc8>(u(x), u(y), u(z)));
  t["prmt.b32.ecl"] = THREE(prmt<PermuteMode::ecl>(u(x), u(y), u(z)));
  t["prmt.b32.ecr"] = THREE(prmt<PermuteMode::ecr>(u(x), u(y), u(z)));
  t["prmt.b32.rc16"] = THREE(prmt<PermuteMode::rc16>(u(x), u(y), u(z)));
  t["shf.l.wrap.b32"] = THREE(shf_l<false>(u(x), u(y), u(z)));
  t["shf.r.clamp.b32"] = THREE(shf_r<true>(u(x), u(y), u(z)));
  t["shr.s32"] = TWO(shr(s(x), u(y)));
  t["shl.b32"] = TWO(shl(u(x), u(y)));
  t["bmsk.clamp.b32"] = TWO(bmsk<true>(u(x), u(y)));
  t["bmsk.wrap.b32"] = TWO(bmsk<false>(u(x), u(y)));
  t["szext.clamp.s32"] = TWO(szext<true>(s(x), u(y)));
  t["szext.wrap.u32"] = TWO(szext<false>(u(x), u(y)));
  t["fns.b32"] = THREE(fns(u(x), u(y), s(z)));
  using enum VideoOperation;
  t["vabsdiff4.u32.u32.u32"] = THREE(
      (video(VideoForm{VideoOperation::absolute_difference, 4, false, false, false, false, false}, u(x), u(y), u(z))));
  t["vabsdiff4.s32.s32.s32.add"] = THREE(
      (video(VideoForm{VideoOperation::absolute_difference, 4, true, true, true, false, true}, u(x), u(y), u(z))));
  t["vadd2.s32.s32.s32.sat"] =
      THREE((video(VideoForm{VideoOperation::add, 2, true, true, true, true, false}, u(x), u(y), u(z))));
  t["vavrg4.u32.u32.u32"] =
      THREE((video(VideoForm{VideoOperation::average, 4, false, false, false, false, false}, u(x), u(y), u(z))));
  t["vmax4.s32.s32.s32"] =
      THREE((video(VideoForm{VideoOperation::maximum, 4, true, true, true, false, false}, u(x), u(y), u(z))));
}

}  // namespace

const std::map<std::string, Operation>& operations() {
  static const Table table = [] {
    Table t;
    add_approximate(t);
    add_floats(t);
    add_halves(t);
    add_float_conversions(t);
    add_integer_conversions(t);
    add_integers(t);
    add_bits(t);
    return t;
  }();
  return table;
}

TEST(TruthOperations, AnswersAFewByHand) {
  const auto answer = [](const char* name, Word x, Word y, Word z) { return operations().at(name).evaluate(x, y, z); };
  EXPECT_EQ(answer("add.rn.f32", 0x3f800000, 0x3f800000, 0), 0x40000000u);
  EXPECT_EQ(answer("cvt.rn.f16x2.f32", 0x3f800000, 0x40000000, 0), 0x3c004000u);
  EXPECT_EQ(answer("fma.rn.f64", 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000), 0x4000000000000000u);
  EXPECT_EQ(answer("bfe.s32", 0x80, 0, 8), 0xffffff80u);
}

}  // namespace assay::vgpu::semantics::truth
