// SPDX-License-Identifier: MIT
#include "work/goal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "spec/goal.hpp"
#include "spec/shape.hpp"

namespace assay::work {
namespace {

constexpr const char* kMet = "met";
constexpr const char* kNotMet = "not met";
constexpr const char* kNotKnown = "not known";

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// The contender that the candidate is measured against: the named one, or the fastest that may be compared with.
const measure::ContenderResult* rival(const measure::JudgedCase& judged, const std::string& baseline, size_t& index) {
  const measure::ContenderResult* chosen = nullptr;
  for (size_t i = 1; i < judged.measured.contenders.size(); ++i) {
    const measure::ContenderResult& contender = judged.measured.contenders[i];
    if (!judged.comparisons[i] || !contender.time_us || (!baseline.empty() && contender.name != baseline)) continue;
    if (chosen != nullptr && contender.time_us->p50 >= chosen->time_us->p50) continue;
    chosen = &contender;
    index = i;
  }
  return chosen;
}

Result<GoalLine> speedup_line(const spec::KernelSpec& spec, const spec::SpeedupGoal& goal,
                              const GoalEvidence& evidence) {
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::shapes(spec, goal.shapes));
  std::set<std::string> wanted;
  for (const spec::Shape& shape : shapes) wanted.insert(shape.text());
  const auto on = goal.on ? static_cast<size_t>(*goal.on) : wanted.size();
  GoalLine line;
  line.goal = fmt::format("speed-up over {} at least {:.2f} at {} {} shapes",
                          goal.baseline.empty() ? "the fastest baseline" : goal.baseline, goal.at_least,
                          goal.on ? fmt::format("{} of the", on) : "all", goal.shapes);
  size_t measured = 0;
  size_t reached = 0;
  double best = 0;
  double worst = 0;
  for (const measure::JudgedCase& judged : evidence.cases) {
    const judge::Comparison* comparison =
        wanted.contains(judged.measured.shape) ? comparison_with(judged, goal.baseline) : nullptr;
    if (comparison == nullptr) continue;
    const double speedup = 1 / comparison->ratio;
    worst = measured == 0 ? speedup : std::min(worst, speedup);
    best = std::max(best, speedup);
    ++measured;
    if (speedup >= goal.at_least) ++reached;
  }
  if (measured == 0 && !goal.baseline.empty() && !spec::is_baseline(spec, goal.baseline)) {
    line.state = kNotMet;
    line.found = fmt::format("{}:{}:{}: there is no such baseline; {}", goal.place.file, goal.place.line,
                             goal.place.column, spec::describe_baselines(spec, goal.baseline));
    return line;
  }
  // Shapes that were not measured may still reach it.
  const bool hopeless = reached + (wanted.size() - measured) < on;
  line.state = measured == 0 ? kNotKnown : reached >= on ? kMet : hopeless ? kNotMet : kNotKnown;
  line.found = measured == 0
                   ? "assay bench with --baseline, on a GPU, tells"
                   : fmt::format("{} of {} measured shapes, from {:.2f} to {:.2f}", reached, measured, worst, best);
  return line;
}

GoalLine p90_line(double most, const std::string& baseline, const GoalEvidence& evidence) {
  GoalLine line{fmt::format("p90 at most {:.2f} of {}'s at every shape", most,
                            baseline.empty() ? "the fastest baseline" : baseline),
                kNotKnown, "assay bench with --baseline, on a GPU, tells"};
  double worst = 0;
  std::string where;
  for (const measure::JudgedCase& judged : evidence.cases) {
    size_t index = 0;
    const measure::ContenderResult* other = rival(judged, baseline, index);
    if (other == nullptr || !judged.measured.candidate().time_us) continue;
    const double ratio = judged.measured.candidate().time_us->p90 / other->time_us->p90;
    if (ratio <= worst) continue;
    worst = ratio;
    where = judged.measured.shape;
  }
  if (where.empty()) return line;
  line.state = worst <= most ? kMet : kNotMet;
  line.found = fmt::format("{:.3f} at worst, at {}", worst, where);
  return line;
}

// Where bytes are the limit, not operations.
GoalLine bandwidth_line(double least, const GoalEvidence& evidence) {
  GoalLine line{fmt::format("memory bandwidth at least {} where it is the limit", percent(least)), kNotKnown,
                "no measured shape is limited by memory"};
  double worst = 2;
  std::string where;
  for (const measure::JudgedCase& judged : evidence.cases) {
    const measure::CaseMeasurement& measured = judged.measured;
    if (!measured.candidate().time_us || evidence.memory_gb_per_s <= 0 ||
        measured.floor.memory_us <= measured.floor.compute_us)
      continue;
    const double share = measured.gb_per_s(measured.candidate().time_us->p50) / evidence.memory_gb_per_s;
    if (share >= worst) continue;
    worst = share;
    where = measured.shape;
  }
  if (where.empty()) return line;
  line.state = worst >= least ? kMet : kNotMet;
  line.found = fmt::format("{} at worst, at {}", percent(worst), where);
  return line;
}

GoalLine share_line(const char* what, double least, const std::optional<double>& found, const char* who) {
  if (!found) return {fmt::format("{} at least {}", what, percent(least)), kNotKnown, who};
  return {fmt::format("{} at least {}", what, percent(least)), *found >= least ? kMet : kNotMet, percent(*found)};
}

}  // namespace

const judge::Comparison* comparison_with(const measure::JudgedCase& judged, const std::string& baseline) {
  size_t index = 0;
  return rival(judged, baseline, index) != nullptr ? &*judged.comparisons[index] : nullptr;
}

Result<std::vector<GoalLine>> judge_goal(const spec::KernelSpec& spec, const GoalEvidence& evidence) {
  std::vector<GoalLine> lines;
  ASSAY_TRY(const std::optional<spec::Goal> stated, spec::goal_of(spec));
  if (!stated) return lines;
  const spec::Goal& goal = *stated;
  for (const spec::SpeedupGoal& each : goal.speedups) {
    ASSAY_TRY(GoalLine line, speedup_line(spec, each, evidence));
    lines.push_back(std::move(line));
  }
  if (goal.p90)
    lines.push_back(p90_line(*goal.p90, goal.speedups.empty() ? "" : goal.speedups.front().baseline, evidence));
  if (goal.sm_busy)
    lines.push_back(share_line("SM busy", *goal.sm_busy, evidence.sm_busy, "assay run, or profile --with ncu, tells"));
  if (goal.bandwidth) lines.push_back(bandwidth_line(*goal.bandwidth, evidence));
  if (goal.occupancy)
    lines.push_back(share_line("occupancy", *goal.occupancy, evidence.occupancy, "assay run, or profile, tells"));
  if (goal.repetitions) {
    GoalLine line{fmt::format("the same bits in {} runs", *goal.repetitions), kNotKnown,
                  fmt::format("assay check --repeat {} tells", *goal.repetitions)};
    if (evidence.repetitions) {
      line.state = *evidence.repetitions >= *goal.repetitions ? kMet : kNotMet;
      line.found = fmt::format("{} runs", *evidence.repetitions);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

nlohmann::json goal_document(const std::vector<GoalLine>& lines) {
  nlohmann::json list = nlohmann::json::array();
  for (const GoalLine& line : lines)
    list.push_back({{"goal", line.goal}, {"state", line.state}, {"found", line.found}});
  return list;
}

}  // namespace assay::work
