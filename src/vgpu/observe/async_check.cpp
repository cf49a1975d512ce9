// SPDX-License-Identifier: MIT
#include "vgpu/observe/async_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/each_lane.hpp"
#include "vgpu/observe/product_registers.hpp"
#include "vgpu/observe/race_clock.hpp"
#include "vgpu/observe/reads_in_flight.hpp"

namespace assay::vgpu {
namespace {

// What threads of a warp know: of others' accesses, and of those with a proxy fence on the way. The lanes of a warp
// count as one here; of whom something is known, lanes count.
struct ProxyKnowledge {
  BlockClock seen;
  BlockClock fenced;

  void join(const ProxyKnowledge& other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
  }
};

// The last generic write to a unit of shared memory.
struct GenericWrite {
  static constexpr Stamp kUnderWay = ~Stamp{0};  // a cp.async that nothing has waited for
  Stamp stamp = 0;                               // 0: there is none
  uint32_t instruction = 0;
  uint8_t warp = 0;
  uint8_t lane = 0;
};

// The groups of copies of one warp's lanes.
struct CopyGroups {
  std::array<uint32_t, kLanes> committed{};
  std::array<uint32_t, kLanes> done{};
  std::array<uint32_t, kLanes> last_copy{};  // 1 + the group of the last one

  bool is_open(size_t lane) const { return last_copy[lane] > done[lane]; }
  bool is_uncommitted(size_t lane) const { return last_copy[lane] == committed[lane] + 1; }
};

}  // namespace

class BlockAsyncCheck final : public BlockObserver {
 public:
  BlockAsyncCheck(const AsyncCheck& check, const Block& block)
      : check_(check),
        block_(block),
        warps_((block.grid().launch.block.volume() + kLanes - 1) / kLanes),
        reads_(check.uses_async_proxy() ? block.shared_bytes() : 0),
        writes_(check.uses_async_proxy() ? block.shared_bytes() / ReadsInFlight::kUnit + 1 : 0) {}

  bool follows_order() const override { return check_.has_groups(); }
  bool follows_synchronisation() const override { return check_.uses_async_proxy(); }
  bool follows_instructions() const override { return check_.has_products(); }

  // --- memory

  LaneMask access(const Access& access) override {
    if (!check_.has_groups() || access.space != Space::shared || access.owner != &block_) return access.lanes;
    if (access.kind == AccessKind::mbarrier) return access.lanes;
    const AsyncRole role = check_.role(*access.warp.frame().function, access.instruction);
    if (role == AsyncRole::copy) note_copy(access);
    const bool writes = access.kind != AccessKind::load && access.kind != AccessKind::async_read;
    if (writes && !mbarriers_.empty()) look_at_mbarriers(access);
    if (!check_.uses_async_proxy()) return access.lanes;
    switch (role) {
      case AsyncRole::product:
      case AsyncRole::bulk_store:
        read_asynchronously(access, role);
        break;
      case AsyncRole::bulk_load:
        look_at_proxy(access, role);
        if (writes) {
          overwrite(access);
          record(access, {});
        }
        break;
      default:
        if (!writes) break;
        overwrite(access);
        record(access, {role == AsyncRole::copy ? GenericWrite::kUnderWay : state_of(access.warp).now,
                        static_cast<uint32_t>(number_of(access)), static_cast<uint8_t>(access.warp.index()), 0});
    }
    return access.lanes;
  }
  // The data of a cp.async is there: it counts as a write of its thread now.
  void landed(uint64_t offset, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier) override {
    if (warp == nullptr || !check_.uses_async_proxy() || &warp->block() != &block_) return;
    WarpState& state = state_of(*warp);
    for (uint64_t at = offset / ReadsInFlight::kUnit; at * ReadsInFlight::kUnit < offset + bytes; ++at) {
      GenericWrite& write = writes_[at];
      if (write.stamp == GenericWrite::kUnderWay && write.warp == warp->index()) write.stamp = state.now;
    }
    if (mbarrier == nullptr) return;
    MbarrierState& barrier = mbarrier_states_[*mbarrier];
    barrier.arriving.seen.learn(index_of(*warp), LaneMask{1} << lane, warp->existing_lanes(), state.now);
    barrier.complete.seen.learn(index_of(*warp), LaneMask{1} << lane, warp->existing_lanes(), state.now);
    ++state.now;
  }

