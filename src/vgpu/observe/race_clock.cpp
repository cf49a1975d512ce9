// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_clock.hpp"

#include <algorithm>
#include <bit>

namespace assay::vgpu {

BlockClock::Lanes* BlockClock::find(size_t warp) {
  for (auto& [index, lanes] : some_) {
    if (index == warp) return &lanes;
  }
  return nullptr;
}

void BlockClock::learn(size_t warp, LaneMask lanes, LaneMask existing, Stamp stamp) {
  if (warp >= all_.size()) all_.resize(warp + 1);
  if (stamp <= all_[warp]) return;
  if ((existing & ~lanes) == 0) {
    all_[warp] = stamp;
    std::erase_if(some_, [&](const auto& entry) {
      return entry.first == warp && std::ranges::all_of(entry.second, [&](Stamp known) { return known <= stamp; });
    });
    return;
  }
  Lanes* known = find(warp);
  if (known == nullptr) {
    some_.emplace_back(warp, Lanes{});
    known = &some_.back().second;
    known->fill(all_[warp]);
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    Stamp& one = (*known)[static_cast<size_t>(std::countr_zero(left))];
    one = std::max(one, stamp);
  }
}

void BlockClock::join(const BlockClock& other) {
  if (other.all_.size() > all_.size()) all_.resize(other.all_.size());
  for (size_t warp = 0; warp < other.all_.size(); ++warp) all_[warp] = std::max(all_[warp], other.all_[warp]);
  for (const auto& [warp, lanes] : other.some_) {
    Lanes* known = find(warp);
    if (known == nullptr) {
      some_.emplace_back(warp, lanes);
      known = &some_.back().second;
    }
    for (size_t lane = 0; lane < lanes.size(); ++lane) (*known)[lane] = std::max((*known)[lane], lanes[lane]);
  }
  std::erase_if(some_, [&](const auto& entry) {
    return std::ranges::all_of(entry.second, [&](Stamp known) { return known <= all(entry.first); });
  });
}

void BlockClock::set(size_t warp, const BlockClock& other) {
  if (warp >= all_.size()) all_.resize(warp + 1);
  all_[warp] = other.all(warp);
  std::erase_if(some_, [&](const auto& entry) { return entry.first == warp; });
  if (const Lanes* const lanes = other.find(warp)) some_.emplace_back(warp, *lanes);
}

bool BlockClock::is_same_of(size_t warp, const BlockClock& other) const {
  const Lanes* const ours = find(warp);
  const Lanes* const theirs = other.find(warp);
  return all(warp) == other.all(warp) && (ours == nullptr ? theirs == nullptr : theirs != nullptr && *ours == *theirs);
}

bool BlockClock::holds(const BlockClock& other) const {
  if (!other.some_.empty()) return false;
  for (size_t warp = 0; warp < other.all_.size(); ++warp) {
    if (other.all_[warp] > all(warp)) return false;
  }
  return true;
}

const std::shared_ptr<const BlockClock>* BlockClocks::search(uint32_t block) const {
  const auto found = std::ranges::lower_bound(entries_, block, {}, &Entry::first);
  return found != entries_.end() && found->first == block ? &found->second : nullptr;
}

void BlockClocks::set(uint32_t block, std::shared_ptr<const BlockClock> clock) {
  const auto at = std::ranges::lower_bound(entries_, block, {}, &Entry::first);
  if (at != entries_.end() && at->first == block) {
    at->second = std::move(clock);
  } else {
    entries_.emplace(at, block, std::move(clock));
  }
}

bool Knowledge::holds(const Knowledge& other) const {
  if (other.own != nullptr && other.own != own && (own == nullptr || !own->holds(*other.own))) return false;
  if (other.others == nullptr || other.others == others) return true;
  if (others == nullptr) return false;
  return std::ranges::all_of(*other.others, [&](const BlockClocks::Entry& entry) {
    const std::shared_ptr<const BlockClock>* const known = others->find(entry.first);
    return known != nullptr && (*known == entry.second || (*known)->holds(*entry.second));
  });
}

void RecentStamps::begin(const std::shared_ptr<const BlockClocks>& clocks) {
  of_ = clocks;
  if (++time_ == 0 || entries_.empty()) {
    entries_.assign(kEntries, {});
    time_ = 1;
  }
}

BlockClock& Knowledge::mutable_own() {
  if (own == nullptr) {
    own = std::make_shared<BlockClock>();
  } else if (own.use_count() > 1) {
    own = std::make_shared<BlockClock>(*own);
  }
  return *own;
}

namespace {

void add(std::shared_ptr<const Knowledge::Others>& others, uint32_t block,
         const std::shared_ptr<const BlockClock>& clock, std::shared_ptr<Knowledge::Others>& fresh) {
  const Knowledge::Others* current = fresh != nullptr ? fresh.get() : others.get();
  const std::shared_ptr<const BlockClock>* const known = current != nullptr ? current->find(block) : nullptr;
  if (known != nullptr && *known == clock) return;
  std::shared_ptr<const BlockClock> joined = clock;
  if (known != nullptr) {
    auto both = std::make_shared<BlockClock>(**known);
    both->join(*clock);
    joined = std::move(both);
  }
  if (fresh == nullptr) {
    fresh = others != nullptr ? std::make_shared<Knowledge::Others>(*others) : std::make_shared<Knowledge::Others>();
  }
  fresh->set(block, std::move(joined));
}

}  // namespace

void join(Knowledge& into, uint32_t block, const Published& from) {
  if (!from) return;
  std::shared_ptr<Knowledge::Others> fresh;
  const auto learn = [&](uint32_t of, const std::shared_ptr<const BlockClock>& clock) {
    if (of != block) {
      add(into.others, of, clock, fresh);
    } else if (into.own != clock) {
      into.mutable_own().join(*clock);
    }
  };
  learn(from.block, from.knowledge.own);
  if (from.knowledge.others != nullptr && from.knowledge.others != into.others) {
    for (const auto& [of, clock] : *from.knowledge.others) learn(of, clock);
  }
  if (fresh != nullptr) into.others = std::move(fresh);
}

void join(Published& into, const Published& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  join(into.knowledge, into.block, from);
}

}  // namespace assay::vgpu
