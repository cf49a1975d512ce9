// SPDX-License-Identifier: MIT
#include "formats/cutlass_csv.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::formats {
namespace {

constexpr const char* kCutlassFormat = "cutlass";
constexpr size_t kMostColumns = 1000;
constexpr size_t kMostRows = 1'000'000;

constexpr std::array kDispositions = {
    std::pair{"passed", Status::passed},           std::pair{"failed", Status::runtime_error},
    std::pair{"not_run", Status::skipped},         std::pair{"not_verified", Status::unverified},
    std::pair{"invalid_problem", Status::skipped}, std::pair{"not_supported", Status::skipped},
    std::pair{"incorrect", Status::incorrect},
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value)
                                                                                            : std::nullopt;
}

// Spreadsheets put fields into quotes; the profiler does not, and no field of it has a comma.
std::string_view unquoted(std::string_view text) {
  text = trim(text);
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? trim(text.substr(1, text.size() - 2)) : text;
}

struct Columns {
  std::vector<std::string> names;
  size_t problem = 0;    // the first that is not a tag
  size_t arguments = 0;  // behind Status
  size_t bytes = 0;      // the end of the arguments

  size_t find(std::string_view name) const {
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    return names.size();
  }
};

Result<Columns> read_header(std::string_view line, const std::string& file) {
  Columns columns;
  for (const std::string_view each : split(line, ',')) columns.names.emplace_back(unquoted(each));
  columns.problem = columns.find("Problem");
  const size_t status = columns.find("Status");
  columns.bytes = columns.find("Bytes");
  const bool whole = columns.problem < columns.names.size() && status < columns.names.size() &&
                     columns.find("Operation") < columns.names.size() &&
                     columns.find("Disposition") < columns.names.size() && status > columns.problem &&
                     columns.bytes > status;
  if (!whole || columns.names.size() > kMostColumns)
    return Error{"the first line is no header of CUTLASS's profiler", Place{file, 1},
                 "expected columns Problem, Operation, Disposition, Status and Bytes"};
  if (std::set<std::string>(columns.names.begin(), columns.names.end()).size() != columns.names.size())
    return Error{"a column is there twice", Place{file, 1}};
  columns.arguments = status + 1;
  return columns;
}

}  // namespace

Result<Imported> parse_cutlass_csv(std::string_view text, const std::string& name) {
  Imported imported;
  imported.format = kCutlassFormat;
  const std::vector<std::string_view> lines = split(text, '\n');
  if (lines.empty() || trim(lines.front()).empty()) return Error{"there is nothing in it", Place{name}};
  ASSAY_TRY(const Columns columns, read_header(lines.front(), name));
  for (size_t row = 1; row < lines.size(); ++row) {
    const std::string_view line = trim(lines[row]);
    if (line.empty()) continue;
    const Place place{name, static_cast<int>(row) + 1};
    std::vector<std::string_view> cells = split(line, ',');
    for (std::string_view& each : cells) each = unquoted(each);
    if (cells.size() != columns.names.size())
      return Error{fmt::format("there are {} fields; expected {}", cells.size(), columns.names.size()), place};
    if (imported.results.size() == kMostRows) return Error{"there are too many lines", place};
    const auto cell = [&](std::string_view column) -> std::string_view {
      const size_t at = columns.find(column);
      return at < cells.size() ? trim(cells[at]) : std::string_view();
    };
    ForeignResult result;
    result.task = fmt::format("{}", cell("OperationKind"));
    result.contender = valid_utf8(cell("Operation"));
    result.protocol = "cutlass mean";
    for (size_t i = columns.arguments; i < columns.bytes && i < cells.size(); ++i) {
      if (trim(cells[i]).empty()) continue;
      result.shape += fmt::format("{}{}={}", result.shape.empty() ? "" : ",", columns.names[i], trim(cells[i]));
    }
    for (size_t i = 0; i < columns.problem; ++i) result.versions[columns.names[i]] = valid_utf8(trim(cells[i]));
    const std::string disposition(cell("Disposition"));
    bool known = false;
    for (const auto& [word, status] : kDispositions) {
      if (disposition != word) continue;
      result.status = status;
      known = true;
    }
    if (!known) return Error{fmt::format("the disposition '{}' is not known", escape_terminal(disposition)), place};
    if (result.status != Status::passed)
      result.message = fmt::format("{} ({})", escape_terminal(disposition), escape_terminal(cell("Status")));
    std::vector<double> samples;
    for (size_t i = columns.bytes; i < cells.size(); ++i) {
      const auto value = number(trim(cells[i]));
      if (!value) continue;
      const std::string& column = columns.names[i];
      if (column == "Runtime") {
        if (*value > 0) result.time.mean = *value * 1000;
      } else if (column.starts_with("Runtime_")) {
        if (*value > 0) samples.push_back(*value * 1000);
      } else if (column == "GB/s") {
        result.other["bytes_per_second"] = *value * 1073741824.0;  // their GB is 2^30
      } else if (column == "GFLOPs") {
        result.other["flop_per_second"] = *value * 1e9;
      } else {
        result.other[column] = *value;
      }
    }
    const bool timed = result.status == Status::passed || result.status == Status::unverified;
    if (const std::string_view runtime = cell("Runtime"); timed && !runtime.empty() && !result.time.mean)
      imported.lost.push_back(
          {fmt::format("{}:{}", name, row + 1), fmt::format("the runtime '{}' is no time", escape_terminal(runtime))});
    result.time.samples = std::move(samples);
    nlohmann::ordered_json record = nlohmann::ordered_json::object();
    for (size_t i = 0; i < cells.size(); ++i) record[columns.names[i]] = valid_utf8(trim(cells[i]));
    result.record = std::move(record);
    result.record_format = kCutlassFormat;
    imported.results.push_back(std::move(result));
  }
  if (imported.results.empty()) return Error{"there is no line behind the header", Place{name}};
  imported.lost.push_back({name, "the file does not say on which GPU"});
  return imported;
}

}  // namespace assay::formats
