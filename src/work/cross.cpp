// SPDX-License-Identifier: MIT
#include "assay/cross.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "formats/sol_execbench.hpp"
#include "measure/rules_session.hpp"
#include "work/bench_details.hpp"
#include "work/document.hpp"
#include "work/measuring.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

// Differences below a hundredth are no win under anybody's rules.
constexpr double kTie = 1.01;

int side(double speedup) {
  return speedup > kTie ? 1 : speedup < 1 / kTie ? -1 : 0;
}

Result<std::vector<const measure::Rules*>> chosen(const std::vector<std::string>& names) {
  std::vector<const measure::Rules*> list;
  if (names.empty()) {
    for (const measure::Rules& each : measure::all_rules()) list.push_back(&each);
    return list;
  }
  for (const std::string& name : names) {
    const measure::Rules* const found = measure::find_rules(name);
    std::vector<std::string> known;
    for (const measure::Rules& each : measure::all_rules()) known.emplace_back(each.name);
    if (found == nullptr)
      return Error{fmt::format("there are no rules '{}'", name), {}, "choose one of " + join(known, ", ")};
    list.push_back(found);
  }
  return list;
}

void take_ours(CrossCase& result) {
  const measure::CaseMeasurement& measured = result.ours.details->judged.measured;
  for (size_t i = 0; i < result.ours.contenders.size(); ++i) {
    const ContenderTime& contender = result.ours.contenders[i];
    CrossTime time;
    time.rules = "assay";
    time.contender = contender.name;
    time.figure = "median";
    time.problem = contender.objection;
    if (contender.good && contender.p50_us) {
      time.us = *contender.p50_us;
      time.samples = measured.contenders[i].time_us->count;
      time.accepted = measured.contenders[i].verified_sets > 0 ? std::optional(true) : std::nullopt;
      time.speedup = contender.speedup;
    }
    result.times.push_back(std::move(time));
  }
}

void take_theirs(const measure::Rules& rules, const std::vector<measure::RuledTime>& times, CrossCase& result) {
  const measure::RuledTime* const candidate =
      !times.empty() && times.front().contender == result.ours.contenders.front().name ? &times.front() : nullptr;
  for (const measure::RuledTime& each : times) {
    CrossTime time;
    time.rules = rules.name;
    time.contender = each.contender;
    time.figure = rules.statistic;
    time.samples = each.us.size();
    time.cut = each.cut;
    time.accepted = each.accepted;
    if (each.failure) {
      time.problem = each.failure->message;
    } else {
      time.us = each.reported_us;
      if (candidate != nullptr && &each != candidate && !candidate->failure && candidate->reported_us > 0)
        time.speedup = each.reported_us / candidate->reported_us;
    }
    result.times.push_back(std::move(time));
  }
}

void judge(CrossCase& result) {
  for (size_t i = 1; i < result.ours.contenders.size(); ++i) {
    CrossVerdict verdict;
    verdict.baseline = result.ours.contenders[i].name;
    verdict.ours = result.ours.contenders[i].verdict;
    int lowest = 2;
    int highest = -2;
    for (const CrossTime& time : result.times) {
      if (time.contender != verdict.baseline || !time.speedup) continue;
      const int where = side(*time.speedup);
      verdict.low = lowest == 2 ? *time.speedup : std::min(verdict.low, *time.speedup);
      verdict.high = highest == -2 ? *time.speedup : std::max(verdict.high, *time.speedup);
      lowest = std::min(lowest, where);
      highest = std::max(highest, where);
    }
    if (lowest == 2) continue;
    verdict.depends_on_timer = lowest != highest;
    result.verdicts.push_back(std::move(verdict));
  }
}

// By the times of SOL-ExecBench's own rules, and our floor.
void score(CrossCase& result) {
  result.floor_us = result.ours.details->judged.measured.floor.us;
  double candidate = 0;
  double baseline = 0;
  for (const CrossTime& time : result.times) {
    if (time.rules != "solexec" || !time.problem.empty()) continue;
    if (time.contender == result.ours.contenders.front().name) {
      candidate = time.us;
    } else if (baseline == 0 || time.us < baseline) {
      baseline = time.us;
    }
  }
  if (candidate > 0 && baseline > 0) result.sol_score = formats::sol_score(candidate, result.floor_us, baseline);
}

