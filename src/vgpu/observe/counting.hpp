// SPDX-License-Identifier: MIT
// The observer that counts. Executions are added up by the machine, an entry for each instruction; accesses are costed
// here as they come. What belongs to which family, source line or counter is worked out once, after the launch.
#pragma once

#include <memory>
#include <vector>

#include "gpu/counters.hpp"
#include "vgpu/machine/observer.hpp"

namespace assay::vgpu {

// What the accesses of one instruction to one space cost.
struct AccessCount {
  uint64_t requests = 0;
  uint64_t bytes = 0;  // of all lanes
  uint64_t sectors = 0;
  uint64_t ideal_sectors = 0;
  uint64_t wavefronts = 0;
  uint64_t conflicts = 0;
};

class Counting final : public Observer {
 public:
  void begin_launch(const LaunchView& view) override;
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  gpu::LaunchCounters counters() const;

  // What decides the rule by which an instruction is costed.
  enum class Form : uint8_t { load, store, matrix, atomic, bulk };
  static constexpr uint32_t kNoSlot = 0xffff'ffff;
  // Of one function: where each instruction's accesses are counted. An instruction that accesses memory has four slots:
  // global, shared, local and constant.
  struct Layout {
    std::vector<uint32_t> first_slot;  // beside Function::code; kNoSlot: it accesses nothing
    std::vector<Form> form;
    uint32_t slots = 0;
  };
  struct FunctionCounts {  // empty until the function is entered
    std::vector<ExecutionCount> executions;
    std::vector<AccessCount> accesses;
  };

 private:
  const Program* program_ = nullptr;
  std::vector<Layout> layouts_;         // beside Program::functions
  std::vector<FunctionCounts> counts_;  // of the blocks that have ended
};

}  // namespace assay::vgpu
