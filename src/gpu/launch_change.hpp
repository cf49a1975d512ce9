// SPDX-License-Identifier: MIT
// How the launch of an experiment differs from that of the specification.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpu/dim3.hpp"

namespace assay::gpu {

struct LaunchChange {
  std::optional<Dim3> grid{};
  std::optional<Dim3> block{};
  uint32_t more_shared_bytes = 0;  // dynamic
  uint32_t pointer_offset = 0;     // bytes that every tensor begins later
  struct Second {
    std::string entry;
    Dim3 grid;
  };
  std::optional<Second> second{};  // a further launch, with the same arguments
  bool cold_caches = false;        // flushed before each call: on a GPU alone

  bool plain() const {
    return !grid && !block && more_shared_bytes == 0 && pointer_offset == 0 && !second && !cold_caches;
  }
};

}  // namespace assay::gpu