  // --- what orders

  void synchronised(const Warp& warp, LaneMask lanes) override {
    if (!check_.uses_async_proxy()) return;
    WarpState& state = state_of(warp);
    state.known.seen.learn(index_of(warp), lanes, warp.existing_lanes(), state.now++);
  }
  // What one lane of a warp knows counts for all: the race check is the one that tells them apart.
  void exchanged(const Warp& warp, const Instruction&, LaneMask lanes) override { synchronised(warp, lanes); }
  void barrier_arrived(int barrier, const Warp& warp, LaneMask lanes, bool waits) override {
    if (!check_.uses_async_proxy()) return;
    BarrierState& state = barriers_[static_cast<size_t>(barrier)];
    state.met.join(published(warp, lanes));
    if (waits) state.waiting.push_back(index_of(warp));
  }
  void barrier_completed(int barrier) override {
    if (!check_.uses_async_proxy()) return;
    const BarrierState state = std::exchange(barriers_[static_cast<size_t>(barrier)], {});
    for (const size_t warp : state.waiting) warps_[warp].known.join(state.met);
  }
  void fenced(const Warp& warp, const Instruction& instruction) override {
    if (!check_.uses_async_proxy()) return;
    if (check_.role(*warp.frame().function, instruction) != AsyncRole::proxy_fence) return;
    WarpState& state = state_of(warp);
    state.known.seen.learn(index_of(warp), warp.mask, warp.existing_lanes(), state.now++);
    state.known.fenced.join(state.known.seen);
  }
  void mbarrier_arrived(uint32_t address, const Warp& warp, int lane) override {
    if (!check_.uses_async_proxy() || &warp.block() != &block_) return;
    mbarrier_states_[address].arriving.join(published(warp, LaneMask{1} << lane));
  }
  void mbarrier_completed(uint32_t address) override {
    if (!check_.uses_async_proxy()) return;
    MbarrierState& state = mbarrier_states_[address];
    state.complete.join(std::exchange(state.arriving, {}));
  }
  void mbarrier_awaited(uint32_t address, const Warp& warp, int) override {
    if (!check_.uses_async_proxy()) return;
    state_of(warp).known.join(mbarrier_states_[address].complete);
  }
  void cluster_arrived(const Warp& warp, LaneMask lanes) override {
    if (check_.uses_async_proxy()) cluster_.arriving.join(published(warp, lanes));
  }
  void cluster_completed() override { cluster_.complete.join(std::exchange(cluster_.arriving, {})); }
  void cluster_awaited(const Warp& warp, LaneMask) override {
    if (check_.uses_async_proxy()) state_of(warp).known.join(cluster_.complete);
  }

  // --- mbarriers

  void mbarrier_initialised(uint32_t address, const Warp& warp, int lane) override {
    mbarrier_states_.erase(address);
    if (mbarriers_.insert(address).second) return;
    report(FindingKind::barrier, warp, *warp.current_instruction(), lane, Space::shared, address, Mbarrier::kBytes,
           fmt::format("the mbarrier at 0x{:x} is initialised again: mbarrier.inval must come first, and one thread "
                       "alone initialises it",
                       address));
  }
  void mbarrier_invalidated(uint32_t address) override { mbarriers_.erase(address); }

  // --- groups

