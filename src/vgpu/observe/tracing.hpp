// SPDX-License-Identifier: MIT
// The observer behind estimates: it follows every instruction of the blocks that it is shown, and adds up what they ask
// of each part of the GPU. A clock for each warp runs along the executed dependences (warp_clock.hpp); what a block's
// own L1 holds is followed sector by sector (sector_table.hpp).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/instruction_count.hpp"
#include "gpu/launch_work.hpp"
#include "gpu/rates.hpp"
#include "vgpu/machine/block_choice.hpp"
#include "vgpu/machine/grid.hpp"
#include "vgpu/machine/observer.hpp"
#include "vgpu/observe/block_sample.hpp"
#include "vgpu/observe/instruction_cost.hpp"

namespace assay::vgpu {

class Tracing final : public Observer, public BlockChoice {
 public:
  // The launch, which must outlive this, and which of its blocks are run.
  Tracing(const Launch& launch, const gpu::GpuModel& model, BlockSample sample);

  void begin_launch(const LaunchView& view) override;
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  const std::vector<uint64_t>& clusters() const override { return sample_.clusters; }

  gpu::LaunchWork work() const;
  std::vector<gpu::InstructionCount> instructions() const;

  // --- for the observers of blocks
  struct InstructionSums {
    uint64_t executed = 0;
    uint64_t off = 0;  // issued with every lane predicated off
    uint64_t lanes = 0;
    uint64_t path_lanes = 0;  // of the paths that issued it
    uint64_t divergent = 0;   // issued by a path of which only some lanes executed it
    gpu::WorkSums sums;       // what accesses and waits add
  };
  struct Footprint {
    double read_bytes = 0;     // in sectors
    double fetched_bytes = 0;  // in pieces of 64 bytes
    double written_bytes = 0;
  };
  struct BufferSums {
    uint64_t bytes = 0;
    double l2_read_sectors = 0;
    double l2_write_sectors = 0;
    double asked_sectors = 0;
    Footprint blocks;   // the different bytes of each block, added up
    Footprint largest;  // of one block
  };
  const std::vector<InstructionCost>& costs(const Function& function) const {
    return costs_[program_->index_of(function)];
  }
  const Program& program() const { return *program_; }
  const gpu::Rates& rates() const { return rates_; }
  double l1_bytes_per_warp() const { return l1_bytes_per_warp_; }

 private:
  void add_instructions(gpu::LaunchWork& work) const;
  void add_buffers(gpu::LaunchWork& work) const;

  const Launch& launch_;
  const gpu::Rates& rates_;
  BlockSample sample_;
  const Program* program_ = nullptr;
  double l1_bytes_per_warp_ = 0;
  std::vector<std::vector<InstructionCost>> costs_;         // beside Program::functions
  std::vector<std::vector<gpu::WorkSums>> sums_;            // likewise, by instruction; weighted
  std::vector<std::vector<gpu::InstructionCount>> counts_;  // likewise, as they are
  std::map<std::string, BufferSums> buffers_;
  std::unordered_map<uint64_t, uint8_t> touched_;                            // sector -> read, written; of all blocks
  std::unordered_map<uint64_t, double> atomics_;                             // by address
  std::map<std::pair<size_t, size_t>, std::pair<double, double>> barriers_;  // site: complete, needed (weighted)
  gpu::ChainCycles chains_;                                                  // weighted sum
  gpu::ChainCycles longest_;
  double weights_ = 0;
  uint64_t blocks_ = 0;
  bool judges_barriers_ = true;
  std::map<std::string, std::pair<uint64_t, uint64_t>> ranges_;  // of the buffers: address, end
};

}  // namespace assay::vgpu
