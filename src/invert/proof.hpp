// SPDX-License-Identifier: MIT
// Whether a mutant is what its row says, before its time is believed: by counts of the virtual GPU, and by what ptxas
// made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/instruction_count.hpp"
#include "invert/mutation.hpp"

namespace assay::invert {

// Of the blocks that were run.
struct CountedChange {
  uint64_t added = 0;    // instructions of warps that are new
  uint64_t removed = 0;  // that are gone
  uint64_t before = 0;   // of the prepared kernel
  bool exact = false;    // every line ran as often as was foretold
  std::string why_not;   // the first that did not
};

// The counts by line of a printed text, in the order of its lines (`KernelText::lines`); lines that did not run have 0.
std::vector<gpu::InstructionCount> by_line(const std::vector<gpu::InstructionCount>& counts, const KernelText& text,
                                           const KernelText::Printed& printed);

CountedChange counted_change(const std::vector<gpu::InstructionCount>& prepared, const Mutant& mutant,
                             const std::vector<gpu::InstructionCount>& counts);

// Instructions of warps that nobody needs in the mutant though somebody did before: ptxas would take them away as well.
uint64_t newly_dead(const KernelText& prepared, const std::vector<gpu::InstructionCount>& counts, const Mutant& mutant);

// What ptxas says of one kernel.
struct Assembled {
  std::optional<int> registers;
  std::optional<int64_t> spill_bytes;
  std::optional<int64_t> code_bytes;
  std::optional<int> blocks_per_sm;  // on the GPU in question, with the launch's shared memory
};

enum class Standing { proved, confounded, vanished };
struct Judged {
  Standing standing = Standing::proved;
  std::string why;
};
// `added`, `removed`: PTX instructions of the text. A change of registers, spills or blocks per SM that is the purpose
// of the row (`intended`) confounds nothing.
Judged judge(const Assembled& control, const Assembled& mutant, const Row& row, size_t added, size_t removed);

// Instructions of the text that are new, and that are gone.
struct TextChange {
  size_t added = 0;
  size_t removed = 0;
};
TextChange text_change(const KernelText& prepared, const Mutant& mutant);

}  // namespace assay::invert
