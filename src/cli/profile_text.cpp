// SPDX-License-Identifier: MIT
#include "cli/profile_text.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "diagnose/ncu.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

using diagnose::Figure;
using report::Colour;
using report::Table;
using report::Terminal;
using enum gpu::Counter;

std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.2f}", value);
}

std::string figures_table(const Terminal& terminal, const diagnose::Profile& profile) {
  Table table({"figure", "value", "want", "", "known how", "note"});
  for (const Figure& figure : profile.figures) {
    const std::string value = figure.value ? number(*figure.value) + (figure.unit == "%" ? " %" : "") : "unknown";
    const Colour colour = figure.judgement == Figure::Judgement::good  ? Colour::green
                          : figure.judgement == Figure::Judgement::bad ? Colour::red
                                                                       : Colour::none;
    std::string shown = value;
    if (figure.value && !figure.unit.empty() && figure.unit != "%") shown += " " + figure.unit;
    table.add({figure.name,
               {shown, colour},
               figure.want,
               {std::string(to_string(figure.judgement)), colour},
               std::string(to_string(figure.evidence)),
               figure.note});
  }
  return table.render(terminal);
}

// Only what is not 0: the rest is in the JSON document.
std::string counters_table(const Terminal& terminal, const diagnose::Profile& profile) {
  const bool measured = profile.measured.has_value();
  std::vector<std::string> header = {"counter", "counted"};
  if (measured) header.emplace_back("measured");
  header.emplace_back("Nsight Compute's name");
  Table table(header);
  for (const gpu::CounterInfo& counter : gpu::counter_table()) {
    const uint64_t counted = profile.counters.total[counter.counter];
    const auto gpu = measured && !counter.ncu.empty() ? profile.measured->value(counter.ncu) : std::nullopt;
    if (counted == 0 && gpu.value_or(0) == 0) continue;
    std::vector<Table::Cell> row = {std::string(counter.name), fmt::format("{}", counted)};
    if (measured) {
      const bool same = gpu && *gpu == static_cast<double>(counted);
      row.emplace_back(gpu ? number(*gpu) : "", gpu && !same ? Colour::yellow : Colour::none);
    }
    row.emplace_back(std::string(counter.ncu));
    table.add(std::move(row));
  }
  for (const auto& [family, count] : profile.counters.total.families) {
    std::vector<Table::Cell> row = {fmt::format("  of family {}", family), fmt::format("{}", count)};
    table.add(std::move(row));
  }
  for (const auto& [shape, count] : profile.counters.total.tensor) {
    std::vector<Table::Cell> row = {fmt::format("  mma {}", shape), fmt::format("{}", count)};
    table.add(std::move(row));
  }
  return table.render(terminal);
}

std::string measured_table(const Terminal& terminal, const diagnose::Profile& profile) {
  Table table({"metric", "measured", "unit", "Nsight Compute's name"});
  for (const diagnose::MeasuredMetric& metric : diagnose::measured_metrics()) {
    const auto found = profile.measured->metrics.find(std::string(metric.metric));
    if (found == profile.measured->metrics.end()) continue;
    table.add({std::string(metric.name), number(found->second.value), found->second.unit, std::string(metric.metric)});
  }
  return table.render(terminal);
}

// The text of the line, if the file is there.
std::string code_of(const gpu::SourceLine& line) {
  constexpr size_t kMost = 60;
  std::error_code ignored;
  if (line.line <= 0 || !std::filesystem::is_regular_file(line.file, ignored)) return "";
  const auto content = read_file(line.file, size_t{16} << 20);
  if (!content) return "";
  const auto lines = split(*content, '\n');
  if (static_cast<size_t>(line.line) > lines.size()) return "";
  return std::string(trim(lines[static_cast<size_t>(line.line) - 1]).substr(0, kMost));
}

std::string lines_table(const Terminal& terminal, const diagnose::Profile& profile, size_t most) {
  Table table({"line", "PTX instr.", "requests", "sectors", "coalescing", "wavefronts", "conflicts", "mma", "source"});
  for (const gpu::LineCounters* line : diagnose::costly_lines(profile.counters, most)) {
    const gpu::Counters& c = line->counters;
    const uint64_t requests = c[global_load_requests] + c[global_store_requests] + c[global_atomic_requests] +
                              c[global_reduction_requests] + c[async_copy_requests];
    const uint64_t sectors = c[global_load_sectors] + c[global_store_sectors] + c[global_atomic_sectors] +
                             c[global_reduction_sectors] + c[async_copy_sectors];
    const uint64_t wavefronts = c[shared_load_wavefronts] + c[shared_store_wavefronts] + c[shared_atomic_wavefronts] +
                                c[shared_copy_wavefronts];
    const uint64_t conflicts = bank_conflicts(c);
    const double percent = coalescing_percent(c);
    const auto shown = [](uint64_t count) { return count == 0 ? std::string() : fmt::format("{}", count); };
    const std::string where =
        line->line.file.empty()
            ? std::string("no line information")
            : fmt::format("{}:{}", std::filesystem::path(line->line.file).filename().string(), line->line.line);
    table.add({where,
               shown(c[ptx_instructions]),
               shown(requests),
               shown(sectors),
               {sectors == 0 ? "" : fmt::format("{:.0f} %", percent),
                sectors > 0 && percent < diagnose::kWantedCoalescing ? Colour::red : Colour::none},
               shown(wavefronts),
               {shown(conflicts), conflicts > 0 ? Colour::red : Colour::none},
               shown(c[tensor_instructions]),
               {code_of(line->line), Colour::dim}});
  }
  return table.render(terminal);
}

}  // namespace

std::string profile_text(const diagnose::Profile& profile, size_t lines) {
  const Terminal terminal;
  std::string text =
      fmt::format("{} {}, counted on {}\n", terminal.paint(Colour::bold, profile.entry), profile.shape, profile.device);
  if (profile.measured) text += fmt::format("measured on {} with Nsight Compute\n", profile.measured_on);
  if (profile.not_measured) {
    text += terminal.paint(Colour::yellow, fmt::format("not measured: {}\n", profile.not_measured->message));
    if (!profile.not_measured->hint.empty()) text += fmt::format("  {}\n", profile.not_measured->hint);
  }
  text += "\n" + figures_table(terminal, profile);
  text += "\n" + counters_table(terminal, profile);
  if (profile.measured) text += "\n" + measured_table(terminal, profile);
  if (lines > 0) text += "\n" + lines_table(terminal, profile, lines);
  return text + "PTX instructions are not machine instructions; docs/counters.md tells what can be compared.\n";
}

}  // namespace assay::cli
