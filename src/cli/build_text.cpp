// SPDX-License-Identifier: MIT
#include "cli/build_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "report/terminal.hpp"
#include "work/build_details.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Table;

std::string size_text(int64_t bytes, bool brief) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (brief && bytes % 1024 == 0) return fmt::format("{} KiB", bytes / 1024);
  return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

template <class T>
std::string or_unknown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

Table::Cell status_cell(build::BuildStatus status) {
  const bool good = status == build::BuildStatus::built || status == build::BuildStatus::cached ||
                    status == build::BuildStatus::prebuilt;
  return {std::string(to_string(status)), good                                   ? Colour::green
                                          : status == build::BuildStatus::failed ? Colour::red
                                                                                 : Colour::yellow};
}

std::string spills(const build::ResourceUsage& usage) {
  if (!usage.spill_store_bytes || !usage.spill_load_bytes) return "unknown";
  return *usage.spill_store_bytes + *usage.spill_load_bytes == 0
             ? "none"
             : fmt::format("{}+{} B", *usage.spill_store_bytes, *usage.spill_load_bytes);
}

Table results_table(const build::BuildReport& report) {
  Table table({"configuration", "target", "status", "entry", "registers", "spills", "stack", "static shared"});
  table.leave_out({"stack"});
  for (const build::BuildResult& result : report.results) {
    if (result.resources.empty())
      table.add({result.configuration.id(), result.target, status_cell(result.status), "", "", "", "", ""});
    for (const build::ResourceUsage& usage : result.resources) {
      table.add({result.configuration.id(),
                 result.target,
                 status_cell(result.status),
                 usage.entry,
                 or_unknown(usage.registers),
                 {spills(usage), spills(usage) == "none" ? Colour::none : Colour::yellow},
                 or_unknown(usage.stack_bytes),
                 or_unknown(usage.static_shared_bytes)});
    }
  }
  return table;
}

Table::Cell fit_cell(const build::ModelFit& fit) {
  using gpu::Fit;
  const gpu::Occupancy& occupancy = fit.occupancy;
  if (occupancy.fit == Fit::does_not_fit) return {"no: " + occupancy.reason, Colour::red};
  if (occupancy.fit == Fit::unknown) return {"unknown: " + occupancy.reason, Colour::yellow};
  std::string text = occupancy.fit == Fit::fits_with_optin ? "opt-in" : "fits";
  if (occupancy.percent) text += fmt::format(" {:.0f}%", *occupancy.percent);
  if (!occupancy.limiters.empty()) text += fmt::format(" ({})", to_string(occupancy.limiters.front()));
  return {text, Colour::green};
}

// The launches of every configuration, and how they fit on the GPUs [first, last) of the list.
Table fits_table(const std::vector<report::ConfigurationFits>& fits, size_t first, size_t last) {
  std::vector<std::string> header = {"configuration", "entry", "threads", "dynamic shared"};
  for (size_t i = first; i < last; ++i) header.emplace_back(gpu::all_models()[i].name);
  Table table(header);
  for (const report::ConfigurationFits& configuration : fits) {
    for (const build::LaunchFit& launch : configuration.launches) {
      std::vector<Table::Cell> row = {configuration.configuration->id(), launch.entry, std::to_string(launch.threads),
                                      std::to_string(launch.dynamic_shared_bytes)};
      for (size_t i = first; i < std::min(last, launch.models.size()); ++i) row.push_back(fit_cell(launch.models[i]));
      table.add(std::move(row));
    }
  }
  return table;
}

// As few tables as the terminal has room for: a part of the GPUs in each.
std::string fits_text(const std::vector<report::ConfigurationFits>& fits, const report::Terminal& terminal) {
  const size_t models = gpu::all_models().size();
  std::string text;
  for (size_t first = 0, last = 0; first < models; first = last) {
    last = models;
    while (last > first + 1 && fits_table(fits, first, last).columns() > terminal.columns()) --last;
    const Table table = fits_table(fits, first, last);
    if (!table.empty()) text += "\n" + table.render(terminal);
  }
  return text;
}

