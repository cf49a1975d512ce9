// SPDX-License-Identifier: MIT
// Red zones: guard bytes before and after every buffer, checked after each run.
//
// On the virtual GPU the memory checks see every stray access; on a real one, and when those checks are off, the guards
// find stray writes. For floating-point tensors the guards are NaN, so that a stray read that matters shows in the
// result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "spec/dtype.hpp"

namespace assay::check {

inline constexpr int64_t kGuardBytes = 4096;     // on each side: catches an overrun by a row as well as by an element
inline constexpr int64_t kGuardAlignment = 256;  // what cudaMalloc gives, and no more

// One allocation: guard, payload, guard. The second guard starts right behind the payload's last byte.
struct RedZoneLayout {
  int64_t payload_bytes = 0;

  int64_t payload_offset() const { return kGuardBytes; }
  int64_t payload_end() const { return kGuardBytes + payload_bytes; }
  int64_t total_bytes() const {
    return (payload_end() + kGuardBytes + kGuardAlignment - 1) / kGuardAlignment * kGuardAlignment;
  }
};

// Seeded bytes; for floating types each element of them is a NaN. Also for the gaps of strided inputs.
void fill_with_guard(spec::DType type, uint64_t seed, std::span<uint8_t> bytes);

// Writes both guards into an allocation of total_bytes; the payload is left alone.
void arm(const RedZoneLayout& layout, spec::DType type, uint64_t seed, std::span<uint8_t> allocation);

struct RedZoneDamage {
  bool before = false;        // the payload, else behind it
  int64_t distance = 0;       // bytes between the payload and the nearest damaged byte; 0: the very next one
  int64_t damaged_bytes = 0;  // in both guards
};

// Nothing if both guards are as `arm` left them. Damage behind the payload, the usual mistake, comes first.
std::optional<RedZoneDamage> inspect(const RedZoneLayout& layout, spec::DType type, uint64_t seed,
                                     std::span<const uint8_t> allocation);

std::string describe(const std::string& tensor_name, const RedZoneDamage& damage);

}  // namespace assay::check
