// SPDX-License-Identifier: MIT
#include "gpu/finding_kind.hpp"

#include <algorithm>
#include <array>

namespace assay::gpu {
namespace {

using enum FindingKind;

constexpr std::array kKinds = {
    FindingKindInfo{
        out_of_bounds, "out_of_bounds", "An access outside of an allocation or variable",
        "The thread reads or writes bytes that belong to nothing, or to something else. A GPU often lets it "
        "pass: the result is wrong, another buffer is damaged, or the launch fails later.",
        "compare the index with the size at this line; guard the ragged last tile"},
    FindingKindInfo{misaligned, "misaligned", "An access whose address is not a multiple of its size",
                    "A GPU stops the kernel with \"misaligned address\", and the context is lost.",
                    "an access of {bytes} bytes needs an address that is a multiple of {bytes}: make every row a "
                    "multiple of {bytes} bytes long (pad by {bytes} bytes, or swizzle), or use a narrower access"},
    FindingKindInfo{null_pointer, "null", "An access through a null pointer",
                    "A GPU stops the kernel with \"illegal memory access\", and the context is lost.",
                    "a pointer argument is null, or an address was computed from one"},
    FindingKindInfo{use_after_free, "freed", "An access to memory that was freed",
                    "The memory may belong to another allocation by now: the access reads or damages that one.",
                    "the memory was freed before this access"},
    FindingKindInfo{illegal_address, "illegal_address", "An access to an address in no memory space",
                    "A GPU stops the kernel with \"illegal memory access\", and the context is lost.",
                    "the address was computed from something that is no pointer: look at the arithmetic before it"},
    FindingKindInfo{trap, "trap", "The kernel stopped itself",
                    "The kernel executed trap: code that the compiler takes for unreachable, or __trap().",
                    "look at the condition that leads to this line"},
    FindingKindInfo{assertion, "assert", "An assertion failed", "The condition of a device-side assert() is false.",
                    "the message holds the condition; look at the thread that it failed in"},
    FindingKindInfo{deadlock, "deadlock", "Threads wait for others that never come",
                    "On a GPU the kernel hangs until it is killed.",
                    "every thread that a barrier counts must reach it: no barrier inside a branch that some threads "
                    "skip. For an mbarrier, compare the count of mbarrier.init with the arrivals, and the bytes of "
                    "expect_tx with those that the copies bring"},
    FindingKindInfo{instruction_limit, "instruction_limit", "The kernel ran for longer than allowed",
                    "The kernel does not end, or it takes far longer than the limit expects.",
                    "look at the loop around this line; raise --instruction-limit if it is really that long"},
    FindingKindInfo{invalid_free, "invalid_free", "A free of what was not allocated",
                    "The device's heap is damaged from here on.", "free exactly what malloc gave, once"},
    FindingKindInfo{illegal_instruction, "illegal_instruction", "An operand that the instruction does not allow",
                    "The manual calls it undefined; a GPU stops the kernel or computes something else.",
                    "the manual's section on this instruction lists what its operands may be"},
    FindingKindInfo{uninitialised, "uninitialised", "A read of memory that nobody wrote",
                    "The value is what an earlier block or kernel left there: often right, and different on another "
                    "day.",
                    "write the bytes before this read, or wait for the copy that brings them"},
    FindingKindInfo{race, "race", "Accesses of two threads with nothing to order them",
                    "Which access comes first differs from run to run, and so does the result.",
                    "put a barrier, a fence with a flag, or an atomic between the two"},
    FindingKindInfo{barrier, "barrier", "A barrier that is used against its rules",
                    "The manual leaves open what happens: threads pass too early, wait for ever, or it works by luck.",
                    "all threads that the barrier counts must execute the same barrier: take it out of the branch or "
                    "loop that only some of them run"},
    FindingKindInfo{warp_mask, "warp_mask", "A warp-synchronous instruction with a wrong member mask",
                    "The manual leaves the result undefined.",
                    "name exactly the lanes that execute it: compute the mask with __ballot_sync before the branch, or "
                    "with __activemask() where the lanes are known to be converged"},
    FindingKindInfo{inactive_lane, "inactive_lane", "A shuffle reads a lane that does not take part",
                    "The value is undefined: what the lane's register held last, or anything else.",
                    "let the lane that is read take part, or keep the source inside the member mask (width, or a "
                    "guard on the source lane)"},
    FindingKindInfo{proxy_fence, "proxy_fence", "Generic writes that an asynchronous unit may not see",
                    "TMA and wgmma reach shared memory through the async proxy: without a fence they may read what was "
                    "there before the writes, or be overwritten by them.",
                    "let every thread that wrote execute fence.proxy.async after its writes, before the barrier that "
                    "the issuing thread waits at"},
    FindingKindInfo{in_flight, "in_flight", "Something is touched while an asynchronous operation still works on it",
                    "The operation reads the new value or the old one, or its result is lost: it differs from run to "
                    "run and from GPU to GPU.",
                    "wait for the operation (wait_group, or its mbarrier) before the registers or the memory are "
                    "touched"},
    FindingKindInfo{idle_wait, "idle_wait", "A wait that never waits for anything",
                    "The copies or products that it is meant for are still under way behind it.",
                    "wait_group N lets the N newest groups stay open: commit the group before it, and make N smaller "
                    "than the number of open groups"},
    FindingKindInfo{noncoherent, "noncoherent", "A write to memory that the grid reads through the non-coherent path",
                    "ld.global.nc may give a value that the read-only cache has kept from before the write.",
                    "take __restrict__ const or __ldg from the pointer that is read, or write to another buffer"},
    FindingKindInfo{leak, "leak", "Device heap memory that was not freed and that nothing points to",
                    "The heap is smaller for every later launch, until malloc gives null.",
                    "free what the kernel allocates, or store its address where a later kernel finds it"},
    FindingKindInfo{undefined_function, "undefined_function", "A call of a function that the module only declares",
                    "On a GPU the linker would have brought the function, or refused the program.",
                    "give one PTX module that defines every function (whole-program compilation, without -rdc)"},
};

constexpr bool kinds_in_order() {
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].kind != static_cast<FindingKind>(i)) return false;
  }
  return true;
}
static_assert(kinds_in_order() && kKinds.size() == static_cast<size_t>(undefined_function) + 1);

}  // namespace

std::span<const FindingKindInfo> finding_kinds() {
  return kKinds;
}

const FindingKindInfo& info(FindingKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

std::string_view to_string(FindingKind kind) {
  return info(kind).name;
}

std::optional<FindingKind> finding_kind_named(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &FindingKindInfo::name);
  return found != kKinds.end() ? std::optional(found->kind) : std::nullopt;
}

}  // namespace assay::gpu
