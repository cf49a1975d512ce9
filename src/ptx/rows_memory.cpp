// SPDX-License-Identifier: MIT
// Rows of the opcode table: loads and stores.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kRows = {
    OpcodeRow{"ld", "ld{.volatile}{.weak}{.$space}{.$cop}{.$l1}{.$l2}{.$prefetch}{.$vec}.$mem {d}:t0+, [a]",
              "d = memory at a"},
    OpcodeRow{"ld.hint",
              "ld{.weak}{.global}{.$cop}{.$l1}{.$l2}{.$prefetch}.L2::cache_hint{.$vec}.$mem {d}:t0+, [a], c:b64",
              "d = memory at a; the cache policy c has no effect on values", Fidelity::functional},
    OpcodeRow{"ld.nc", "ld.global{.$cop}.nc{.$l1}{.$l2}{.$prefetch}{.$vec}.$mem {d}:t0+, [a]",
              "d = memory at a, which nobody writes during the kernel"},
    OpcodeRow{
        "ld.ordered",
        "ld.(relaxed|acquire).$scope{.(global|shared|shared::cta)}{.$l1}{.$l2}{.$prefetch}{.$vec}.$mem {d}:t0+, [a]",
        "d = memory at a, ordered"},
    OpcodeRow{"st", "st{.volatile}{.weak}{.$space}{.$cop}{.$l1}{.$l2}{.$vec}.$mem [a], {b}:t0+", "memory at a = b"},
    OpcodeRow{"st.ordered",
              "st.(relaxed|release).$scope{.(global|shared|shared::cta)}{.$l1}{.$l2}{.$vec}.$mem [a], {b}:t0+",
              "memory at a = b, ordered"},
};

}  // namespace

std::span<const OpcodeRow> memory_rows() {
  return kRows;
}

}  // namespace assay::ptx