// What stands in the way, or what limits the occupancy.
Table::Cell fit_note(const gpu::Occupancy& occupancy) {
  using gpu::Fit;
  if (occupancy.fit == Fit::does_not_fit) return {"does not fit: " + occupancy.reason, Colour::red};
  if (!occupancy.percent) {
    return {occupancy.reason.empty() ? "occupancy is not known" : "not known: " + occupancy.reason, Colour::yellow};
  }
  std::vector<std::string> parts;
  if (!occupancy.limiters.empty()) parts.push_back(fmt::format("limited by {}", to_string(occupancy.limiters.front())));
  if (occupancy.fit == Fit::fits_with_optin) parts.emplace_back("needs opt-in shared memory");
  return {join(parts, ", "), Colour::none};
}

// A line for each configuration. Where the terminal has no room for all that is known, the entry goes first, then what
// limits an occupancy that there is: `assay build --all` has them.
class ConfigurationTable {
 public:
  explicit ConfigurationTable(const work::BuildDetails& details) : details_(details) {
    std::set<std::string> names;
    for (const report::ConfigurationFits& fits : details.fits) {
      for (const build::LaunchFit& launch : fits.launches) names.insert(launch.entry);
    }
    several_entries_ = names.size() > 1;
  }

  void add(const spec::Configuration& configuration) {
    const auto fits = std::ranges::find_if(
        details_.fits, [&](const report::ConfigurationFits& each) { return *each.configuration == configuration; });
    const build::LaunchFit* const launch = fits == details_.fits.end() ? nullptr : build::worst_launch(fits->launches);
    if (launch == nullptr || launch->here->target.empty()) return add_unbuilt(configuration, launch);
    const build::BuildResult* const result = details_.report.find(configuration, launch->here->target);
    const build::ResourceUsage* const usage =
        result == nullptr ? nullptr : build::find_entry(result->resources, launch->entry);
    const gpu::Occupancy& occupancy = launch->here->occupancy;
    const std::string spilled = usage == nullptr ? "unknown" : spills(*usage);
    rows_.push_back(
        {.configuration = configuration.id(),
         .entry = launch->entry,
         .registers = usage == nullptr || launch->here->recompiled ? "unknown" : or_unknown(usage->registers),
         .spills = {spilled, spilled == "none" ? Colour::none : Colour::yellow},
         .shared = usage == nullptr || !usage->static_shared_bytes
                       ? std::nullopt
                       : std::optional<int64_t>(*usage->static_shared_bytes + launch->dynamic_shared_bytes),
         .occupancy = occupancy.percent ? fmt::format("{:.0f} %", *occupancy.percent) : "-",
         .note = fit_note(occupancy),
         .fits = occupancy.percent && occupancy.fit != gpu::Fit::does_not_fit});
  }

  std::string render(const report::Terminal& terminal) const {
    for (const Detail detail : {Detail::all, Detail::no_entry}) {
      if (const Table table = with(detail); table.columns() <= terminal.columns()) return table.render(terminal);
    }
    return with(Detail::no_limiter).render(terminal);
  }

 private:
  enum class Detail { all, no_entry, no_limiter };
  struct Row {
    std::string configuration;
    std::string entry;
    std::string registers;
    Table::Cell spills{""};
    std::optional<int64_t> shared{};  // bytes
    std::string occupancy;
    Table::Cell note;
    bool fits = false;  // the note only says what limits the occupancy
  };

  Table with(Detail detail) const {
    const bool entry = several_entries_ && detail == Detail::all;
    const bool brief = detail == Detail::no_limiter;
    std::vector<std::string> titles{"configuration", brief ? "regs" : "registers", "spills", "shared", "occupancy", ""};
    if (entry) titles.insert(titles.begin() + 1, "worst entry");
    Table table(titles);
    for (const Row& row : rows_) {
      std::vector<Table::Cell> cells{row.configuration};
      if (entry) cells.emplace_back(row.entry);
      cells.emplace_back(row.registers);
      cells.push_back(row.spills);
      cells.emplace_back(row.registers.empty() ? "" : row.shared ? size_text(*row.shared, brief) : "unknown");
      cells.emplace_back(row.occupancy);
      cells.push_back(brief && row.fits ? Table::Cell("") : row.note);
      table.add(std::move(cells));
    }
    return table;
  }

  void add_unbuilt(const spec::Configuration& configuration, const build::LaunchFit* launch) {
    const auto result = std::ranges::find_if(details_.report.results, [&](const build::BuildResult& each) {
      return each.configuration == configuration && !each.usable();
    });
    Table::Cell note(launch == nullptr ? "no shape of the specification applies" : launch->here->occupancy.reason,
                     Colour::yellow);
    if (result != details_.report.results.end()) {
      note = {fmt::format("{}: {}", to_string(result->status), result->reason), status_cell(result->status).colour};
    }
    rows_.push_back({configuration.id(), "", "", Table::Cell(""), std::nullopt, "", std::move(note)});
  }

