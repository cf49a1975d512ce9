// SPDX-License-Identifier: MIT
#include "vgpu/observe/counting.hpp"

#include <bit>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/access_cost.hpp"
#include "vgpu/observe/instruction_class.hpp"

namespace assay::vgpu {
namespace {

using ptx::Operation;

// The slot of a space, behind an instruction's first one.
constexpr uint32_t kSpaces = 4;
uint32_t slot_of(Space space) {
  switch (space) {
    case Space::global:
      return 0;
    case Space::shared:
      return 1;
    case Space::local:
      return 2;
    default:
      return 3;
  }
}
constexpr std::array<Space, kSpaces> kSlotSpaces = {Space::global, Space::shared, Space::local, Space::constant};

SharedCost cost_in_shared(Counting::Form form, const LaneAddresses& lanes) {
  switch (form) {
    case Counting::Form::matrix:
      return matrix_cost(lanes);
    case Counting::Form::atomic:
      return shared_atomic_cost(lanes);
    case Counting::Form::store:
      return shared_store_cost(lanes);
    case Counting::Form::load:
    case Counting::Form::bulk:
      break;
  }
  return shared_load_cost(lanes);
}

class BlockCounting final : public BlockObserver {
 public:
  BlockCounting(const Program& program, const std::vector<Counting::Layout>& layouts)
      : counts(layouts.size()), program_(program), layouts_(layouts) {}

  ExecutionCount* executions(const Function& function) override { return of(function).executions.data(); }

  LaneMask access(const Access& access) override {
    if (access.lanes == 0) return access.lanes;
    const Function& function = *access.warp.frame().function;
    const Counting::Layout& layout = layouts_[program_.index_of(function)];
    const size_t at = function.index_of(access.instruction);
    if (layout.first_slot[at] == Counting::kNoSlot) return access.lanes;
    // A bulk copy also looks at its mbarrier and its tensor map, which nobody reckons as memory traffic.
    const bool bulk = layout.form[at] == Counting::Form::bulk;
    const bool copies = access.kind == AccessKind::async_read || access.kind == AccessKind::async_write;
    if (bulk && !copies) return access.lanes;
    AccessCount& count = of(function).accesses[layout.first_slot[at] + slot_of(access.space)];
    const LaneAddresses lanes{access.addresses, access.lanes, access.bytes};
    const AccessCount before = count;
    add_cost(count, access, layout.form[at], lanes);
    if (rounds_ > 0) note_in_round(access.warp, count, before);
    return access.lanes;
  }

  void begin_round(const Warp& warp) override {
    Round& round = round_of(warp);
    round.open = true;
    round.costs.clear();
    ++rounds_;
  }

  void end_round(const Warp& warp, bool idle) override {
    Round& round = round_of(warp);
    if (!round.open) return;
    round.open = false;
    --rounds_;
    if (!idle) return;
    for (const auto& [count, cost] : round.costs) *count = difference(*count, cost);
  }

  std::vector<Counting::FunctionCounts> counts;

 private:
  // What a warp has cost since it began a round of a loop that may turn out to be idle.
  struct Round {
    bool open = false;
    std::vector<std::pair<AccessCount*, AccessCount>> costs;
  };
  Round& round_of(const Warp& warp) {
    const auto index = static_cast<size_t>(warp.index());
    if (index >= open_rounds_.size()) open_rounds_.resize(index + 1);
    return open_rounds_[index];
  }
  void note_in_round(const Warp& warp, AccessCount& count, const AccessCount& before) {
    Round& round = round_of(warp);
    if (round.open) round.costs.emplace_back(&count, difference(count, before));
  }
  static AccessCount difference(const AccessCount& a, const AccessCount& b) {
    return {a.requests - b.requests,           a.bytes - b.bytes,           a.sectors - b.sectors,
            a.ideal_sectors - b.ideal_sectors, a.wavefronts - b.wavefronts, a.conflicts - b.conflicts};
  }

  static void add_cost(AccessCount& count, const Access& access, Counting::Form form, const LaneAddresses& lanes) {
    ++count.requests;
    count.bytes += static_cast<uint64_t>(std::popcount(access.lanes)) * access.bytes;
    if (form == Counting::Form::bulk) return;
    if (access.space == Space::global) {
      count.sectors += form == Counting::Form::atomic ? atomic_sectors(lanes) : sectors(lanes);
      count.ideal_sectors += ideal_sectors(lanes);
    } else if (access.space == Space::local) {
      count.sectors += local_sectors(lanes);
    } else if (access.space == Space::shared) {
      const SharedCost cost = cost_in_shared(form, lanes);
      count.wavefronts += cost.wavefronts;
      count.conflicts += cost.conflicts();
    }
  }

