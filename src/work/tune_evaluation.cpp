// SPDX-License-Identifier: MIT
#include "work/tune_evaluation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/elapsed.hpp"
#include "base/progress.hpp"
#include "base/threads.hpp"
#include "check/coverage.hpp"
#include "check/worker.hpp"
#include "device/open/open_device.hpp"
#include "measure/bench.hpp"
#include "spec/launch.hpp"
#include "stats/geometric_mean.hpp"
#include "tune/prediction.hpp"
#include "work/counting.hpp"
#include "work/kernel.hpp"
#include "work/measuring.hpp"
#include "work/verdict.hpp"

namespace assay::work {
namespace {

using std::chrono::steady_clock;

constexpr size_t kFirstSamples = 5;
constexpr size_t kSamples = 20;
constexpr double kFarBehind = 1.5;  // even its fastest sample takes so many times the best one's
constexpr size_t kSets = 4;
constexpr size_t kMostOpen = 16;                       // processes on the GPU
constexpr uint64_t kContextBytes = uint64_t{1} << 30;  // that each of them takes besides its inputs

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Rates per SM and clock, as far as the model knows them.
tune::PipeRates pipe_rates_of(const gpu::GpuModel& model) {
  tune::PipeRates rates;
  rates.sms = model.sm_count;
  const double clock = model.boost_clock_mhz * 1e6 * model.sm_count;
  if (clock > 0 && model.f32_tflops > 0) rates.float_lanes = model.f32_tflops * 1e12 / 2 / clock;
  if (clock > 0 && model.memory_bandwidth_gb_per_s > 0)
    rates.dram_bytes = model.memory_bandwidth_gb_per_s * 1e9 / clock;
  rates.max_warps = model.max_warps_per_sm;
  rates.max_blocks = model.max_blocks_per_sm;
  rates.registers = model.registers_per_sm;
  rates.shared_bytes = static_cast<double>(model.shared_bytes_per_sm);
  return rates;
}

// The smallest shape of the file that this configuration can be checked on.
std::optional<spec::Shape> smallest_checkable(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  auto all = spec::all_shapes(spec);
  if (!all) return std::nullopt;
  spec::sort_smallest_first(*all);
  const auto found = std::ranges::find_if(
      *all, [&](const spec::Shape& shape) { return check::why_not(spec, configuration, shape).empty(); });
  return found == all->end() ? std::nullopt : std::optional(*found);
}

std::string failure_of(check::Outcome outcome) {
  switch (outcome) {
    case check::Outcome::timed_out:
      return "timeout";
    case check::Outcome::crashed:
      return "runtime";
    case check::Outcome::does_not_fit:
      return "does_not_fit";
    case check::Outcome::not_launched:
      return "runtime";
    default:
      return "incorrect";
  }
}

}  // namespace

Result<std::vector<double>> TimedConfiguration::sample(size_t count) {
  const measure::BatchPlan plan = schedule_.plan(count, sets_);
  ASSAY_TRY(const measure::SampleBatch batch, provider_->sample(plan.sets, plan.poisons));
  std::vector<double> milliseconds;
  for (size_t i = plan.lead_in; i < batch.us.size(); ++i) milliseconds.push_back(batch.us[i] / 1000);
  if (milliseconds.empty()) return Error{"the provider gave no samples", {}, "", ExitCode::environment};
  return milliseconds;
}

Result<std::unique_ptr<TuneEvaluator>> TuneEvaluator::make(const spec::KernelSpec& spec, const TuneRequest& request,
                                                           const std::string& device, const Context& context) {
  Context quiet = context;  // the caller reports progress
  quiet.listener = nullptr;
  std::unique_ptr<TuneEvaluator> made(new TuneEvaluator(spec, request, quiet));
  made->name_ = device;
  ASSAY_TRY(made->device_, device::open_device(device));
  ASSAY_TRY(made->target_, device_target(spec, device));
  ASSAY_TRY(const spec::Configuration first, spec::default_configuration(spec));
  Measuring wanted;
  wanted.shapes = request.shapes;
  wanted.shape = request.shape;
  if (device::is_virtual(device)) {
    made->twin_ = device;
    ASSAY_TRY(made->shapes_, countable_shapes(spec, first, wanted));
    return made;
  }
  made->twin_ = device::virtual_twin(*made->device_);
  ASSAY_TRY(const MeasuredDevice measured, measured_device(device, "tune"));
  made->ordinal_ = measured.ordinal;
  ASSAY_TRY(made->shapes_, chosen_shapes(spec, first, wanted));
  ASSAY_CHECK(made->open_timing());
  return made;
}

// The same inputs for every configuration: they are drawn once.
Result<void> TuneEvaluator::open_timing() {
  ASSAY_TRY(const measure::ProviderPrograms programs,
            measure::ProviderPrograms::install(build::ArtifactCache::default_folder()));
  instruments_ = programs.instruments();
  ASSAY_TRY(const spec::Configuration first, spec::default_configuration(spec_));
  uint64_t bytes = 0;
  std::vector<measure::ProblemCase> problems;
  for (const spec::Shape& shape : shapes_) {
    ASSAY_TRY(measure::ProblemCase problem, measure::ProblemCase::make(spec_, first, shape));
    if (problems.empty()) {
      const uint64_t of_one = problem.bytes() * (kSets + 1) + kContextBytes;
      most_open_ = std::clamp<size_t>(static_cast<uint64_t>(model().memory_bytes) / 2 / of_one, 1, kMostOpen);
    }
    bytes += problem.bytes() * (kSets + 1);
    problems.push_back(std::move(problem));
  }
  scratch_ = std::make_unique<ScratchFiles>(bytes);
  Random random(request_.seed ^ 0x5eed);
  for (size_t i = 0; i < problems.size(); ++i) {
    ASSAY_TRY(std::vector<measure::InputSet> made,
              measure::make_input_sets(problems[i], kSets, random, *scratch_, fmt::format("shape{}.set", i)));
    sets_.push_back(std::move(made));
  }
  return {};
}

Result<std::unique_ptr<TimedConfiguration>> TuneEvaluator::timed(const build::BuildResult& built, size_t shape) {
  measure::Contender contender = measure::kernel_contender(spec_.kernel.name, spec_, built);
  contender.arguments.front() = context_.program;
  measure::Provider::Limits limits = measure::Provider::Limits::of(spec_);
  limits.request = std::chrono::milliseconds(static_cast<int64_t>(request_.limits.time_s * 1000));
  ASSAY_TRY(std::unique_ptr<measure::Provider> provider, measure::Provider::start(contender, *ordinal_, limits));
  ASSAY_TRY(const measure::ProblemCase problem, measure::ProblemCase::make(spec_, built.configuration, shapes_[shape]));
  measure::Protocol protocol;
  protocol.sets = kSets;
  const measure::TimingFiles timing{instruments_, static_cast<uint64_t>(2 * model().l2_bytes)};
  ASSAY_CHECK(provider->prepare(prepare_request(problem, protocol, timing, sets_[shape], contender.options)));
  return std::make_unique<TimedConfiguration>(std::move(provider), kSets, request_.seed + shape);
}

void TuneEvaluator::open_together(const std::vector<const build::BuildResult*>& built) {
  const auto start = steady_clock::now();
  std::vector<std::unique_ptr<TimedConfiguration>> opened(built.size());
  const size_t pieces = built.size() + measured_.size();
  std::atomic<size_t> next{0};
  on_threads(std::min(pieces, kMostOpen), [&] {
    for (size_t i = next.fetch_add(1); i < pieces && !context_.cancelled(); i = next.fetch_add(1)) {
      if (i < measured_.size()) {
        measured_[i].reset();
      } else if (auto one = timed(*built[i - measured_.size()], 0)) {
        opened[i - measured_.size()] = std::move(*one);
      }
    }
  });
  measured_.clear();
  for (size_t i = 0; i < built.size(); ++i) {
    if (opened[i] != nullptr) open_[built[i]->configuration.id()] = std::move(opened[i]);
  }
  opening_s_ = seconds_since(start) / static_cast<double>(std::max<size_t>(built.size(), 1));
}

Result<std::unique_ptr<TimedConfiguration>> TuneEvaluator::opened(const build::BuildResult& built, size_t shape) {
  auto found = shape == 0 ? open_.extract(built.configuration.id()) : decltype(open_)::node_type();
  if (!found.empty()) return std::move(found.mapped());
  return timed(built, shape);
}

// Against the reference, and on a virtual GPU under all its checks, in one run of the smallest shape. What says nothing
// about the kernel (an instruction that the virtual GPU lacks) does not keep it from being timed on a GPU.
Result<bool> TuneEvaluator::is_correct(const build::BuildResult& built, const std::string& device,
                                       TunedConfiguration& result) const {
  const auto start = steady_clock::now();
  const std::optional<spec::Shape> small = smallest_checkable(spec_, built.configuration);
  if (!small) {
    result.failure = "does_not_fit";
    result.message = "no shape of the specification can be checked";
    return false;
  }
  ASSAY_TRY(Runnable runnable, make_runnable(spec_, built.configuration, device, request_.limits, context_));
  if (device::is_virtual(device)) runnable.worker.setup.checks = check::all_checks();
  ASSAY_TRY(const std::unique_ptr<check::Worker> worker, check::Worker::start(runnable.worker));
  check::Case test;
  test.shape = *small;
  test.seed = request_.seed;
  const check::CaseResult outcome = worker->run(test);
  ASSAY_CHECK(check_cancelled(context_));
  result.check_s += seconds_since(start);
  if (outcome.passed()) return true;
  const bool own_fault =
      outcome.outcome == check::Outcome::does_not_fit || outcome.outcome == check::Outcome::not_launched;
  if (auto error = no_verdict(spec_, outcome); error && !own_fault) {
    if (measures() && device == twin_) return true;
    return *std::move(error);
  }
  result.failure = failure_of(outcome.outcome);
  result.message = fmt::format("{} on {}: {}: {}", small->text(), device, name(outcome.outcome), outcome.message);
  return false;
}

// What the formula makes of the counters: cycles, predicted from what was counted, never a time.
Result<void> TuneEvaluator::count(const build::BuildResult& built, TunedConfiguration& result) {
  const auto start = steady_clock::now();
  auto cases = count_cases(spec_, built.configuration, shapes_, {name_, request_.seed, request_.limits}, context_);
  result.measure_s = seconds_since(start);
  if (!cases) {
    ASSAY_CHECK(check_cancelled(context_));
    if (cases.error().exit_code == ExitCode::environment) return cases.error();
    result.failure = "runtime";
    result.message = cases.error().message;
    return {};
  }
  for (const CountedCase& counted : *cases) {
    if (counted.incorrect) {
      result.failure = "incorrect";
      result.message = fmt::format("{}: {}", counted.shape.text(), *counted.incorrect);
      return {};
    }
    double threads = 0;  // of the largest block
    double blocks = 0;   // of all kernels of the call
    for (const spec::StageSpec& stage : spec_.stages) {
      ASSAY_TRY(const spec::LaunchGeometry launch,
                spec::launch_geometry(spec_, stage, built.configuration, counted.shape));
      threads = std::max(threads, double{1} * launch.block[0] * launch.block[1] * launch.block[2]);
      blocks += double{1} * launch.grid[0] * launch.grid[1] * launch.grid[2];
    }
    tune::CounterTable table;
    const auto add = [&](const std::string& counter, double value) {
      table.names.push_back(counter);
      table.values.push_back(value);
    };
    for (const auto& [counter, value] : counted.counters) add(counter, static_cast<double>(value));
    if (result.registers) add("registers", *result.registers);
    add("shared_bytes", static_cast<double>(result.shared_bytes.value_or(0)));
    add("block_threads", threads);
    add("grid_blocks", blocks);
    const double cycles = tune::predict_row(table, 0, pipe_rates_of(model()));
    if (!std::isfinite(cycles)) {
      result.failure = "runtime";
      result.message = "nothing was counted";
      return {};
    }
    result.by_shape.push_back(cycles);
    result.samples.push_back({cycles});
  }
  result.value = stats::geometric_mean(result.by_shape);
  return {};
}

Result<void> TuneEvaluator::time(const build::BuildResult& built, const std::vector<double>& best_by_shape,
                                 TunedConfiguration& result) {
  const auto start = steady_clock::now();
  const bool in_company = is_open(result.configuration);
  const double opening_s = in_company ? opening_s_ : 0;
  for (size_t shape = 0; shape < shapes_.size(); ++shape) {
    ASSAY_CHECK(check_cancelled(context_));
    const auto failed = [&](const Error& error) {
      result.measure_s = opening_s + seconds_since(start);
      result.failure = error.message.find("time limit") != std::string::npos ? "timeout" : "runtime";
      result.message = fmt::format("{}: {}", shapes_[shape].text(), error.message);
      result.by_shape.clear();
      result.samples.clear();
    };
    auto runner = opened(built, shape);
    if (!runner) {
      ASSAY_CHECK(check_cancelled(context_));
      failed(runner.error());
      return {};
    }
    auto samples = (*runner)->sample(kFirstSamples);
    const bool behind = samples && shape < best_by_shape.size() &&
                        *std::ranges::min_element(*samples) > kFarBehind * best_by_shape[shape];
    result.bailed_out = result.bailed_out || behind;
    if (samples && !behind) samples = (*runner)->sample(kSamples);
    if (!samples) {
      ASSAY_CHECK(check_cancelled(context_));
      failed(samples.error());
      return {};
    }
    result.by_shape.push_back(mean(*samples));
    result.samples.push_back(std::move(*samples));
    if (shape == 0 && in_company) measured_.push_back(std::move(*runner));
  }
  result.measure_s = opening_s + seconds_since(start);
  result.value = stats::geometric_mean(result.by_shape);
  return {};
}

Result<TunedConfiguration> TuneEvaluator::examine(const build::BuildResult& built) const {
  TunedConfiguration result;
  result.configuration = built.configuration.id();
  result.compile_s = std::chrono::duration<double>(built.duration).count();
  if (built.status == build::BuildStatus::skipped)
    return Error{fmt::format("{}: {}", result.configuration, built.reason), {}, built.hint, ExitCode::environment};
  if (!built.usable()) {
    result.failure = built.timed_out ? "timeout" : "compile";
    result.message = built.mistake ? built.mistake->message : built.reason;
    return result;
  }
  int64_t shared = 0;
  for (const build::ResourceUsage& usage : built.resources) {
    if (usage.registers) result.registers = std::max(result.registers.value_or(0), *usage.registers);
    shared = std::max(shared, usage.static_shared_bytes.value_or(0));
  }
  int64_t dynamic = 0;
  for (const spec::StageSpec& stage : spec_.stages) {
    ASSAY_TRY(const spec::LaunchGeometry launch,
              spec::launch_geometry(spec_, stage, built.configuration, shapes_.front()));
    dynamic = std::max<int64_t>(dynamic, launch.shared_bytes);
  }
  result.shared_bytes = shared + dynamic;
  ASSAY_TRY(const bool correct, is_correct(built, twin_, result));
  (void)correct;  // the result says it
  return result;
}

Result<void> TuneEvaluator::measure(const build::BuildResult& built, const std::vector<double>& best_by_shape,
                                    TunedConfiguration& result) {
  if (!result.failure.empty()) return {};
  return measures() ? time(built, best_by_shape, result) : count(built, result);
}

}  // namespace assay::work
