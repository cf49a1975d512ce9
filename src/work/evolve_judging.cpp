// SPDX-License-Identifier: MIT
#include "work/evolve_judging.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "assay/check.hpp"
#include "assay/compare.hpp"
#include "assay/sanitize.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "build/fit.hpp"
#include "check/cases.hpp"
#include "check/domain.hpp"
#include "work/compare_details.hpp"
#include "work/diagnose_details.hpp"
#include "work/evolve_trial.hpp"
#include "work/kernel.hpp"

namespace assay::work {
namespace {

constexpr size_t kMostConfigurations = 16;  // that new tunables may open: each of them is checked
constexpr size_t kLongestText = 4000;       // of a failure, for the proposer

std::string first_lines(std::string text) {
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + " ...";
  return text;
}

// "" for a kernel without tunables, as requests want it.
std::string configuration_text(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  return spec.tunable.tunables.empty() ? "" : configuration.id();
}

// The smallest, and the largest that costs next to nothing.
std::vector<spec::Shape> sanitized_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  constexpr double kCheap = 1e5;  // operations
  auto all = spec::all_shapes(spec);
  if (!all) return {};
  spec::sort_smallest_first(*all);
  std::erase_if(*all, [&](const spec::Shape& shape) { return !check::why_not(spec, configuration, shape).empty(); });
  if (all->empty()) return {};
  std::vector<spec::Shape> shapes{all->front()};
  const auto largest = std::find_if(all->rbegin(), all->rend(), [&](const spec::Shape& shape) {
    const auto work = check::work(spec, configuration, shape);
    return work && *work <= kCheap;
  });
  if (largest != all->rend() && *largest != shapes.front()) shapes.push_back(*largest);
  return shapes;
}

std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("{}: {}", finding.kind, finding.message);
  if (!finding.file.empty()) text += fmt::format(" ({}:{})", finding.file, finding.line);
  return text;
}

std::string tabu_text(const std::string& idea, size_t losses) {
  return fmt::format("'{}' was tried {} times on this parent and brought nothing", idea, losses);
}

std::string seen_text(size_t proposal) {
  return proposal == 0 ? "it compiles to the same code as the kernel that the evolution began with"
                       : fmt::format("it compiles to the same code as proposal {}", proposal);
}

class Judge {
 public:
  Judge(const JudgingRequest& request, const Context& context) : request_(request), context_(quiet(context)) {}

  Result<Judging> run() {
    struct Step {
      const char* gate;
      Result<bool> (Judge::*passes)();
    };
    constexpr Step kSteps[] = {
        {"files", &Judge::applies},         {"files", &Judge::is_not_tabu}, {"build", &Judge::builds_here},
        {"seen", &Judge::is_new},           {"code", &Judge::is_plain},     {"build", &Judge::builds_everywhere},
        {"sanitize", &Judge::is_clean},     {"check", &Judge::is_correct},  {"plausible", &Judge::is_plausible},
        {"quick race", &Judge::keeps_pace}, {"race", &Judge::wins},         {"check", &Judge::is_correct_elsewhere},
    };
    for (const Step& step : kSteps) {
      result_.gate = step.gate;
      ASSAY_TRY(const bool passed, (this->*step.passes)());
      ASSAY_CHECK(check_cancelled(context_));
      if (!passed) break;
    }
    if (result_.verdict == "accepted") result_.gate = "race";
    if (folder_) result_.text = replace_all(result_.text, folder_->path().string() + "/", "");
    result_.text = first_lines(result_.text);
    return std::move(result_);
  }

 private:
  bool refuse(const std::string& why) {
    result_.verdict = "refused";
    result_.text = why;
    return false;
  }
  bool refuse(const Error& error) { return refuse(to_string(error)); }

  // Whatever goes wrong with a candidate where the first kernel passed is the candidate's; but for the user's own stop.
  Result<bool> refuse_unless_stopped(const Error& error) {
    if (error.exit_code == kInterrupted || context_.cancelled()) return error;
    return refuse(error);
  }

  bool on_gpu() const { return !device::is_virtual(request_.device); }
  std::string specification() const { return folder_->specification().string(); }
  std::string chosen() const { return configuration_text(spec_, configuration_); }