  Counting::FunctionCounts& of(const Function& function) {
    const size_t index = program_.index_of(function);
    Counting::FunctionCounts& entry = counts[index];
    if (entry.executions.empty()) {
      entry.executions.resize(function.code.size());
      entry.accesses.resize(layouts_[index].slots);
    }
    return entry;
  }

  const Program& program_;
  const std::vector<Counting::Layout>& layouts_;
  std::vector<Round> open_rounds_;  // by warp
  int rounds_ = 0;                  // of them that are open
};

Counting::Form form_of(Operation operation) {
  switch (operation) {
    case Operation::matrix_load:
    case Operation::matrix_store:
      return Counting::Form::matrix;
    case Operation::atomic:
    case Operation::reduction:
      return Counting::Form::atomic;
    case Operation::store:
    case Operation::copy:
      return Counting::Form::store;
    case Operation::bulk_load:
    case Operation::bulk_store:
      return Counting::Form::bulk;
    default:
      return Counting::Form::load;
  }
}

Counting::Layout layout_of(const Program& program, const Function& function) {
  Counting::Layout layout;
  layout.first_slot.assign(function.code.size(), Counting::kNoSlot);
  layout.form.assign(function.code.size(), Counting::Form::load);
  for (size_t i = 0; i < function.code.size(); ++i) {
    const Operation operation = classify(program, function.origins[i]).operation;
    if (!is_access(operation)) continue;
    layout.first_slot[i] = layout.slots;
    layout.slots += kSpaces;
    layout.form[i] = form_of(operation);
  }
  return layout;
}

void add(Counting::FunctionCounts& into, Counting::FunctionCounts&& from) {
  if (from.executions.empty()) return;
  if (into.executions.empty()) {
    into = std::move(from);
    return;
  }
  for (size_t i = 0; i < into.executions.size(); ++i) {
    into.executions[i].warps += from.executions[i].warps;
    into.executions[i].threads += from.executions[i].threads;
    into.executions[i].guarded += from.executions[i].guarded;
    into.executions[i].divergent += from.executions[i].divergent;
    into.executions[i].idle += from.executions[i].idle;
  }
  for (size_t i = 0; i < into.accesses.size(); ++i) {
    into.accesses[i].requests += from.accesses[i].requests;
    into.accesses[i].bytes += from.accesses[i].bytes;
    into.accesses[i].sectors += from.accesses[i].sectors;
    into.accesses[i].ideal_sectors += from.accesses[i].ideal_sectors;
    into.accesses[i].wavefronts += from.accesses[i].wavefronts;
    into.accesses[i].conflicts += from.accesses[i].conflicts;
  }
}

// --- from an instruction's counts to counters

using gpu::Counter;
using gpu::Counters;
using enum gpu::Counter;

void add_global(Counters& counters, Operation operation, const AccessCount& count) {
  const auto note = [&](Counter requests, Counter sectors) {
    counters[requests] += count.requests;
    counters[sectors] += count.sectors;
  };
  switch (operation) {
    case Operation::load:
      note(global_load_requests, global_load_sectors);
      counters[global_load_ideal_sectors] += count.ideal_sectors;
      counters[global_read_bytes] += count.bytes;
      return;
    case Operation::store:
      note(global_store_requests, global_store_sectors);
      counters[global_store_ideal_sectors] += count.ideal_sectors;
      counters[global_written_bytes] += count.bytes;
      return;
    case Operation::copy:
      note(async_copy_requests, async_copy_sectors);
      counters[async_copy_ideal_sectors] += count.ideal_sectors;
      counters[global_read_bytes] += count.bytes;
      return;
    case Operation::bulk_load:
      counters[global_read_bytes] += count.bytes;
      return;
    case Operation::bulk_store:
      counters[global_written_bytes] += count.bytes;
      return;
    case Operation::atomic:
      note(global_atomic_requests, global_atomic_sectors);
      break;
    case Operation::reduction:
      note(global_reduction_requests, global_reduction_sectors);
      break;
    default:
      return;
  }
  counters[global_read_bytes] += count.bytes;
  counters[global_written_bytes] += count.bytes;
}

void add_shared(Counters& counters, Operation operation, const AccessCount& count) {
  const auto note = [&](Counter wavefronts, Counter conflicts) {
    counters[wavefronts] += count.wavefronts;
    counters[conflicts] += count.conflicts;
  };
  switch (operation) {
    case Operation::load:
    case Operation::matrix_load:
      counters[shared_load_requests] += count.requests;
      note(shared_load_wavefronts, shared_load_bank_conflicts);
      counters[shared_read_bytes] += count.bytes;
      return;
    case Operation::store:
    case Operation::matrix_store:
      counters[shared_store_requests] += count.requests;
      note(shared_store_wavefronts, shared_store_bank_conflicts);
      break;
    case Operation::copy:
      note(shared_copy_wavefronts, shared_copy_bank_conflicts);
      break;
    case Operation::bulk_load:
      break;
    case Operation::bulk_store:
      counters[shared_read_bytes] += count.bytes;
      return;
    case Operation::atomic:
    case Operation::reduction:
      counters[shared_atomic_requests] += count.requests;
      note(shared_atomic_wavefronts, shared_atomic_bank_conflicts);
      counters[shared_read_bytes] += count.bytes;
      break;
    default:
      return;
  }
  counters[shared_written_bytes] += count.bytes;
}

void add_access(Counters& counters, Space space, Operation operation, const AccessCount& count) {
  switch (space) {
    case Space::global:
      return add_global(counters, operation, count);
    case Space::shared:
      return add_shared(counters, operation, count);
    case Space::local: {
      const bool load = operation == Operation::load;
      counters[load ? local_load_requests : local_store_requests] += count.requests;
      counters[load ? local_load_sectors : local_store_sectors] += count.sectors;
      counters[load ? local_read_bytes : local_written_bytes] += count.bytes;
      return;
    }
    default:
      counters[constant_load_requests] += count.requests;
      counters[constant_read_bytes] += count.bytes;
  }
}

void add_execution(Counters& counters, const InstructionClass& kind, const ExecutionCount& count) {
  counters[ptx_instructions] += count.warps;
  counters[ptx_thread_instructions] += count.threads;
  counters[ptx_thread_instructions_off] += count.guarded;
  counters[idle_ptx_instructions] += count.idle;
  if (count.warps > 0) counters.families[std::string(kind.family)] += count.warps;
  if (kind.operation == Operation::branch) {
    counters[branches] += count.warps;
    counters[divergent_branches] += count.divergent;
  }
  if (kind.operation == Operation::block_barrier) counters[barriers] += count.warps;
  if (kind.multiply_adds > 0) {
    counters[tensor_instructions] += count.warps;
    counters[tensor_multiply_adds] += count.warps * kind.multiply_adds;
    counters.tensor[kind.tensor_shape] += count.warps;
  }
}

}  // namespace

void Counting::begin_launch(const LaunchView& view) {
  program_ = &view.program;
  layouts_.clear();
  layouts_.reserve(view.program.functions.size());
  for (const Function& function : view.program.functions) layouts_.push_back(layout_of(view.program, function));
  counts_.assign(layouts_.size(), {});
}

std::unique_ptr<BlockObserver> Counting::begin_block(const Block&) {
  return std::make_unique<BlockCounting>(*program_, layouts_);
}

void Counting::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& ended = static_cast<BlockCounting&>(*observer).counts;
  for (size_t i = 0; i < counts_.size(); ++i) add(counts_[i], std::move(ended[i]));
}

