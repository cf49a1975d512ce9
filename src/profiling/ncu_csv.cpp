// SPDX-License-Identifier: MIT
#include "profiling/ncu_csv.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::profiling {
namespace {

constexpr std::string_view kFirstColumn = "\"ID\",";
constexpr std::string_view kKernelColumn = "Kernel Name";

// One record from the front of `text`; quoted fields may hold commas, doubled quotes and line ends.
std::vector<std::string> take_record(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        fields.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  text.remove_prefix(std::min(text.size(), at + 1));
  return fields;
}

// "1,234.5", "12", "1.5e+03": numbers have commas between thousands.
std::optional<double> number(const std::string& field) {
  const std::string digits = replace_all(field, ",", "");
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

Error no_table(std::string_view text) {
  Error error{"ncu wrote no table of counters", {}, "", ExitCode::environment};
  if (text.find("ERR_NVGPUCTRPERM") != std::string_view::npos) {
    error.message = "ncu may not read the GPU's counters here (ERR_NVGPUCTRPERM)";
    error.hint =
        "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0, or give the container the "
        "capability SYS_ADMIN";
    return error;
  }
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view mark : {"==ERROR==", "==WARNING== No kernels were profiled"}) {
      if (!line.starts_with(mark)) continue;
      error.message = fmt::format("ncu: {}", trim(line.substr(line.find("== ") + 3)));
      return error;
    }
  }
  return error;
}

// Where the table's first line begins: at the start of a line.
size_t table_start(std::string_view text) {
  size_t at = text.find(kFirstColumn);
  while (at != std::string_view::npos && at > 0 && text[at - 1] != '\n') at = text.find(kFirstColumn, at + 1);
  return at;
}

}  // namespace

std::optional<double> NcuLaunch::value(std::string_view metric) const {
  const auto found = metrics.find(std::string(metric));
  return found == metrics.end() ? std::nullopt : std::optional(found->second.value);
}

Result<std::vector<NcuLaunch>> read_ncu_csv(std::string_view text) {
  const size_t start = table_start(text);
  if (start == std::string_view::npos) return no_table(text);
  std::string_view left = text.substr(start);
  const std::vector<std::string> names = take_record(left);
  const std::vector<std::string> units = take_record(left);
  size_t kernel_column = names.size();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == kKernelColumn) kernel_column = i;
  }
  if (kernel_column == names.size() || units.size() != names.size())
    return Error{"ncu's table is not understood: it has no kernel names, or no units", {}, "", ExitCode::environment};
  std::vector<NcuLaunch> launches;
  while (!left.empty()) {
    // Lines of the program or of ncu after the table do not begin with a number in quotes.
    const bool is_launch = left.starts_with('"');
    const std::vector<std::string> fields = take_record(left);
    if (!is_launch || fields.size() != names.size()) continue;
    NcuLaunch launch;
    launch.kernel = fields[kernel_column];
    for (size_t i = kernel_column + 1; i < fields.size(); ++i) {
      if (const auto value = number(fields[i])) launch.metrics[names[i]] = {*value, units[i]};
    }
    launches.push_back(std::move(launch));
  }
  if (launches.empty()) return no_table(text);
  return launches;
}

}  // namespace assay::profiling
