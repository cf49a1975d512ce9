// SPDX-License-Identifier: MIT
#include "vgpu/observe/synchronisation_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

#include "ptx/opcode_table.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// Threads of one warp that have come to a barrier in its present phase.
struct Arrival {
  const Warp* warp;
  const Function* function;
  const Instruction* instruction;
  uint32_t expected;
  LaneMask lanes;
};

// The memory accesses of a warp's lanes since each of them was at a barrier: instructions of the kernel's own function.
class RecentAccesses {
 public:
  void add(size_t instruction, LaneMask lanes, size_t code_size) {
    if (lanes_.empty()) lanes_.resize(code_size);
    if (lanes_[instruction] == 0) touched_.push_back(instruction);
    lanes_[instruction] |= lanes;
  }
  void forget(LaneMask lanes) {
    std::erase_if(touched_, [&](size_t instruction) {
      lanes_[instruction] &= ~lanes;
      return lanes_[instruction] == 0;
    });
  }
  // Calls body(instruction, lanes).
  template <class Body>
  void for_each(Body&& body) const {
    for (const size_t instruction : touched_) body(instruction, lanes_[instruction]);
  }

 private:
  std::vector<LaneMask> lanes_;  // of each instruction
  std::vector<size_t> touched_;
};

std::string line_text(const Finding& finding) {
  const SourceLine* line = user_line(finding);
  if (line == nullptr) return fmt::format("line {} of the PTX", finding.ptx_line);
  return fmt::format("{}:{}", line->file.substr(line->file.rfind('/') + 1), line->line);
}

// The activation may be over: of a frame only its function is needed.
Finding describe(const Warp& warp, const Function& function, const Instruction& instruction, int lane) {
  Frame frame;
  frame.function = &function;
  return warp.describe_in(frame, instruction, lane);
}

class BlockSynchronisationCheck final : public BlockObserver {
 public:
  explicit BlockSynchronisationCheck(const Block& block)
      : kernel_(*block.grid().launch.kernel),
        warps_((block.grid().launch.block.volume() + kLanes - 1) / kLanes, nullptr),
        accesses_(warps_.size()) {}

  LaneMask access(const Access& access) override {
    if (access.warp.frame().function == &kernel_ && access.space != Space::parameter) {
      const auto warp = static_cast<size_t>(access.warp.index());
      warps_[warp] = &access.warp;
      accesses_[warp].add(kernel_.index_of(access.instruction), access.lanes, kernel_.code.size());
    }
    return access.lanes;
  }

  bool follows_synchronisation() const override { return true; }

  void at_barrier(const BarrierArrival& arrival) override {
    accesses_[static_cast<size_t>(arrival.warp.index())].forget(arrival.lanes);
    phases_[static_cast<size_t>(arrival.barrier)].push_back(
        {&arrival.warp, arrival.warp.frame().function, &arrival.instruction, arrival.expected, arrival.lanes});
  }

  void barrier_complete(int barrier) override {
    const std::vector<Arrival> phase = std::exchange(phases_[static_cast<size_t>(barrier)], {});
    if (phase.empty()) return;
    look_at_counts(phase, barrier);
    look_at_warps(phase);
    if (phase.front().expected == 0) look_at_the_exited(phase);
  }

  void at_collective(const Collective& collective) override {
    // The full mask is what __syncwarp() and most code names in a partial warp too, and the hardware takes it so.
    const LaneMask missing = collective.members & ~collective.warp.existing_lanes();
    if (missing == 0 || collective.members == kAllLanes) return;
    report(FindingKind::warp_mask, collective.warp, *collective.warp.frame().function, collective.instruction,
           std::countr_zero(collective.lanes),
           fmt::format("the member mask 0x{:08x} names lanes 0x{:08x}, which the warp does not have: the block has {} "
                       "threads there",
                       collective.members, missing, std::popcount(collective.warp.existing_lanes())));
  }

  void inactive_read(const InactiveRead& read) override {
    const LaneMask source = LaneMask{1} << read.source;
    const char* why = (read.warp.existing_lanes() & source) == 0 ? "which the warp does not have"
                      : (read.warp.live_lanes() & source) == 0   ? "which has exited"
                                                                 : "which does not execute it";
    report(FindingKind::inactive_lane, read.warp, *read.warp.frame().function, read.instruction, read.lane,
           fmt::format("lane {} reads lane {}, {}: the value is undefined", read.lane, read.source, why));
  }

  gpu::FindingList found;

 private:
  static bool is_aligned(const Arrival& arrival) { return (arrival.instruction->detail & kBarrierAligned) != 0; }

  void report(FindingKind kind, const Warp& warp, const Function& function, const Instruction& instruction, int lane,
              std::string message) {
    Finding finding = describe(warp, function, instruction, lane);
    finding.kind = kind;
    finding.message = std::move(message);
    found.add(std::move(finding));
  }
  void report(const Arrival& arrival, std::string message) {
    report(FindingKind::barrier, *arrival.warp, *arrival.function, *arrival.instruction,
           std::countr_zero(arrival.lanes), std::move(message));
  }
  static std::string place_of(const Arrival& arrival) {
    return line_text(describe(*arrival.warp, *arrival.function, *arrival.instruction, std::countr_zero(arrival.lanes)));
  }