// Figures of other rules are attempts of their own, under a contract that names the rules.
Result<void> record(Recording& recording, const Bench& bench, const report::BenchCase& judged,
                    const measure::Rules& rules, const std::vector<measure::RuledTime>& times) {
  if (times.empty() || times.front().failure) return {};
  ledger::Attempt attempt = measure_attempt(recording, bench, judged);
  measure::Contract contract = judged.measured.contract;
  contract.set("protocol.rules", std::string(rules.name));
  contract.set("protocol.launch", "event");
  contract.set("protocol.cache", "cold");
  attempt.contract = json(contract.fields()).dump();
  attempt.comparable = contract.hash();
  attempt.verdict = fmt::format("measured by the rules of {}", rules.name);
  attempt.p50_us.reset();
  json details = {{"rules", rules.name}, {"contenders", json::array()}};
  std::vector<ledger::Samples> samples;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].failure || times[i].us.empty()) continue;
    details["contenders"].push_back({{"name", times[i].contender}, {"reported_us", times[i].reported_us}});
    ledger::Samples one;
    one.contender = times[i].contender;
    one.role = i == 0 ? ledger::Role::candidate : ledger::Role::baseline;
    one.shape = judged.measured.shape;
    one.protocol = fmt::format("rules {}", rules.name);
    one.times_us = times[i].us;
    samples.push_back(std::move(one));
  }
  attempt.details = details.dump(-1, ' ', false, json::error_handler_t::replace);
  ASSAY_TRY(const auto id, recording.write(std::move(attempt), samples));
  static_cast<void>(id);
  return {};
}

class Crossing {
 public:
  Crossing(const CrossRequest& request, const Context& context, std::vector<const measure::Rules*> rules,
           CrossListener* listener, CrossReport& report)
      : request_(request), context_(context), rules_(std::move(rules)), listener_(listener), report_(report) {}

  Result<void> run(const spec::KernelSpec& spec, Recording& recording) {
    const BenchRequest& wanted = request_.bench;
    ASSAY_TRY(Bench bench, prepare_bench(spec,
                                         {wanted.choice.configuration, wanted.choice.device, wanted.baselines,
                                          wanted.candidate, wanted.measuring, wanted.seed},
                                         context_));
    report_.gpu = bench.request.model.name;
    ASSAY_TRY(const check::Oracle oracle, check::Oracle::open(spec, bench.request.cache_folder));
    const auto on_case = [&](const report::BenchCase& judged, std::optional<int64_t> attempt) -> Result<void> {
      CrossCase result;
      result.kernel = spec.kernel.name;
      result.shape = judged.measured.shape;
      result.ours = public_case(spec.kernel.name, judged, attempt, bench.request.model.memory_bandwidth_gb_per_s);
      take_ours(result);
      if (result.ours.contenders.front().good) {
        ASSAY_CHECK(by_other_rules(spec, bench, oracle, judged, recording, result));
      } else {
        report_.exit_code = ExitCode::incorrect;  // what is wrong or not honest is timed by nobody's rules
      }
      judge(result);
      score(result);
      if (listener_ != nullptr) listener_->on_case(result);
      report_.cases.push_back(std::move(result));
      return {};
    };
    Hasher hasher;
    ASSAY_TRY(const std::string measured, bench_work(bench));
    hasher.add("cross").add(measured).add(fmt::format("{}", request_.seconds));
    for (const measure::Rules* rules : rules_) hasher.add(rules->name);
    ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), hasher.hex()));
    resumption_ = &resumption;
    ASSAY_CHECK(run_bench(bench, compare_options(wanted.seed, bench, recording), recording, on_case, &resumption));
    return resumption.finish();
  }

 private:
  Result<void> by_other_rules(const spec::KernelSpec& spec, const Bench& bench, const check::Oracle& oracle,
                              const report::BenchCase& judged, Recording& recording, CrossCase& result) {
    const auto shape = std::ranges::find_if(
        bench.request.shapes, [&](const spec::Shape& each) { return each.text() == judged.measured.shape; });
    if (shape == bench.request.shapes.end()) return {};
    ASSAY_TRY(const measure::ProblemCase problem,
              measure::ProblemCase::make(spec, bench.request.configuration, *shape));
    measure::RulesRequest wanted;
    wanted.bench = &bench.request;
    wanted.problem = &problem;
    wanted.oracle = &oracle;
    wanted.seed = judged.measured.seed;
    wanted.most_seconds = request_.seconds;
    for (const ContenderTime& contender : result.ours.contenders) {
      if (!contender.good) wanted.leave_out.push_back(contender.name);
    }
    Progress progress(context_, "other rules", rules_.size());
    for (const measure::Rules* rules : rules_) {
      ASSAY_CHECK(check_cancelled(context_));
      progress.step(std::string(rules->name));
      wanted.rules = rules;
      // What an interrupted run has measured is recorded already.
      const std::string piece = fmt::format("rules {} {}", rules->name, judged.measured.shape);
      const std::string* const stored = resumption_->recall(piece);
      auto known = stored != nullptr ? measure::ruled_times_from(json::parse(*stored, nullptr, false)) : std::nullopt;
      if (!known) {
        ASSAY_TRY(known, measure::measure_by_rules(wanted));
        ASSAY_CHECK(record(recording, bench, judged, *rules, *known));
        ASSAY_CHECK(resumption_->remember(
            piece, measure::to_json(*known).dump(-1, ' ', false, json::error_handler_t::replace)));
        ASSAY_CHECK(resumption_->flush());
      }
      take_theirs(*rules, *known, result);
      progress.advance(std::string(rules->name));
    }
    return {};
  }

  const CrossRequest& request_;
  const Context& context_;
  std::vector<const measure::Rules*> rules_;
  CrossListener* listener_;
  CrossReport& report_;
  Resumption* resumption_ = nullptr;
};

}  // namespace

