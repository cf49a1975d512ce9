// SPDX-License-Identifier: MIT
// Rows of the opcode table: atomic read-modify-write. `red` is the same without a result.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

#define ASSAY_ATOM "atom{.(relaxed|acquire|release|acq_rel)}{.$scope}{.(global|shared|shared::cta|shared::cluster)}"
#define ASSAY_RED "red{.(relaxed|release)}{.$scope}{.(global|shared|shared::cta|shared::cluster)}"

constexpr std::array kAtomicRows = {
    OpcodeRow{"atom.add.int", ASSAY_ATOM ".add{.$hint}.(u32|s32|u64) d, [a], b{, hint}",
              "d = memory at a; memory at a += b", Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.add.float", ASSAY_ATOM ".add{.$hint}.(f32|f64) d, [a], b{, hint}", "the same in floating point",
              Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.add.half", ASSAY_ATOM ".add.noftz{.$hint}.(f16|f16x2|bf16|bf16x2) d, [a], b{, hint}",
              "the same in half precision", Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.minmax", ASSAY_ATOM ".(min|max){.$hint}.(u32|s32|u64|s64) d, [a], b{, hint}",
              "memory at a = the smaller or larger of it and b", Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.wrap", ASSAY_ATOM ".(inc|dec){.$hint}.u32 d, [a], b{, hint}",
              "counts up to b and then from 0, or down to 0 and then from b", Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.logic", ASSAY_ATOM ".(and|or|xor){.$hint}.(b32|b64) d, [a], b{, hint}",
              "memory at a = it joined with b bit by bit", Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.exch", ASSAY_ATOM ".exch{.$hint}.(b32|b64|b128) d, [a], b{, hint}",
              "d = memory at a; memory at a = b", Fidelity::exact, Operation::atomic},
    OpcodeRow{"atom.cas", ASSAY_ATOM ".cas.(b16|b32|b64|b128) d, [a], b, c",
              "d = memory at a; memory at a = (d == b ? c : d)", Fidelity::exact, Operation::atomic},
    OpcodeRow{
        "atom.vector.float",
        "atom{.(relaxed|acquire|release|acq_rel)}{.$scope}{.global}.add{.$hint}.(v2|v4).f32 {d}, [a], {b}{, hint}",
        "each element of d = memory at a and behind; each there += its element of b", Fidelity::exact,
        Operation::atomic},
    OpcodeRow{"atom.vector.half",
              "atom{.(relaxed|acquire|release|acq_rel)}{.$scope}{.global}.(add|min|max).noftz{.$hint}.$vec"
              ".(f16|bf16|f16x2|bf16x2) {d}, [a], {b}{, hint}",
              "the same in half precision; or the smaller or larger of both", Fidelity::exact, Operation::atomic},
    OpcodeRow{"red.add.int", ASSAY_RED ".add{.$hint}.(u32|s32|u64) [a], b{, hint}", "memory at a += b", Fidelity::exact,
              Operation::reduction},
    OpcodeRow{"red.add.float", ASSAY_RED ".add{.$hint}.(f32|f64) [a], b{, hint}", "the same in floating point",
              Fidelity::exact, Operation::reduction},
    OpcodeRow{"red.add.half", ASSAY_RED ".add.noftz{.$hint}.(f16|f16x2|bf16|bf16x2) [a], b{, hint}",
              "the same in half precision", Fidelity::exact, Operation::reduction},
    OpcodeRow{"red.minmax", ASSAY_RED ".(min|max){.$hint}.(u32|s32|u64|s64) [a], b{, hint}",
              "memory at a = the smaller or larger of it and b", Fidelity::exact, Operation::reduction},
    OpcodeRow{"red.wrap", ASSAY_RED ".(inc|dec){.$hint}.u32 [a], b{, hint}",
              "counts up to b and then from 0, or down to 0 and then from b", Fidelity::exact, Operation::reduction},
    OpcodeRow{"red.logic", ASSAY_RED ".(and|or|xor){.$hint}.(b32|b64) [a], b{, hint}",
              "memory at a = it joined with b bit by bit", Fidelity::exact, Operation::reduction},
    OpcodeRow{"red.vector.float", "red{.(relaxed|release)}{.$scope}{.global}.add{.$hint}.(v2|v4).f32 [a], {b}{, hint}",
              "each element at a and behind += its element of b", Fidelity::exact, Operation::reduction},
    OpcodeRow{"red.vector.half",
              "red{.(relaxed|release)}{.$scope}{.global}.(add|min|max).noftz{.$hint}.$vec.(f16|bf16|f16x2|bf16x2) "
              "[a], {b}{, hint}",
              "the same in half precision; or the smaller or larger of both", Fidelity::exact, Operation::reduction},
};

#undef ASSAY_ATOM
#undef ASSAY_RED

}  // namespace

std::span<const OpcodeRow> atomic_rows() {
  return kAtomicRows;
}

}  // namespace assay::ptx
