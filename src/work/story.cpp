// SPDX-License-Identifier: MIT
#include "work/story.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "learn/step.hpp"
#include "page/read_attempt.hpp"
#include "stats/geometric_mean.hpp"

namespace assay::work {
namespace {

using ledger::Attempt;
using ledger::Kind;
using nlohmann::json;

constexpr size_t kHashShown = 8;

// A run and a suite are made of attempts of their own, whose time must not count twice.
bool counts(const Attempt& attempt) {
  return attempt.kind != Kind::run && attempt.kind != Kind::suite;
}

std::string reason_of(const Attempt& attempt) {
  if (std::string message = page::error_of(attempt); !message.empty()) return message;
  const std::vector<page::ReportedFinding> findings = page::findings_of(attempt);
  if (!findings.empty()) return findings.front().message;
  for (const page::Step& step : page::steps_of(attempt)) {
    if (step.verdict == "failed") return step.name + ": " + step.summary;
  }
  const json details = json::parse(attempt.details.empty() ? "null" : attempt.details, nullptr, false);
  if (details.is_object() && details.contains("failure") && details["failure"].is_object())
    return details["failure"].value("message", attempt.verdict);
  return attempt.verdict;
}

std::optional<learn::Step> step_of(const Attempt& attempt) {
  const json details = json::parse(attempt.details.empty() ? "null" : attempt.details, nullptr, false);
  if (!details.is_object() || !details.contains("step") || !details.contains("origin")) return std::nullopt;
  auto step = learn::step_of(details["origin"], details["step"]);
  return step ? std::optional(std::move(*step)) : std::nullopt;
}

std::optional<double> geometric_mean(const std::vector<double>& ratios) {
  return ratios.empty() ? std::nullopt : std::optional(stats::geometric_mean(ratios));
}

std::optional<double> brought(const Chapter& before, const Chapter& now) {
  std::vector<double> ratios;
  for (const auto& [name, time_us] : now.times_us) {
    const auto earlier = before.times_us.find(name);
    if (earlier != before.times_us.end() && time_us > 0) ratios.push_back(earlier->second / time_us);
  }
  return geometric_mean(ratios);
}

class Teller {
 public:
  explicit Teller(std::string kernel) { story_.kernel = std::move(kernel); }

  Chapter& chapter_of(const Attempt& attempt, const std::optional<learn::Step>& step) {
    const std::string key = step ? "step " + step->name : attempt.source_hash;
    const auto known = chapters_.find(key);
    if (known != chapters_.end()) {
      if (!step) current_ = known->second;  // somebody went back to it: what comes next comes from here
      return story_.chapters[known->second];
    }
    Chapter chapter;
    chapter.first = attempt.id;
    chapter.begun_us = attempt.time_us;
    chapter.name = step ? "step " + step->name : attempt.source_hash.substr(0, kHashShown);
    if (chapter.name.empty()) chapter.name = "(no source)";
    if (step) chapter.what = step->change;
    if (step) chapter.came = step->came;
    if (step) chapter.brought = geometric_mean(step->ratios);
    chapter.before = step ? last_step_ : current_;
    const size_t index = story_.chapters.size();
    story_.chapters.push_back(std::move(chapter));
    chapters_[key] = index;
    if (step && step->kept) last_step_ = index;  // what was dropped leads nowhere
    if (!step) current_ = index;
    return story_.chapters.back();
  }

  void add(const Attempt& attempt, const std::vector<ledger::Samples>& samples) {
    const std::optional<learn::Step> step = step_of(attempt);
    Chapter& chapter = chapter_of(attempt, step);
    by_attempt_[attempt.id] = chapters_.at(step ? "step " + step->name : attempt.source_hash);
    chapter.last = attempt.id;
    ++chapter.attempts;
    ++story_.attempts;
    if (attempt.exit_code != 0) {
      ++chapter.failed;
      ++story_.failed;
      chapter.why = reason_of(attempt);
    }
    if (counts(attempt)) {
      chapter.seconds += attempt.duration_s;
      story_.seconds += attempt.duration_s;
      if (attempt.cost) chapter.cost = chapter.cost.value_or(0) + *attempt.cost;
      if (attempt.cost) story_.cost = story_.cost.value_or(0) + *attempt.cost;
    }
    if (attempt.correct != std::optional(true)) return;
    for (const ledger::Samples& each : samples) {
      if (each.role != ledger::Role::candidate || each.times_us.empty()) continue;
      const double time_us = each.p50_us ? *each.p50_us : summarize(each).p50_us;
      const auto [found, is_new] = chapter.times_us.emplace(
          attempt.device + "\n" + each.shape + "\n" + each.dtype + "\n" + each.protocol + "\n" + attempt.comparable,
          time_us);
      if (!is_new) found->second = std::min(found->second, time_us);
    }
  }

  void add(const ledger::Note& note) {
    if (note.kind == ledger::Note::Kind::retired && !note.attempt) story_.retired = note.text;
    if (!note.attempt) return;
    const auto found = by_attempt_.find(*note.attempt);
    if (found == by_attempt_.end()) return;
    Chapter& chapter = story_.chapters[found->second];
    if (note.kind == ledger::Note::Kind::decision)
      chapter.decision = note.text;
    else if (chapter.what.empty())
      chapter.what = note.text;
  }

  Story take() && {
    for (Chapter& chapter : story_.chapters) {
      if (!chapter.brought && chapter.before) chapter.brought = brought(story_.chapters[*chapter.before], chapter);
    }
    return std::move(story_);
  }

 private:
  Story story_;
  std::map<std::string, size_t> chapters_;
  std::map<int64_t, size_t> by_attempt_;
  std::optional<size_t> current_;
  std::optional<size_t> last_step_;
};

}  // namespace

Result<std::vector<Story>> stories(ledger::Ledger& ledger, const ledger::Filter& filter) {
  std::map<std::string, Teller> tellers;
  ledger::Filter wanted = filter;
  wanted.oldest_first = true;
  const auto visit = [&](const Attempt& attempt) -> Result<void> {
    if (attempt.kernel.empty()) return {};
    ASSAY_TRY(const std::vector<ledger::Samples> samples, ledger.samples(attempt.id));
    tellers.try_emplace(attempt.kernel, attempt.kernel).first->second.add(attempt, samples);
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(wanted, visit));
  ASSAY_TRY(const std::vector<ledger::Note> notes, ledger.notes());
  for (const ledger::Note& note : notes) {
    for (auto& [kernel, teller] : tellers) {
      if (note.kernel == kernel || (note.attempt && note.kernel.empty())) teller.add(note);
    }
  }
  std::vector<Story> all;
  for (auto& [kernel, teller] : tellers) all.push_back(std::move(teller).take());
  return all;
}

}  // namespace assay::work
