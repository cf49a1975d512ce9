// SPDX-License-Identifier: MIT
#include "vgpu/observe/access_cost.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace assay::vgpu {
namespace {

// The lanes' values, sorted, each once. At most 32 lanes of 8 words.
class Distinct {
 public:
  void add(uint64_t value) {
    sorted_ = sorted_ && (count_ == 0 || values_[count_ - 1] <= value);
    if (sorted_ && count_ > 0 && values_[count_ - 1] == value) return;
    values_[count_++] = value;
  }
  uint32_t count() {
    settle();
    return static_cast<uint32_t>(count_);
  }
  const uint64_t* begin() {
    settle();
    return values_.data();
  }
  const uint64_t* end() { return values_.data() + count_; }

 private:
  void settle() {
    if (sorted_) return;
    std::sort(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count_));
    const auto last = std::unique(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(count_));
    count_ = static_cast<size_t>(last - values_.begin());
    sorted_ = true;
  }

  std::array<uint64_t, size_t{kLanes} * 8> values_;
  size_t count_ = 0;
  bool sorted_ = true;
};

template <class Body>
void for_lanes(LaneMask lanes, Body&& body) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) body(std::countr_zero(left));
}

uint32_t words_of(uint32_t bytes) {
  return std::max<uint32_t>(1, bytes / kBankBytes);
}

// Different words of the lanes in the fullest bank: that many wavefronts.
uint32_t fullest_bank(const LaneAddresses& access, LaneMask lanes) {
  if (lanes == 0) return 0;
  Distinct words;
  for_lanes(lanes, [&](int lane) {
    const uint64_t first = access.at[lane] / kBankBytes;
    for (uint32_t i = 0; i < words_of(access.bytes); ++i) words.add(first + i);
  });
  std::array<uint32_t, kBanks> in_bank{};
  uint32_t most = 0;
  for (const uint64_t word : words) most = std::max(most, ++in_bank[word % kBanks]);
  return most;
}

// Every group of neighbouring lanes goes by itself.
SharedCost cost_in_groups(const LaneAddresses& access, uint32_t lanes_at_once) {
  SharedCost cost;
  for (uint32_t first = 0; first < kLanes; first += lanes_at_once) {
    const LaneMask group = access.lanes & (kAllLanes >> (kLanes - lanes_at_once) << first);
    if (group == 0) continue;
    cost.wavefronts += fullest_bank(access, group);
    ++cost.ideal;
  }
  return cost;
}

// Every two lanes i and i ^ distance that both take part name the same address.
bool partners_agree(const LaneAddresses& access, int distance) {
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const int partner = lane ^ distance;
    if ((access.lanes >> partner & 1) != 0 && access.at[lane] != access.at[partner]) return false;
  }
  return true;
}

}  // namespace

uint32_t sectors(const LaneAddresses& access) {
  Distinct touched;
  for_lanes(access.lanes, [&](int lane) { touched.add(access.at[lane] / kSectorBytes); });
  return touched.count();
}

uint32_t atomic_sectors(const LaneAddresses& access) {
  std::array<uint64_t, kLanes> sorted;
  size_t count = 0;
  for_lanes(access.lanes, [&](int lane) { sorted[count++] = access.at[lane]; });
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count));
  uint32_t total = 0;
  uint32_t same_address = 0;
  uint32_t most = 0;  // of one address of the sector
  for (size_t i = 0; i < count; ++i) {
    const bool fresh_sector = i == 0 || sorted[i] / kSectorBytes != sorted[i - 1] / kSectorBytes;
    if (fresh_sector) {
      total += most;
      most = 0;
    }
    same_address = i > 0 && sorted[i] == sorted[i - 1] ? same_address + 1 : 1;
    most = std::max(most, same_address);
  }
  return total + most;
}

uint32_t ideal_sectors(const LaneAddresses& access) {
  Distinct elements;
  for_lanes(access.lanes, [&](int lane) { elements.add(access.at[lane]); });
  return (elements.count() * access.bytes + kSectorBytes - 1) / kSectorBytes;
}

uint32_t local_sectors(const LaneAddresses& access) {
  Distinct touched;
  constexpr uint64_t kRow = uint64_t{kLanes} * kBankBytes;
  for_lanes(access.lanes, [&](int lane) {
    for (uint32_t i = 0; i < words_of(access.bytes); ++i) {
      const uint64_t word = access.at[lane] / kBankBytes + i;
      touched.add((word * kRow + static_cast<uint64_t>(lane) * kBankBytes) / kSectorBytes);
    }
  });
  return touched.count();
}

SharedCost shared_load_cost(const LaneAddresses& access) {
  const uint32_t words = words_of(access.bytes);
  const bool together = words > 1 && (partners_agree(access, 1) || partners_agree(access, 2));
  return cost_in_groups(access, kLanes / words * (together ? 2 : 1));
}

SharedCost shared_store_cost(const LaneAddresses& access) {
  return cost_in_groups(access, kLanes / words_of(access.bytes));
}

SharedCost matrix_cost(const LaneAddresses& access) {
  constexpr uint32_t kRows = 8;
  return cost_in_groups(access, kRows);
}

SharedCost shared_atomic_cost(const LaneAddresses& access) {
  if (access.lanes == 0) return {};
  std::array<uint32_t, kBanks> in_bank{};
  uint32_t most = 0;
  for_lanes(access.lanes, [&](int lane) {
    for (uint32_t i = 0; i < words_of(access.bytes); ++i)
      most = std::max(most, ++in_bank[(access.at[lane] / kBankBytes + i) % kBanks]);
  });
  return {most, 1};
}

}  // namespace assay::vgpu
