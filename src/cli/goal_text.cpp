// SPDX-License-Identifier: MIT
#include "cli/goal_text.hpp"

#include <fmt/format.h>

#include "report/terminal.hpp"

namespace assay::cli {

std::string goal_text(const std::vector<work::GoalLine>& lines) {
  const report::Terminal terminal;
  std::string text;
  for (const work::GoalLine& line : lines) {
    const report::Colour colour = line.state == "met"       ? report::Colour::green
                                  : line.state == "not met" ? report::Colour::red
                                                            : report::Colour::yellow;
    text += fmt::format("  goal {}{}  {}: {}\n", terminal.paint(colour, line.state),
                        std::string(9 - line.state.size(), ' '), line.goal, line.found);
  }
  return text;
}

}  // namespace assay::cli
