// SPDX-License-Identifier: MIT
#include "work/measuring.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/version.hpp"
#include "device/cuda/cuda_model.hpp"
#include "device/cuda/nvml.hpp"
#include "device/open/open_device.hpp"
#include "measure/measurement_json.hpp"
#include "spec/choice.hpp"
#include "work/calibration_store.hpp"
#include "work/kept_candidate.hpp"
#include "work/kernel_sources.hpp"

namespace assay::work {
namespace fs = std::filesystem;

Result<MeasuredDevice> measured_device(const std::string& device, const char* command) {
  MeasuredDevice found;
  found.name = device.empty() ? device::default_device_name() : device;
  if (found.name.starts_with("cuda:")) {
    const char* end = found.name.data() + found.name.size();
    const auto [stop, problem] = std::from_chars(found.name.data() + 5, end, found.ordinal);
    if (problem == std::errc() && stop == end) return found;
  }
  return Error{
      fmt::format("{} measures time, and {} has none of its own", command, found.name),
      {},
      "run it on a machine with an NVIDIA GPU (--device cuda:0); what a virtual GPU can tell is counted exactly: "
      "assay profile, assay gate --device vgpu:l4",
      ExitCode::environment};
}

namespace {

// A kernel folder is served by the program that the context names.
measure::Contender kernel_contender(const std::string& name, const spec::KernelSpec& spec,
                                    const build::BuildResult& built, const Context& context) {
  measure::Contender contender = measure::kernel_contender(name, spec, built);
  contender.arguments.front() = context.program;
  return contender;
}

Result<measure::Contender> baseline_contender(const spec::KernelSpec& spec, const std::string& name,
                                              const measure::ProviderPrograms& programs, const std::string& device,
                                              const Context& context) {
  std::error_code failed;
  std::string folder;
  std::string configuration;
  if (fs::exists(fs::path(name) / "kernel.toml", failed) || fs::is_regular_file(name, failed)) folder = name;
  if (folder.empty()) {
    ASSAY_TRY(const spec::Baseline baseline, measure::find_baseline(spec, name));
    if (baseline.provider != "kernel") return programs.contender(baseline, spec.folder);
    for (const auto& [key, option] : baseline.options) {
      const auto* text = std::get_if<std::string>(&option);
      if (text != nullptr && key == "folder") folder = (spec.folder / *text).lexically_normal().string();
      if (text != nullptr && key == "configuration") configuration = *text;
    }
    if (folder.empty())
      return Error{fmt::format("baseline '{}': provider 'kernel' needs folder = \"...\"", name), baseline.place,
                   "a folder with a kernel.toml, relative to this file"};
  }
  ASSAY_TRY(const spec::KernelSpec other, spec::load(folder));
  ASSAY_TRY(const spec::Configuration chosen, chosen_configuration(other, configuration));
  ASSAY_TRY(const Runnable runnable, make_runnable(other, chosen, device, {}, context));
  measure::Contender contender = kernel_contender(name, other, runnable.built, context);
  contender.must_be_own_kernels = false;
  return contender;
}

// What figures of this machine and this build depend on.
measure::Contract describe(const Bench& bench, int ordinal) {
  measure::Contract contract;
  contract.set("device.name", std::string(bench.request.model.name));
  contract.set("compiler", bench.built.compiler.empty() ? "driver" : bench.built.compiler);
  contract.set("target", bench.built.target);
  contract.set("assay", kVersion);
  if (const auto state = device::cuda::read_state(ordinal)) {
    contract.set("device.driver", state->driver_version);
    if (state->max_sm_clock_mhz) contract.set("device.max_sm_clock_mhz", std::to_string(*state->max_sm_clock_mhz));
    if (state->max_memory_clock_mhz)
      contract.set("device.max_memory_clock_mhz", std::to_string(*state->max_memory_clock_mhz));
    if (state->power_limit_w) contract.set("device.power_limit_w", fmt::format("{:.0f}", *state->power_limit_w));
    contract.set("machine.gpu", state->uuid);
  }
  Hasher sources;
  for (const build::Dependency& source : bench.built.sources) sources.add(source.hash);
  contract.set("candidate.source", sources.hex());
  if (!bench.built.cubin.empty()) contract.set("candidate.cubin", file_hash(bench.built.cubin));
  contract.set(
      "candidate.flags",
      fmt::format("{}", fmt::join(spec::kernel_of(*bench.request.spec, bench.built.configuration).flags, " ")));
  return contract;
}

std::string dtype_of(const measure::CaseMeasurement& measured) {
  const size_t at = measured.shape.find("dtype=");
  if (at == std::string::npos) return "";
  const size_t end = measured.shape.find(',', at);
  return measured.shape.substr(at + 6, end == std::string::npos ? end : end - at - 6);
}

}  // namespace

Result<Bench> prepare_bench(const spec::KernelSpec& spec, const MeasureRequest& wanted, const Context& context) {
  Bench bench;
  measure::BenchRequest& request = bench.request;
  ASSAY_TRY(const MeasuredDevice device, measured_device(wanted.device, "this command"));
  request.device = device.ordinal;
  request.spec = &spec;
  ASSAY_TRY(request.configuration, chosen_configuration(spec, wanted.configuration));
  ASSAY_TRY(Runnable runnable, make_runnable(spec, request.configuration, device.name, {}, context));
  bench.built = std::move(runnable.built);
  request.cache_folder = runnable.worker.setup.cache_folder;
  ASSAY_TRY(const measure::ProviderPrograms programs, measure::ProviderPrograms::install(request.cache_folder));
  request.instruments = programs.instruments();
  ASSAY_TRY(bench.device, device::open_device(device.name));
  request.model = bench.device->model();
  if (wanted.candidate.empty()) {
    request.contenders.push_back(kernel_contender(spec.kernel.name, spec, bench.built, context));
  } else {
    ASSAY_TRY(measure::Contender candidate, baseline_contender(spec, wanted.candidate, programs, device.name, context));
    candidate.must_be_own_kernels = true;
    request.contenders.push_back(std::move(candidate));
  }
  for (const std::string& name : wanted.baselines) {
    ASSAY_TRY(measure::Contender contender, baseline_contender(spec, name, programs, device.name, context));
    request.contenders.push_back(std::move(contender));
  }
  const Measuring& measuring = wanted.measuring;
  request.protocol.launch = measure::launch_from_name(measuring.protocol).value_or(measure::Launch::graph);
  request.protocol.cache = measure::cache_from_name(measuring.cache).value_or(measure::Cache::warm);
  request.protocol.sets = measuring.sets;
  request.sampling =
      measure::sampling_for(measuring.samples, measuring.most_samples, measuring.width, measuring.budget_s);
  request.seed = wanted.seed;
  request.order_seed = measuring.order_seed;
  request.context = context;
  ASSAY_TRY(request.shapes, chosen_shapes(spec, request.configuration, measuring));
  request.contract = describe(bench, request.device);
  if (wanted.candidate.empty()) {
    // Without room for it the baseline of a later run is compared as it was stored.
    if (const auto kept = keep_candidate(spec, bench.built, request.cache_folder))
      request.contract.set("candidate.kept", *kept);
  }
  return bench;
}

Result<std::vector<spec::Shape>> chosen_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                               const Measuring& wanted) {
  std::vector<spec::Shape> shapes;
  if (!wanted.shape.empty()) {
    ASSAY_TRY(spec::Shape shape, spec::parse_shape(spec, wanted.shape));
    shapes.push_back(std::move(shape));
    return shapes;
  }
  ASSAY_TRY(const std::vector<spec::Shape> all, spec::shapes(spec, wanted.shapes));
  for (const spec::Shape& shape : all) {
    ASSAY_TRY(const std::string reason, spec::why_not_applicable(spec, configuration, shape));
    if (reason.empty()) shapes.push_back(shape);
  }
  if (shapes.empty())
    return Error{fmt::format("configuration {} can run none of the shapes '{}'", configuration.id(), wanted.shapes),
                 Place{spec.file.string()}, "choose another --config or --shapes"};
  return shapes;
}

