// SPDX-License-Identifier: MIT
#include "cli/log_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "ledger/time_text.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Table;

constexpr size_t kCellLimit = 44;

Colour colour_of(const ledger::Attempt& attempt) {
  switch (static_cast<ExitCode>(attempt.exit_code)) {
    case ExitCode::good:
      return Colour::green;
    case ExitCode::regression:
    case ExitCode::incorrect:
      return Colour::red;
    default:
      return Colour::yellow;
  }
}

// A cell that does not push the others off the screen. Cut between characters, not within one.
std::string cell(const std::string& text) {
  std::string shown = escape_terminal(text);
  if (shown.size() <= kCellLimit) return shown;
  size_t end = kCellLimit - 3;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) --end;
  return shown.substr(0, end) + "...";
}

std::string seconds_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  return seconds < 120 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

std::string microseconds(double value) {
  return fmt::format("{:.2f} us", value);
}

std::string what(const ledger::Attempt& attempt) {
  std::string text(to_string(attempt.kind));
  if (!attempt.configuration.empty() && attempt.configuration != "default") text += " " + attempt.configuration;
  return text;
}

// JSON as text escapes control characters by itself.
std::string object_text(const char* name, const std::string& object) {
  if (object.empty()) return "";
  const auto document = nlohmann::json::parse(object, nullptr, false);
  return fmt::format("\n{}:\n{}\n", name, document.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
}

std::string samples_text(const std::vector<ledger::Samples>& samples, const report::Terminal& terminal) {
  Table table({"contender", "shape", "dtype", "protocol", "samples", "throttled", "p50", "p90", "p99", "min", "max"});
  for (const ledger::Samples& each : samples) {
    const ledger::SamplesSummary summary = summarize(each);
    const std::string name = each.role == ledger::Role::baseline ? each.contender + " (baseline)" : each.contender;
    table.add({cell(name),
               cell(each.shape),
               cell(each.dtype),
               cell(each.protocol),
               std::to_string(summary.count),
               {std::to_string(summary.throttled), summary.throttled > 0 ? Colour::yellow : Colour::none},
               microseconds(each.p50_us ? *each.p50_us : summary.p50_us),
               microseconds(summary.p90_us),
               microseconds(summary.p99_us),
               microseconds(summary.min_us),
               microseconds(summary.max_us)});
  }
  table.leave_out({"max", "min", "p99", "protocol"});
  return table.empty() ? "" : "\nmeasured:\n" + table.render(terminal);
}

}  // namespace

std::string attempts_text(const std::vector<ledger::Attempt>& attempts) {
  const report::Terminal terminal;
  const int64_t now = ledger::now_us();
  Table table({"id", "when", "kernel", "what", "device", "verdict", "took", "p50"});
  for (const ledger::Attempt& attempt : attempts) {
    table.add({std::to_string(attempt.id),
               ledger::relative_time(attempt.time_us, now),
               cell(attempt.kernel),
               cell(what(attempt)),
               cell(attempt.device),
               {cell(attempt.verdict), colour_of(attempt)},
               seconds_text(attempt.duration_s),
               attempt.p50_us ? microseconds(*attempt.p50_us) : ""});
  }
  return table.render(terminal);
}

std::string attempt_text(const ledger::Attempt& attempt, const std::vector<ledger::Samples>& samples) {
  const report::Terminal terminal;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<14} {}\n", name, value);
  };
  line("attempt", fmt::format("{}", attempt.id));
  line("what", std::string(to_string(attempt.kind)));
  line("verdict", fmt::format("{} (exit code {})", terminal.paint(colour_of(attempt), escape_terminal(attempt.verdict)),
                              attempt.exit_code));
  line("begun", fmt::format("{} ({})", ledger::iso_time(attempt.time_us),
                            ledger::relative_time(attempt.time_us, ledger::now_us())));
  line("took", seconds_text(attempt.duration_s));
  if (attempt.cost) line("cost", fmt::format("{:.4f} at {} per hour", *attempt.cost, *attempt.cost_per_hour));
  line("kernel", escape_terminal(attempt.kernel));
  line("specification", escape_terminal(attempt.specification));
  line("configuration", escape_terminal(attempt.configuration));
  line("shape", escape_terminal(attempt.shape));
  line("dtype", escape_terminal(attempt.dtype));
  line("device", escape_terminal(attempt.device));
  line("machine", escape_terminal(attempt.machine));
  line("assay", escape_terminal(attempt.assay));
  line("seed", std::to_string(attempt.seed));
  if (attempt.correct) line("correct", *attempt.correct ? "yes" : "no");
  if (attempt.p50_us) line("p50", microseconds(*attempt.p50_us));
  line("source hash", escape_terminal(attempt.source_hash));
  line("cubin hash", escape_terminal(attempt.cubin_hash));
  line("contract hash", escape_terminal(attempt.contract_hash));
  text += samples_text(samples, terminal);
  text += object_text("contract", attempt.contract);
  return text + object_text("details", attempt.details);
}

std::string leaderboard_text(const std::vector<ledger::LeaderboardRow>& rows) {
  const report::Terminal terminal;
  const int64_t now = ledger::now_us();
  Table table({"kernel", "shape", "dtype", "device", "protocol", "p50", "configuration", "attempt", "when"});
  for (const ledger::LeaderboardRow& row : rows) {
    table.add({cell(row.kernel), cell(row.shape), cell(row.dtype), cell(row.device), cell(row.protocol),
               microseconds(row.p50_us), cell(row.configuration), std::to_string(row.attempt),
               ledger::relative_time(row.time_us, now)});
  }
  table.leave_out({"protocol", "when", "dtype"});
  return table.render(terminal);
}

std::string notes_text(const std::vector<ledger::Note>& notes, const std::vector<ledger::SourceFile>& sources) {
  std::string text = notes.empty() ? "" : "\nnotes:\n";
  for (const ledger::Note& note : notes)
    text +=
        fmt::format("  {}  {}: {}\n", ledger::iso_time(note.time_us), to_string(note.kind), escape_terminal(note.text));
  if (!sources.empty()) text += "\nsources, kept by content:\n";
  for (const ledger::SourceFile& source : sources) text += fmt::format("  {}\n", escape_terminal(source.path));
  return text;
}

}  // namespace assay::cli