  void grouped(const Warp& warp, const Instruction& instruction) override {
    const AsyncRole role = check_.role(*warp.frame().function, instruction);
    WarpState& state = state_of(warp);
    switch (role) {
      case AsyncRole::copy_commit:
        return commit(state.copies, warp);
      case AsyncRole::bulk_commit:
        return commit(state.stores, warp);
      case AsyncRole::copy_wait:
        return wait(state.copies, warp, instruction, instruction.detail, role);
      case AsyncRole::copy_wait_all:
        for_each(warp.mask, [&](int lane) {
          const auto at = static_cast<size_t>(lane);
          if (state.copies.is_uncommitted(at)) ++state.copies.committed[at];
        });
        return wait(state.copies, warp, instruction, 0, role);
      case AsyncRole::bulk_wait:
        wait(state.stores, warp, instruction, instruction.detail, role);
        for_each(warp.mask, [&](int lane) {
          reads_.complete(ReadsInFlight::Unit::bulk_store, index_of(warp), lane,
                          state.stores.done[static_cast<size_t>(lane)], state.now);
        });
        ++state.now;
        return;
      default:
        return;  // of products: they are seen as instructions
    }
  }
  void exited(const Warp& warp, LaneMask lanes) override {
    if (!check_.uses_async_proxy()) return;
    for_each(lanes, [&](int lane) {
      const ReadsInFlight::Batch* const open = reads_.incomplete(ReadsInFlight::Unit::bulk_store, index_of(warp), lane);
      if (open == nullptr) return;
      const auto [function, instruction] = check_.instruction_of(open->instruction);
      Frame frame;
      frame.function = &block_.grid().launch.program->functions[function];
      Finding finding = warp.describe_in(frame, frame.function->code[instruction], lane);
      finding.kind = FindingKind::in_flight;
      finding.space = Space::shared;
      finding.access = AccessKind::async_read;
      finding.message =
          "the thread ends while this bulk store still reads shared memory: nothing has waited for it "
          "(cp.async.bulk.wait_group.read)";
      found.add(std::move(finding));
    });
  }

  // --- products

  void after(const Warp& warp, const Instruction& instruction, LaneMask lanes) override {
    const AsyncRole role = check_.role(*warp.frame().function, instruction);
    WarpState& state = state_of(warp);
    ProductRegisters& registers = state.products;
    if (role == AsyncRole::product_wait) look_at_product_wait(registers, warp, instruction);
    const RegisterFinding finding = registers.execute(warp.frame(), instruction, role);
    if (role == AsyncRole::product_wait) {
      reads_.complete(ReadsInFlight::Unit::product, index_of(warp), 0, registers.groups_done(), state.now);
      ++state.now;
    }
    if (finding.misuse != RegisterMisuse::none) report_registers(warp, instruction, std::countr_zero(lanes), finding);
  }

  gpu::FindingList found;
  std::map<size_t, AsyncCheck::WaitUse> wait_uses;

 private:
  struct WarpState {
    Stamp now = 1;
    ProxyKnowledge known;
    CopyGroups copies, stores;
    ProductRegisters products;
  };
  struct BarrierState {
    ProxyKnowledge met;
    std::vector<size_t> waiting;
  };
  struct MbarrierState {
    ProxyKnowledge arriving, complete;
  };

  static size_t index_of(const Warp& warp) { return static_cast<size_t>(warp.index()); }
  WarpState& state_of(const Warp& warp) { return warps_[index_of(warp)]; }
  size_t number_of(const Access& access) const {
    return check_.number_of(*access.warp.frame().function, access.instruction);
  }
  // What the lanes hand on: what their warp knows, and what they have done until now.
  ProxyKnowledge published(const Warp& warp, LaneMask lanes) {
    WarpState& state = state_of(warp);
    ProxyKnowledge result = state.known;
    result.seen.learn(index_of(warp), lanes, warp.existing_lanes(), state.now++);
    return result;
  }

