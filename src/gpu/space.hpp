// SPDX-License-Identifier: MIT
// The memory spaces of PTX.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::gpu {

enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

inline std::string_view to_string(Space space) {
  switch (space) {
    case Space::generic:
      return "generic";
    case Space::global:
      return "global";
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::constant:
      return "constant";
    case Space::parameter:
      return "param";
  }
  return "unknown";
}

}  // namespace assay::gpu
