// SPDX-License-Identifier: MIT
#include "work/practices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "stats/geometric_mean.hpp"

namespace assay::work {
namespace {

using learn::Practice;
using ledger::Kind;
using nlohmann::json;

constexpr int kIncorrect = 5;
constexpr int kEnvironment = 6;
constexpr size_t kFirstAttempts = 20;
constexpr int64_t kDayUs = int64_t{24} * 3600 * 1'000'000;

// Time before over time after, over all cases that both measured.
std::optional<double> improvement(const Event& before, const Event& after) {
  std::vector<double> ratios;
  for (size_t i = 0; i < after.results.size(); ++i) {
    for (size_t k = 0; k < before.results.size(); ++k) {
      if (after.results[i] == before.results[k]) ratios.push_back(before.times_us[k] / after.times_us[i]);
    }
  }
  if (ratios.empty()) return std::nullopt;
  return stats::geometric_mean(ratios);
}

// Of one kernel on one device.
class Timeline {
 public:
  void add(const Event& event, std::vector<Practice>& found) {
    if (event.kind == Kind::profile) profiled_ = true;
    if (event.times_us.empty()) return;
    if (!last_) {
      first_ = event;
      began_with_baseline_ = event.has_baseline;
    } else if (last_->source != event.source) {
      if (const auto ratio = improvement(*last_, event)) {
        found.push_back({"profile_first", profiled_, *ratio});
        found.push_back({"the_loop", event.has_hypothesis, *ratio});
      }
      profiled_ = false;
      ++changes_;
    }
    last_ = event;
    if (const auto ratio = improvement(*first_, event)) best_ = std::max(best_, *ratio);
  }

  void end(std::vector<Practice>& found) const {
    if (changes_ > 0) found.push_back({"baseline_first", began_with_baseline_, best_});
  }

 private:
  std::optional<Event> first_;
  std::optional<Event> last_;
  bool began_with_baseline_ = false;
  bool profiled_ = false;
  size_t changes_ = 0;
  double best_ = 1;
};

// From a failure of a kernel that had been right until it is right again.
class Repair {
 public:
  void add(const Event& event, std::vector<Practice>& found) {
    if (event.kind == Kind::bisect) bisected_ = true;
    if (event.kind != Kind::check && event.kind != Kind::sanitize && event.kind != Kind::run) return;
    const bool good = event.exit_code == 0;
    if (good && broken_since_ != 0)
      found.push_back({"bisect_first", bisected_, static_cast<double>(event.time_us - broken_since_) / 1e6});
    if (good) {
      was_good_ = true;
      broken_since_ = 0;
    } else if (event.exit_code == kIncorrect && was_good_ && broken_since_ == 0) {
      broken_since_ = event.time_us;
      bisected_ = false;
    }
  }

 private:
  bool was_good_ = false;
  bool bisected_ = false;
  int64_t broken_since_ = 0;
};

class MachineDays {
 public:
  void add(const Event& event, std::vector<Practice>& found) {
    const int64_t day = event.time_us / kDayUs;
    const bool looked = event.kind == Kind::run;
    if (attempts_ == 0) {
      first_day_ = day_ = day;
      looked_first_ = looked;
    } else if (day != day_) {
      day_ = day;
      looked_today_ = looked;
    }
    const double failed = event.exit_code == kEnvironment ? 1 : 0;
    if (attempts_++ < kFirstAttempts) found.push_back({"environment_first", looked_first_, failed});
    if (day_ != first_day_) found.push_back({"environment_always", looked_today_, failed});
  }

