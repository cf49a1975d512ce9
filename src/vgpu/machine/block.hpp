// SPDX-License-Identifier: MIT
// A thread block: its warps, its shared memory and its barriers. It runs on one host thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/machine/barrier.hpp"
#include "vgpu/machine/bulk_copy.hpp"
#include "vgpu/machine/grid.hpp"
#include "vgpu/machine/group_products.hpp"
#include "vgpu/machine/mbarrier.hpp"
#include "vgpu/machine/observer.hpp"
#include "vgpu/machine/register_pool.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

class Cluster;

class Block {
 public:
  enum class Outcome { finished, faulted, suspended, waiting };

  Block(const Grid& grid, Cluster& cluster, uint32_t rank) : grid_(grid), cluster_(cluster), rank_(rank) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void start(uint64_t linear_index);
  // Runs until the block ends or, when `may_suspend`, until it has had its turn (suspended) or can go on only when
  // another block has changed the memory that it polls (waiting).
  Outcome run(bool may_suspend);

  const Grid& grid() const { return grid_; }
  Cluster& cluster() const { return cluster_; }
  uint32_t rank() const { return rank_; }  // in its cluster
  Dim3 index() const { return index_; }
  uint64_t linear_index() const { return linear_index_; }
  std::byte* shared() { return shared_.data(); }
  uint32_t shared_bytes() const { return shared_bytes_; }

  // --- for the cluster
  bool finished() const;
  void wake_from_cluster_barrier();
  void report_deadlock(std::string_view why = "");
  bool waits_for_memory() const;  // some path polls
  bool memory_changed() const;    // that a path polls
  bool give_up_waiting();         // paths at mbarriers; false: they have tried for long, or there are none

  // --- for warps
  // Threads of one warp arrive: those of `lanes`. True if the barrier is complete with them; otherwise they have to
  // wait.
  bool arrive(int barrier, const Warp& warp, LaneMask lanes, uint32_t expected, uint32_t trues, bool waits);
  void threads_ended(uint32_t threads);
  GroupProducts& products() { return products_; }
  bool set_registers(const Warp& warp, uint32_t per_thread);  // false: it has to wait for others
  // --- mbarriers, by their address in shared memory, which must be a good one
  std::optional<Mbarrier> mbarrier(uint32_t address) const;  // nothing: there is none
  void complete_bytes(uint32_t address, uint32_t bytes);     // that its phase waits for; the mbarrier must be there
  void set_mbarrier(uint32_t address, Mbarrier state);       // and the next phase begins if this one is complete
  // What will complete a phase once somebody waits for it: a bulk copy, or an arrival after a thread's cp.async.
  void issue_load(uint32_t mbarrier, BulkCopy copy);
  void issue_arrival(uint32_t mbarrier, Warp& warp, int lane);
  void land(uint32_t mbarrier);
  void report(Finding finding);  // the first one stops the block
  bool stopped() const { return fault_.has_value(); }
  void count(uint64_t instructions, uint64_t thread_instructions);
  // Rounds of a loop that waits for memory: counted, and then found to have been idle.
  void count_idle(uint64_t instructions, uint64_t thread_instructions);
  void begin_round(const Warp& warp);
  void end_round(const Warp& warp, bool idle);
  bool over_limit() const { return instructions_ + idle_instructions_ > grid_.launch.instruction_limit; }
  void print(const std::string& text) { printed_ += text; }
  bool watched() const { return !observers_.empty(); }
  // Where executions of this function's instructions are counted; nullptr: they are not.
  ExecutionCount* executions(const Function& function) const {
    return counter_ == nullptr ? nullptr : counter_->executions(function);
  }
  const std::vector<BlockObserver*>& followers() const { return followers_; }  // of every instruction
  LaneMask observe(const Access& access);
  // Whether an observer took care of what a lane asks for outside of a surface.
  bool observe_outside(const Warp& warp, const Instruction& instruction, int lane, const Finding& finding);
  // Whether somebody wants to know of barriers, exits and collectives.
  bool synchronisation_followed() const { return synchronisation_followed_; }
  void observe_exit(const Warp& warp, LaneMask lanes);
  void observe(const Collective& collective);
  void observe(const InactiveRead& read);
  void observe_allocation(const Warp& warp, int lane, uint64_t address);  // from the device's heap
  void observe_free(uint64_t address);
  void has_arrived(const std::byte* to, uint64_t bytes);  // by an asynchronous copy, in any memory of the cluster
  // The same, for who follows the order of accesses: the copy of a thread, or one that an mbarrier counts.
  void has_landed(const std::byte* to, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier);
  // Calls body(observer) for those that follow what orders accesses.
  template <class Body>
  void tell(Body&& body) const {
    for (BlockObserver* observer : order_followers_) body(*observer);
  }

  // --- results
  std::optional<Finding> fault_;
  std::string printed_;
  uint64_t instructions_ = 0;
  uint64_t thread_instructions_ = 0;
  uint64_t idle_instructions_ = 0;
  std::vector<std::unique_ptr<BlockObserver>> observers_;

 private:
  void complete(int barrier);
  void end_warp(const Warp& warp);
  void wake(Path::State waiting);
  void start_observers();
  std::vector<std::string> who_waits_where() const;

  const Grid& grid_;
  Cluster& cluster_;
  const uint32_t rank_;
  Dim3 index_;
  uint64_t linear_index_ = 0;
  uint32_t live_threads_ = 0;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::byte> shared_;
  uint32_t shared_bytes_ = 0;
  std::array<Barrier, Barrier::kCount> barriers_{};
  RegisterPool registers_;
  GroupProducts products_;
  struct PendingLoad {
    uint32_t mbarrier;
    BulkCopy copy;
  };
  struct PendingArrival {
    uint32_t mbarrier;
    Warp* warp;
    int lane;
    uint64_t copies;  // it follows this many of the warp's
  };
  std::vector<PendingLoad> pending_loads_;
  std::vector<PendingArrival> pending_arrivals_;
  int waits_in_vain_ = 0;                        // since something moved
  BlockObserver* counter_ = nullptr;             // one of the observers
  std::vector<BlockObserver*> followers_;        // some of them
  std::vector<BlockObserver*> order_followers_;  // likewise
  bool arrivals_followed_ = false;               // by one of them
  bool synchronisation_followed_ = false;
};

}  // namespace assay::vgpu
