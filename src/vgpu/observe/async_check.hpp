// SPDX-License-Identifier: MIT
// Finds what goes wrong between threads and the asynchronous units. Generic writes that TMA or wgmma reads, or that a
// bulk load overwrites, without fence.proxy.async in between; shared memory that is overwritten while a bulk store or a
// wgmma still reads it; threads that end while their bulk stores read; registers of wgmma that are touched before the
// wait or written behind the fence; waits for groups that never wait; mbarriers that are initialised twice or
// overwritten.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vgpu/observe/async_roles.hpp"
#include "vgpu/observe/check.hpp"

namespace assay::vgpu {

class BlockAsyncCheck;

class AsyncCheck final : public Check {
 public:
  void begin_launch(const LaunchView& view) override;
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;
  const gpu::FindingList& found() const override;

  // --- for the blocks
  AsyncRole role(const Function& function, const Instruction& instruction) const {
    return roles_[program_->index_of(function)][function.index_of(instruction)];
  }
  // Instructions of all functions are numbered together.
  size_t number_of(const Function& function, const Instruction& instruction) const {
    return first_numbers_[program_->index_of(function)] + function.index_of(instruction);
  }
  AsyncRole role(size_t number) const;
  std::pair<size_t, size_t> instruction_of(size_t number) const;  // function and index
  std::string place_of(size_t number) const;
  bool uses_async_proxy() const { return uses_async_proxy_; }
  bool has_products() const { return has_products_; }
  bool has_groups() const { return has_groups_; }

  // How a wait for groups was used in all blocks.
  struct WaitUse {
    bool waited = false;             // at least once, for something
    std::optional<Finding> in_vain;  // the first time that something was under way and it waited for nothing
  };

 private:
  const Program* program_ = nullptr;
  std::vector<std::vector<AsyncRole>> roles_;
  std::vector<size_t> first_numbers_;
  bool uses_async_proxy_ = false, has_products_ = false, has_groups_ = false;
  std::map<size_t, WaitUse> waits_;
  gpu::FindingList blocks_found_;
  mutable gpu::FindingList found_;  // with the waits, made when it is asked for
};

}  // namespace assay::vgpu
