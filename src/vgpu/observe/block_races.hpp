// SPDX-License-Identifier: MIT
// The race check's observer of one block. It compares every access with what the shadow remembers of its place
// (block_races.cpp), follows what the threads know of each other (block_order.cpp), and words what it finds
// (race_report.cpp). Lanes of a warp that know the same share it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/lane_meetings.hpp"
#include "vgpu/observe/race_check.hpp"
#include "vgpu/observe/record_verdicts.hpp"

namespace assay::vgpu {

class BlockRaces final : public BlockObserver {
 public:
  BlockRaces(RaceCheck& check, const Block& block)
      : check_(check),
        block_(block),
        grid_(block.grid().launch.grid),
        threads_(block.grid().launch.block),
        number_(static_cast<uint32_t>(block.linear_index()) & kMostBlocks),
        warps_((block.grid().launch.block.volume() + kLanes - 1) / kLanes) {}

  bool follows_order() const override { return true; }
  Shadow shared;
  std::unordered_map<uint64_t, SynchronisingPlace> places;  // in this block's shared memory

  // Other blocks of a cluster may access this block's shared memory until it ends. Whatever of that nothing orders
  // before its end may come too late; finds that when all of them have ended.
  void find_late_visits();

  LaneMask access(const Access& access) override;
  void grouped(const Warp& warp, const Instruction& instruction) override;

  // --- what orders
  void synchronised(const Warp& warp, LaneMask lanes) override;
  void exchanged(const Warp& warp, const Instruction& instruction, LaneMask lanes) override;
  void barrier_arrived(int barrier, const Warp& warp, LaneMask lanes, bool waits) override;
  void barrier_completed(int barrier) override;
  void fenced(const Warp& warp, const Instruction& instruction) override;
  void mbarrier_initialised(uint32_t address, const Warp& warp, int lane) override;
  void mbarrier_arrived(uint32_t address, const Warp& warp, int lane) override;
  void mbarrier_completed(uint32_t address) override;
  void mbarrier_awaited(uint32_t address, const Warp& warp, int lane) override;
  void landed(uint64_t offset, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier) override;
  void cluster_arrived(const Warp& warp, LaneMask lanes) override;
  void cluster_completed() override;
  void cluster_awaited(const Warp& warp, LaneMask lanes) override;

 private:
  static constexpr uint32_t kMostBlocks = (1u << 20) - 1;
  static constexpr uint32_t kFirstUnit = 32;  // "warps" of asynchronous copies, a lane for each mbarrier
  static constexpr uint32_t kUnits = 96;

  // A bulk store that may still write to global memory.
  struct OpenStore {
    int lane;
    uint32_t group;  // of its lane
    uint64_t address;
    uint64_t bytes;
  };
  struct Fence {
    Knowledge knowledge;
    Stamp stamp = 0;
    bool wide = false;
    bool valid = false;
  };
  struct Exchange {  // a shuffle or vote, for the words of a finding alone
    LaneMask lanes = 0;
    Stamp stamp = 0;  // of all that came before
    const Function* function = nullptr;
    const Instruction* instruction = nullptr;
  };
  struct Pending {  // what strong reads have seen and no fence has taken yet
    Published near, wide;
  };
  struct WarpState {
    Stamp now = 1;
    bool uniform = true;
    Knowledge all;                                         // of all lanes, while it is the same
    std::unique_ptr<std::array<Knowledge, kLanes>> lanes;  // of each, afterwards
    std::unique_ptr<std::array<Fence, kLanes>> fences;
    std::unique_ptr<std::array<Pending, kLanes>> pending;
    std::vector<OpenStore> open_stores;
    std::array<uint32_t, kLanes> store_groups{};  // that each lane has committed
    Published met_fenced;                         // by a wide fence of each thread, before a barrier of the block
    LaneMeetings meetings;
    std::array<Exchange, 8> exchanges;  // the last ones
    size_t next_exchange = 0;
  };
  struct BarrierState {
    Published met;
    Published fenced;
    std::vector<std::pair<const Warp*, LaneMask>> waiting;
  };
  struct MbarrierState {
    Published arriving, complete;
    uint32_t unit = 0;
    Stamp copies = 0;
  };
  // What was asked last of an access that the shadow names: neighbouring cells mostly name the same.
  struct Asked {
    uint32_t index = 0;  // of its record
    bool answered = false;
    BlockClock::Lanewise answer = BlockClock::Lanewise::none;
    const AccessRecord* record = nullptr;
  };
  struct Attempt {
    Attempt(const Access& a, int l, size_t n, const MemoryOrder& o, const Knowledge& k, AccessRecord r, Shadow& s)
        : access(a), lane(l), number(n), order(o), known(&k), record(r), mark(s.accesses().mark(r)), place(s) {}
    // To that of another lane of the warp.
    void move_to(int other) {
      record.who += static_cast<uint32_t>(other) - static_cast<uint32_t>(lane);
      mark += static_cast<uint32_t>(other) - static_cast<uint32_t>(lane);
      lane = other;
    }
    const Access& access;
    int lane;
    size_t number;
    const MemoryOrder& order;
    const Knowledge* known;
    AccessRecord record;
    AccessMark mark;  // of the record
    const Shadow& place;
    mutable std::array<Asked, Shadow::kPlanes> asked;

    void use(const Knowledge& other) {
      if (known == &other || known->is_same(other)) return;
      known = &other;
      for (Asked& of : asked) of.answered = false;
    }
    Asked& ask(Shadow::Plane plane, AccessMark of) const {
      Asked& last = asked[plane];
      const uint32_t index = AccessTable::index_of(of);
      if (last.index != index) last = {index, false, BlockClock::Lanewise::none, &place.accesses().record(of)};
      return last;
    }
  };

