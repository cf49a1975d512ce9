// SPDX-License-Identifier: MIT
// Rows of the opcode table: loads and stores.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kMemoryRows = {
    OpcodeRow{"ld", "ld{.volatile}{.weak}{.$space}{.$cop}{.$l1}{.$l2}{.$prefetch}{.$vec}.$mem {d}:t0+, [a]",
              "d = memory at a", Fidelity::exact, Operation::load},
    OpcodeRow{"ld.hint",
              "ld{.weak}{.global}{.$cop}{.$l1}{.$l2}{.$prefetch}.L2::cache_hint{.$vec}.$mem {d}:t0+, [a], c:b64",
              "d = memory at a; the cache policy c has no effect on values", Fidelity::functional, Operation::load},
    OpcodeRow{"ld.nc", "ld.global{.$cop}.nc{.$l1}{.$l2}{.$prefetch}{.$vec}.$mem {d}:t0+, [a]",
              "d = memory at a, which nobody writes during the kernel", Fidelity::exact, Operation::load},
    OpcodeRow{
        "ld.ordered",
        "ld.(relaxed|acquire).$scope{.(global|shared|shared::cta)}{.$l1}{.$l2}{.$prefetch}{.$vec}.$mem {d}:t0+, [a]",
        "d = memory at a, ordered", Fidelity::exact, Operation::load},
    OpcodeRow{"st", "st{.volatile}{.weak}{.$space}{.$cop}{.$l1}{.$l2}{.$vec}.$mem [a], {b}:t0+", "memory at a = b",
              Fidelity::exact, Operation::store},
    OpcodeRow{"st.ordered",
              "st.(relaxed|release).$scope{.(global|shared|shared::cta)}{.$l1}{.$l2}{.$vec}.$mem [a], {b}:t0+",
              "memory at a = b, ordered", Fidelity::exact, Operation::store},
    OpcodeRow{"prefetch", "prefetch{.(global|local)}.(L1|L2|L2::evict_last|L2::evict_normal) [a]",
              "brings memory at a nearer; nothing that a program could see", Fidelity::functional},
    OpcodeRow{"prefetchu", "prefetchu.L1 [a]", "the same", Fidelity::functional},
    OpcodeRow{"discard", "discard{.global}.L2 [a], n:u32",
              "the 128 bytes at a are not needed any more; they keep their values", Fidelity::functional},
    OpcodeRow{"createpolicy",
              "createpolicy.fractional.(L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged)"
              "{.(L2::evict_first|L2::evict_unchanged)}.b64 d{, f:f32}",
              "d = a cache policy, which has no effect on values", Fidelity::functional},
};

}  // namespace

std::span<const OpcodeRow> memory_rows() {
  return kMemoryRows;
}

}  // namespace assay::ptx
