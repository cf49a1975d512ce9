// SPDX-License-Identifier: MIT
// A finding: one thing that is wrong with a kernel, said so that a person can go to the line and mend it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/dim3.hpp"
#include "gpu/finding_kind.hpp"
#include "gpu/space.hpp"

namespace assay::gpu {

// An asynchronous copy reads on one side and writes on the other.
enum class AccessKind : uint8_t { none, load, store, atomic, async_read, async_write, mbarrier };
std::string_view to_string(AccessKind kind);
std::optional<AccessKind> access_kind_named(std::string_view name);

// A line of source. A chain of them, innermost first, tells where inlined code was called from.
struct SourceLine {
  std::string file;
  int line = 0;
  int column = 0;
  std::string function;  // demangled, "" if not known
  bool operator==(const SourceLine&) const = default;
};

// One thread that showed a finding: a position in the block, whatever the block.
struct FindingThread {
  Dim3 block;  // of the first occurrence
  Dim3 thread;
  uint64_t address = 0;    // of the access, if it is one
  std::string allocation;  // the nearest allocation or variable and how far it is
  uint64_t count = 1;
};

// A finding is one place of the program. FindingList puts the threads together that showed it there.
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
  std::string message;                 // one sentence: what and why
  std::string allocation;              // the nearest allocation or variable and how far it is
  std::vector<std::string> notes;      // more of it, a line each: who waits where
  uint64_t count = 1;                  // occurrences: over threads, loops and blocks
  uint64_t thread_count = 1;           // different positions in the block
  std::vector<FindingThread> threads;  // the first of them; empty: only the one above
};

// The innermost line of the user's own code: lines inside the toolkit's headers are passed over. nullptr if there is no
// line information.
const SourceLine* user_line(const Finding& finding);

}  // namespace assay::gpu
