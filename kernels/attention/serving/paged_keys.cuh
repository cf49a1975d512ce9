// SPDX-License-Identifier: MIT
// Where the rows of a sequence's keys and values lie: in the pages that its line of the block table names, or all
// together, which is one page without end.
#pragma once

#include <cstdint>

#include "sequence.cuh"

namespace assay::attention::serving {

// A unit of kPageUnit rows.
struct UnitPlace {
  int page;  // its number in the cache
  int slot;  // which unit of the page
};

// Keys and values of one head, of 16-bit elements. Strides stay with the parameters, where they cost no registers.
class PagedKeys {
 public:
  __device__ __forceinline__ PagedKeys(const Params& params, const Sequence& sequence, int head)
      : rows(sequence.keys),
        params_(params),
        g_key_(start_of(params, sequence, params.key, params.key_strides, head)),
        g_value_(start_of(params, sequence, params.value, params.value_strides, head)),
        g_table_(params.block_table == nullptr ? nullptr
                                               : params.block_table + sequence.batch * params.block_table_stride) {}

  // Of a unit behind the last row nothing is known: it is never read.
  __device__ __forceinline__ UnitPlace find(int unit) const {
    if (params_.block_table == nullptr) return {0, unit};
    const int page = unit / params_.page_units;
    return find_in(page, unit, unit - page * params_.page_units);
  }
  // The same for slot `slot` of the sequence's page `page`.
  __device__ __forceinline__ UnitPlace find_in(int page, int unit, int slot) const {
    const bool known = params_.block_table != nullptr && unit * kPageUnit < rows;
    return {known ? __ldg(g_table_ + page) : 0, slot};
  }

  __device__ __forceinline__ const char* key_row(UnitPlace unit, int row_of_unit) const {
    return row_of(g_key_, params_.key_strides, unit, row_of_unit);
  }
  __device__ __forceinline__ const char* value_row(UnitPlace unit, int row_of_unit) const {
    return row_of(g_value_, params_.value_strides, unit, row_of_unit);
  }
  __device__ __forceinline__ int64_t key_row_bytes() const { return params_.key_strides[2] * kElementBytes; }
  __device__ __forceinline__ int64_t value_row_bytes() const { return params_.value_strides[2] * kElementBytes; }

  int rows;

 private:
  static constexpr int64_t kElementBytes = 2;

  __device__ __forceinline__ static const char* start_of(const Params& params, const Sequence& sequence,
                                                         const void* g_tensor, const int64_t (&strides)[3], int head) {
    int64_t start = head * strides[1];
    if (params.block_table == nullptr) {
      start += params.key_starts != nullptr ? sequence.first_key * strides[2] : sequence.batch * strides[0];
    }
    return static_cast<const char*>(g_tensor) + start * kElementBytes;
  }
  __device__ __forceinline__ static const char* row_of(const char* g_head, const int64_t (&strides)[3], UnitPlace unit,
                                                       int row_of_unit) {
    return g_head + (unit.page * strides[0] + (unit.slot * kPageUnit + row_of_unit) * strides[2]) * kElementBytes;
  }

  const Params& params_;
  const char* g_key_;
  const char* g_value_;
  const int* g_table_;
};

// One unit after the other, without a division for each.
class UnitWalk {
 public:
  __device__ __forceinline__ UnitWalk(const Params& params, const PagedKeys& keys, int unit)
      : page_units_(params.block_table != nullptr ? params.page_units : 0x7fffffff),
        unit_(unit),
        page_(unit / page_units_),
        place_(keys.find_in(page_, unit, unit - page_ * page_units_)) {}

  // The unit, and on to the next, whose page is then on its way from the table.
  __device__ __forceinline__ UnitPlace take(const PagedKeys& keys) {
    const UnitPlace taken = place_;
    ++unit_;
    ++place_.slot;
    if (place_.slot == page_units_) place_ = keys.find_in(++page_, unit_, 0);
    return taken;
  }

 private:
  int page_units_;
  int unit_;
  int page_;  // which of the sequence
  UnitPlace place_;
};

}  // namespace assay::attention::serving
