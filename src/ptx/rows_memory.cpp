// SPDX-License-Identifier: MIT
// Rows of the opcode table: loads and stores.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kMemoryRows = {
    OpcodeRow{"ld",
              "ld{.volatile}{.weak}{.$space}{.$cop}{.$l1}{.$l2}{.$prefetch}{.$hint}{.$vec}.$mem {d}:t0+, [a]{, hint}",
              "d = memory at a", Fidelity::exact, Operation::load},
    OpcodeRow{"ld.nc", "ld.global{.$cop}.nc{.$l1}{.$l2}{.$prefetch}{.$hint}{.$vec}.$mem {d}:t0+, [a]{, hint}",
              "d = memory at a, which nobody writes during the kernel", Fidelity::exact, Operation::load},
    OpcodeRow{"ld.ordered",
              "ld{.mmio}.(relaxed|acquire).$scope{.(global|$shared)}{.$l1}{.$l2}{.$prefetch}{.$hint}{.$vec}.$mem "
              "{d}:t0+, [a]{, hint}",
              "d = memory at a, ordered", Fidelity::exact, Operation::load},
    OpcodeRow{"ldu", "ldu{.global}{.(v2|v4)}.$mem {d}:t0+, [a]", "d = memory at a, the same address in all lanes",
              Fidelity::exact, Operation::load},
    OpcodeRow{"st", "st{.volatile}{.weak}{.$space}{.$cop}{.$l1}{.$l2}{.$hint}{.$vec}.$mem [a], {b}:t0+{, hint}",
              "memory at a = b", Fidelity::exact, Operation::store},
    OpcodeRow{"st.ordered",
              "st{.mmio}.(relaxed|release).$scope{.(global|$shared)}{.$l1}{.$l2}{.$hint}{.$vec}.$mem "
              "[a], {b}:t0+{, hint}",
              "memory at a = b, ordered", Fidelity::exact, Operation::store},
    OpcodeRow{"prefetch", "prefetch{.(global|local)}.(L1|L2|L2::evict_last|L2::evict_normal) [a]",
              "brings memory at a nearer; nothing that a program could see", Fidelity::functional},
    OpcodeRow{"prefetchu", "prefetchu.L1 [a]", "the same", Fidelity::functional},
    OpcodeRow{"discard", "discard{.global}.L2 [a], n:u32",
              "the 128 bytes at a are not needed any more; they keep their values", Fidelity::functional},
    OpcodeRow{"applypriority", "applypriority{.global}.L2::evict_normal [a], n:u32",
              "the 128 bytes at a are kept no longer than others; nothing that a program could see",
              Fidelity::functional},
    OpcodeRow{"createpolicy", "createpolicy.fractional.$keep{.(L2::evict_first|L2::evict_unchanged)}.b64 d{, f:f32}",
              "d = a cache policy, which has no effect on values", Fidelity::functional},
    OpcodeRow{"createpolicy.range",
              "createpolicy.range{.global}.$keep{.(L2::evict_first|L2::evict_unchanged)}.b64 d, [a], n:u32, m:u32",
              "d = a cache policy for the n bytes at a and the m bytes behind them", Fidelity::functional},
    OpcodeRow{"createpolicy.cvt", "createpolicy.cvt.L2.b64 d, a", "d = a cache policy made of what the host knows",
              Fidelity::functional},
};

}  // namespace

std::span<const OpcodeRow> memory_rows() {
  return kMemoryRows;
}

}  // namespace assay::ptx
