// SPDX-License-Identifier: MIT
#include "judge/simulation.hpp"

#include <cmath>
#include <numbers>

#include "judge/compare.hpp"

namespace assay::judge {
namespace {

constexpr NoiseKind kKinds[] = {
    {Noise::independent, "independent"},
    {Noise::correlated_90, "AR(1) 0.9"},
    {Noise::correlated_98, "AR(1) 0.98"},
    {Noise::drift, "drift of 30 %"},
    {Noise::process_part, "process offset of 1 %"},
    {Noise::process_constant, "process offset of 0.07 us"},
    {Noise::process_modes, "processes in two modes"},
    {Noise::wander, "level wanders by 1 %"},
    {Noise::two_modes, "two equal modes"},
    {Noise::heavy_tails, "heavy tails"},
    {Noise::process_tails, "processes with heavy tails"},
    {Noise::warm_up, "first batches slower"},
    {Noise::periodic, "clocks swing by 2 %"},
    {Noise::coarse_timer, "ticks of 0.5 us", 20},
};

constexpr double kSampleNoise = 0.01;
constexpr double kSampleNoise_us = 0.03;
constexpr double kOutliers = 0.02;
constexpr double kBatchNoise = 0.002;
constexpr double kTick_us = 1.0 / 32;
constexpr double kCoarseTick_us = 0.5;
constexpr double kDrift = 0.03;
constexpr double kStrongDrift = 0.3;
constexpr double kProcessPart = 0.01;
constexpr double kProcessConstant_us = 0.07;
constexpr double kProcessModes = 0.02;
constexpr double kModes = 0.05;
constexpr double kProcessTails = 0.003;
constexpr double kWarmUp = 0.02;
constexpr double kSwing = 0.02;
constexpr double kShortestPeriod = 0.5;
constexpr double kLongestPeriod = 500;
constexpr double kWander = 0.01;
constexpr double kWanderBatches = 30;
// Starting two processes takes as long as this many batches (0.4 s and 4 ms), in which a level wanders on.
constexpr double kStartBatches = 100;

double wandered(double state, double batches, Random& random) {
  const double keep = std::exp(-batches / kWanderBatches);
  return keep * state + std::sqrt(1 - keep * keep) * random.normal();
}

// Student's t with 2 degrees of freedom: a normal over the root of an exponential with mean 1.
double heavy(Random& random) {
  return random.normal() / std::sqrt(-std::log(1.0 - random.uniform()));
}

}  // namespace

std::span<const NoiseKind> noise_kinds() {
  return kKinds;
}

const NoiseKind& kind_of(Noise noise) {
  return kKinds[static_cast<size_t>(noise)];
}

std::string_view to_string(Noise noise) {
  return kind_of(noise).name;
}

SimulatedMachine::SimulatedMachine(const SimulatedCase& what, const Replication& plan, uint64_t seed)
    : what_(what), plan_(plan), random_(seed) {
  // Seeds that follow each other give sequences that do, shifted by one: mix first.
  random_ = Random(random_.next());
  candidate_.factor = 1 + what.slowdown;
  candidate_.wander = random_.normal();
  baseline_.wander = random_.normal();
  if (what.noise != Noise::periodic) return;
  period_ = kShortestPeriod * std::pow(kLongestPeriod / kShortestPeriod, random_.uniform());
  phase_ = random_.uniform();
}

void SimulatedMachine::start_process(Side& side) {
  side.process = 0;
  side.process_us = 0;
  side.correlated = random_.normal();
  switch (what_.noise) {
    case Noise::process_part:
      side.process = kProcessPart * random_.normal();
      break;
    case Noise::process_constant:
      side.process_us = kProcessConstant_us * random_.normal();
      break;
    case Noise::process_modes:
      side.process = random_.uniform() < 0.5 ? 0 : std::log1p(kProcessModes);
      break;
    case Noise::wander:
      side.wander = wandered(side.wander, kStartBatches, random_);
      break;
    case Noise::process_tails:
      side.process = kProcessTails * heavy(random_);
      break;
    case Noise::warm_up:
      side.warm_up = -kWarmUp * std::log(1.0 - random_.uniform());
      break;
    default:
      break;
  }
}

Batch SimulatedMachine::batch(Side& side, size_t process) {
  const double correlation = what_.noise == Noise::correlated_90 ? 0.9 : what_.noise == Noise::correlated_98 ? 0.98 : 0;
  // As if the run took all the processes that the plan allows at first.
  const double total = 2.0 * static_cast<double>(plan_.first * plan_.batches);
  const double drift = what_.noise == Noise::drift ? kStrongDrift : kDrift;
  double level = std::log(what_.microseconds * side.factor * (1.0 + drift * position_ / total)) + side.process +
                 kBatchNoise * random_.normal();
  if (what_.noise == Noise::wander) {
    side.wander = wandered(side.wander, 1, random_);
    level += kWander * side.wander;
  }
  if (what_.noise == Noise::warm_up) {
    level += side.warm_up;
    side.warm_up /= std::numbers::e;
  }
  const double tick = what_.noise == Noise::coarse_timer ? kCoarseTick_us : kTick_us;
  const double scatter = std::hypot(kSampleNoise, kSampleNoise_us / what_.microseconds);
  Batch result;
  result.process = process;
  result.microseconds.reserve(plan_.batch);
  for (size_t i = 0; i < plan_.batch; ++i) {
    side.correlated =
        correlation * side.correlated + std::sqrt(1 - correlation * correlation) *
                                            (what_.noise == Noise::heavy_tails ? heavy(random_) : random_.normal());
    double logarithm = level + scatter * side.correlated;
    if (what_.noise == Noise::periodic) {
      const double moment = position_ + static_cast<double>(i) / static_cast<double>(plan_.batch);
      logarithm += kSwing * std::sin(2 * std::numbers::pi * (moment / period_ + phase_));
    }
    double time = std::exp(logarithm) + side.process_us;
    if (what_.noise == Noise::two_modes && random_.uniform() < 0.5) time *= 1 + kModes;
    if (random_.uniform() < kOutliers) time *= 1.2 + 0.8 * random_.uniform();
    result.microseconds.push_back(std::max(tick, std::round(time / tick) * tick));
  }
  position_ += 1;
  return result;
}

void SimulatedMachine::run_process(SimulatedRun& run) {
  start_process(candidate_);
  start_process(baseline_);
  if (what_.noise == Noise::periodic) phase_ += random_.uniform();  // starting takes any time
  for (size_t i = 0; i < plan_.batches; ++i) {
    // ABBA, as a schedule has it.
    const bool candidate_first = i % 2 == processes_ % 2;
    if (candidate_first) run.candidate.push_back(batch(candidate_, processes_));
    run.baseline.push_back(batch(baseline_, processes_));
    if (!candidate_first) run.candidate.push_back(batch(candidate_, processes_));
  }
  ++processes_;
}

SimulatedRun simulate(const SimulatedCase& what, const Replication& plan, uint64_t seed) {
  SimulatedMachine machine(what, plan, seed);
  SimulatedRun run;
  do {
    machine.run_process(run);
  } while (!enough(plan, run.candidate, run.baseline));
  return run;
}

SimulatedCell simulate_cell(const SimulatedCase& what, const Replication& plan, size_t runs, uint64_t seed) {
  SimulatedCell cell{.what = what, .runs = runs};
  CompareOptions options;
  options.resamples = 0;  // single samples do not decide
  for (size_t i = 0; i < runs; ++i) {
    const SimulatedRun run = simulate(what, plan, seed + i);
    const Result<Comparison> comparison = compare(run.candidate, run.baseline, options);
    if (!comparison) continue;  // times of 0 or less: not with these cases
    cell.faster += comparison->verdict == Verdict::faster ? 1 : 0;
    cell.slower += comparison->verdict == Verdict::slower ? 1 : 0;
    cell.same += comparison->verdict == Verdict::same ? 1 : 0;
    cell.processes += comparison->units;
    const GateVerdict verdict = gate({GateCase{.name = "run", .comparison = *comparison}}).verdict;
    cell.passes += verdict == GateVerdict::pass ? 1 : 0;
    cell.regressions += verdict == GateVerdict::regression ? 1 : 0;
  }
  return cell;
}

std::vector<SimulatedCase> simulated_cases() {
  std::vector<SimulatedCase> cases;
  for (const NoiseKind& kind : kKinds) {
    for (const double us : {2.0, 5.0, 20.0, 200.0, 2000.0}) {
      for (const double slowdown : {0.0, 0.02, 0.03, 0.05, 0.1}) cases.push_back({kind.noise, us, slowdown});
    }
  }
  return cases;
}

}  // namespace assay::judge
