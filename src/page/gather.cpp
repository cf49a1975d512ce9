// SPDX-License-Identifier: MIT
#include "page/gather.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "page/read_attempt.hpp"
#include "report/source_text.hpp"

namespace assay::page {
namespace {

namespace fs = std::filesystem;
using ledger::Attempt;
using ledger::Kind;

constexpr size_t kMostAttempts = 5000;      // of one report
constexpr size_t kDrawnCases = 16;          // with their samples
constexpr size_t kMostSamples = 1'000'000;  // of all that are drawn

Result<std::vector<Attempt>> attempts_of_kernel(ledger::Ledger& ledger, const std::string& kernel, int64_t since_us,
                                                std::vector<std::string>& remarks) {
  ledger::Filter filter;
  filter.kernel = kernel;  // a pattern: * and ? in a name match themselves too
  filter.since_us = since_us;
  filter.limit = kMostAttempts;
  std::vector<Error> damaged;
  ASSAY_TRY(std::vector<Attempt> found, ledger.attempts(filter, &damaged));
  for (const Error& each : damaged) remarks.push_back("passed over: " + each.message);
  if (!kernel.empty()) std::erase_if(found, [&](const Attempt& attempt) { return attempt.kernel != kernel; });
  if (found.size() == kMostAttempts)
    remarks.push_back(fmt::format("only the newest {} attempts are looked at", kMostAttempts));
  std::ranges::sort(found, {}, &Attempt::id);
  return found;
}

// The attempts that a run made: those of its kernel between its begin and its end.
Result<std::vector<Attempt>> attempts_of_run(ledger::Ledger& ledger, const Attempt& run,
                                             std::vector<std::string>& remarks) {
  constexpr int64_t kSlack_us = 1'000'000;  // times of host clocks that were read one after the other
  const int64_t begin = run.time_us - kSlack_us;
  const int64_t end = run.time_us + static_cast<int64_t>(run.duration_s * 1e6) + kSlack_us;
  ASSAY_TRY(std::vector<Attempt> found, attempts_of_kernel(ledger, run.kernel, begin, remarks));
  std::erase_if(found, [&](const Attempt& attempt) {
    return attempt.time_us > end || attempt.id > run.id || (attempt.kind == Kind::run && attempt.id != run.id);
  });
  return found;
}

Result<std::vector<Attempt>> attempts_of_suite(ledger::Ledger& ledger, const Attempt& suite,
                                               std::vector<std::string>& remarks) {
  std::vector<Attempt> found;
  ASSAY_TRY(const std::vector<ledger::WorkItem> items, ledger.work_items(suite_work(suite)));
  std::set<int64_t> ids;
  for (const ledger::WorkItem& item : items) {
    if (item.attempt && ids.insert(*item.attempt).second) {
      auto attempt = ledger.attempt(*item.attempt);
      attempt ? found.push_back(std::move(*attempt)) : remarks.push_back(attempt.error().message);
    }
  }
  found.push_back(suite);
  std::ranges::sort(found, {}, &Attempt::id);
  return found;
}

// Its name alone: two ledgers with the same content give the same page.
std::string report_command(const Subject& subject) {
  std::string command = "assay report";
  if (!subject.kernel.empty()) command += " " + subject.kernel;
  for (const int64_t id : subject.attempts) command += fmt::format(" {}", id);
  if (subject.since_us) command += " --since " + subject.since;
  return command;
}

Result<void> choose(ledger::Ledger& ledger, const Subject& subject, Content& content) {
  if (subject.attempts.empty()) {
    ASSAY_TRY(content.attempts,
              attempts_of_kernel(ledger, subject.kernel, subject.since_us.value_or(0), content.remarks));
    content.kind = subject.since_us || subject.kernel.empty() ? SubjectKind::period : SubjectKind::kernel;
    content.title = subject.kernel.empty() ? kAllKernels : subject.kernel;
    content.since = subject.since;
    return {};
  }
  ASSAY_TRY(const Attempt first, ledger.attempt(subject.attempts.front()));
  if (subject.attempts.size() == 2) {
    ASSAY_TRY(const Attempt second, ledger.attempt(subject.attempts.back()));
    content.kind = SubjectKind::pair;
    content.title = first.kernel == second.kernel
                        ? fmt::format("{}: attempt {} beside {}", first.kernel, first.id, second.id)
                        : fmt::format("{} beside {}", first.kernel, second.kernel);
    content.attempts = {second, first};
    content.contrast = Contrast{first.id, second.id, {}, {}};
    return {};
  }
  if (first.kind == Kind::run) {
    content.kind = SubjectKind::run;
    content.title = first.kernel;
    ASSAY_TRY(content.attempts, attempts_of_run(ledger, first, content.remarks));
  } else if (first.kind == Kind::suite) {
    content.kind = SubjectKind::suite;
    ASSAY_TRY(content.attempts, attempts_of_suite(ledger, first, content.remarks));
  } else {
    content.kind = SubjectKind::attempt;
    content.title = first.kernel.empty() ? fmt::format("Attempt {}", first.id) : first.kernel;
    content.attempts = {first};
  }
  return {};
}

auto key_of(const Attempt& attempt, const std::string& protocol) {
  return std::tuple(attempt.kernel, attempt.configuration, attempt.shape, attempt.device, protocol);
}

// The newest of each key stays, in the order of the attempts.
template <class Case, class Key>
void keep_newest(std::vector<Case>& cases, const Key& key) {
  std::set<decltype(key(cases.front()))> seen;
  std::vector<Case> kept;
  for (auto each = cases.rbegin(); each != cases.rend(); ++each) {
    if (seen.insert(key(*each)).second) kept.push_back(std::move(*each));
  }
  std::ranges::reverse(kept);
  cases = std::move(kept);
}

void read_attempts(Content& content) {
  const Attempt* last_findings = nullptr;
  for (const Attempt& attempt : content.attempts) {
    if (auto read = measured_case(attempt)) content.measured.push_back(std::move(*read));
    if (auto read = estimated_case(attempt)) content.estimated.push_back(std::move(*read));
    if (auto read = diagnosed_case(attempt)) content.diagnosed.push_back(std::move(*read));
    if (auto read = profiled_case(attempt)) content.profiled.push_back(std::move(*read));
    if (auto read = inverted_case(attempt)) content.inverted.push_back(std::move(*read));
    if (auto read = tuned_case(attempt)) content.tuned.push_back(std::move(*read));
    if (attempt.kind == Kind::build && !built_entries(attempt).empty()) content.built = built_entries(attempt);
    if (attempt.kind == Kind::run) content.steps = steps_of(attempt);
    if (const auto suite = suite_summary(attempt)) content.suite = suite;
    if (attempt.kind == Kind::sanitize || attempt.kind == Kind::check) last_findings = &attempt;
    // A failed check beside a clean sanitize shows both.
    if (attempt.kind == Kind::sanitize && !findings_of(attempt).empty()) content.findings = findings_of(attempt);
    if (attempt.kind == Kind::sanitize && findings_of(attempt).empty()) content.findings.clear();
  }
  if (content.findings.empty() && last_findings != nullptr) content.findings = findings_of(*last_findings);
  if (content.kind == SubjectKind::period && content.title == kAllKernels) {
    content.built.clear();
    content.steps.clear();
    content.findings.clear();
  }
  if (content.kind == SubjectKind::pair) return;
  keep_newest(content.measured, [](const MeasuredCase& each) { return key_of(each.attempt, each.protocol); });
  keep_newest(content.estimated, [](const EstimatedCase& each) { return key_of(each.attempt, ""); });
  keep_newest(content.diagnosed, [](const DiagnosedCase& each) { return key_of(each.attempt, ""); });
  keep_newest(content.profiled, [](const ProfiledCase& each) { return key_of(each.attempt, ""); });
  keep_newest(content.inverted, [](const InvertedCase& each) { return key_of(each.attempt, ""); });
  keep_newest(content.tuned, [](const TunedCase& each) { return each.attempt.kernel + " " + each.attempt.device; });
}

Result<void> read_samples(ledger::Ledger& ledger, Content& content) {
  size_t cases = 0;
  size_t samples = 0;
  for (MeasuredCase& each : content.measured) {
    if (cases == kDrawnCases || samples >= kMostSamples) {
      content.remarks.push_back(fmt::format("the samples of {} are drawn, of {} measured; assay report ID draws one",
                                            counted(cases, "case"), content.measured.size()));
      break;
    }
    auto read = ledger.samples(each.attempt.id);
    if (!read) {
      content.remarks.push_back("passed over: " + read.error().message);
      continue;
    }
    each.samples = std::move(*read);
    std::erase_if(each.samples, [](const ledger::Samples& of) { return of.times_us.empty(); });
    for (const ledger::Samples& of : each.samples) samples += of.times_us.size();
    ++cases;
  }
  return {};
}

// What these kernels did before, to draw it.
Result<void> read_history(ledger::Ledger& ledger, Content& content) {
  std::set<std::string> kernels;
  for (const Attempt& attempt : content.attempts) {
    if (!attempt.kernel.empty()) kernels.insert(attempt.kernel);
  }
  for (const std::string& kernel : kernels) {
    ASSAY_TRY(const std::vector<Attempt> all, attempts_of_kernel(ledger, kernel, 0, content.remarks));
    for (const Attempt& attempt : all) {
      if (!content.attempts.empty() && attempt.id > content.attempts.back().id) break;
      if (auto read = measured_case(attempt)) content.history.push_back(std::move(*read));
      if (auto read = profiled_case(attempt)) content.profile_history.push_back(std::move(*read));
      if (content.built.empty() && content.kind != SubjectKind::period && kernels.size() == 1)
        content.built = built_entries(attempt);
    }
  }
  return {};
}

// A specification's path is as the command was given it: relative to where that ran, most often the project.
void find_sources(const ledger::Ledger& ledger, Content& content) {
  std::error_code ignored;
  fs::path folder;
  for (const Attempt& attempt : content.attempts) {
    if (attempt.specification.empty() || attempt.kind == Kind::suite) continue;
    const fs::path stated = attempt.specification;
    const fs::path beside = ledger.file().parent_path().parent_path() / stated;
    const fs::path file = fs::is_regular_file(stated, ignored)   ? stated
                          : fs::is_regular_file(beside, ignored) ? beside
                                                                 : fs::path();
    if (file.empty()) continue;
    const fs::path here = file.parent_path().empty() ? fs::path(".") : file.parent_path();
    if (!folder.empty() && folder != here) {  // several kernels
      content.source_root = report::source_root(here);
      content.kernel_folder.clear();
      return;
    }
    folder = here;
  }
  if (folder.empty()) return;
  content.kernel_folder = folder;
  content.source_root = report::source_root(folder);
}

}  // namespace

Result<Content> gather(ledger::Ledger& ledger, const Subject& subject) {
  Content content;
  content.ledger = ledger.file().filename().string();
  content.command = report_command(subject);
  ASSAY_CHECK(choose(ledger, subject, content));
  if (content.attempts.empty())
    return Error{subject.kernel.empty() ? "nothing was recorded in that time"
                                        : fmt::format("nothing is recorded of a kernel '{}'", subject.kernel),
                 Place{ledger.file().string()}, "assay log lists what there is; assay run records"};
  read_attempts(content);
  if (content.suite && content.kind == SubjectKind::suite) content.title = content.suite->name;
  ASSAY_CHECK(read_samples(ledger, content));
  ASSAY_CHECK(read_history(ledger, content));
  std::ranges::sort(content.remarks);
  content.remarks.erase(std::ranges::unique(content.remarks).begin(), content.remarks.end());
  find_sources(ledger, content);
  return content;
}

}  // namespace assay::page
