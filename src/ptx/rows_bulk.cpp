// SPDX-License-Identifier: MIT
// Rows of the opcode table: bulk copies, plain and by tensor map.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

#define ASSAY_REDUCE_SHARED "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"

constexpr std::array kBulkRows = {
    OpcodeRow{
        "cp.async.bulk.load",
        "cp.async.bulk.(shared::cta|shared::cluster).global.mbarrier::complete_tx::bytes{.$hint} [d], [a], n:u32, "
        "[b]{, hint}",
        "shared memory at d = n bytes of global memory at a; seen after a wait for the mbarrier at b", Fidelity::exact,
        Operation::bulk_load},
    OpcodeRow{"cp.async.bulk.load.multicast",
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.$hint} [d], [a], "
              "n:u32, [b], m:u16{, hint}",
              "the same to d in every block of the cluster whose bit is set in m, each with its own mbarrier",
              Fidelity::exact, Operation::bulk_load},
    OpcodeRow{"cp.async.bulk.shared",
              "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [a], n:u32, [b]",
              "shared memory of a block of the cluster at d = n bytes at a"},
    OpcodeRow{"cp.async.bulk.store", "cp.async.bulk.global.shared::cta.bulk_group{.$hint} [d], [a], n:u32{, hint}",
              "global memory at d = n bytes of shared memory at a; read until the thread waits for the group",
              Fidelity::exact, Operation::bulk_store},
    OpcodeRow{
        "cp.async.bulk.tensor.load",
        "cp.async.bulk.tensor.$dims.(shared::cta|shared::cluster).global{.tile}.mbarrier::complete_tx::bytes"
        "{.$hint} [d], [a{c}], [b]{, hint}",
        "shared memory at d = the tile at the coordinates c of the tensor map a; seen after a wait for the mbarrier "
        "at b",
        Fidelity::exact, Operation::bulk_load},
    OpcodeRow{"cp.async.bulk.tensor.load.multicast",
              "cp.async.bulk.tensor.$dims.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster"
              "{.$hint} [d], [a{c}], [b], m:u16{, hint}",
              "the same to d in every block of the cluster whose bit is set in m", Fidelity::exact,
              Operation::bulk_load},
    OpcodeRow{"cp.async.bulk.tensor.store",
              "cp.async.bulk.tensor.$dims.global.shared::cta{.tile}.bulk_group{.$hint} [a{c}], [b]{, hint}",
              "the tile at the coordinates c of the tensor map a = shared memory at b", Fidelity::exact,
              Operation::bulk_store},
    OpcodeRow{"cp.async.bulk.tensor.im2col.load",
              "cp.async.bulk.tensor.(3d|4d|5d).(shared::cta|shared::cluster).global.im2col.mbarrier::complete_tx::bytes"
              "{.$hint} [d], [a{c}], [b], {o}:u16{, hint}",
              "shared memory at d = the channels of pixels from the coordinates c on, each moved by the offsets o, in "
              "the box of the im2col tensor map a; seen after a wait for the mbarrier at b",
              Fidelity::exact, Operation::bulk_load},
    OpcodeRow{"cp.async.bulk.tensor.im2col.load.multicast",
              "cp.async.bulk.tensor.(3d|4d|5d).shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
              ".multicast::cluster{.$hint} [d], [a{c}], [b], {o}:u16, m:u16{, hint}",
              "the same to d in every block of the cluster whose bit is set in m", Fidelity::exact,
              Operation::bulk_load},
    OpcodeRow{"cp.async.bulk.tensor.im2col.store",
              "cp.async.bulk.tensor.(3d|4d|5d).global.shared::cta.im2col_no_offs.bulk_group{.$hint} [a{c}], [b]"
              "{, hint}",
              "the channels of pixels from the coordinates c on of the im2col tensor map a = shared memory at b",
              Fidelity::exact, Operation::bulk_store},
    OpcodeRow{"cp.reduce.async.bulk",
              "cp.reduce.async.bulk.global.shared::cta.bulk_group{.$hint}.$reduce{.noftz}"
              ".(f16|bf16|f32|f64|u32|s32|b32|u64|s64|b64) [d], [a], n:u32{, hint}",
              "as a store, but each element is combined with the one that is there", Fidelity::exact,
              Operation::bulk_store},
    OpcodeRow{"cp.reduce.async.bulk.shared.add", ASSAY_REDUCE_SHARED ".add.(u32|s32|u64) [d], [a], n:u32, [b]",
              "shared memory of a block of the cluster at d += n bytes at a, element by element"},
    OpcodeRow{"cp.reduce.async.bulk.shared.minmax", ASSAY_REDUCE_SHARED ".(min|max).(u32|s32) [d], [a], n:u32, [b]",
              "the same with the smaller or larger of both"},
    OpcodeRow{"cp.reduce.async.bulk.shared.wrap", ASSAY_REDUCE_SHARED ".(inc|dec).u32 [d], [a], n:u32, [b]",
              "the same, counting up to a or down from it"},
    OpcodeRow{"cp.reduce.async.bulk.shared.logic", ASSAY_REDUCE_SHARED ".(and|or|xor).b32 [d], [a], n:u32, [b]",
              "the same, joined bit by bit"},
    OpcodeRow{
        "cp.reduce.async.bulk.tensor",
        "cp.reduce.async.bulk.tensor.$dims.global.shared::cta.$reduce{.tile}.bulk_group{.$hint} [a{c}], [b]{, hint}",
        "the same with the tile at the coordinates c of the tensor map a", Fidelity::exact, Operation::bulk_store},
    OpcodeRow{"cp.reduce.async.bulk.tensor.im2col",
              "cp.reduce.async.bulk.tensor.(3d|4d|5d).global.shared::cta.$reduce.im2col_no_offs.bulk_group{.$hint} "
              "[a{c}], [b]{, hint}",
              "the same with the pixels from the coordinates c on of the im2col tensor map a", Fidelity::exact,
              Operation::bulk_store},
    OpcodeRow{"cp.async.bulk.commit_group", "cp.async.bulk.commit_group", "the stores issued so far form a group"},
    OpcodeRow{"cp.async.bulk.wait_group", "cp.async.bulk.wait_group{.read} n:u32",
              "waits until at most n groups are open"},
    OpcodeRow{"cp.async.bulk.prefetch", "cp.async.bulk.prefetch.L2.global{.$hint} [a], n:u32{, hint}",
              "nothing that a program could see", Fidelity::functional},
    OpcodeRow{"cp.async.bulk.prefetch.tensor",
              "cp.async.bulk.prefetch.tensor.$dims.L2.global{.tile}{.$hint} [a{c}]{, hint}",
              "nothing that a program could see", Fidelity::functional},
    OpcodeRow{"cp.async.bulk.prefetch.tensor.im2col",
              "cp.async.bulk.prefetch.tensor.(3d|4d|5d).L2.global.im2col{.$hint} [a{c}], {o}:u16{, hint}",
              "nothing that a program could see", Fidelity::functional},
    OpcodeRow{"prefetch.tensormap", "prefetch{.(const|param)}.tensormap [a]", "nothing that a program could see",
              Fidelity::functional},
    OpcodeRow{"tensormap.replace",
              "tensormap.replace.tile.(global_address|rank|elemtype|swizzle_mode|fill_mode){.(global|shared::cta)}"
              ".b1024.(b32|b64) [a], b",
              "a field of the tensor map at a = b"},
    OpcodeRow{"tensormap.replace.dimension",
              "tensormap.replace.tile.(box_dim|global_dim|global_stride|element_stride){.(global|shared::cta)}"
              ".b1024.(b32|b64) [a], n:u32, b",
              "the same for dimension n"},
    OpcodeRow{"tensormap.replace.interleave",
              "tensormap.replace.tile.interleave_layout{.(global|shared::cta)}.b1024.b32 [a], b",
              "b is 0: no interleaving", Fidelity::functional},
    OpcodeRow{"tensormap.cp_fenceproxy",
              "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.$scope.sync.aligned "
              "[d], [a], n:u32",
              "the tensor map at d = that at a, before copies by it"},
};

#undef ASSAY_REDUCE_SHARED

}  // namespace

std::span<const OpcodeRow> bulk_rows() {
  return kBulkRows;
}

}  // namespace assay::ptx