  void note_copy(const Access& access) {
    CopyGroups& copies = state_of(access.warp).copies;
    for_each(access.lanes, [&](int lane) {
      const auto at = static_cast<size_t>(lane);
      copies.last_copy[at] = copies.committed[at] + 1;
    });
  }
  static void commit(CopyGroups& groups, const Warp& warp) {
    for_each(warp.mask, [&](int lane) { ++groups.committed[static_cast<size_t>(lane)]; });
  }
  // Bulk waits also make room for the next store, with nothing under way at first: of them only those count that find
  // nothing but uncommitted stores.
  void wait(CopyGroups& groups, const Warp& warp, const Instruction& instruction, uint32_t groups_left,
            AsyncRole role) {
    AsyncCheck::WaitUse& use = wait_uses[check_.number_of(*warp.frame().function, instruction)];
    for_each(warp.mask, [&](int lane) {
      const auto at = static_cast<size_t>(lane);
      const uint32_t open = groups.committed[at] - groups.done[at];
      if (open > groups_left) {
        groups.done[at] = groups.committed[at] - groups_left;
        use.waited = true;
        return;
      }
      const bool uncommitted = open == 0 && groups.is_uncommitted(at);
      const bool in_vain = role == AsyncRole::bulk_wait ? uncommitted : uncommitted || (open > 0 && groups.is_open(at));
      if (in_vain && !use.waited && !use.in_vain)
        use.in_vain = in_vain_finding(warp, instruction, lane, uncommitted, open, groups_left, "copies");
    });
  }
  void look_at_product_wait(const ProductRegisters& registers, const Warp& warp, const Instruction& instruction) {
    AsyncCheck::WaitUse& use = wait_uses[check_.number_of(*warp.frame().function, instruction)];
    const uint32_t open = registers.groups() - registers.groups_done();
    if (open > instruction.detail) {
      use.waited = true;
    } else if (open == 0 && registers.has_uncommitted() && !use.waited && !use.in_vain) {
      use.in_vain = in_vain_finding(warp, instruction, 0, true, open, instruction.detail, "products");
    }
  }
  static Finding in_vain_finding(const Warp& warp, const Instruction& instruction, int lane, bool uncommitted,
                                 uint32_t open, uint32_t groups_left, const char* what) {
    Finding finding = warp.describe(instruction, lane);
    finding.kind = FindingKind::idle_wait;
    finding.message =
        uncommitted ? fmt::format("the wait waits for nothing: the {} before it were not committed to a group", what)
                    : fmt::format(
                          "the wait lets {} groups stay open, and never more than {} are: it waits for nothing, and "
                          "the {} are still under way behind it",
                          groups_left, open, what);
    return finding;
  }

  // --- shared memory

  void read_asynchronously(const Access& access, AsyncRole role) {
    WarpState& state = state_of(access.warp);
    look_at_proxy(access, role);
    for_each(access.lanes, [&](int lane) {
      const bool store = role == AsyncRole::bulk_store;
      const auto unit = store ? ReadsInFlight::Unit::bulk_store : ReadsInFlight::Unit::product;
      const uint32_t group = store ? state.stores.committed[static_cast<size_t>(lane)] : state.products.groups();
      if (store) state.stores.last_copy[static_cast<size_t>(lane)] = group + 1;
      ReadsInFlight::Batch& batch =
          reads_.batch(unit, index_of(access.warp), store ? lane : 0, group, number_of(access));
      reads_.read(batch, access.addresses[lane], access.bytes);
    });
  }

  // The issuing thread must know of the write, with a proxy fence on the way.
  void look_at_proxy(const Access& access, AsyncRole role) {
    const ProxyKnowledge& known = state_of(access.warp).known;
    for_each(access.lanes, [&](int lane) {
      const uint64_t first = access.addresses[lane];
      for (uint64_t at = first / ReadsInFlight::kUnit; at * ReadsInFlight::kUnit < first + access.bytes; ++at) {
        if (at >= writes_.size()) return;
        const GenericWrite& write = writes_[at];
        if (write.stamp == 0 || known.fenced.knows(write.warp, write.lane, write.stamp)) continue;
        report(FindingKind::proxy_fence, access.warp, access.instruction, lane, Space::shared,
               at * ReadsInFlight::kUnit, ReadsInFlight::kUnit,
               fmt::format("{} {} what {} wrote at {}, with no fence.proxy.async between them", name_of(role),
                           access.kind == AccessKind::async_write ? "overwrites" : "reads",
                           thread_text(write.warp, write.lane), check_.place_of(write.instruction)));
        return;
      }
    });
  }