Result<CrossReport> cross(const CrossRequest& request, const Context& context, CrossListener* listener) {
  ASSAY_TRY(const std::vector<const measure::Rules*> rules, chosen(request.rules));
  ASSAY_TRY(const std::vector<spec::KernelSpec> specs, load_kernels(request.bench.choice.kernel));
  ASSAY_TRY(const MeasuredDevice device, measured_device(request.bench.choice.device, "cross"));
  CrossReport report;
  for (const spec::KernelSpec& spec : specs) {
    ASSAY_TRY(Recording recording, Recording::open(request.bench.record, context,
                                                   {ledger::Kind::measure, &spec, request.bench.choice.configuration,
                                                    device.name, request.bench.seed}));
    Crossing crossing(request, context, rules, listener, report);
    ASSAY_CHECK(recording.close(crossing.run(spec, recording)));
  }
  return report;
}

std::string to_json(const CrossReport& report) {
  json document = document_head("cross");
  document["gpu"] = report.gpu;
  document["cases"] = json::array();
  for (const CrossCase& each : report.cases) {
    json times = json::array();
    for (const CrossTime& time : each.times) {
      json entry = {
          {"rules", time.rules}, {"contender", time.contender}, {"figure", time.figure}, {"samples", time.samples}};
      if (time.problem.empty()) entry["us"] = time.us;
      if (!time.problem.empty()) entry["problem"] = time.problem;
      if (time.cut) entry["cut_short"] = true;
      if (time.speedup) entry["speedup"] = *time.speedup;
      if (time.accepted) entry["accepted"] = *time.accepted;
      times.push_back(std::move(entry));
    }
    json verdicts = json::array();
    for (const CrossVerdict& verdict : each.verdicts)
      verdicts.push_back({{"baseline", verdict.baseline},
                          {"ours", verdict.ours},
                          {"speedups", {verdict.low, verdict.high}},
                          {"depends_on_timer", verdict.depends_on_timer}});
    json entry = {{"kernel", each.kernel}, {"shape", each.shape}, {"times", times}, {"verdicts", verdicts}};
    if (each.ours.attempt) entry["attempt"] = *each.ours.attempt;
    if (each.sol_score) entry["sol_score"] = *each.sol_score;
    if (each.floor_us > 0) entry["floor_us"] = each.floor_us;
    document["cases"].push_back(std::move(entry));
  }
  return document_text(document);
}

}  // namespace assay::work
