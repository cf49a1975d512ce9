// SPDX-License-Identifier: MIT
// Observers watch a launch without being part of the machine. Each block gets an observer of its own, so that blocks
// run in parallel without locks; they are handed back in the order of the blocks, so that reports do not depend on
// the number of host threads.
#pragma once

#include <memory>
#include <span>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

class Block;
class GlobalMemory;

// One instruction's access to memory, by the lanes of a warp.
struct Access {
  const Warp& warp;
  const Instruction& instruction;
  Space space;  // never generic, except for addresses in no window
  AccessKind kind;
  uint32_t bytes;  // of each lane
  LaneMask lanes;
  const uint64_t* addresses;  // of all 32 lanes, inside the space
  const Block* owner;         // of the shared memory: another block of the cluster, perhaps
};

// Threads of a warp arrive at a named barrier of the block.
struct BarrierArrival {
  const Warp& warp;
  const Instruction& instruction;
  int barrier;
  uint32_t expected;  // threads; 0: all of the block that have not exited
  LaneMask lanes;
};

// Lanes of a warp execute an instruction with a member mask together.
struct Collective {
  const Warp& warp;
  const Instruction& instruction;
  LaneMask members;  // that the mask names
  LaneMask lanes;    // that execute it: the members that have not exited
};

// A lane reads a register of a lane that does not execute the shuffle.
struct InactiveRead {
  const Warp& warp;
  const Instruction& instruction;
  int lane;
  int source;
};

// How often one instruction was executed. The machine itself adds to it, without a call for each instruction.
struct ExecutionCount {
  uint64_t warps = 0;      // executions by a warp, or by a path of one that has diverged
  uint64_t threads = 0;    // lanes of those paths
  uint64_t guarded = 0;    // of `threads`: lanes whose guard was off
  uint64_t divergent = 0;  // of `warps`: some lanes left the path here (branches that part, guarded exits)
  uint64_t idle = 0;       // in rounds of loops that only waited for memory; not in the others

  void add(uint64_t lanes, uint64_t lanes_off) {
    ++warps;
    threads += lanes;
    guarded += lanes_off;
  }
  void was_idle(uint64_t lanes, uint64_t lanes_off) {
    --warps;
    threads -= lanes;
    guarded -= lanes_off;
    ++idle;
  }
};

class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  // One entry for each instruction of the function, to be added to; nullptr: this observer does not count. Of several
  // observers the first that counts is given the counts.
  virtual ExecutionCount* executions(const Function&) { return nullptr; }
  // Returns the lanes that may go ahead. The others are skipped: a load gives 0, a store does nothing.
  virtual LaneMask access(const Access& access) = 0;
  // A warp begins a round of a loop that may only wait for memory. If it was idle, what it did is not to be counted.
  virtual void begin_round(const Warp&) {}
  virtual void end_round(const Warp&, bool /*idle*/) {}
  // What a lane asks for lies outside of a surface. True: it is noted, and the lane is skipped. Otherwise it ends the
  // launch.
  virtual bool outside(const Warp&, const Instruction&, int /*lane*/, const Finding&) { return false; }
  // What one of the observers skipped: `lanes` are those.
  virtual void left_out(const Access&) {}
  // Whether before() and after() are to be called.
  virtual bool follows_instructions() const { return false; }
  // An instruction is about to be executed by the lanes of warp.mask: none if its guard is off in all of warp.active.
  // One that has to wait is announced again each time that it is tried.
  virtual void before(const Warp& /*warp*/, const Instruction& /*instruction*/) {}
  // It was executed by these lanes, and the warp is still in the same activation of the same function.
  virtual void after(const Warp& /*warp*/, const Instruction& /*instruction*/, LaneMask /*lanes*/) {}
  // A collective (shfl, vote, ...) of lanes that stand at several places: these executed it elsewhere, before after()
  // is called for those of the running path.
  virtual void met(const Warp& /*warp*/, const Instruction& /*instruction*/, LaneMask /*lanes*/) {}

  // --- what orders accesses of different threads; called if follows_order()
  virtual bool follows_order() const { return false; }
  virtual void synchronised(const Warp&, LaneMask) {}  // at bar.warp.sync
  // At another collective with a member mask (shfl, vote, ...): they have met, but that orders no memory.
  virtual void exchanged(const Warp&, const Instruction&, LaneMask) {}
  virtual void barrier_arrived(int /*barrier*/, const Warp&, LaneMask, bool /*waits*/) {}
  virtual void barrier_completed(int /*barrier*/) {}
  virtual void fenced(const Warp&, const Instruction&) {}
  // mbarriers of this block, by their address in its shared memory; who arrives may be of another block
  virtual void mbarrier_initialised(uint32_t /*address*/, const Warp&, int /*lane*/) {}
  virtual void mbarrier_invalidated(uint32_t /*address*/) {}
  virtual void mbarrier_arrived(uint32_t /*address*/, const Warp&, int /*lane*/) {}
  virtual void mbarrier_completed(uint32_t /*address*/) {}
  virtual void mbarrier_awaited(uint32_t /*address*/, const Warp&, int /*lane*/) {}
  // The data of an asynchronous copy is in this block's shared memory: its thread has waited, or it has arrived at the
  // mbarrier.
  virtual void landed(uint64_t /*offset*/, uint64_t /*bytes*/, const Warp*, int /*lane*/,
                      const uint32_t* /*mbarrier*/) {}
  // The lanes of warp.mask commit or wait for groups of asynchronous copies or products, or fence their registers.
  virtual void grouped(const Warp&, const Instruction&) {}
  virtual void cluster_arrived(const Warp&, LaneMask) {}
  virtual void cluster_completed() {}
  virtual void cluster_awaited(const Warp&, LaneMask) {}

  // Whether arrived() is to be called.
  virtual bool follows_arrivals() const { return false; }
  // An asynchronous copy to this block's shared memory has arrived: the bytes from `offset` on.
  virtual void arrived(uint64_t /*offset*/, uint64_t /*bytes*/) {}
  // Whether the following are to be called.
  virtual bool follows_synchronisation() const { return false; }
  virtual void at_barrier(const BarrierArrival&) {}
  virtual void barrier_complete(int /*barrier*/) {}  // after the arrivals, before anybody goes on
  virtual void exited(const Warp&, LaneMask) {}      // before a barrier completes for it
  virtual void at_collective(const Collective&) {}
  virtual void inactive_read(const InactiveRead&) {}

  // A thread took memory from the device's heap, or gave it back.
  virtual void heap_allocated(const Warp&, int /*lane*/, uint64_t /*address*/) {}
  virtual void heap_freed(uint64_t /*address*/) {}
};

struct LaunchView {
  const Program& program;
  const Function& kernel;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin_launch(const LaunchView&) {}
  // Whether blocks must run one after another, or interleaved on one core.
  virtual bool wants_order() const { return false; }
  virtual std::unique_ptr<BlockObserver> begin_block(const Block& block) = 0;
  virtual void end_block(std::unique_ptr<BlockObserver> observer) = 0;  // in the order of the blocks
  virtual void end_launch(const GlobalMemory&, bool /*completed*/) {}   // after all blocks, or those before a fault
};

}  // namespace assay::vgpu