  void record(const Access& access, GenericWrite write) {
    for_each(access.lanes, [&](int lane) {
      write.lane = static_cast<uint8_t>(lane);
      const uint64_t first = access.addresses[lane];
      for (uint64_t at = first / ReadsInFlight::kUnit; at * ReadsInFlight::kUnit < first + access.bytes; ++at) {
        if (at < writes_.size()) writes_[at] = write;
      }
    });
  }

  void overwrite(const Access& access) {
    for_each(access.lanes, [&](int lane) {
      reads_.overwrite(access.addresses[lane], access.bytes, [&](const ReadsInFlight::Batch& batch) {
        if (batch.complete && knows(access.warp, batch)) return;
        report(FindingKind::in_flight, access.warp, access.instruction, lane, Space::shared, access.addresses[lane],
               access.bytes,
               fmt::format(
                   "this overwrites what {} of {} at {} reads: {}", name_of(check_.role(batch.instruction)),
                   batch.unit == ReadsInFlight::Unit::product ? fmt::format("warp {}", batch.warp)
                                                              : thread_text(batch.warp, batch.lane),
                   check_.place_of(batch.instruction),
                   batch.complete ? "nothing orders the wait for it before this write" : "nothing has waited for it"));
      });
    });
  }
  // Whether the end of these reads is known to the warp: its own, or that of one that synchronised with it afterwards.
  bool knows(const Warp& warp, const ReadsInFlight::Batch& batch) {
    if (batch.warp == index_of(warp)) return true;
    const BlockClock& seen = state_of(warp).known.seen;
    if (batch.unit == ReadsInFlight::Unit::bulk_store) return seen.knows(batch.warp, batch.lane, batch.stamp);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (seen.knows(batch.warp, lane, batch.stamp)) return true;
    }
    return false;
  }

  void look_at_mbarriers(const Access& access) {
    for_each(access.lanes, [&](int lane) {
      const uint64_t first = access.addresses[lane];
      const auto next =
          mbarriers_.lower_bound(static_cast<uint32_t>(first - std::min<uint64_t>(first, Mbarrier::kBytes - 1)));
      if (next == mbarriers_.end() || *next >= first + access.bytes) return;
      report(FindingKind::barrier, access.warp, access.instruction, lane, Space::shared, first, access.bytes,
             fmt::format("this overwrites the mbarrier at 0x{:x}, which is in use: mbarrier.inval must come before its "
                         "memory serves something else",
                         *next));
      mbarriers_.erase(next);
    });
  }

  // --- findings

  static std::string_view name_of(AsyncRole role) {
    switch (role) {
      case AsyncRole::product:
        return "wgmma";
      case AsyncRole::bulk_store:
        return "the bulk store";
      default:
        return "the bulk load";
    }
  }
  std::string thread_text(size_t warp, int lane) const {
    const Dim3& threads = block_.grid().launch.block;
    const auto t = static_cast<uint32_t>(warp * kLanes + static_cast<size_t>(lane));
    return fmt::format("thread ({}, {}, {})", t % threads.x, t / threads.x % threads.y, t / (threads.x * threads.y));
  }
  void report_registers(const Warp& warp, const Instruction& instruction, int lane, const RegisterFinding& finding) {
    const std::string product =
        finding.product == nullptr
            ? ""
            : fmt::format(" at {}", check_.place_of(check_.number_of(*warp.frame().function, *finding.product)));
    std::string message;
    switch (finding.misuse) {
      case RegisterMisuse::reads_accumulator:
        message = fmt::format("operand {} is a result of the wgmma{}, which nothing has waited for",
                              finding.operand + 1, product);
        break;
      case RegisterMisuse::overwrites_result:
        message = fmt::format("this overwrites a result of the wgmma{}, which nothing has waited for", product);
        break;
      case RegisterMisuse::overwrites_a:
        message = "this overwrites a register of A that a wgmma may still read: nothing has waited for it";
        break;
      case RegisterMisuse::no_fence:
        message = "no wgmma.fence has come before the warp's first wgmma";
        break;
      default:
        message = fmt::format("register {} of the wgmma was written since the last wgmma.fence", finding.operand + 1);
        break;
    }
    report(FindingKind::in_flight, warp, instruction, lane, Space::generic, 0, 0, std::move(message));
  }
  void report(FindingKind kind, const Warp& warp, const Instruction& instruction, int lane, Space space,
              uint64_t address, uint32_t bytes, std::string message) {
    Finding finding = warp.describe(instruction, lane);
    finding.kind = kind;
    finding.space = space;
    finding.address = address;
    finding.bytes = bytes;
    finding.message = std::move(message);
    found.add(std::move(finding));
  }

