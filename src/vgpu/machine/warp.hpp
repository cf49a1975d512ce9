// SPDX-License-Identifier: MIT
// A warp: 32 lanes, their registers, and the paths on which they run.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "vgpu/machine/bulk_copy.hpp"
#include "vgpu/machine/path.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/machine/spin_watch.hpp"

namespace assay::vgpu {

class Block;
struct ExecutionCount;

// An asynchronous copy that was issued and has not been waited for: its data is not there yet.
struct PendingCopy {
  std::array<std::byte*, kLanes> target{};
  std::array<const std::byte*, kLanes> source{};
  std::array<uint8_t, kLanes> source_bytes{};
  std::array<uint32_t, kLanes> group{};  // of each lane: the commit that covers it
  uint64_t number = 0;                   // of the warp's copies, in the order of issue
  uint8_t bytes = 0;
  LaneMask lanes = 0;
};

// Where some lanes of a group stand. `lanes` execute `instruction`, whose rows lie in their own frame.
struct Place {
  std::byte* bases[2] = {nullptr, nullptr};  // the frame's rows and the function's constants
  const Instruction* instruction = nullptr;
  LaneMask lanes = 0;
  size_t path = 0;  // index of the path

  bool has_row(size_t operand) const { return instruction->rows[operand] != kNoRow; }
  template <class T>
  T* row(size_t operand) const {
    const uint32_t offset = instruction->rows[operand];
    return reinterpret_cast<T*>(bases[offset >> 31] + (offset & ~kConstantRow));
  }
};

class Warp {
 public:
  // --- the state that handlers work on
  LaneMask mask = 0;    // lanes that execute this instruction: those of the path whose guard holds
  LaneMask active = 0;  // lanes of the path
  LaneMask carry = 0;   // the condition code's carry flag, a bit per lane
  uint32_t pc = 0;      // the next instruction

  template <class T>
  T* row(uint32_t offset) const {
    return reinterpret_cast<T*>(bases_[offset >> 31] + (offset & ~kConstantRow));
  }

  Block& block() const { return *block_; }
  Frame& frame() const { return *frame_; }
  int index() const { return index_; }
  LaneMask existing_lanes() const { return existing_; }
  LaneMask live_lanes() const { return existing_ & ~exited_; }
  const Instruction* current_instruction() const;
  Dim3 thread_of(int lane) const;
  std::byte* local_memory(int lane) const { return local_.get() + static_cast<size_t>(lane) * local_stride_; }
  uint32_t local_stride() const { return local_stride_; }

  // --- control, for handlers
  void branch(LaneMask taken, uint32_t target);
  void exit(LaneMask lanes);
  void call(const CallSite& site, const Function& callee);
  void return_from_call(LaneMask lanes);
  // True when all lanes that still live execute this instruction. Otherwise the executing lanes wait for the others
  // here, and the instruction is executed again when they have come.
  bool converged();
  // Lanes that name the same members execute a collective together. Where they stand, the executing `lanes` first:
  // members may be at another place of the program, as long as they wait there at the same collective. Empty: some
  // members have not come, or the launch has stopped. What this refers to is good until the next call.
  std::span<const Place> meet(const Instruction& instruction, LaneMask members, LaneMask lanes);
  void go_on(std::span<const Place> places);  // who stands elsewhere has executed its collective
  // The lanes wait for other members of their masks. `collective` is the instruction, if it has a member mask.
  void wait_for_members(LaneMask lanes, LaneMask members, const Instruction* collective);
  // Threads of the path arrive and wait. `reduction` is the bar.red that wants a result, or nullptr.
  void wait_at_barrier(int barrier, uint32_t expected, uint32_t trues, const Instruction* reduction);
  // The path waits for the mbarrier's phase and then executes the instruction again. False if it has waited here in
  // vain already.
  bool wait_at_mbarrier(uint32_t address);
  void wait_for_registers(uint32_t per_thread);  // until others have given some away; then once more
  void wait_at_cluster_barrier();  // until the phase is complete that the lanes arrived in; then once more
  std::array<uint32_t, kLanes> cluster_phase{};  // of each lane: that of its last arrival at the cluster's barrier
  // --- loops that wait for memory (spin_watch.hpp)
  void note_poll() { polled_at_ = pc - 1, polled_in_ = frame_; }  // a read of what other threads may change
  bool is_watched() const { return spin_.on(); }
  void note_effect() { spin_.effect(); }
  void note_access(AccessKind kind, uint32_t bytes, const std::array<std::byte*, kLanes>& at, LaneMask lanes);
  bool waits_for_memory() const;
  bool memory_changed() const;  // that one of its paths waits for

