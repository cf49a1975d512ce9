// SPDX-License-Identifier: MIT
// assay log: the record of every attempt, listed, shown and exported.
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/log_documents.hpp"
#include "cli/log_text.hpp"
#include "ledger/ledger.hpp"
#include "ledger/location.hpp"
#include "ledger/time_text.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr size_t kListed = 20;

void add_options(CommandLine& line, Options& options) {
  line.words("words", options.log.words, "show ID, export, best; nothing: list", {0, 2});
  line.option("--kernel", options.log.kernel, "only this kernel; * stands for any text");
  line.option("--kind", options.log.kind, "build, sanitize, check, measure, ...");
  line.option("--verdict", options.log.verdict, "only this verdict; * stands for any text");
  line.option("--device", options.log.device, "only this device; * stands for any text");
  line.option("--since", options.log.since, "30min, 12h, 3d, 2w, or a date");
  line.option("--limit", options.log.limit, "the newest that many; 0: all");
  line.option("--format", options.log.format, "of an export: json or csv");
  line.flag("--samples", options.log.samples, "with every raw sample");
  line.option("--ledger", options.ledger, "the file");
  add_json(line, options);
}

Result<ledger::Filter> chosen_filter(const LogOptions& options) {
  ledger::Filter filter;
  filter.kernel = options.kernel;
  filter.verdict = options.verdict;
  filter.device = options.device;
  if (!options.kind.empty()) {
    filter.kind = ledger::kind_from_name(options.kind);
    std::vector<std::string> names;
    names.reserve(ledger::all_kinds().size());
    for (const ledger::Kind kind : ledger::all_kinds()) names.emplace_back(to_string(kind));
    if (!filter.kind) {
      return Error{fmt::format("there is no kind '{}'", options.kind), {}, "choose one of " + join(names, ", ")};
    }
  }
  if (!options.since.empty()) {
    ASSAY_TRY(filter.since_us, ledger::parse_since(options.since, ledger::now_us()));
  }
  return filter;
}

json head(const std::filesystem::path& file) {
  return {{"assay", kVersion}, {"command", "log"}, {"ledger", file.string()}};
}

Result<ExitCode> list(ledger::Ledger& ledger, const Options& options) {
  ASSAY_TRY(ledger::Filter filter, chosen_filter(options.log));
  const size_t limit = options.log.limit.value_or(kListed);
  filter.limit = limit == 0 ? 0 : limit + 1;  // one more, to know whether there is more
  ASSAY_TRY(std::vector<ledger::Attempt> attempts, ledger.attempts(filter));
  const bool more = limit != 0 && attempts.size() > limit;
  if (more) attempts.pop_back();
  if (options.json) {
    json document = head(ledger.file());
    document["attempts"] = json::array();
    for (const ledger::Attempt& attempt : attempts) document["attempts"].push_back(attempt_document(attempt));
    document["more"] = more;
    print_document(document);
    return ExitCode::good;
  }
  if (attempts.empty()) {
    fmt::print("no attempt in {} is like that\n", ledger.file().string());
    return ExitCode::good;
  }
  fmt::print("{}", attempts_text(attempts));
  if (more) fmt::print("there are older ones: --limit 0 shows all\n");
  return ExitCode::good;
}

Result<ExitCode> show(ledger::Ledger& ledger, const Options& options) {
  const std::string& word = options.log.words[1];
  int64_t id = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (problem != std::errc() || end != word.data() + word.size()) {
    return Error{fmt::format("'{}' is not the number of an attempt", word), {}, "assay log lists them"};
  }
  ASSAY_TRY(const ledger::Attempt attempt, ledger.attempt(id));
  ASSAY_TRY(const std::vector<ledger::Samples> samples, ledger.samples(id));
  if (!options.json) {
    fmt::print("{}", attempt_text(attempt, samples));
    return ExitCode::good;
  }
  json document = head(ledger.file());
  document["attempt"] = attempt_document(attempt);
  document["samples"] = json::array();
  for (const ledger::Samples& each : samples) {
    document["samples"].push_back(samples_document(each, options.log.samples));
  }
  print_document(document);
  return ExitCode::good;
}

