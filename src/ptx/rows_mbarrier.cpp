// SPDX-License-Identifier: MIT
// Rows of the opcode table: barriers in shared memory that count arrivals and bytes.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kMbarrierRows = {
    OpcodeRow{"mbarrier.init", "mbarrier.init{.$shared}.b64 [a], n:u32",
              "the mbarrier at a expects n arrivals a phase"},
    OpcodeRow{"mbarrier.inval", "mbarrier.inval{.$shared}.b64 [a]", "the bytes at a are no mbarrier any more"},
    OpcodeRow{"mbarrier.expect_tx", "mbarrier.expect_tx{.relaxed}{.$scope}{.$shared}.b64 [a], n:u32",
              "the phase waits for n bytes more"},
    OpcodeRow{"mbarrier.complete_tx", "mbarrier.complete_tx{.relaxed}{.$scope}{.$shared}.b64 [a], n:u32",
              "n bytes that the phase waited for are there"},
    OpcodeRow{"mbarrier.arrive", "mbarrier.arrive{.(release|relaxed)}{.$scope}{.$shared}.b64 d, [a]{, n:u32}",
              "n arrivals, 1 if not given; d = the state before"},
    OpcodeRow{"mbarrier.arrive.expect_tx",
              "mbarrier.arrive.expect_tx{.(release|relaxed)}{.$scope}{.$shared}.b64 d, [a], n:u32",
              "the phase waits for n bytes more; one arrival; d = the state before"},
    OpcodeRow{"mbarrier.arrive.noComplete", "mbarrier.arrive.noComplete{.release}{.cta}{.$shared}.b64 d, [a], n:u32",
              "n arrivals, which must not be the last ones of the phase"},
    OpcodeRow{"mbarrier.arrive_drop", "mbarrier.arrive_drop{.(release|relaxed)}{.$scope}{.$shared}.b64 d, [a]{, n:u32}",
              "n arrivals, and the later phases expect n fewer"},
    OpcodeRow{"mbarrier.arrive_drop.expect_tx",
              "mbarrier.arrive_drop.expect_tx{.(release|relaxed)}{.$scope}{.$shared}.b64 d, [a], n:u32",
              "the phase waits for n bytes more; one arrival, and the later phases expect one fewer"},
    OpcodeRow{"mbarrier.arrive_drop.noComplete",
              "mbarrier.arrive_drop.noComplete{.release}{.cta}{.$shared}.b64 d, [a], n:u32",
              "n arrivals, not the last ones of the phase, and the later phases expect n fewer"},
    OpcodeRow{"mbarrier.test_wait", "mbarrier.test_wait{.(acquire|relaxed)}{.$scope}{.$shared}.b64 d:pred, [a], s:b64",
              "d = the phase of the state s is complete"},
    OpcodeRow{"mbarrier.test_wait.parity",
              "mbarrier.test_wait.parity{.(acquire|relaxed)}{.$scope}{.$shared}.b64 d:pred, [a], p:u32",
              "d = the latest phase of parity p is complete"},
    OpcodeRow{"mbarrier.try_wait",
              "mbarrier.try_wait{.(acquire|relaxed)}{.$scope}{.$shared}.b64 d:pred, [a], s:b64{, t:u32}",
              "the same, and the thread sleeps until it is so, or nothing else can run"},
    OpcodeRow{"mbarrier.try_wait.parity",
              "mbarrier.try_wait.parity{.(acquire|relaxed)}{.$scope}{.$shared}.b64 d:pred, [a], p:u32{, t:u32}",
              "the same, for the latest phase of parity p"},
    OpcodeRow{"mbarrier.pending_count", "mbarrier.pending_count.b64 d:u32, a:b64",
              "d = arrivals that the state a lacks"},
    OpcodeRow{
        "cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive{.noinc}{.$shared}.b64 [a]",
        "one arrival when this thread's copies so far are done; without .noinc the phase expects one more for it"},
};

}  // namespace

std::span<const OpcodeRow> mbarrier_rows() {
  return kMbarrierRows;
}

}  // namespace assay::ptx
