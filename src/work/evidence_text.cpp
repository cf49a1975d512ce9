// SPDX-License-Identifier: MIT
#include "work/evidence_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "ledger/time_text.hpp"
#include "page/content.hpp"

namespace assay::work {
namespace {

// Plain text stays readable as it is; anything else can neither end its element nor format anything.
std::string shown(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _=,.:;+/()%-'*<>#@!?";
  return text.find_first_not_of(kPlain) == text.npos && !text.empty() ? "`" + text + "`" : escape_markdown(text);
}

std::string row(const std::string& name, const std::string& value) {
  return value.empty() ? "" : fmt::format("| {} | {} |\n", name, shown(value));
}

std::string title(const ledger::Attempt& attempt) {
  return fmt::format(
      "# Attempt {}: {} {}\n\n{} came to the verdict {} on {}.\n\n", attempt.id, to_string(attempt.kind),
      shown(attempt.kernel),
      fmt::format("`assay {}`", attempt.kind == ledger::Kind::measure ? "bench" : to_string(attempt.kind)),
      shown(attempt.verdict), shown(attempt.device));
}

std::string facts(const EvidenceSubject& subject) {
  const ledger::Attempt& attempt = subject.attempt;
  std::string text = "| | |\n|---|---|\n";
  text += row("begun", ledger::iso_time(attempt.time_us));
  text += row("took", fmt::format("{:.1f} s", attempt.duration_s));
  if (attempt.cost) text += row("cost", fmt::format("{:.4f}, at {} per hour", *attempt.cost, *attempt.cost_per_hour));
  text += row("assay", attempt.assay);
  text += row("configuration", attempt.configuration);
  text += row("shape", attempt.shape + (attempt.dtype.empty() ? "" : " " + attempt.dtype));
  text += row("device", attempt.device);
  text += row("seed", std::to_string(attempt.seed));
  if (attempt.correct) text += row("results", *attempt.correct ? "verified, and right" : "verified, and wrong");
  text += row("exit code", std::to_string(attempt.exit_code));
  text += row("source hash", attempt.source_hash);
  text += row("cubin hash", attempt.cubin_hash);
  text += row("contract hash", attempt.contract_hash);
  return text;
}

std::string notes(const EvidenceSubject& subject) {
  if (subject.notes.empty()) return "";
  std::string text = "\n## What was said of it\n";
  for (const ledger::Note& note : subject.notes)
    text += fmt::format("- {}, {}: {}\n", ledger::iso_time(note.time_us), to_string(note.kind), shown(note.text));
  return text;
}

std::string figures(const EvidenceSubject& subject) {
  if (subject.samples.empty()) return "";
  std::string text =
      "\n## Measured\nMicroseconds. `samples.csv` has every sample, with its clock and throttle reasons.\n\n"
      "| contender | shape | samples, throttled | p50 | p90 | min ... max |\n|---|---|---|---|---|---|\n";
  for (const ledger::Samples& each : subject.samples) {
    if (each.times_us.empty()) continue;
    const ledger::SamplesSummary sum = summarize(each);
    text += fmt::format("| {}{} | {} | {}, {} | {:.3f} | {:.3f} | {:.3f} ... {:.3f} |\n", shown(each.contender),
                        each.role == ledger::Role::baseline ? " (baseline)" : "", shown(each.shape + " " + each.dtype),
                        sum.count, sum.throttled, each.p50_us.value_or(sum.p50_us), sum.p90_us, sum.min_us, sum.max_us);
  }
  return text;
}

std::string contract(const ledger::Attempt& attempt) {
  const auto object = nlohmann::json::parse(attempt.contract.empty() ? "null" : attempt.contract, nullptr, false);
  if (!object.is_object() || object.empty()) return "";
  std::string text = "\n## What it depends on\n| | |\n|---|---|\n";
  for (const auto& [name, value] : object.items())
    text += row(shown(name), value.is_string() ? value.get<std::string>()
                                               : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return text;
}

bool has(const std::vector<evidence::PackedFile>& files, std::string_view path) {
  return std::ranges::any_of(files, [&](const auto& file) { return file.path == path; });
}

std::string changes(const EvidenceSubject& subject, const std::vector<evidence::PackedFile>& files) {
  if (!subject.predecessor) return "\n## What was changed\nNo earlier attempt of other sources is in the ledger.\n";
  const ledger::Attempt& before = *subject.predecessor;
  std::string text = fmt::format("\n## What was changed\nSince attempt {} ({}, verdict {}", before.id,
                                 ledger::iso_time(before.time_us), shown(before.verdict));
  if (before.p50_us) text += fmt::format(", p50 {:.3f} us", *before.p50_us);
  text += "): ";
  if (!has(files, "changes.diff")) return text + "no source.\n";
  size_t added = 0, removed = 0;
  for (const evidence::PackedFile& file : files) {
    if (file.path != "changes.diff") continue;
    for (const std::string_view line : split(file.content, '\n')) {
      added += line.starts_with('+') && !line.starts_with("+++ ") ? 1 : 0;
      removed += line.starts_with('-') && !line.starts_with("--- ") ? 1 : 0;
    }
  }
  return text + fmt::format(
                    "{} added, {} removed (`changes.diff`). `patch -R -p1 -d sources < changes.diff`\nbrings "
                    "the state before back.\n",
                    counted(added, "line"), counted(removed, "line"));
}

// A check and a sanitized run of one shape, or that failed at one, are repeated with that shape.
std::string command_for(const ledger::Attempt& attempt) {
  std::string command = page::command_of(attempt);
  const bool of_one = attempt.kind == ledger::Kind::check || attempt.kind == ledger::Kind::sanitize;
  const bool plain = attempt.shape.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,.") == std::string::npos;
  if (of_one && plain && !attempt.shape.empty() && !command.empty()) command += " --shape " + attempt.shape;
  return command;
}

// The command stands in a block of code, which nothing in it may end.
std::string repetition(const EvidenceSubject& subject) {
  const std::string command = subject.sources.empty() ? "" : command_for(subject.attempt);
  const std::string line = replace_all(escape_terminal(command), "```", "'''");
  if (line.empty())
    return "\n## To repeat it\nThe attempt does not hold its command, or its sources were not kept: `attempt.json` has "
           "all that is known.\n";
  return fmt::format(
      "\n## To repeat it\nWith assay {} or later, in this folder; sources are compiled by nvcc.\n\n```sh\n{}\n```\n",
      shown(subject.attempt.assay), line);
}

const char* meaning(std::string_view path) {
  if (path == "attempt.json") return "the attempt as recorded, with notes";
  if (path == "samples.csv") return "every sample";
  if (path == "predecessor.json") return "what it is compared with";
  if (path == "predecessor.csv") return "every sample of that";
  if (path == "changes.diff") return "the sources, before and after";
  if (path == "comparison.md") return "both attempts side by side";
  if (path == "machine.json") return "the machine";
  if (path == "report.html" || path == "report.md") return "the report of the attempt";
  if (path.starts_with("attempts/")) return "an attempt that it is made of";
  return "source";
}

std::string contents(const std::vector<evidence::PackedFile>& files, const std::vector<std::string>& left_out) {
  std::string text =
      "\n## Files\n`sha256sum -c SHA256SUMS` tells whether they are as they were packed.\n\n"
      "| file | what | bytes |\n|---|---|---|\n";
  for (const evidence::PackedFile& file : files)
    text += fmt::format("| {} | {} | {} |\n", shown(file.path), meaning(file.path), file.content.size());
  for (const std::string& path : left_out)
    text += fmt::format("\nNot packed, because its path leads elsewhere: {}\n", shown(path));
  return text;
}

}  // namespace

std::string evidence_readme(const EvidenceSubject& subject, const std::vector<evidence::PackedFile>& files,
                            const std::vector<std::string>& left_out) {
  return title(subject.attempt) + facts(subject) + notes(subject) + figures(subject) + changes(subject, files) +
         repetition(subject) + contract(subject.attempt) + contents(files, left_out);
}

}  // namespace assay::work
