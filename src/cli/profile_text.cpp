// SPDX-License-Identifier: MIT
#include "cli/profile_text.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "base/text.hpp"
#include "profiling/ncu.hpp"
#include "report/source_text.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

using profiling::Figure;
using report::Colour;
using report::Table;
using report::Terminal;
using enum gpu::Counter;

std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.2f}", value);
}

std::string figures_table(const Terminal& terminal, const profiling::Profile& profile) {
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
std::string counters_table(const Terminal& terminal, const profiling::Profile& profile) {
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

std::string measured_table(const Terminal& terminal, const profiling::Profile& profile) {
  Table table({"metric", "measured", "unit", "Nsight Compute's name"});
  for (const profiling::MeasuredMetric& metric : profiling::measured_metrics()) {
    const auto found = profile.measured->metrics.find(std::string(metric.metric));
    if (found == profile.measured->metrics.end()) continue;
    table.add({std::string(metric.name), number(found->second.value), found->second.unit, std::string(metric.metric)});
  }
  return table.render(terminal);
}

std::string lines_table(const Terminal& terminal, const profiling::Profile& profile, size_t most,
                        const std::filesystem::path& root) {
  constexpr size_t kMostText = 60;
  Table table({"line", "PTX instr.", "requests", "sectors", "coalescing", "wavefronts", "conflicts", "mma", "source"});
  for (const gpu::LineCounters* line : profiling::costly_lines(profile.counters, most)) {
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
                sectors > 0 && percent < profiling::kWantedCoalescing ? Colour::red : Colour::none},
               shown(wavefronts),
               {shown(conflicts), conflicts > 0 ? Colour::red : Colour::none},
               shown(c[tensor_instructions]),
               {report::source_text(line->line, root).substr(0, kMostText), Colour::dim}});
  }
  table.cut("source");
  table.leave_out({"source", "requests", "wavefronts"});
  return table.render(terminal);
}

}  // namespace

std::string profile_text(const profiling::Profile& profile, size_t lines, const std::filesystem::path& root) {
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
  if (lines > 0) text += "\n" + lines_table(terminal, profile, lines, root);
  return text + "PTX instructions are not machine instructions; docs/counters.md tells what can be compared.\n";
}

}  // namespace assay::cli
