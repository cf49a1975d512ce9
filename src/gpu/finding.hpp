// SPDX-License-Identifier: MIT
// A finding: one thing that is wrong with a kernel, said so that a person can go to the line and mend it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/dim3.hpp"
#include "gpu/space.hpp"

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
};

std::string_view to_string(FindingKind kind);

// An asynchronous copy reads on one side and writes on the other; both are told as "async_copy". What is done to an
// mbarrier is told as "atomic".
enum class AccessKind : uint8_t { none, load, store, atomic, async_read, async_write, mbarrier };
std::string_view to_string(AccessKind kind);

// A line of source. A chain of them, innermost first, tells where inlined code was called from.
struct SourceLine {
  std::string file;
  int line = 0;
  int column = 0;
  std::string function;  // demangled, "" if not known
  bool operator==(const SourceLine&) const = default;
};

struct Finding {
  FindingKind kind = FindingKind::illegal_address;
  AccessKind access = AccessKind::none;
  Space space = Space::generic;
  uint64_t address = 0;  // inside the space; generic for global memory
  uint32_t bytes = 0;
  std::string kernel;
  std::vector<SourceLine> source;  // innermost first; empty if the PTX has no line information
  std::string instruction;         // the PTX instruction
  int ptx_line = 0;
  Dim3 block;  // of the first occurrence
  Dim3 thread;
  std::string message;             // one sentence: what and why
  std::string allocation;          // the nearest allocation or variable and how far it is
  uint64_t count = 1;              // how often: the same instruction, thread and address, over loops and blocks
  uint32_t instruction_index = 0;  // with `function_index` names the instruction; for folding
  uint32_t function_index = 0;
};

// The innermost line of the user's own code: lines inside the toolkit's headers are passed over. nullptr if there is no
// line information.
const SourceLine* user_line(const Finding& finding);

}  // namespace assay::gpu
