// SPDX-License-Identifier: MIT
// A number as somebody wrote it: what it says, and how far it may be from the truth by its own rounding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::claims {

struct Figure {
  std::string text;  // "1,760", "5.79"
  double value = 0;
  double half_unit = 0;  // half a unit of the last digit: 0.005 for "5.79", 0.5 for "1,760"
  size_t at = 0;         // where it begins in the text that was searched

  bool agrees(double truth) const;
};

// The figure that begins here; nothing if none does.
std::optional<Figure> figure_at(std::string_view text, size_t at);
// All figures of a text. Digits that belong to a word ("s2048", "4k") are none; "1.5x" is one.
std::vector<Figure> figures_in(std::string_view text);
std::optional<Figure> last_figure(std::string_view text);

}  // namespace assay::claims
