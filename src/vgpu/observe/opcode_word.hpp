// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace assay::vgpu {

// Whether the word is a part of the opcode: "v4" of "ld.global.v4.f32".
inline bool has_word(std::string_view opcode, std::string_view word) {
  return std::ranges::any_of(split(opcode, '.'), [&](const auto& part) { return part == word; });
}

}  // namespace assay::vgpu