gpu::LaunchCounters Counting::counters() const {
  gpu::LaunchCounters result;
  std::map<std::pair<std::string, int>, gpu::LineCounters> lines;
  for (size_t f = 0; f < counts_.size(); ++f) {
    const Function& function = program_->functions[f];
    for (size_t i = 0; i < counts_[f].executions.size(); ++i) {
      const ExecutionCount& executed = counts_[f].executions[i];
      const InstructionOrigin& origin = function.origins[i];
      if (executed.warps + executed.idle == 0 || origin.table_row == kNoTableRow) continue;
      const InstructionClass kind = classify(*program_, origin);
      Counters counters;
      add_execution(counters, kind, executed);
      for (uint32_t slot = 0; slot < kSpaces && layouts_[f].first_slot[i] != kNoSlot; ++slot) {
        const AccessCount& count = counts_[f].accesses[layouts_[f].first_slot[i] + slot];
        if (count.requests > 0) add_access(counters, kSlotSpaces[slot], kind.operation, count);
      }
      result.total += counters;
      Finding place;
      place.source = program_->source_chain(origin.location);
      const SourceLine* line = user_line(place);
      gpu::LineCounters& of_line =
          lines[line == nullptr ? std::pair<std::string, int>() : std::pair(line->file, line->line)];
      if (line != nullptr) of_line.line = *line;
      of_line.counters += counters;
    }
  }
  result.lines.reserve(lines.size());
  for (auto& [key, line] : lines) result.lines.push_back(std::move(line));
  return result;
}

}  // namespace assay::vgpu