  Result<bool> applies() {
    auto applied = evolve::apply_answer(request_.parent, request_.answer, request_.snapshot.rules);
    if (!applied) return refuse(applied.error());
    result_.candidate = std::move(*applied);
    if (result_.candidate.id == request_.parent.id) return refuse("the answer changes nothing");
    auto folder = CandidateFolder::make(request_.snapshot, result_.candidate);
    if (!folder && folder.error().exit_code == ExitCode::environment) return folder.error();
    if (!folder) return refuse(folder.error());
    folder_.emplace(std::move(*folder));
    auto spec = spec::load(folder_->specification());
    if (!spec) return refuse(spec.error());
    spec_ = std::move(*spec);
    const std::string& kept = request_.configuration.empty() ? request_.parent.configuration : request_.configuration;
    auto open = spec::matching_configurations(spec_, kept);
    if (!open) return refuse(open.error());
    configurations_ = std::move(*open);
    if (configurations_.empty())
      return refuse("the new tunables and constraints leave no configuration of the parent's");
    if (configurations_.size() > kMostConfigurations)
      return refuse(fmt::format("the new tunables open {} configurations; all are checked, so {} is the most",
                                configurations_.size(), kMostConfigurations));
    configuration_ = configurations_.front();
    return true;
  }

  Result<bool> is_not_tabu() {
    const std::string& idea = request_.answer.hypothesis.text;
    const size_t losses = request_.tabu.losses(request_.parent.id, idea);
    if (losses < evolve::Tabu::kLosses) return true;
    return refuse(tabu_text(idea, losses));
  }

  Result<build::BuildReport> build(const std::vector<std::string>& targets) {
    const Stopwatch watch(result_.costs.compile_s);
    build::BuildOptions options;
    options.targets = targets;
    options.time_limit = std::chrono::milliseconds(static_cast<int64_t>(request_.build_seconds * 1000));
    options.context = context_;
    return build::build(spec_, configurations_, options);
  }

  Result<bool> all_built(const build::BuildReport& report) {
    for (const build::BuildResult& each : report.results) {
      if (each.status == build::BuildStatus::skipped)
        return Error{each.reason, {}, each.hint, ExitCode::environment};  // no compiler here
      if (!each.usable())
        return refuse(fmt::format("{} for {} does not build: {}\n{}", each.configuration.id(), each.target, each.reason,
                                  each.output));
    }
    return true;
  }

  Result<bool> builds_here() {
    auto target = device_target(spec_, request_.virtual_device);
    if (!target) return refuse(target.error());
    target_ = *target;
    ASSAY_TRY(built_, build({target_}));
    return all_built(built_);
  }

  Result<bool> is_new() {
    Hasher hasher;
    for (const build::BuildResult& each : built_.results) {
      ASSAY_TRY(const std::string ptx, read_file(each.ptx));
      if (configurations_.size() > 1) hasher.add(each.configuration.id());
      hasher.add(evolve::normalised_ptx(ptx));
    }
    result_.hash = hasher.hex();
    const auto before = request_.tabu.proposal_of(result_.hash);
    if (!before) return true;
    return refuse(seen_text(*before));
  }

  // No verdict of a virtual GPU holds for code that asks where it runs, or remembers what it was asked before.
  Result<bool> is_plain() {
    for (const build::BuildResult& each : built_.results) {
      ASSAY_TRY(const std::string ptx, read_file(each.ptx));
      const evolve::PtxFacts facts = evolve::ptx_facts(ptx);
      for (const std::string& name : facts.looks_at) {
        if (!request_.first_facts.looks_at.contains(name))
          return refuse(fmt::format("it reads {}, by which it could tell where it runs", name));
      }
      for (const std::string& name : facts.keeps) {
        if (!request_.first_facts.keeps.contains(name))
          return refuse(fmt::format("the variable '{}' keeps what one launch wrote for the next", name));
      }
      if (each.configuration == configuration_) facts_ = facts;
    }
    return true;
  }

  Result<bool> builds_everywhere() {
    std::vector<std::string> others = spec_.kernel.targets;
    std::erase(others, target_);
    if (!others.empty()) {
      ASSAY_TRY(const build::BuildReport report, build(others));
      ASSAY_TRY(const bool good, all_built(report));
      if (!good) return false;
    }
    return fits();
  }

  Result<bool> fits() {
    constexpr std::string_view kVirtual = "vgpu:";
    const gpu::GpuModel* model = gpu::find_model(std::string_view(request_.virtual_device).substr(kVirtual.size()));
    const auto shapes = race_shapes(spec_, configuration_, on_gpu());
    if (!shapes) return refuse(shapes.error());
    for (const spec::Configuration& each : configurations_) {
      const auto fits = build::launch_fits(spec_, each, *shapes, built_.usages(each));
      if (!fits) return refuse(fits.error());
      for (const build::LaunchFit& launch : *fits) {
        for (const build::ModelFit& fit : launch.models) {
          if (fit.model == model && fit.occupancy.fit == gpu::Fit::does_not_fit)
            return refuse(fmt::format("{} does not fit on {}: {}", each.id(), model->name, fit.occupancy.reason));
        }
      }
    }
    return true;
  }

