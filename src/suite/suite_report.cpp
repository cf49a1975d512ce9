// SPDX-License-Identifier: MIT
#include "suite/suite_report.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "report/bench_report.hpp"

namespace assay::suite {
namespace {

using report::BenchTable;
using report::Colour;
using report::Table;
using report::Terminal;

// An item that is excluded from several means is named for each of them; a list of more is of no use to a reader.
constexpr size_t kMostNamed = 20;

std::string time_text(const std::optional<double>& us) {
  return us ? fmt::format("{:.2f}", *us) : "";
}

std::string speedup_text(const Against& against) {
  return fmt::format("{:.3f}x ({:.3f} to {:.3f})", *against.speedup, against.interval.low, against.interval.high);
}

std::string verdict_text(const Row& row, const Against* fastest) {
  if (row.status == Status::rejected) return "REJECTED";
  if (row.status == Status::failed) return "FAILED";
  if (row.status == Status::skipped) return "skipped";
  return fastest == nullptr ? "" : std::string(to_string(fastest->verdict));
}

Colour row_colour(const Row& row, const Against* fastest) {
  if (row.status == Status::skipped) return Colour::dim;
  if (row.status != Status::measured) return Colour::red;
  return fastest == nullptr ? Colour::none : report::colour_of(fastest->verdict);
}

// The cells of one row, the same on the terminal and in Markdown.
std::vector<std::string> cells(const Row& row, bool with_configuration) {
  const Against* fastest = row.status == Status::measured ? row.fastest_baseline() : nullptr;
  std::vector<std::string> result{row.kernel};
  if (with_configuration) result.push_back(row.configuration);
  result.insert(result.end(), {row.shape, row.dtype, time_text(row.p50_us), fastest ? fastest->baseline : "",
                               fastest ? time_text(fastest->p50_us) : "", fastest ? speedup_text(*fastest) : "",
                               verdict_text(row, fastest)});
  return result;
}

std::vector<std::string> header(bool with_configuration) {
  std::vector<std::string> result{"kernel"};
  if (with_configuration) result.emplace_back("configuration");
  for (const char* each : {"shape", "dtype", "p50 us", "best baseline", "its p50 us", "speedup", "verdict"})
    result.emplace_back(each);
  return result;
}

std::string name_of(const Mean& mean) {
  return mean.subject.empty() ? "all" : mean.subject;
}

std::string baseline_of(const Mean& mean) {
  return mean.baseline.empty() ? "(the fastest of each)" : mean.baseline;
}

std::vector<std::string> mean_cells(const std::vector<Row>& rows, const Mean& mean) {
  const auto extreme = [&](const std::optional<Extreme>& found) {
    return found ? fmt::format("{:.3f}x {}", found->speedup, rows[found->row].shape) : std::string();
  };
  return {name_of(mean),
          baseline_of(mean),
          mean.speedup ? fmt::format("{:.3f}x", *mean.speedup) : "none",
          fmt::format("{} of {}", mean.count, mean.count + mean.left_out.size()),
          extreme(mean.best),
          extreme(mean.worst)};
}

const std::vector<std::string> kMeanHeader{"kernel", "against", "geometric mean", "items", "best", "worst"};

std::string counts_text(const Summary& summary) {
  return fmt::format(
      "{} measured, {} rejected, {} failed, {} skipped; {} from an earlier run; Holm's correction over {} "
      "comparisons",
      summary.measured, summary.rejected, summary.failed, summary.skipped, summary.resumed, summary.comparisons);
}

// Who is missing in the means, and why: each item and reason once.
std::vector<std::string> missing(const std::vector<Row>& rows, const Summary& summary) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const Row& row : rows) {
    if (row.status == Status::measured || row.status == Status::skipped) continue;
    lines.push_back(fmt::format("{}: {}: {}{}", row.label(), to_string(row.status), row.reason,
                                row.hint.empty() ? "" : fmt::format(" ({})", row.hint)));
  }
  for (const Mean& mean : summary.means) {
    for (const LeftOut& each : mean.left_out) {
      if (rows[each.row].status != Status::measured) continue;  // said already
      std::string line = fmt::format("{}: not in the mean: {}", rows[each.row].label(), each.reason);
      if (seen.insert(line).second) lines.push_back(std::move(line));
    }
  }
  if (lines.size() > kMostNamed) {
    const size_t more = lines.size() - kMostNamed;
    lines.resize(kMostNamed);
    lines.push_back(fmt::format("and {} more; --json names all", more));
  }
  return lines;
}