  void look_at_counts(const std::vector<Arrival>& phase, int barrier) {
    const Arrival& first = phase.front();
    for (const Arrival& other : phase) {
      if (other.expected == first.expected) continue;
      const auto count = [](const Arrival& arrival) {
        return arrival.expected == 0 ? std::string("all") : fmt::format("{}", arrival.expected);
      };
      report(other,
             fmt::format("barrier {} waits for {} threads here and for {} at {}: all that meet at a barrier must "
                         "name the same count",
                         barrier, count(other), count(first), place_of(first)));
      return;
    }
  }

  // Without .aligned the lanes of a warp may come one by one and from anywhere.
  void look_at_warps(const std::vector<Arrival>& phase) {
    std::map<const Warp*, std::vector<const Arrival*>> of_warp;
    for (const Arrival& arrival : phase) of_warp[arrival.warp].push_back(&arrival);
    for (const auto& [warp, arrivals] : of_warp) {
      const Arrival& first = *arrivals.front();
      LaneMask together = 0;
      const Arrival* elsewhere = nullptr;
      bool aligned = false;
      for (const Arrival* arrival : arrivals) {
        together |= arrival->lanes;
        aligned |= is_aligned(*arrival);
        if (arrival->instruction != first.instruction) elsewhere = arrival;
      }
      if (!aligned) continue;
      if (elsewhere != nullptr) {
        report(first,
               fmt::format("lanes 0x{:08x} of warp {} are at this barrier and lanes 0x{:08x} at the one of {}: the "
                           "threads of a warp must execute the same barrier",
                           first.lanes, warp->index(), elsewhere->lanes, place_of(*elsewhere)));
      } else if (const LaneMask absent = warp->live_lanes() & ~together; absent != 0) {
        report(first,
               fmt::format("lanes 0x{:08x} of warp {} pass this barrier without lanes 0x{:08x}: the threads of a "
                           "warp must execute it together",
                           together, warp->index(), absent));
      }
    }
  }

  void look_at_the_exited(const std::vector<Arrival>& phase) {
    const Arrival& first = phase.front();
    if (first.function != &kernel_) return;
    const size_t barrier = kernel_.index_of(*first.instruction);
    int skipped = 0;
    std::string where;
    for (size_t i = 0; i < warps_.size(); ++i) {
      if (warps_[i] == nullptr) continue;
      const LaneMask exited = warps_[i]->existing_lanes() & ~warps_[i]->live_lanes();
      LaneMask behind = 0;
      accesses_[i].for_each([&](size_t instruction, LaneMask lanes) {
        if ((lanes & exited & ~behind) == 0 || !leads_forward_cached(barrier, instruction)) return;
        behind |= lanes & exited;
        if (where.empty()) {
          where = line_text(describe(*warps_[i], kernel_, kernel_.code[instruction], std::countr_zero(behind)));
        }
      });
      skipped += std::popcount(behind);
    }
    if (skipped == 0) return;
    report(first,
           fmt::format("{} of the block never arrived at this barrier and ran the code behind it ({}): the others "
                       "passed only because they exited",
                       skipped == 1 ? "1 thread" : fmt::format("{} threads", skipped), where));
  }

  bool leads_forward_cached(size_t from, size_t to) {
    const auto [entry, fresh] = forward_.try_emplace({from, to}, false);
    if (fresh) entry->second = leads_forward(kernel_, from, to);
    return entry->second;
  }

  const Function& kernel_;
  std::vector<const Warp*> warps_;
  std::vector<RecentAccesses> accesses_;  // of each warp
  std::array<std::vector<Arrival>, Barrier::kCount> phases_;
  std::map<std::pair<size_t, size_t>, bool> forward_;
};

}  // namespace

bool leads_forward(const Function& function, size_t from, size_t to) {
  if (to <= from) return false;
  std::vector<bool> reached(function.code.size(), false);
  reached[from] = true;
  for (size_t i = from; i < to; ++i) {
    if (!reached[i]) continue;
    const Instruction& instruction = function.code[i];
    const std::string_view name = ptx::row_name(function.origins[i].table_row);
    const bool guarded = instruction.guard != kNoRow;
    const auto jump = [&](size_t target) {
      if (target > i && target < reached.size()) reached[target] = true;
    };
    if (name == "bra") jump(static_cast<size_t>(instruction.immediate));
    if (name == "brx.idx") {
      for (const uint32_t target : function.branch_tables[instruction.detail]) jump(target);
    }
    const bool ends = name == "bra" || name == "brx.idx" || name == "ret" || name == "exit" || name == "trap";
    if ((!ends || guarded) && i + 1 < reached.size()) reached[i + 1] = true;
  }
  return reached[to];
}

std::unique_ptr<BlockObserver> SynchronisationCheck::begin_block(const Block& block) {
  return std::make_unique<BlockSynchronisationCheck>(block);
}

void SynchronisationCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  found_.merge(std::move(static_cast<BlockSynchronisationCheck&>(*observer).found));
}

}  // namespace assay::vgpu