  const work::BuildDetails& details_;
  bool several_entries_ = false;
  std::vector<Row> rows_;
};

// What the compiler said, once for all configurations of which it said the same.
std::string failures_text(const build::BuildReport& report, const report::Terminal& terminal) {
  std::string text;
  std::map<std::string, size_t> seen;
  for (const build::BuildResult& result : report.results) {
    if (result.status == build::BuildStatus::failed) ++seen[result.reason + "\n" + result.output];
  }
  for (const build::BuildResult& result : report.results) {
    if (result.status != build::BuildStatus::failed) continue;
    const auto same = seen.find(result.reason + "\n" + result.output);
    if (same == seen.end()) continue;
    const std::string others =
        same->second > 1 ? fmt::format(" (and {} that failed alike)", counted(same->second - 1, "other")) : "";
    seen.erase(same);
    text += fmt::format("\n{} {} for {}{}\n", terminal.paint(Colour::red, "failed"), result.configuration.id(),
                        result.target, others);
    if (result.mistake) {
      text += to_string(*result.mistake) + "\n";
      continue;
    }
    text += result.reason + "\n";
    if (!result.hint.empty()) text += "  hint: " + result.hint + "\n";
    if (const std::string_view output = trim(result.output); !output.empty()) text += std::string(output) + "\n";
  }
  return text;
}

// "3 built, 21 cached": what there was none of is not mentioned.
std::string counts_text(const build::BuildReport& report) {
  std::vector<std::string> parts;
  using enum build::BuildStatus;
  for (const build::BuildStatus status : {built, cached, prebuilt, failed, skipped}) {
    if (const size_t count = report.count(status); count > 0)
      parts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  return join(parts, ", ");
}

std::string heading(const work::BuildReport& built, const report::Terminal& terminal) {
  const work::BuildDetails& details = *built.details;
  return fmt::format("{} on {} ({}, sm_{}), {}\n", terminal.paint(Colour::bold, built.kernel), details.device,
                     details.model.name, details.model.compute_capability(),
                     details.report.compiler ? "nvcc " + *details.report.compiler : "no nvcc on this machine");
}

std::string ending(const work::BuildReport& built, const report::Terminal& terminal) {
  const build::BuildReport& report = built.details->report;
  std::string text = failures_text(report, terminal);
  text += fmt::format("\n{}\n", counts_text(report));
  if (report.no_compiler) {
    text += fmt::format("skipped: {}\n  hint: {}\n", report.no_compiler->message, report.no_compiler->hint);
  }
  return text;
}

}  // namespace

std::string build_text(const work::BuildReport& built) {
  const report::Terminal terminal;
  ConfigurationTable table(*built.details);
  const build::BuildReport& report = built.details->report;
  auto result = report.results.begin();  // in the order of the configurations, of which there may be very many
  for (const spec::Configuration& configuration : built.details->configurations) {
    bool usable = false;
    for (; result != report.results.end() && result->configuration == configuration; ++result)
      usable = usable || result->usable();
    // Without a compiler the last lines say so once for all.
    if (usable || !report.no_compiler) table.add(configuration);
  }
  return heading(built, terminal) + table.render(terminal) + ending(built, terminal);
}

std::string build_summary(const work::BuildReport& built, const std::string& configuration) {
  const report::Terminal terminal;
  if (built.exit_code != ExitCode::good) return build_text(built);
  const work::BuildDetails& details = *built.details;
  ConfigurationTable table(details);
  size_t others = 0;
  for (const spec::Configuration& each : details.configurations) {
    if (each.id() == configuration) {
      table.add(each);
    } else {
      ++others;
    }
  }
  std::string text = heading(built, terminal) + table.render(terminal);
  if (others > 0) text += fmt::format("{}: assay build shows them\n", counted(others, "other configuration"));
  return text;
}

std::string build_matrix(const work::BuildReport& built) {
  const report::Terminal terminal;
  return heading(built, terminal) + "\n" + results_table(built.details->report).render(terminal) +
         fits_text(built.details->fits, terminal) + ending(built, terminal);
}

}  // namespace assay::cli