  // The smallest shape says most at the least cost; a loop that it does not enter is seen on a larger one.
  Result<bool> is_clean() {
    const Stopwatch watch(result_.costs.virtual_s);
    for (const spec::Configuration& each : configurations_) {
      const std::vector<spec::Shape> shapes = sanitized_shapes(spec_, each);
      if (shapes.empty()) return refuse(fmt::format("{} can run no shape of the specification", each.id()));
      for (const spec::Shape& shape : shapes) {
        ASSAY_TRY(const bool clean, is_clean_on(each, shape));
        if (!clean) return false;
      }
    }
    return true;
  }

  Result<bool> is_clean_on(const spec::Configuration& configuration, const spec::Shape& shape) {
    SanitizeRequest sanitize;
    sanitize.costs = false;
    sanitize.choice = {specification(), configuration_text(spec_, configuration), request_.virtual_device};
    sanitize.shape = shape.text();
    sanitize.seed = request_.seed;
    sanitize.limits = request_.limits;
    sanitize.record = nowhere();
    const auto report = work::sanitize(sanitize, context_);
    if (!report) return refuse_unless_stopped(report.error());
    if (report->clean()) return true;
    std::vector<std::string> lines;
    for (const Finding& finding : report->findings) lines.push_back(finding_text(finding));
    return refuse(fmt::format("{} on {}: {}", configuration.id(), shape.text(),
                              lines.empty() ? report->verdict : join(lines, "\n")));
  }

  // Every value that a new tunable may have must be right, whatever its default is.
  Result<bool> is_correct() {
    ASSAY_TRY(const std::vector<spec::Shape> known, race_shapes(spec_, configuration_, on_gpu()));
    ASSAY_TRY(drawn_, drawn_shapes(spec_, configuration_, known, request_.seed));
    known_ = known;
    std::vector<std::string> further;
    for (const spec::Shape& shape : drawn_) further.push_back(shape.text());
    for (const spec::Configuration& each : configurations_) {
      const auto wrong =
          why_incorrect(specification(), configuration_text(spec_, each), further, request_, result_.costs, context_);
      if (!wrong) return refuse_unless_stopped(wrong.error());
      if (!wrong->empty()) return refuse(fmt::format("{}: {}", each.id(), *wrong));
    }
    return true;
  }

  // A kernel that is right in the configuration that is raced, and in no other, would be no kernel of the
  // specification: two others, drawn after the answer. One in which the incumbent is wrong as well says nothing. (The
  // parent may have lost, and then nobody has looked.) What has lost is not looked at: these checks cost twice what
  // those of the raced configuration do.
  Result<bool> is_correct_elsewhere() {
    constexpr size_t kDrawn = 2;
    ASSAY_TRY(std::vector<spec::Configuration> others, spec::configurations(spec_));
    std::erase_if(others, [&](const spec::Configuration& each) {
      return std::ranges::find(configurations_, each) != configurations_.end();
    });
    Random random(request_.seed);
    for (size_t i = 0; i < kDrawn && !others.empty(); ++i) {
      const auto at = others.begin() + static_cast<std::ptrdiff_t>(random.below(others.size()));
      const spec::Configuration drawn = std::move(*at);
      others.erase(at);
      ASSAY_TRY(const std::string wrong, why_wrong(specification(), drawn));
      if (wrong.empty()) continue;
      ASSAY_TRY(const std::string before,
                why_wrong(incumbent_folder_->specification().string(), incumbents_part(drawn)));
      if (!before.empty()) continue;
      result_.shapes.clear();
      result_.cell.reset();
      return refuse(fmt::format("{}, drawn after the proposal: {}", drawn.id(), wrong));
    }
    return true;
  }

  // Without the tunables that the incumbent does not have.
  spec::Configuration incumbents_part(spec::Configuration configuration) const {
    std::set<std::string> known = request_.snapshot.original.tunables;
    for (const evolve::NewTunable& each : request_.incumbent.tunables) known.insert(each.name);
    std::erase_if(configuration.values, [&](const auto& value) { return !known.contains(value.first); });
    return configuration;
  }

  // What keeps it from being judged is an answer too: it does not build, or does not fit.
  Result<std::string> why_wrong(const std::string& specification_file, const spec::Configuration& configuration) {
    auto wrong = why_incorrect(specification_file, configuration.values.empty() ? "" : configuration.id(), {}, request_,
                               result_.costs, context_);
    if (wrong) return wrong;
    if (wrong.error().exit_code == kInterrupted || context_.cancelled()) return wrong.error();
    return to_string(wrong.error());
  }