void print_csv(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Result<ExitCode> export_csv(ledger::Ledger& ledger, const std::vector<ledger::Attempt>& attempts, bool with_samples) {
  print_csv(with_samples ? samples_csv_header() : attempts_csv_header());
  for (const ledger::Attempt& attempt : attempts) {
    if (!with_samples) {
      print_csv(attempt_csv(attempt));
      continue;
    }
    ASSAY_TRY(const std::vector<ledger::Samples> samples, ledger.samples(attempt.id));
    for (const ledger::Samples& each : samples) print_csv(samples_csv(attempt, each));
  }
  return ExitCode::good;
}

Result<ExitCode> export_all(ledger::Ledger& ledger, const Options& options) {
  const std::string format = options.log.format.empty() ? "json" : options.log.format;
  if (format != "json" && format != "csv") {
    return Error{fmt::format("there is no format '{}'", format), {}, "choose json or csv"};
  }
  if (options.json && format != "json") return Error{"--json and --format csv exclude each other"};
  ASSAY_TRY(ledger::Filter filter, chosen_filter(options.log));
  filter.limit = options.log.limit.value_or(0);
  filter.oldest_first = true;
  ASSAY_TRY(const std::vector<ledger::Attempt> attempts, ledger.attempts(filter));
  if (format == "csv") return export_csv(ledger, attempts, options.log.samples);
  json document = head(ledger.file());
  document["attempts"] = json::array();
  for (const ledger::Attempt& attempt : attempts) {
    json entry = attempt_document(attempt);
    ASSAY_TRY(const std::vector<ledger::Samples> samples, ledger.samples(attempt.id));
    entry["samples"] = json::array();
    for (const ledger::Samples& each : samples) entry["samples"].push_back(samples_document(each, options.log.samples));
    document["attempts"].push_back(std::move(entry));
  }
  document["machines"] = json::array();
  ASSAY_TRY(const std::vector<ledger::Machine> machines, ledger.machines());
  for (const ledger::Machine& machine : machines) {
    document["machines"].push_back(
        {{"id", machine.id}, {"description", json::parse(machine.description, nullptr, false)}});
  }
  print_document(document);
  return ExitCode::good;
}

Result<ExitCode> best(ledger::Ledger& ledger, const Options& options) {
  ASSAY_TRY(const ledger::Filter filter, chosen_filter(options.log));
  ASSAY_TRY(const std::vector<ledger::LeaderboardRow> rows, ledger.leaderboard(filter));
  if (options.json) {
    json document = head(ledger.file());
    document["best"] = leaderboard_document(rows);
    print_document(document);
  } else if (rows.empty()) {
    fmt::print("no correct measurement in {} is like that\n", ledger.file().string());
  } else {
    fmt::print("{}", leaderboard_text(rows));
  }
  return ExitCode::good;
}

using Action = Result<ExitCode> (*)(ledger::Ledger&, const Options&);

Result<Action> chosen_action(const std::vector<std::string>& words) {
  if (words.empty()) return list;
  if (words[0] == "show" && words.size() == 2) return show;
  if (words[0] == "show") return Error{"assay log show needs the number of an attempt", {}, "assay log lists them"};
  if (words.size() == 1 && words[0] == "export") return export_all;
  if (words.size() == 1 && words[0] == "best") return best;
  return Error{
      fmt::format("assay log does not know '{}'", join(words, " ")), {}, "assay log --help tells what it takes"};
}

Result<ExitCode> nothing_yet(const std::filesystem::path& file, const Options& options) {
  if (options.json) {
    json document = head(file);
    document["attempts"] = json::array();
    print_document(document);
  } else {
    fmt::print("nothing is recorded yet in {}\n", file.string());
  }
  return ExitCode::good;
}

Result<ExitCode> run(const Options& options) {
  ASSAY_TRY(const Action action, chosen_action(options.log.words));
  const ledger::Location location = ledger::find_ledger(options.ledger, {});
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to look at", {}, "name one with --ledger FILE"};
  std::error_code ignored;
  if (action == list && !location.explicitly_chosen && !std::filesystem::exists(location.file, ignored)) {
    return nothing_yet(location.file, options);
  }
  ASSAY_TRY(ledger::Ledger ledger, ledger::Ledger::open(location.file, ledger::Ledger::Mode::read));
  return action(ledger, options);
}

}  // namespace

Command log_command() {
  return {"log", "every attempt that was recorded: list, show, export, best", add_options, run};
}

}  // namespace assay::cli