 private:
  size_t attempts_ = 0;
  int64_t first_day_ = 0;
  int64_t day_ = 0;
  bool looked_first_ = false;
  bool looked_today_ = false;
};

void add_outcome_of_sources(const Event& event, std::vector<Practice>& found) {
  if (!event.has_sources) return;
  const bool ran = event.kind == Kind::check || event.kind == Kind::sanitize || event.kind == Kind::measure;
  if (ran) found.push_back({"static_assertions", event.asserts, event.exit_code == kIncorrect ? 1.0 : 0.0});
  if (event.kind != Kind::build) return;
  const double failed = event.exit_code != 0 ? 1 : 0;
  if (event.is_template) found.push_back({"explicit_instantiation", event.instantiates, failed});
  if (event.units > 0) found.push_back({"one_unit", event.units == 1, failed});
}

bool ends_as_source(const std::string& path) {
  return path.ends_with(".cu") || path.ends_with(".cpp") || path.ends_with(".cc");
}

void read_sources(const std::vector<ledger::SourceFile>& sources, Event& event) {
  event.has_sources = !sources.empty();
  for (const ledger::SourceFile& source : sources) {
    event.units += source.path.ends_with(".cu") ? 1 : 0;
    event.asserts = event.asserts || source.content.find("static_assert") != std::string::npos;
    if (!ends_as_source(source.path) && !source.path.ends_with(".cuh")) continue;
    for (const std::string_view raw : split(source.content, '\n')) {
      const std::string_view line = trim(raw);
      event.instantiates =
          event.instantiates || line.starts_with("template __global__") || line.starts_with("template void");
      event.is_template = event.is_template || line.starts_with("template <") || line.starts_with("template<");
    }
  }
}

std::optional<learn::Step> imported_step(const ledger::Attempt& attempt) {
  if (attempt.details.find("\"step\"") == std::string::npos) return std::nullopt;
  const json details = json::parse(attempt.details, nullptr, false);
  if (!details.is_object() || !details.contains("step") || !details.contains("origin")) return std::nullopt;
  auto step = learn::step_of(details["origin"], details["step"]);
  return step ? std::optional(std::move(*step)) : std::nullopt;
}

}  // namespace

std::vector<Practice> practices_of(const std::vector<Event>& events) {
  std::vector<Practice> found;
  std::map<std::pair<std::string, std::string>, Timeline> timelines;
  std::map<std::string, Repair> repairs;
  std::map<std::string, MachineDays> machines;
  for (const Event& event : events) {
    add_outcome_of_sources(event, found);
    machines[event.machine].add(event, found);
    if (event.kernel.empty()) continue;
    repairs[event.kernel].add(event, found);
    // A profile is of a virtual GPU; what it teaches is used on all devices.
    if (event.kind == Kind::profile) {
      for (auto& [key, timeline] : timelines) {
        if (key.first == event.kernel) timeline.add(event, found);
      }
    } else {
      timelines[{event.kernel, event.device}].add(event, found);
    }
  }
  for (const auto& [key, timeline] : timelines) timeline.end(found);
  return found;
}

std::vector<Practice> practices_of(const std::vector<learn::Step>& steps) {
  std::vector<Practice> found;
  for (const learn::Step& step : steps) {
    if (step.ratios.empty()) continue;
    const double ratio = stats::geometric_mean(step.ratios);
    found.push_back({"profile_first", step.profiled, ratio});
    found.push_back({"the_loop", !step.expected.empty(), ratio});
  }
  return found;
}

Result<std::vector<Event>> read_events(ledger::Ledger& ledger, const ledger::Filter& wanted) {
  std::set<int64_t> with_hypothesis;
  ASSAY_TRY(const std::vector<ledger::Note> notes, ledger.notes());
  for (const ledger::Note& note : notes) {
    if (note.attempt && note.kind == ledger::Note::Kind::hypothesis) with_hypothesis.insert(*note.attempt);
  }
  std::vector<Event> events;
  ledger::Filter filter = wanted;
  filter.oldest_first = true;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    if (imported_step(attempt)) return {};  // counted as a step
    Event event{attempt.kind,   attempt.time_us,   attempt.machine,    attempt.kernel,
                attempt.device, attempt.exit_code, attempt.source_hash};
    event.has_hypothesis = with_hypothesis.contains(attempt.id);
    ASSAY_TRY(const std::vector<ledger::Samples> samples, ledger.samples(attempt.id));
    for (const ledger::Samples& each : samples) {
      if (each.times_us.empty()) continue;
      if (each.role == ledger::Role::baseline) {
        event.has_baseline = true;
      } else if (attempt.correct == std::optional(true)) {
        event.results.push_back(each.shape + "\n" + each.dtype + "\n" + each.configuration + "\n" + each.protocol +
                                "\n" + attempt.comparable);
        event.times_us.push_back(each.p50_us ? *each.p50_us : summarize(each).p50_us);
      }
    }
    ASSAY_TRY(const std::vector<ledger::SourceFile> sources, ledger.sources(attempt.id));
    read_sources(sources, event);
    events.push_back(std::move(event));
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit));
  return events;
}

Result<std::vector<learn::Step>> read_steps(ledger::Ledger& ledger, const ledger::Filter& wanted) {
  std::vector<learn::Step> steps;
  ledger::Filter filter = wanted;
  filter.oldest_first = true;
  filter.kind = Kind::measure;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    if (auto step = imported_step(attempt)) steps.push_back(std::move(*step));
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit));
  return steps;
}

}  // namespace assay::work
