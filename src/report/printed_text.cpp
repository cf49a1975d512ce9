// SPDX-License-Identifier: MIT
#include "report/printed_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::report {
namespace {

constexpr size_t kLinesOfMany = 20;  // of one case among several

std::string without_control_characters(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t' || (byte >= 0x20 && byte != 0x7f)) clean += c;
  }
  return clean;
}

}  // namespace

std::string printed_text(const Terminal& terminal, const std::vector<check::CaseResult>& results) {
  const auto prints = [](const check::CaseResult& result) { return !result.printed.empty(); };
  const auto first = std::ranges::find_if(results, prints);
  if (first == results.end()) return {};
  std::vector<std::string_view> lines = split(first->printed, '\n');
  if (lines.back().empty()) lines.pop_back();
  const size_t shown = results.size() == 1 ? lines.size() : std::min(lines.size(), kLinesOfMany);
  std::string text =
      fmt::format("{} at {}\n", terminal.paint(Colour::bold, "printed by the kernel"), first->test.shape.text());
  for (size_t i = 0; i < shown; ++i) text += "  " + without_control_characters(lines[i]) + "\n";
  const auto others = static_cast<size_t>(std::ranges::count_if(results, prints)) - 1;
  std::vector<std::string> rest;
  if (shown < lines.size()) rest.push_back(counted(lines.size() - shown, "more line"));
  if (others > 0) rest.push_back(counted(others, "more case") + " printed");
  if (!rest.empty()) text += fmt::format("  ... {}; --shape shows all of one case\n", join(rest, ", "));
  return text + "\n";
}

}  // namespace assay::report