  void yield() { stop_ = true; }
  // These lanes of the path execute the current instruction again, after the others.
  void repeat_later(LaneMask lanes) { part(lanes, frame_, pc - 1); }
  void give_way() { turn_left_ = 0, stop_ = true; }  // the other paths and warps come first
  // Stops the launch with this finding; its place and thread are filled in.
  void fault(Finding finding, int lane);
  void fault(FindingKind kind, std::string message, int lane);
  Finding describe(const Instruction& instruction, int lane) const;
  Finding describe_in(const Frame& frame, const Instruction& instruction, int lane) const;

  // --- asynchronous copies
  void issue_copy(const PendingCopy& copy);
  void commit_copies();
  void wait_copies(uint32_t groups_left);  // of the executing lanes
  void wait_all_copies();                  // committed or not
  uint64_t copies_issued() const { return copies_issued_; }
  // Those of the lane that were issued before this number; they arrive at the mbarrier.
  void land_copies(int lane, uint64_t before, const uint32_t* mbarrier);
  BulkStores bulk_stores;

  // --- for the block
  void start(Block& block, int index, const Function& entry);
  void run();  // until it waits, ends, or has had its turn
  bool finished() const { return paths_.empty(); }
  std::vector<Path>& paths() { return paths_; }

 private:
  static constexpr uint32_t kStackBytes = 1 << 16;  // of one lane, in programs with calls or alloca

  Path* pick();
  void enter(Path& path);
  void leave();
  // The instructions of a path, until it stops. Without counts there is no trace of them in the compiled loop;
  // `watching` is for observers that follow every instruction, and for rounds of a loop that may only wait.
  enum class Mode : uint8_t { plain, counting, watching };
  template <Mode M>
  void loop(ExecutionCount* counts);
  bool ends_idle_round(uint32_t target);
  void begin_round(uint32_t target, bool again);
  void end_round(bool idle);
  void execute_watched(const Instruction& instruction, ExecutionCount* counts);
  void execute_counted(const Instruction& instruction, ExecutionCount& count);
  // Adds the lanes to a path (not the one at `except`) that stands at the same instruction, if there is one.
  bool join(const Path& from, size_t except);
  void sleep(Path::State state);  // the path executes its instruction again when something wakes it
  void part(LaneMask lanes, Frame* frame, uint32_t target);     // some of the path's lanes go elsewhere
  void move_to(LaneMask lanes, Frame* frame, uint32_t target);  // some or all of them do
  std::unique_ptr<Frame> make_frame(const Function& function);
  void fill_special_rows(const Function& function, Frame& frame);
  Place place_of(const Path& path, LaneMask lanes) const;
  void report_different_collectives(const Place& here, const Place& there, LaneMask members);
  void release_frame(Frame* frame, LaneMask lanes);
  void land(const PendingCopy& copy, int lane, const uint32_t* mbarrier = nullptr);

  std::byte* bases_[2] = {nullptr, nullptr};  // the frame's rows and the function's constants
  Block* block_ = nullptr;
  Frame* frame_ = nullptr;
  int index_ = 0;
  LaneMask existing_ = 0;
  LaneMask exited_ = 0;
  bool stop_ = false;
  int turn_left_ = 0;         // of the running path
  uint32_t limit_ = 0;        // where another path waits to be joined
  size_t running_ = 0;        // index of the running path
  bool path_ended_ = false;   // the running path's lanes all left it
  LaneMask coming_back_ = 0;  // for these the last instruction did nothing; they will execute it again
  uint32_t local_stride_ = 0;
  std::unique_ptr<std::byte[]> local_;
  size_t local_capacity_ = 0;
  SpinWatch spin_;
  uint32_t polled_at_ = kNoRow;  // the last instruction that polled, and its frame
  const Frame* polled_in_ = nullptr;
  std::vector<Path> paths_;
  std::vector<Place> meeting_;  // what meet() refers to
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<PendingCopy> pending_copies_;
  std::array<uint32_t, kLanes> committed_{};  // groups that each lane has committed
  uint64_t copies_issued_ = 0;
};

}  // namespace assay::vgpu
