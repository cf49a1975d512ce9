// SPDX-License-Identifier: MIT
#include "assay/log.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "ledger/location.hpp"
#include "ledger/time_text.hpp"
#include "report/attempt_document.hpp"
#include "work/document.hpp"
#include "work/log_reader.hpp"

namespace assay::work {
namespace {

Result<ledger::Filter> filter_of(const LogRequest& request) {
  ledger::Filter filter;
  filter.kernel = request.kernel;
  filter.verdict = request.verdict;
  filter.device = request.device;
  if (!request.kind.empty()) {
    filter.kind = ledger::kind_from_name(request.kind);
    std::vector<std::string> names;
    names.reserve(ledger::all_kinds().size());
    for (const ledger::Kind kind : ledger::all_kinds()) names.emplace_back(to_string(kind));
    if (!filter.kind)
      return Error{fmt::format("there is no kind '{}'", request.kind), {}, "choose one of " + join(names, ", ")};
  }
  if (!request.since.empty()) {
    ASSAY_TRY(filter.since_us, ledger::parse_since(request.since, ledger::now_us()));
  }
  return filter;
}

Result<ledger::Location> location_of(const std::string& choice) {
  ledger::Location location = ledger::find_ledger(choice, {});
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to look at", {}, "name one with --ledger FILE"};
  return location;
}

LoggedAttempt public_attempt(const ledger::Attempt& attempt) {
  return {attempt.id,
          std::string(to_string(attempt.kind)),
          ledger::iso_time(attempt.time_us),
          attempt.kernel,
          attempt.configuration,
          attempt.shape,
          attempt.device,
          attempt.verdict,
          attempt.exit_code,
          attempt.p50_us};
}

}  // namespace

Result<LogReader> LogReader::open(const std::string& ledger) {
  ASSAY_TRY(const ledger::Location location, location_of(ledger));
  ASSAY_TRY(ledger::Ledger opened, ledger::Ledger::open(location.file, ledger::Ledger::Mode::read));
  return LogReader(std::move(opened));
}

Result<LogReader::Shown> LogReader::show(int64_t attempt) {
  Shown shown;
  ASSAY_TRY(shown.attempt, ledger_.attempt(attempt));
  ASSAY_TRY(shown.samples, ledger_.samples(attempt));
  ASSAY_TRY(shown.sources, ledger_.sources(attempt));
  ASSAY_TRY(std::vector<ledger::Note> notes, ledger_.notes());
  for (ledger::Note& note : notes) {
    if (note.attempt == attempt) shown.notes.push_back(std::move(note));
  }
  return shown;
}

Result<std::vector<ledger::LeaderboardRow>> LogReader::best(const LogRequest& request) {
  ASSAY_TRY(const ledger::Filter filter, filter_of(request));
  return ledger_.leaderboard(filter);
}

Result<std::vector<Story>> LogReader::tell(const LogRequest& request) {
  ASSAY_TRY(const ledger::Filter filter, filter_of(request));
  return stories(ledger_, filter);
}

Result<void> LogReader::each(const LogRequest& request, const std::function<Result<void>(const Shown&)>& on_attempt,
                             const std::function<void(const Error&)>& damaged) {
  ASSAY_TRY(ledger::Filter filter, filter_of(request));
  filter.limit = request.limit;
  filter.oldest_first = true;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    auto samples = ledger_.samples(attempt.id);
    if (!samples) damaged(samples.error());
    return on_attempt({attempt, samples ? std::move(*samples) : std::vector<ledger::Samples>()});
  };
  return ledger_.for_each_attempt(filter, visit, damaged);
}

Result<LogReport> log(const LogRequest& request) {
  ASSAY_TRY(const ledger::Location location, location_of(request.ledger));
  LogReport report;
  report.ledger = location.file.string();
  const auto details = std::make_shared<LogDetails>();
  std::error_code ignored;
  if (!location.explicitly_chosen && !std::filesystem::exists(location.file, ignored)) {
    report.exists = false;
    report.details = details;
    return report;
  }
  ASSAY_TRY(ledger::Filter filter, filter_of(request));
  ASSAY_TRY(ledger::Ledger ledger, ledger::Ledger::open(location.file, ledger::Ledger::Mode::read));
  filter.limit = request.limit == 0 ? 0 : request.limit + 1;  // one more, to know whether there is more
  std::vector<Error> damaged;
  ASSAY_TRY(details->attempts, ledger.attempts(filter, &damaged));
  for (const Error& each : damaged) report.damaged.push_back(each.message);
  report.more = request.limit != 0 && details->attempts.size() > request.limit;
  if (report.more) details->attempts.pop_back();
  for (const ledger::Attempt& attempt : details->attempts) report.attempts.push_back(public_attempt(attempt));
  report.details = details;
  return report;
}

Result<int64_t> add_note(const NoteRequest& request) {
  const std::optional<ledger::Note::Kind> kind = ledger::note_kind_from_name(request.kind);
  if (!kind)
    return Error{
        fmt::format("there is no kind of note '{}'", request.kind), {}, "hypothesis, decision, retired, remark"};
  ASSAY_TRY(const ledger::Location location, location_of(request.ledger));
  std::error_code ignored;
  if (!std::filesystem::exists(location.file, ignored))
    return Error{"nothing is recorded yet in " + location.file.string(), {}, "assay check or bench record attempts"};
  ASSAY_TRY(ledger::Ledger ledger, ledger::Ledger::open(location.file));
  return ledger.add_note({.attempt = request.attempt, .kernel = request.kernel, .kind = *kind, .text = request.text});
}

std::string to_json(const LogReport& report) {
  nlohmann::json document = document_head("log");
  document["ledger"] = report.ledger;
  document["attempts"] = nlohmann::json::array();
  for (const ledger::Attempt& attempt : report.details->attempts)
    document["attempts"].push_back(report::attempt_document(attempt));
  if (report.exists) document["more"] = report.more;
  if (report.exists) document["damaged"] = report.damaged;
  return document_text(document);
}

}  // namespace assay::work
