// SPDX-License-Identifier: MIT
// Tensor maps that were encoded before. A map is a pure function of what is asked for, so nothing ever has to be thrown
// out of date; the cache is bounded because a new entry takes the place of an old one.
#pragma once

#include <array>
#include <cstdint>
#include <cuda.h>

namespace assay::attention::hopper {

// All that a map of this folder depends on. No padding: compared and hashed as words.
struct TensorMapKey {
  const void* base;
  std::array<int64_t, 3> strides;
  int32_t batch;
  int32_t heads;
  int32_t rows;
  int32_t head_dim;
  int16_t box_rows;
  int16_t box_heads;
  int32_t bf16;

  bool operator==(const TensorMapKey&) const = default;

  uint64_t hash() const {
    uint64_t mixed = reinterpret_cast<uintptr_t>(base);
    for (int64_t word : {strides[0], strides[1], strides[2], int64_t{batch} << 32 | heads,
                         int64_t{rows} << 32 | head_dim, int64_t{box_rows} << 32 | int64_t{box_heads} << 1 | bf16}) {
      mixed = (mixed ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 32;
    }
    return mixed;
  }
};

// One per thread, hence no lock. Each key has one place.
class TensorMapCache {
 public:
  // The map, or null.
  const CUtensorMap* find(const TensorMapKey& key) const {
    const Entry& entry = entries_[key.hash() % kEntries];
    return entry.key == key ? &entry.map : nullptr;
  }
  void insert(const TensorMapKey& key, const CUtensorMap& map) { entries_[key.hash() % kEntries] = {key, map}; }

 private:
  static constexpr uint64_t kEntries = 256;  // 53 KB: four tensors of a call, for some tens of layers

  struct Entry {
    TensorMapKey key;  // base is null until it is used
    CUtensorMap map;
  };
  std::array<Entry, kEntries> entries_{};
};

}  // namespace assay::attention::hopper
