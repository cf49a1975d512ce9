// SPDX-License-Identifier: MIT
// Races in words: who did what to whom, where, and why nothing orders it.
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/observe/block_races.hpp"

namespace assay::vgpu {
namespace {

std::string_view verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "reads";
    case AccessKind::store:
      return "writes";
    case AccessKind::atomic:
      return "updates atomically";
    case AccessKind::async_read:
      return "copies from";
    default:
      return "copies to";
  }
}

}  // namespace

const std::byte* BlockRaces::memory_at(const Access& access, uint64_t address) const {
  if (access.space == Space::global) return block_.grid().memory.host(address);
  return const_cast<Block*>(access.owner)->shared() + address;
}

// Whose access the mark names: of several lanes of this warp, one that this thread is not.
int BlockRaces::other_lane(const Attempt& attempt, const AccessRecord& other, AccessMark mark) {
  const int lane = AccessTable::lane_of(mark);
  const bool is_other = lane != attempt.lane || (mark & AccessTable::kSeveral) == 0 ||
                        (other.who & ~AccessTable::kLanes) != (attempt.record.who & ~AccessTable::kLanes);
  if (is_other) return lane;
  const LaneMask above = attempt.access.warp.existing_lanes() & ~((LaneMask{2} << lane) - 1);
  return above != 0 ? std::countr_zero(above) : 0;
}

void BlockRaces::report(const Attempt& attempt, AccessMark other_mark, bool other_wrote, uint64_t address,
                        uint32_t bytes, FindingKind kind) {
  AccessRecord other = attempt.place.accesses().record(other_mark);
  other.who |= static_cast<uint32_t>(other_lane(attempt, other, other_mark));
  // Whichever came first: the pair is one race.
  const size_t one = other.instruction;
  const std::pair key(std::min(one, attempt.number), std::max(one, attempt.number));
  auto [entry, fresh] = check_.index().try_emplace(key, check_.mutable_findings().size());
  if (!fresh) {
    ++check_.mutable_findings()[entry->second].count;
    return;
  }
  Finding finding = attempt.access.warp.describe(attempt.access.instruction, attempt.lane);
  finding.kind = kind;
  finding.access = attempt.access.kind;
  finding.space = attempt.access.space;
  finding.address = address;
  finding.bytes = bytes;
  const bool copy = other.has(AccessRecord::asynchronous);
  const bool under_way = other.stamp() == AccessRecord::kUnderWay;
  finding.message = fmt::format("this thread {} what {} {} at {}: {}", verb(attempt.access.kind), describe(other),
                                copy ? (other_wrote ? "copied to" : "copied from") : (other_wrote ? "wrote" : "read"),
                                check_.place_of(other.instruction),
                                kind == FindingKind::noncoherent
                                    ? "the read goes through the read-only cache, which sees no write of this kernel"
                                : under_way ? "the copy has not been waited for"
                                            : why_unordered(attempt, other));
  const bool stores = kind == FindingKind::race && attempt.access.kind == AccessKind::store && other_wrote && !copy;
  if (stores) {
    RaceCheck::EqualValue value{entry->second, memory_at(attempt.access, address), {}, bytes};
    std::memcpy(value.before.data(), value.at, bytes);
    check_.open_values.push_back(value);
  }
  check_.mutable_findings().push_back(std::move(finding));
}

// Lanes of a warp that a shuffle or vote lies between are mostly meant to be ordered by it.
std::string BlockRaces::why_unordered(const Attempt& attempt, const AccessRecord& other) const {
  const auto warp = index_of(attempt.access.warp);
  if (other.block() == number_ && other.warp() == warp) {
    const LaneMask both = LaneMask{1} << other.lane() | LaneMask{1} << attempt.lane;
    for (const Exchange& exchange : warps_[warp].exchanges) {
      if (exchange.instruction == nullptr || other.stamp() > exchange.stamp || (exchange.lanes & both) != both)
        continue;
      return fmt::format("{} orders no memory, as __syncwarp() does",
                         check_.collective(*exchange.function, *exchange.instruction));
    }
  }
  return "nothing orders the two accesses";
}

Dim3 BlockRaces::block_of(const AccessRecord& access) const {
  const uint32_t b = access.block();
  return {b % grid_.x, b / grid_.x % grid_.y, b / grid_.x / grid_.y};
}

Dim3 BlockRaces::thread_of(const AccessRecord& access) const {
  const uint32_t t = access.warp() * kLanes + static_cast<uint32_t>(access.lane());
  return {t % threads_.x, t / threads_.x % threads_.y, t / (threads_.x * threads_.y)};
}

std::string BlockRaces::describe(const AccessRecord& other) const {
  const Dim3 b = block_of(other), t = thread_of(other);
  const std::string block =
      other.block() == number_ ? "the same block" : fmt::format("block ({}, {}, {})", b.x, b.y, b.z);
  if (other.warp() >= kFirstUnit) return fmt::format("a bulk copy of {}", block);
  return fmt::format("thread ({}, {}, {}) of {}", t.x, t.y, t.z, block);
}

void BlockRaces::report_late(const AccessRecord& visit, Shadow::Plane plane, uint64_t address, uint32_t bytes) {
  const std::pair<size_t, size_t> key(visit.instruction, SIZE_MAX);
  auto [entry, fresh] = check_.index().try_emplace(key, check_.mutable_findings().size());
  if (!fresh) {
    ++check_.mutable_findings()[entry->second].count;
    return;
  }
  Finding finding = check_.finding_at(visit.instruction);
  finding.kind = FindingKind::use_after_free;
  finding.access = plane == Shadow::write ? AccessKind::store : AccessKind::load;
  finding.space = Space::shared;
  finding.address = address;
  finding.bytes = bytes;
  finding.block = block_of(visit);
  finding.thread = thread_of(visit);
  AccessRecord owner;
  owner.who = AccessRecord::name(number_, 0, 0);
  const Dim3 b = block_of(owner);
  finding.message = fmt::format(
      "this thread {} the shared memory of block ({}, {}, {}), which may have ended: nothing orders the access before "
      "the end of that block",
      plane == Shadow::write ? "writes to" : "reads", b.x, b.y, b.z);
  check_.mutable_findings().push_back(std::move(finding));
}

}  // namespace assay::vgpu
