// SPDX-License-Identifier: MIT
#include "cli/lost_text.hpp"

#include <fmt/format.h>
#include <map>

#include "base/escape.hpp"

namespace assay::cli {

std::string lost_text(const std::vector<work::NotCarriedOver>& lost, const std::string& indent) {
  if (lost.empty()) return "";
  std::map<std::string, size_t> counts;
  for (const work::NotCarriedOver& each : lost) ++counts[each.why];
  std::string text = indent + "not carried over:\n";
  for (const work::NotCarriedOver& each : lost) {
    const auto count = counts.find(each.why);
    if (count == counts.end()) continue;  // said already
    const std::string more = count->second > 1 ? fmt::format(" (and {} more)", count->second - 1) : "";
    text += fmt::format("{}  {}{}: {}\n", indent, escape_terminal(each.where), more, escape_terminal(each.why));
    counts.erase(count);
  }
  return text;
}

}  // namespace assay::cli
