// SPDX-License-Identifier: MIT
// Rows of the opcode table: textures and surfaces, by objects (cudaTextureObject_t, cudaSurfaceObject_t).
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kTextureRows = {
    OpcodeRow{"tex", "tex{.base}.$geometry.v4.(u32|s32|f32).(s32|f32) {d}, [a{c}]",
              "four channels of the texture a at the coordinates c, filtered as the object says",
              Fidelity::approximate},
    OpcodeRow{"tex.f16x2", "tex{.base}.$geometry.v2.f16x2.(s32|f32) {d}, [a{c}]", "the same as halves",
              Fidelity::approximate},
    OpcodeRow{"tex.level", "tex.level.$geometry.v4.(u32|s32|f32).(s32|f32) {d}, [a{c}], l:t1",
              "the same of a mipmap's level l, or of the two next to it", Fidelity::approximate},
    OpcodeRow{"tex.grad", "tex.grad.$geometry.v4.(u32|s32|f32).f32 {d}, [a{c}], {x}:f32, {y}:f32",
              "the same of the level at which steps of x and y are one texel long", Fidelity::approximate},
    OpcodeRow{"tld4", "tld4.(r|g|b|a).2d.v4.(u32|s32|f32).f32 {d}, [a{c}]",
              "one channel of the four texels that a linear filter would take, counter-clockwise from the lower left"},
    OpcodeRow{"txq", "txq.(width|height|depth).b32 d, [a]", "d = the texture's size in texels"},
    OpcodeRow{"suld", "suld.b.$flat{.$cop}{.(v2|v4)}.(b8|b16|b32|b64).$outside {d}:t0+, [a{c}]",
              "bytes of the surface a; the first coordinate counts bytes"},
    OpcodeRow{"sust", "sust.b.$flat{.$cop}{.(v2|v4)}.(b8|b16|b32|b64).$outside [a{c}], {b}:t0+",
              "writes bytes of the surface a; the first coordinate counts bytes"},
    OpcodeRow{"sust.p", "sust.p.$flat{.$cop}{.(v2|v4)}.b32.$outside [a{c}], {b}",
              "writes a texel of the surface a, converted to its format"},
    OpcodeRow{"sured", "sured.b.(add|min|max|and|or).$flat.(u32|s32|u64|b32).$outside [a{c}], b",
              "combines a word of the surface a with b; the first coordinate counts bytes"},
    OpcodeRow{"suq", "suq.(width|height|depth).b32 d, [a]", "d = the surface's size in texels"},
};

}  // namespace

std::span<const OpcodeRow> texture_rows() {
  return kTextureRows;
}

}  // namespace assay::ptx
