// SPDX-License-Identifier: MIT
// The memory spaces of PTX.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::gpu {

enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

inline constexpr std::array<std::string_view, 6> kSpaces = {"generic", "global",   "shared",
                                                            "local",   "constant", "param"};

inline std::string_view to_string(Space space) {
  return kSpaces[static_cast<size_t>(space)];
}

inline std::optional<Space> space_named(std::string_view name) {
  for (size_t i = 0; i < kSpaces.size(); ++i) {
    if (kSpaces[i] == name) return static_cast<Space>(i);
  }
  return std::nullopt;
}

}  // namespace assay::gpu
