// SPDX-License-Identifier: MIT
// Rows of the opcode table: barriers and fences.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kBarrierRows = {
    OpcodeRow{"bar.sync", "bar{.cta}.sync{.aligned} a:u32{, n:u32}",
              "waits until all threads, or n, have arrived at barrier a", Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"bar.arrive", "bar{.cta}.arrive{.aligned} a:u32, n:u32", "arrives at barrier a without waiting",
              Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"bar.red.popc", "bar{.cta}.red.popc{.aligned}.u32 d, a:u32, n:any{, c:pred}",
              "d = the number of threads whose c holds", Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"bar.red.logic", "bar{.cta}.red.(and|or){.aligned}.pred d:pred, a:u32, n:any{, c:pred}",
              "d = c holds for all threads, or for any", Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"barrier.sync", "barrier{.cta}.sync{.aligned} a:u32{, n:u32}",
              "as bar.sync, for threads that need not be converged", Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"barrier.arrive", "barrier{.cta}.arrive{.aligned} a:u32, n:u32", "as bar.arrive", Fidelity::exact,
              Operation::block_barrier},
    OpcodeRow{"barrier.red.popc", "barrier{.cta}.red.popc{.aligned}.u32 d, a:u32, n:any{, c:pred}", "as bar.red.popc",
              Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"barrier.red.logic", "barrier{.cta}.red.(and|or){.aligned}.pred d:pred, a:u32, n:any{, c:pred}",
              "as bar.red", Fidelity::exact, Operation::block_barrier},
    OpcodeRow{"bar.warp.sync", "bar.warp.sync a:u32", "waits for the lanes of the mask a"},
    OpcodeRow{"membar", "membar.(cta|gl|sys)", "orders memory accesses; they are in order here", Fidelity::functional},
    OpcodeRow{"fence", "fence{.(sc|acq_rel|acquire|release)}.$scope", "orders memory accesses; they are in order here",
              Fidelity::functional},
    OpcodeRow{"membar.proxy", "membar.proxy.alias", "as fence.proxy.alias", Fidelity::functional},
    OpcodeRow{"fence.restricted",
              "fence.(acquire|release).(sync_restrict::shared::cta|sync_restrict::shared::cluster).cluster",
              "the same, for accesses to shared memory", Fidelity::functional},
    OpcodeRow{"fence.proxy", "fence.proxy.(alias|async){.(global|shared::cta|shared::cluster)}",
              "orders accesses by different ways to memory; they are in order here", Fidelity::functional},
    OpcodeRow{"fence.proxy.restricted",
              "fence.proxy.async::generic.(acquire|release)"
              ".(sync_restrict::shared::cta|sync_restrict::shared::cluster).cluster",
              "the same, for accesses to shared memory", Fidelity::functional},
    OpcodeRow{"fence.proxy.tensormap.release", "fence.proxy.tensormap::generic.release.$scope",
              "orders changes of tensor maps before copies by them; they are in order here", Fidelity::functional},
    OpcodeRow{"fence.proxy.tensormap.acquire", "fence.proxy.tensormap::generic.acquire.$scope [a], n:u32",
              "the same on the side of the copies, for the map at a", Fidelity::functional},
    OpcodeRow{"fence.mbarrier_init", "fence.mbarrier_init.release.cluster",
              "makes fresh mbarriers visible; they are at once", Fidelity::functional},
};

}  // namespace

std::span<const OpcodeRow> barrier_rows() {
  return kBarrierRows;
}

}  // namespace assay::ptx
