// SPDX-License-Identifier: MIT
// Every kind of finding, in one table: its name, which is also its SARIF rule, and what to say of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay::gpu {

enum class FindingKind : uint8_t {
  out_of_bounds,
  misaligned,
  null_pointer,
  use_after_free,
  illegal_address,  // in no memory space at all
  trap,
  assertion,
  deadlock,           // threads wait for others that will never come
  instruction_limit,  // it ran for longer than allowed
  invalid_free,
  illegal_instruction,  // an operand that the instruction does not allow
  uninitialised,        // a read of memory that nobody wrote
  race,                 // accesses of two threads with nothing to order them
  barrier,              // a barrier that is used against its rules
  warp_mask,            // a member mask that names the wrong lanes
  inactive_lane,        // a shuffle that reads a lane which does not take part
  proxy_fence,          // an asynchronous unit reads or overwrites generic writes without fence.proxy.async
  in_flight,            // something is touched before the asynchronous operation on it is complete
  idle_wait,            // a wait that never waits for anything
  noncoherent,          // a write to memory that the grid reads through the non-coherent path
  leak,                 // device heap memory that nothing points to any more
  undefined_function,   // a call through a table of a function that the module only declares
};

struct FindingKindInfo {
  FindingKind kind;
  std::string_view name;     // in JSON, in [expect] and as SARIF's ruleId
  std::string_view summary;  // one line
  std::string_view meaning;  // what happens on a GPU
  std::string_view hint;     // what to do; "{bytes}" stands for the bytes of the access
};

std::span<const FindingKindInfo> finding_kinds();  // in the order of the enumeration
const FindingKindInfo& info(FindingKind kind);
std::string_view to_string(FindingKind kind);
std::optional<FindingKind> finding_kind_named(std::string_view name);

}  // namespace assay::gpu
