// SPDX-License-Identifier: MIT
// The initialisation check of one block: the shadows of its memory and registers, and what was found in it.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "gpu/finding_list.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/observe/definedness_transfer.hpp"
#include "vgpu/observe/initialisation_check.hpp"

namespace assay::vgpu {

class BlockInitialisationCheck final : public BlockObserver {
 public:
  BlockInitialisationCheck(InitialisationCheck& check, const Block& of);

  bool follows_instructions() const override { return true; }
  void before(const Warp& warp, const Instruction& instruction) override;
  void after(const Warp& warp, const Instruction& instruction, LaneMask lanes) override;
  void met(const Warp& warp, const Instruction& instruction, LaneMask lanes) override;
  LaneMask access(const Access& access) override;
  void left_out(const Access& access) override;
  bool follows_arrivals() const override { return true; }
  void arrived(uint64_t offset, uint64_t bytes) override;

  const Block& block;
  gpu::FindingList found;

 private:
  // Where bytes that nothing wrote were first read, or a register that nothing wrote was first used.
  struct Origin {
    Finding first;  // without the place where it matters
    bool in_shared = false;
    // Of the warp that did so last: its lanes, what each of them read, and the first byte that was missing.
    const Warp* warp = nullptr;
    LaneMask lanes = 0;
    std::array<uint64_t, kLanes> addresses{};
    std::array<uint64_t, kLanes> missing{};
  };

  ExecutedStep executed(const Warp& warp, const Instruction& instruction, LaneMask lanes) const;

  // --- shadows
  FrameShadow& shadow(const Warp& warp);
  std::vector<Code>& local_codes(const Warp& warp);
  std::span<Code> memory_codes(const Access& access, int lane);  // empty: all are defined, or others report it
  bool may_be_unwritten(const Access& access) const;

  // --- memory
  void load(const Access& access);
  void store(const Access& access);
  void update(const Access& access);  // an atomic
  void fill(const Access& access, Code value);
  void issue_copy(const Access& access);  // to shared memory
  void read_for_copy(const Access& access);
  std::vector<Code> read(const Access& access, int lane, std::span<const Code> codes);
  std::vector<Code> stored(const Access& access, int lane);
  void put(const Access& access, int lane, std::span<const Code> codes);

  // --- results that are known only after the execution
  void write_loaded(const ExecutedStep& step);
  void write_matrix(const ExecutedStep& step);
  void define_results(const ExecutedStep& step);
  void pass_parameter(const ExecutedStep& step);
  void define_call_results(const ExecutedStep& step);
  void return_results(const Warp& warp);

  // --- origins
  Code origin(const Access& access, int lane, Code why, uint64_t byte);
  static Code unwritten_register(void* self, const ExecutedStep& step, size_t operand, int lane);
  Code remember(const Warp& warp, const Instruction& instruction, AccessKind kind, int lane, uint64_t address,
                uint64_t missing, Space space, const auto& describe);

  // --- where it matters
  void check_guard(const Warp& warp, const Instruction& instruction);
  void check_addresses(const ExecutedStep& step);
  void check_result(const Access& access, int lane, std::span<const Code> codes);
  void report(const Warp& warp, const Instruction& instruction, int lane, Code value, std::string_view what);

  const DefinednessStep& step_of(const Function& function, const Instruction& instruction) const {
    if (&function != function_) {
      function_ = &function;
      steps_ = check_.plan(function).steps.data();
    }
    return steps_[function.index_of(instruction)];
  }
  bool is_defined(const Access& access);  // all that the lanes access, as far as a look at their extent can tell
  std::span<Code> buffer_codes(uint64_t first, uint64_t end);

  InitialisationCheck& check_;
  mutable const Function* function_ = nullptr;  // the last one, and its steps
  mutable const DefinednessStep* steps_ = nullptr;
  std::vector<Code> shared_;
  std::map<const Warp*, std::vector<Code>> local_;  // of each lane, lane after lane
  std::vector<Origin> origins_;                     // code - kFirstOrigin
  std::map<std::tuple<size_t, size_t, AccessKind>, Code> origin_codes_;

  // Of the instruction that is being executed: the bytes that each lane loaded, as far as some are undefined.
  static constexpr size_t kMostLoaded = 64;
  std::array<std::array<Code, kMostLoaded>, kLanes> loaded_{};
  LaneMask loaded_lanes_ = 0;
  Code operands_in_memory_ = code::kDefined;
  bool met_elsewhere_ = false;  // a collective of lanes at several places
  // The asynchronous copy that is being issued: where it goes to.
  BlockInitialisationCheck* copy_owner_ = nullptr;
  std::array<uint64_t, kLanes> copy_targets_{};
  // What copies will bring though nothing wrote it at its source either.
  struct UndefinedArrival {
    uint64_t offset;
    std::vector<Code> codes;
  };
  std::vector<UndefinedArrival> undefined_arrivals_;
};

}  // namespace assay::vgpu
