// SPDX-License-Identifier: MIT
// Rows of the opcode table: SIMD video instructions with their plain selectors and full mask.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

#define ASSAY_VIDEO(name, what)                                                           \
  OpcodeRow{name, name ".(u32|s32).(u32|s32).(u32|s32){.sat} d:b32, a:b32, b:b32, c:b32", \
            "d = " what ", cut; .sat: clamped"},                                          \
      OpcodeRow {                                                                         \
    name ".add", name ".(u32|s32).(u32|s32).(u32|s32).add d:b32, a:b32, b:b32, c:b32",    \
        "d = c + the sum over all: " what                                                 \
  }

constexpr std::array kVideoRows = {
    ASSAY_VIDEO("vadd2", "a + b of each half"),
    ASSAY_VIDEO("vsub2", "a - b of each half"),
    ASSAY_VIDEO("vavrg2", "the average of a and b of each half"),
    ASSAY_VIDEO("vabsdiff2", "|a - b| of each half"),
    ASSAY_VIDEO("vmin2", "the smaller of a and b of each half"),
    ASSAY_VIDEO("vmax2", "the larger of a and b of each half"),
    ASSAY_VIDEO("vadd4", "a + b of each byte"),
    ASSAY_VIDEO("vsub4", "a - b of each byte"),
    ASSAY_VIDEO("vavrg4", "the average of a and b of each byte"),
    ASSAY_VIDEO("vabsdiff4", "|a - b| of each byte"),
    ASSAY_VIDEO("vmin4", "the smaller of a and b of each byte"),
    ASSAY_VIDEO("vmax4", "the larger of a and b of each byte"),
};

#undef ASSAY_VIDEO

}  // namespace

std::span<const OpcodeRow> video_rows() {
  return kVideoRows;
}

}  // namespace assay::ptx