  Result<DiagnoseReport> look(const std::string& configuration, const spec::Shape& shape) {
    const Stopwatch watch(result_.costs.virtual_s);
    return look_at(specification(), configuration, shape.text(), request_, context_);
  }

  // The tuner's part: of the values of new tunables, those that are estimated to be fastest.
  Result<bool> choose() {
    std::optional<double> best;
    for (const spec::Configuration& each : configurations_) {
      auto looked = look(configuration_text(spec_, each), known_.front());
      if (!looked) return refuse_unless_stopped(looked.error());
      if (best && looked->time_us >= *best) continue;
      best = looked->time_us;
      configuration_ = each;
      looked_ = {std::move(*looked)};
    }
    result_.candidate.configuration = chosen();
    return true;
  }

  Result<bool> is_plausible() {
    ASSAY_TRY(const bool chosen_one, choose());
    if (!chosen_one) return false;
    std::vector<spec::Shape> further(known_.begin() + 1, known_.end());
    further.insert(further.end(), drawn_.begin(), drawn_.end());
    for (const spec::Shape& shape : further) {
      auto looked = look(chosen(), shape);
      if (!looked) return refuse_unless_stopped(looked.error());
      looked_.push_back(std::move(*looked));
    }
    ASSAY_CHECK(look_at_incumbent());
    for (size_t i = 0; i < looked_.size(); ++i) {
      const double floor = floor_of(i);
      if (looked_[i].time_us < kBelowFloor * floor)
        return refuse(
            fmt::format("{}: {:.2f} us estimated, below the floor of {:.2f} us: it does less than the problem "
                        "needs",
                        looked_[i].shape, looked_[i].time_us, floor));
    }
    judge_hypothesis();
    return true;
  }

  // What no kernel can undercut: by the incumbent's own bytes, which are those of a kernel that was proved right, and
  // the specification's formulas. An incumbent that is below it shows that those formulas are too large.
  double floor_of(size_t shape) const { return std::min(incumbent_[shape].floor_us, incumbent_[shape].time_us); }

  Result<void> look_at_incumbent() {
    ASSAY_TRY(CandidateFolder folder, CandidateFolder::make(request_.snapshot, request_.incumbent));
    incumbent_folder_.emplace(std::move(folder));
    const Stopwatch watch(result_.costs.virtual_s);
    for (const DiagnoseReport& each : looked_) {
      ASSAY_TRY(DiagnoseReport looked, look_at(incumbent_folder_->specification().string(),
                                               request_.incumbent.configuration, each.shape, request_, context_));
      incumbent_.push_back(std::move(looked));
    }
    return {};
  }

  // The named counter, beside the parent's. The incumbent mostly is the parent; where it is not, it stands in.
  void judge_hypothesis() {
    const evolve::Hypothesis& said = request_.answer.hypothesis;
    if (said.counter.empty() || said.direction.empty()) return;
    const auto now = counters_of(looked_.front());
    const auto before = counters_of(incumbent_.front());
    const auto value = [&](const std::map<std::string, double>& counters) {
      const auto found = counters.find(said.counter);
      return found == counters.end() ? 0.0 : found->second;
    };
    if (!now.contains(said.counter) && !before.contains(said.counter)) return;
    constexpr double kSame = 0.01;
    const double old_value = value(before);
    const double change = value(now) - old_value;
    const double threshold = kSame * std::max(1.0, std::abs(old_value));
    result_.hypothesis_held = said.direction == "down" ? change < -threshold
                              : said.direction == "up" ? change > threshold
                                                       : std::abs(change) <= threshold;
  }

  evolve::RaceShape estimated(size_t index) const {
    evolve::RaceShape shape;
    shape.shape = looked_[index].shape;
    shape.drawn = index >= known_.size();
    shape.time_us = looked_[index].time_us;
    shape.incumbent_us = incumbent_[index].time_us;
    shape.ratio = shape.time_us / shape.incumbent_us;
    return shape;
  }