  struct Row;

  static size_t index_of(const Warp& warp) { return static_cast<size_t>(warp.index()); }
  WarpState& state_of(const Warp& warp) { return warps_[index_of(warp)]; }

  // --- accesses; block_races.cpp alone has and uses these, or they would not be inlined
  static bool are_far_apart(const Access& access);
  template <bool Writes>
  bool access_alone(const Access& access, size_t number, const MemoryOrder& order, Shadow& place);
  template <bool Writes>
  void touch_cells(const Access& access, size_t number, const MemoryOrder& order, Shadow& place);
  template <bool Writes>
  void access_far_apart(Attempt& attempt, uint64_t base, Shadow& place);
  template <bool Writes>
  size_t touch_row(Attempt& attempt, int first, size_t count, uint64_t base, Shadow& place);
  bool is_row_ordered(const Attempt& attempt, Shadow::Plane plane, const Row& row) const;
  bool read_row(const Attempt& attempt, const Row& row, Shadow& place);
  bool write_row(const Attempt& attempt, const Row& row, Shadow& place);
  template <bool Writes>
  void touch(const Attempt& attempt, Shadow::Cell cell, uint64_t address, uint64_t bytes);
  template <bool Writes>
  void touch_each(const Attempt& attempt, uint64_t address, uint64_t base, Shadow& place);
  void access_strongly(const Access& access, size_t number, const MemoryOrder& order, bool writes, BlockRaces* owner,
                       Shadow& place);
  AccessRecord record(const Access& access, int lane, size_t number, const MemoryOrder& order);
  void read(const Attempt& attempt, Shadow::Cell cell, uint64_t address, uint32_t bytes);
  void write(const Attempt& attempt, Shadow::Cell cell, uint64_t address, uint32_t bytes);
  bool is_ordered(const Attempt& attempt, Shadow::Plane plane, AccessMark other) const;
  bool is_known(const Attempt& attempt, Asked& other, int lane) const;
  static int other_lane(const Attempt& attempt, const AccessRecord& other, AccessMark mark);
  RecentStamps::Answer ask_recent(const Knowledge& known, AccessMark mark, const AccessRecord& record);
  RecentStamps::Answer ask_clock(const Knowledge& known, const AccessRecord& record);
  static constexpr uint32_t kWritePlane = 1u << Shadow::write;
  static constexpr uint32_t kFirstPlane = 1u << Shadow::first_read, kSecondPlane = 1u << Shadow::second_read;
  static constexpr uint32_t kAllPlanes = kWritePlane | kFirstPlane | kSecondPlane;
  template <bool Writes>
  bool touch_by_verdicts(AccessMark mine, AccessMark* marks) const;
  template <bool Writes>
  bool touch_quickly(const Attempt& attempt, const Shadow::Announced& cell);
  const BlockClock* clock_of(const Knowledge& known, uint32_t block) const;
  bool has_been_read(const Attempt& attempt, AccessMark mark) const;
  static bool is_same_store(const Attempt& attempt, AccessMark other);
  void note_store(const Access& access);
  void complete(const Warp& warp, const OpenStore& store);

  // --- what threads know
  Knowledge& knowledge(const Warp& warp, int lane);
  void part(const Warp& warp);
  void unite(const Warp& warp);
  Published published(const Warp& warp, LaneMask lanes);
  void join_fenced(Published& into, const Warp& warp, LaneMask lanes);
  void assign(const Warp& warp, LaneMask lanes, const Published& what);
  void learn(const Warp& warp, int lane, const Published& what);
  void share_acquired(const Warp& warp, LaneMask lanes);
  void take_pending(const Warp& warp, LaneMask lanes, bool wide);
  SynchronisingPlace* place(BlockRaces* owner, uint64_t address, bool make);
  void acquire(const Warp& warp, int lane, const MemoryOrder& order, BlockRaces* owner, uint64_t address);
  void release(const Warp& warp, int lane, const MemoryOrder& order, BlockRaces* owner, uint64_t address);

  // --- reports
  void report(const Attempt& attempt, AccessMark other_mark, bool other_wrote, uint64_t address, uint32_t bytes,
              FindingKind kind = FindingKind::race);
  void report_late(const AccessRecord& visit, Shadow::Plane plane, uint64_t address, uint32_t bytes);
  Dim3 block_of(const AccessRecord& access) const;
  Dim3 thread_of(const AccessRecord& access) const;
  std::string describe(const AccessRecord& other) const;
  std::string why_unordered(const Attempt& attempt, const AccessRecord& other) const;
  const std::byte* memory_at(const Access& access, uint64_t address) const;

  RaceCheck& check_;
  const Block& block_;  // not when it has ended
  const Dim3 grid_, threads_;
  const uint32_t number_;
  bool visited_ = false;  // by other blocks
  std::vector<WarpState> warps_;
  std::array<BarrierState, Barrier::kCount> barriers_;
  std::map<uint32_t, MbarrierState> mbarriers_;
  uint32_t next_unit_ = 1;
  Published cluster_arriving_, cluster_complete_;
  Knowledge cluster_view_;  // the latter, as this block sees it
  RecentStamps recent_;
  RecordVerdicts verdicts_;  // of accesses to global memory
  struct {
    Knowledge before;
    Published what;
    Knowledge after;
  } learned_;  // the last time
};

}  // namespace assay::vgpu