judge::CompareOptions compare_options(uint64_t seed) {
  judge::CompareOptions compare;
  compare.seed = seed;
  return compare;
}

judge::CompareOptions compare_options(uint64_t seed, const Bench& bench, Recording& recording) {
  return judge::calibrated(compare_options(seed), stored_calibration(recording, bench.request.model));
}

std::vector<ledger::Samples> samples_of(const measure::CaseMeasurement& measured) {
  std::vector<ledger::Samples> list;
  for (size_t i = 0; i < measured.contenders.size(); ++i) {
    const measure::ContenderResult& contender = measured.contenders[i];
    if (!contender.timed()) continue;
    ledger::Samples samples;
    samples.contender = contender.name;
    samples.role = i == 0 ? ledger::Role::candidate : ledger::Role::baseline;
    samples.shape = measured.shape;
    samples.dtype = dtype_of(measured);
    samples.protocol =
        fmt::format("{} {}", measured.contract.value("protocol.launch"), measured.contract.value("protocol.cache"));
    for (const judge::Batch& batch : contender.batches) {
      for (size_t k = 0; k < batch.microseconds.size(); ++k) {
        samples.times_us.push_back(batch.microseconds[k]);
        samples.clocks_mhz.push_back(batch.clock_mhz.value_or(0));
        samples.throttle.push_back(!batch.throttled.empty() && batch.throttled[k] ? 1 : 0);
      }
    }
    list.push_back(std::move(samples));
  }
  return list;
}

judge::Batches batches_of(const ledger::Samples& samples, size_t batch, size_t batches_per_process) {
  judge::Batches batches;
  const size_t size = std::max<size_t>(1, batch);
  for (size_t at = 0; at < samples.times_us.size(); at += size) {
    judge::Batch part;
    const size_t end = std::min(samples.times_us.size(), at + size);
    for (size_t i = at; i < end; ++i) {
      part.microseconds.push_back(samples.times_us[i]);
      part.throttled.push_back(i < samples.throttle.size() && samples.throttle[i] != 0);
    }
    if (at < samples.clocks_mhz.size() && samples.clocks_mhz[at] > 0) part.clock_mhz = samples.clocks_mhz[at];
    if (batches_per_process > 0) part.process = batches.size() / batches_per_process;
    batches.push_back(std::move(part));
  }
  return batches;
}