std::vector<Table::Cell> coloured(const std::vector<std::string>& texts, Colour last) {
  std::vector<Table::Cell> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) result.emplace_back(text);
  result.back().colour = last;
  return result;
}

}  // namespace

std::string plan_text(const Plan& plan, const Terminal& terminal) {
  Table table({"kernel", "configuration", "shape", "baselines", "protocol", ""});
  for (const Group& group : plan.groups) {
    for (const Item& item : group.items) {
      table.add({group.kernel(), group.configuration.id(), item.shape.text(), join(group.baselines, ", "),
                 fmt::format("{} {}", group.measuring.protocol, group.measuring.cache),
                 item.skipped.empty() ? "" : fmt::format("skipped: {}", item.skipped)});
    }
  }
  return fmt::format("{}  {}\n{}{} items, {} of them to be measured\n", terminal.paint(Colour::bold, plan.name),
                     plan.description, table.render(terminal), plan.item_count(), plan.runnable_count());
}

std::string row_text(const Row& row) {
  if (row.status != Status::measured) return fmt::format("{}: {}: {}", row.label(), to_string(row.status), row.reason);
  const Against* fastest = row.fastest_baseline();
  return fmt::format("{}: {} us{}", row.label(), time_text(row.p50_us),
                     fastest ? fmt::format(", speedup {} over {}", speedup_text(*fastest), fastest->baseline) : "");
}

std::string suite_text(const std::vector<Row>& rows, const Summary& summary, const Terminal& terminal) {
  const bool with_configuration = !kernels_with_several_configurations(rows).empty();
  Table table(header(with_configuration));
  for (const Row& row : rows) {
    const Against* fastest = row.status == Status::measured ? row.fastest_baseline() : nullptr;
    table.add(coloured(cells(row, with_configuration), row_colour(row, fastest)));
  }
  std::string text = table.render(terminal);
  if (!summary.means.empty()) {
    Table means(kMeanHeader);
    for (const Mean& mean : summary.means) means.add(coloured(mean_cells(rows, mean), Colour::none));
    text += fmt::format("\n{}", means.render(terminal));
  }
  text += "\n";
  for (const std::string& line : missing(rows, summary)) text += fmt::format("{}\n", line);
  text += fmt::format("{}\n", counts_text(summary));
  return text;
}

std::string suite_csv(const std::vector<Row>& rows) {
  BenchTable table;
  table.header = {"kernel", "configuration", "shape",           "dtype",     "status",  "reason",
                  "p50_us", "baseline",      "baseline_p50_us", "speedup",   "ci_low",  "ci_high",
                  "p",      "adjusted_p",    "verdict",         "objection", "resumed", "attempt"};
  for (const Row& row : rows) {
    const std::vector<Against> none(1);
    for (const Against& against : row.against.empty() ? none : row.against) {
      const auto number = [&](double value) { return against.speedup ? fmt::format("{:.6g}", value) : ""; };
      table.rows.push_back({row.kernel, row.configuration, row.shape, row.dtype, std::string(to_string(row.status)),
                            row.reason, row.p50_us ? fmt::format("{:.6g}", *row.p50_us) : "", against.baseline,
                            against.p50_us ? fmt::format("{:.6g}", *against.p50_us) : "",
                            number(against.speedup.value_or(0)), number(against.interval.low),
                            number(against.interval.high), number(against.p), number(against.adjusted_p),
                            against.speedup ? std::string(to_string(against.verdict)) : "", against.objection,
                            row.resumed ? "yes" : "no", row.attempt ? std::to_string(*row.attempt) : ""});
    }
  }
  return report::to_csv(table);
}

std::string suite_markdown(const Plan& plan, const std::vector<Row>& rows, const Summary& summary) {
  const bool with_configuration = !kernels_with_several_configurations(rows).empty();
  BenchTable table{header(with_configuration), {}};
  for (const Row& row : rows) table.rows.push_back(cells(row, with_configuration));
  std::string text = fmt::format("## {}\n\n{}\n{}", escape_markdown(plan.name),
                                 plan.description.empty() ? "" : fmt::format("{}\n", escape_markdown(plan.description)),
                                 report::to_markdown(table));
  if (!summary.means.empty()) {
    BenchTable means{kMeanHeader, {}};
    for (const Mean& mean : summary.means) means.rows.push_back(mean_cells(rows, mean));
    text += fmt::format("\n{}", report::to_markdown(means));
  }
  const std::vector<std::string> lines = missing(rows, summary);
  if (!lines.empty()) text += "\n";
  for (const std::string& line : lines) text += fmt::format("- {}\n", escape_markdown(line));
  text += fmt::format("\n{}\n", counts_text(summary));
  return text;
}

}  // namespace assay::suite