  const AsyncCheck& check_;
  const Block& block_;
  std::vector<WarpState> warps_;
  ReadsInFlight reads_;
  std::vector<GenericWrite> writes_;  // of each unit
  std::array<BarrierState, Barrier::kCount> barriers_;
  std::map<uint32_t, MbarrierState> mbarrier_states_;
  MbarrierState cluster_;
  std::set<uint32_t> mbarriers_;  // initialised and not invalidated
};

void AsyncCheck::begin_launch(const LaunchView& view) {
  program_ = &view.program;
  roles_.clear();
  first_numbers_.clear();
  waits_.clear();
  uses_async_proxy_ = has_products_ = has_groups_ = false;
  size_t next = 0;
  for (const Function& function : view.program.functions) {
    roles_.push_back(async_roles(view.program, function));
    first_numbers_.push_back(next);
    next += function.code.size();
    const bool runs = &function == &view.kernel || !function.is_entry;
    if (!runs) continue;
    for (size_t i = 0; i < function.code.size(); ++i) {
      const AsyncRole role = roles_.back()[i];
      has_products_ |= role == AsyncRole::product;
      uses_async_proxy_ |= role == AsyncRole::product || role == AsyncRole::bulk_load || role == AsyncRole::bulk_store;
      has_groups_ |= role != AsyncRole::none && role != AsyncRole::move && role != AsyncRole::proxy_fence;
      if (function.origins[i].table_row != kNoTableRow)
        has_groups_ |= program_->opcodes[static_cast<size_t>(function.origins[i].opcode)].starts_with("mbarrier.init");
    }
  }
}

std::unique_ptr<BlockObserver> AsyncCheck::begin_block(const Block& block) {
  return std::make_unique<BlockAsyncCheck>(*this, block);
}

void AsyncCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& ended = static_cast<BlockAsyncCheck&>(*observer);
  blocks_found_.merge(std::move(ended.found));
  for (auto& [number, use] : ended.wait_uses) {
    WaitUse& all = waits_[number];
    all.waited |= use.waited;
    if (use.in_vain && !all.in_vain) all.in_vain = std::move(use.in_vain);
  }
}

const gpu::FindingList& AsyncCheck::found() const {
  found_ = blocks_found_;
  for (const auto& [number, use] : waits_) {
    if (!use.waited && use.in_vain) found_.add(*use.in_vain);
  }
  return found_;
}

std::pair<size_t, size_t> AsyncCheck::instruction_of(size_t number) const {
  const auto next = std::ranges::upper_bound(first_numbers_, number);
  const auto function = static_cast<size_t>(next - first_numbers_.begin()) - 1;
  return {function, number - first_numbers_[function]};
}

AsyncRole AsyncCheck::role(size_t number) const {
  const auto [function, instruction] = instruction_of(number);
  return roles_[function][instruction];
}

std::string AsyncCheck::place_of(size_t number) const {
  const auto [function, instruction] = instruction_of(number);
  const InstructionOrigin& origin = program_->functions[function].origins[instruction];
  Finding place;
  place.source = program_->source_chain(origin.location);
  if (const SourceLine* line = user_line(place)) return fmt::format("{}:{}", line->file, line->line);
  return fmt::format("line {} of the PTX", origin.ptx_line);
}

}  // namespace assay::vgpu