  // Nothing: the judge could not compare them, and `result_` says why.
  Result<std::optional<evolve::RaceShape>> measured(size_t index, const Measuring& measuring) {
    const Stopwatch watch(result_.costs.gpu_s);
    CompareRequest compare;
    compare.candidate = specification();
    compare.baseline = incumbent_folder_->specification().string();
    compare.configuration = chosen();
    compare.device = request_.device;
    compare.measuring = measuring;
    compare.measuring.shape = looked_[index].shape;
    compare.seed = request_.seed;
    compare.record = request_.record;
    const auto report = work::compare(compare, context_);
    if (!report) {
      ASSAY_TRY(const bool refused, refuse_unless_stopped(report.error()));
      (void)refused;
      return std::optional<evolve::RaceShape>();
    }
    const ComparedCase& compared = report->cases.front();
    if (!compared.details->comparison) {
      refuse(fmt::format("{}: {} {}", compared.what, compared.verdict, compared.objection));
      return std::optional<evolve::RaceShape>();
    }
    const judge::Comparison& comparison = *compared.details->comparison;
    evolve::RaceShape shape = estimated(index);
    shape.time_us = comparison.candidate.time_us.p50;
    shape.incumbent_us = comparison.baseline.time_us.p50;
    shape.ratio = comparison.ratio;
    shape.low = comparison.interval.low;
    shape.high = comparison.interval.high;
    shape.verdict = compared.verdict;
    if (shape.time_us < kBelowFloor * floor_of(index)) {
      refuse(fmt::format("{}: {:.2f} us measured, below the floor of {:.2f} us", shape.shape, shape.time_us,
                         floor_of(index)));
      return std::optional<evolve::RaceShape>();
    }
    return std::optional(shape);
  }

  Result<bool> keeps_pace() {
    evolve::RaceShape first = estimated(0);
    if (on_gpu()) {
      Measuring quick;
      quick.samples = 30;
      quick.most_samples = 120;
      quick.width = 0.03;
      quick.budget_s = 3;
      ASSAY_TRY(const std::optional<evolve::RaceShape> shape, measured(0, quick));
      if (!shape) return false;
      first = *shape;
    }
    const bool behind = first.ratio > 1 + request_.rule.margin && (first.verdict.empty() || first.verdict == "SLOWER");
    if (!behind) return true;
    result_.shapes = {first};
    result_.verdict = "lost";
    result_.text = fmt::format("{:.1f} % slower on {}", 100 * (first.ratio - 1), first.shape);
    return false;
  }

  Result<bool> wins() {
    std::vector<evolve::RaceShape> shapes;
    for (size_t i = 0; i < looked_.size(); ++i) {
      if (!on_gpu()) {
        shapes.push_back(estimated(i));
        continue;
      }
      ASSAY_TRY(const std::optional<evolve::RaceShape> shape, measured(i, {}));
      if (!shape) return false;
      shapes.push_back(*shape);
    }
    const evolve::Acceptance judged = evolve::judge_race(request_.rule, shapes);
    result_.shapes = std::move(shapes);
    result_.verdict = judged.accepted ? "accepted" : "lost";
    result_.text = judged.text;
    result_.cell = cell_of(looked_.front(), facts_);
    return judged.accepted;
  }

  static constexpr double kBelowFloor = 0.95;

  const JudgingRequest& request_;
  const Context context_;
  Judging result_;
  std::optional<CandidateFolder> folder_;
  std::optional<CandidateFolder> incumbent_folder_;
  spec::KernelSpec spec_;
  std::vector<spec::Configuration> configurations_;  // that the new tunables open
  spec::Configuration configuration_;
  std::string target_;
  build::BuildReport built_;
  evolve::PtxFacts facts_;
  std::vector<spec::Shape> known_;
  std::vector<spec::Shape> drawn_;
  std::vector<DiagnoseReport> looked_;     // the known shapes, then the drawn ones
  std::vector<DiagnoseReport> incumbent_;  // the same
};

}  // namespace

bool bring_up_to_date(Judging& judging, const JudgingRequest& request, const std::string& judged_beside) {
  const auto refused = [&](const char* gate, const std::string& why) {
    judging.verdict = "refused";
    judging.gate = gate;
    judging.text = first_lines(why);
    judging.candidate.configuration = request.parent.configuration;
    judging.shapes.clear();
    judging.hypothesis_held.reset();
    judging.cell.reset();
    return false;
  };
  if (judging.gate == "files") return false;
  const std::string& idea = request.answer.hypothesis.text;
  if (const size_t losses = request.tabu.losses(request.parent.id, idea); losses >= evolve::Tabu::kLosses) {
    judging.hash.clear();
    return refused("files", tabu_text(idea, losses));
  }
  if (judging.hash.empty() || judging.gate == "seen") return false;
  if (const auto before = request.tabu.proposal_of(judging.hash)) return refused("seen", seen_text(*before));
  const bool raced = judging.gate == "plausible" || judging.gate == "quick race" || judging.gate == "race";
  return raced && judged_beside != request.incumbent.id;
}

Result<Judging> judge_proposal(const JudgingRequest& request, const Context& context) {
  return Judge(request, context).run();
}

}  // namespace assay::work
