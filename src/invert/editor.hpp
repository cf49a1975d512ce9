// SPDX-License-Identifier: MIT
// What mutations are written with: go through the instructions, and say what stands before, after or instead of some.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "invert/mutation.hpp"

namespace assay::invert {

// What becomes of one instruction. All text is PTX, executed as often as the instruction is issued.
struct Edit {
  std::string before{};
  std::string after{};
  bool removed = false;
  bool is_site = true;  // the place is named in the report
  bool loose = false;   // how often the added lines are executed, but for the first, is not foretold
};

class Editor {
 public:
  explicit Editor(const KernelText& prepared) { mutant_.text = prepared; }

  KernelText& text() { return mutant_.text; }
  Mutant& mutant() { return mutant_; }

  // Instructions of the kernel itself; what was prepared or added is left alone. `edit` gets a running number of the
  // places that it has changed.
  using Rewrite = std::function<std::optional<Edit>(const ptx::Instruction& instruction, const Line& line, int number)>;
  int change(const Rewrite& rewrite);

  // Text that is executed once, at the beginning of the kernel.
  void begin_with(const std::string& ptx);
  // Every use of the special register becomes one of this register; how many.
  int replace_special(std::string_view special, const std::string& name);
  // Takes out what nobody needs any more; its lines count as removed.
  void remove_dead_code();

  Outcome finish(std::string_view nothing_found);

 private:
  Mutant mutant_;
};

// The lines that the kernel had before it was prepared.
bool is_prepared_line(const Line& line);

// Results of a repeated load that nobody reads: registers of the right width. "" if there are none of that width.
std::string scratch_results(KernelText& text, const std::string& type, int count);
std::string scratch(KernelText& text, int width, int number);
// Uses the first of those results: what nobody uses ptxas does not load, volatile or not.
std::string use_result(KernelText& text, const std::string& type, int rotation);
// Moves of this 32-bit register into every result of a load, under its guard; nothing if one has another width than 16,
// 32 or 64 bits.
std::optional<std::string> results_from(const KernelText& text, const ptx::Instruction& load, const std::string& name);
int bits_of(const std::string& type);  // of "f32", "b16", "f16x2"
std::string type_modifier(const ptx::Instruction& instruction);
int vector_length(const ptx::Instruction& instruction);
int access_bytes(const ptx::Instruction& instruction);

bool is_load(const ptx::Instruction& instruction, std::string_view space);   // ld of this space
bool is_store(const ptx::Instruction& instruction, std::string_view space);  // st of this space
bool is_product(const ptx::Instruction& instruction);                        // mma, wgmma.mma_async
bool is_block_barrier(const ptx::Instruction& instruction);                  // bar.sync, barrier.sync: no reduction
bool is_special_function(const ptx::Instruction& instruction);

// A loop: from its label to the branch that goes back there.
struct Loop {
  size_t first = 0;  // index of the label's line
  size_t last = 0;   // of the branch
};
std::vector<Loop> loops_of(const std::vector<Line>& lines);
// Those without another one inside.
std::vector<Loop> innermost_loops(const std::vector<Line>& lines);

// It waits for an mbarrier: how many rounds that takes depends on the order of the warps.
bool waits_for_mbarrier(const std::vector<Line>& lines, const Loop& loop);

// Of the line's origin, in the prepared kernel; 0 if it was not counted.
const gpu::InstructionCount* count_of(const Facts& facts, const Line& line);

inline constexpr int kEachDose[] = {1, 2, 4, 8};
inline constexpr int kTwoDoses[] = {1, 2};
inline constexpr int kOneDose[] = {1};

}  // namespace assay::invert