ledger::Attempt measure_attempt(const Recording& recording, const Bench& bench, const report::BenchCase& measured) {
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, bench.built);
  attempt.configuration = bench.request.configuration.id();
  describe_case(attempt, measured);
  return attempt;
}

void describe_case(ledger::Attempt& attempt, const report::BenchCase& measured) {
  const measure::ContenderResult& candidate = measured.measured.candidate();
  attempt.shape = measured.measured.shape;
  attempt.dtype = dtype_of(measured.measured);
  attempt.seed = measured.measured.seed;
  attempt.verdict = candidate.good() ? "measured" : "rejected";
  // Verified against float64, or not looked at: agreement with a baseline alone is not enough for a leaderboard.
  attempt.correct = candidate.good() && candidate.verified_sets == 0 ? std::nullopt : std::optional(candidate.good());
  attempt.exit_code = static_cast<int>(candidate.good() ? ExitCode::good : ExitCode::incorrect);
  attempt.contract = nlohmann::json(measured.measured.contract.fields()).dump();
  attempt.comparable = measured.measured.contract.hash();
  if (candidate.time_us) attempt.p50_us = candidate.time_us->p50;
  attempt.details =
      report::bench_case_document(measured, false).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::string> bench_work(const Bench& bench) {
  const measure::BenchRequest& request = bench.request;
  ASSAY_TRY(const std::string specification, read_file(request.spec->file));
  const judge::Replication& plan = request.sampling.plan;
  Hasher hasher;
  hasher.add("bench").add(kVersion).add(specification).add(request.configuration.id());
  hasher.add(sources_hash(*request.spec));  // a reference that has changed may say otherwise of the same times
  hasher.add(fmt::format("{} {} {} {} {} {} {} {} {}", name(request.protocol.launch), name(request.protocol.cache),
                         request.protocol.sets, plan.batch, plan.batches, plan.most, plan.width,
                         request.sampling.budget_s, request.seed));
  hasher.add(request.order_seed ? std::to_string(*request.order_seed) : "");
  for (const auto& [field, text] : request.contract.fields()) hasher.add(field).add(text);
  for (const measure::Contender& contender : request.contenders) {
    hasher.add(contender.name).add(contender.provider).add(fmt::format("{}", fmt::join(contender.arguments, "\n")));
    for (const auto& [key, option] : contender.options) {
      const auto* text = std::get_if<std::string>(&option);
      std::error_code failed;
      hasher.add(key).add(text != nullptr ? *text : "");
      // What a file holds counts, not where it lies.
      if (text != nullptr && fs::is_regular_file(*text, failed)) hasher.add(file_hash(*text));
    }
  }
  for (const spec::Shape& shape : request.shapes) hasher.add(shape.text());
  return hasher.hex();
}

Result<void> run_bench(Bench& bench, const judge::CompareOptions& compare, Recording& recording, const OnCase& on_case,
                       Resumption* resumption) {
  using nlohmann::json;
  bench.request.compare = compare;
  std::map<std::string, std::optional<int64_t>> recalled;  // by shape: the attempt that it was recorded as
  bench.request.recall = [&](const std::string& shape) -> std::optional<measure::CaseMeasurement> {
    const std::string* const payload = resumption != nullptr ? resumption->recall(shape) : nullptr;
    const json stored = payload != nullptr ? json::parse(*payload, nullptr, false) : json();
    if (!stored.is_object() || !stored.contains("measured") || !stored.contains("attempt")) return std::nullopt;
    auto measured = measure::measurement_from_json(stored["measured"]);
    if (!measured) return std::nullopt;
    const json& attempt = stored["attempt"];
    recalled[shape] = attempt.is_number_integer() ? std::optional(attempt.get<int64_t>()) : std::nullopt;
    return std::move(*measured);
  };
  bench.request.on_case = [&](measure::CaseMeasurement measured) -> Result<void> {
    const std::vector<ledger::Samples> samples = samples_of(measured);
    const auto known = recalled.find(measured.shape);
    json stored = known == recalled.end() && resumption != nullptr ? measure::to_json(measured) : json();
    ASSAY_TRY(const report::BenchCase judged, measure::judge_case(std::move(measured), compare));
    if (known != recalled.end()) return on_case(judged, known->second);
    ASSAY_TRY(const std::optional<int64_t> attempt,
              recording.write(measure_attempt(recording, bench, judged), samples));
    if (resumption != nullptr) {
      const json piece = {{"measured", std::move(stored)}, {"attempt", attempt ? json(*attempt) : json()}};
      ASSAY_CHECK(
          resumption->remember(judged.measured.shape, piece.dump(-1, ' ', false, json::error_handler_t::replace)));
      ASSAY_CHECK(resumption->flush());  // a shape takes seconds
    }
    return on_case(judged, attempt);
  };
  return measure::bench(bench.request);
}

}  // namespace assay::work
