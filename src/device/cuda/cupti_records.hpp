// SPDX-License-Identifier: MIT
// The beginnings of CUPTI's activity records, as far as we read them. They have not changed since CUDA 9 (later
// versions append); a test compares them with cupti_activity.h where that is installed.
#pragma once

#include <cstdint>

namespace assay::device::cuda {

inline constexpr uint32_t CUPTI_ACTIVITY_KIND_MEMCPY = 1;
inline constexpr uint32_t CUPTI_ACTIVITY_KIND_MEMSET = 2;
inline constexpr uint32_t CUPTI_ACTIVITY_KIND_KERNEL = 3;
inline constexpr uint32_t CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10;

struct KernelRecord {
  uint32_t kind;
  uint8_t cache_config;
  uint8_t shared_config;
  uint16_t registers;
  uint32_t partitioned_requested;
  uint32_t partitioned_executed;
  uint64_t start;
  uint64_t end;
  uint64_t completed;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  int32_t grid_x, grid_y, grid_z;
  int32_t block_x, block_y, block_z;
  int32_t static_shared;
  int32_t dynamic_shared;
  uint32_t local_per_thread;
  uint32_t local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
};

// Copies and fills begin alike but for four bytes that we do not read.
struct TransferRecord {
  uint32_t kind;
  uint32_t unread;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
};

}  // namespace assay::device::cuda
