// SPDX-License-Identifier: MIT
#include "assay/diagnose.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "assay/bench.hpp"
#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "spec/shape.hpp"
#include "work/device_pair.hpp"
#include "work/diagnose_details.hpp"
#include "work/document.hpp"
#include "work/kernel.hpp"
#include "work/recording.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

// Variables of the shape that the problem has, and whether the grid goes along them.
std::vector<diagnosis::Axis> axes_of(const spec::KernelSpec& spec, const spec::Shape& shape) {
  std::set<std::string> in_grid;
  for (const spec::StageSpec& stage : spec.stages) {
    for (const spec::Expression& extent : stage.launch.grid)
      in_grid.insert(extent.names().begin(), extent.names().end());
  }
  std::vector<diagnosis::Axis> axes;
  for (const auto& [name, value] : shape.values) {
    if (!value.is_number() || value.is_boolean()) continue;
    // Only what the outputs are as long as: an axis that is summed over cannot simply be dealt to blocks.
    const bool in_output = std::ranges::any_of(spec.arguments, [&](const spec::ArgumentSpec& argument) {
      const auto* tensor = std::get_if<spec::TensorSpec>(&argument.kind);
      if (tensor == nullptr || !spec::is_result(tensor->role)) return false;
      return std::ranges::any_of(tensor->shape, [&](const auto& extent) { return extent.names().contains(name); });
    });
    if (in_output) axes.push_back({name, value.as_double(), in_grid.contains(name)});
  }
  return axes;
}

// nvcc writes what it was asked for into the PTX: ".target sm_90, debug".
bool is_debug_build(const std::filesystem::path& ptx) {
  const auto text = read_file(ptx);
  if (!text) return false;
  const size_t at = text->find(".target");
  if (at == std::string::npos) return false;
  return std::string_view(*text).substr(at, text->find('\n', at) - at).find("debug") != std::string_view::npos;
}

diagnosis::Case advised_case(const spec::KernelSpec& spec, const spec::Shape& shape, const EstimatedCase& estimated) {
  diagnosis::Case about;
  about.work = estimated.work;
  about.estimate = estimated.estimate;
  about.model = estimated.model;
  about.blocks_per_sm = estimated.blocks_per_sm;
  about.time_us = estimated.estimate.time_us;
  about.flops = estimated.flops;
  about.bytes = estimated.bytes;
  for (const spec::ResolvedArgument& argument : estimated.arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    about.argument_bytes += static_cast<double>(tensor->bytes);
    about.narrow_inputs =
        about.narrow_inputs || (tensor->role == spec::Role::input && spec::size_bytes(tensor->dtype) <= 2);
  }
  about.axes = axes_of(spec, shape);
  if (estimated.usage) {
    about.spill_bytes = estimated.usage->spill_load_bytes.value_or(0) + estimated.usage->spill_store_bytes.value_or(0);
  }
  about.debug_build = is_debug_build(estimated.ptx);
  return about;
}

// The candidate's median on the GPU, or why there is none.
Result<double> measured_us(const spec::KernelSpec& spec, const DiagnoseRequest& request, const std::string& shape,
                           const std::string& gpu, const Context& context) {
  BenchRequest bench;
  bench.choice = {spec.file.string(), request.choice.configuration, gpu};
  bench.measuring.shape = shape;
  bench.measuring.cache = "rotating";
  bench.seed = request.seed;
  bench.record = request.record;
  ASSAY_TRY(const BenchReport report, work::bench(bench, context));
  const ContenderTime& candidate = report.kernels.front().cases.front().contenders.front();
  if (!candidate.good || !candidate.p50_us) return Error{candidate.objection};
  return *candidate.p50_us;
}

struct Sweep {
  std::string name;
  int64_t first = 0;
  int64_t last = 0;
};

Result<Sweep> parse_sweep(const std::string& text) {
  const size_t equals = text.find('=');
  const size_t dots = text.find("..");
  const Error wrong{fmt::format("'{}' is no sweep", text), {}, "--sweep S=128..16384: S doubles from 128 to 16384"};
  if (equals == std::string::npos || dots == std::string::npos || dots < equals) return wrong;
  Sweep sweep;
  sweep.name = text.substr(0, equals);
  const auto number = [](std::string_view digits, int64_t& into) {
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    return problem == std::errc() && end == digits.data() + digits.size();
  };
  const std::string_view all = text;
  if (!number(all.substr(equals + 1, dots - equals - 1), sweep.first) || !number(all.substr(dots + 2), sweep.last) ||
      sweep.first < 1 || sweep.last < sweep.first)
    return wrong;
  return sweep;
}

Result<std::vector<spec::Shape>> sweep_shapes(const spec::KernelSpec& spec, const spec::Shape& base,
                                              const Sweep& sweep) {
  std::vector<spec::Shape> shapes;
  for (int64_t value = sweep.first; value <= sweep.last; value *= 2) {
    std::string text;
    bool found = false;
    for (const std::string_view part : split(base.text(), ',')) {
      const bool own = part.starts_with(sweep.name + "=");
      found = found || own;
      text += fmt::format("{}{}", text.empty() ? "" : ",", own ? fmt::format("{}={}", sweep.name, value) : part);
    }
    if (!found)
      return Error{
          fmt::format("the shape has no variable '{}'", sweep.name), {}, fmt::format("it has {}", base.text())};
    ASSAY_TRY(spec::Shape shape, spec::parse_shape(spec, text));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

json advice_document(const diagnosis::Advice& advice) {
  json document = {{"rule", advice.rule},
                   {"title", advice.title},
                   {"evidence", advice.evidence.facts},
                   {"cap_us", advice.cap_us},
                   {"remedy", advice.remedy}};
  if (advice.evidence.line) {
    document["file"] = advice.evidence.line->file;
    document["line"] = advice.evidence.line->line;
    document["line_share"] = advice.evidence.line_share;
  }
  return document;
}

class Diagnoser {
 public:
  Diagnoser(const DiagnoseRequest& request, const Context& context, std::shared_ptr<DiagnoseDetails> details,
            std::string device, std::string gpu, Recording& recording)
      : request_(request),
        context_(context),
        details_(std::move(details)),
        spec_(details_->spec),
        device_(std::move(device)),
        gpu_(std::move(gpu)),
        recording_(recording) {}

  Result<DiagnoseReport> run() {
    ASSAY_TRY(configuration_, chosen_configuration(spec_, request_.choice.configuration));
    ASSAY_TRY(const spec::Shape shape,
              request_.shape.empty() ? spec::first_shape(spec_) : spec::parse_shape(spec_, request_.shape));
    ASSAY_CHECK(diagnose_shape(shape));
    if (!request_.sweep.empty()) ASSAY_CHECK(sweep(shape));
    ASSAY_CHECK(write());
    report_.details = details_;
    return std::move(report_);
  }

 private:
  Result<EstimatedCase> counted(const spec::Shape& shape) {
    return estimate_case(spec_, configuration_, shape, {device_, request_.seed, request_.blocks, request_.limits},
                         context_);
  }

  // A measurement that fails leaves the diagnosis with the estimate, and says why.
  Result<void> measure(const std::string& shape, diagnosis::Case& about) {
    if (gpu_.empty()) return {};
    const auto time = measured_us(spec_, request_, shape, gpu_, context_);
    if (!time && time.error().exit_code == kInterrupted) return time.error();
    if (!time) {
      details_->not_measured = time.error().message;
      return {};
    }
    about.time_us = *time;
    about.measured = true;
    return {};
  }

  Result<void> profile(const std::string& shape) {
    if (!request_.with_ncu) return {};
    ProfileRequest profile;
    profile.choice = {request_.choice.kernel, request_.choice.configuration, device_};
    profile.shape = shape;
    profile.with_ncu = true;
    profile.seed = request_.seed;
    profile.limits = request_.limits;
    profile.record = request_.record;
    ASSAY_TRY(details_->profile, work::profile(profile, context_));
    return {};
  }

  Result<void> diagnose_shape(const spec::Shape& shape) {
    ASSAY_TRY(details_->estimated, counted(shape));
    diagnosis::Case about = advised_case(spec_, shape, details_->estimated);
    ASSAY_CHECK(measure(shape.text(), about));
    ASSAY_CHECK(profile(shape.text()));
    details_->diagnosis = diagnosis::diagnose(about);
    const diagnosis::Diagnosis& diagnosis = details_->diagnosis;
    report_.kernel = spec_.kernel.name;
    report_.configuration = configuration_.id();
    report_.device = device_;
    report_.shape = details_->estimated.shape;
    report_.known = about.measured ? (details_->profile ? "counted, measured and profiled" : "counted and measured")
                                   : "counted and estimated";
    report_.time_us = diagnosis.time_us;
    report_.measured = diagnosis.measured;
    report_.floor_us = diagnosis.floor.time_us;
    report_.floor_by = diagnosis.floor.by;
    report_.limiter = about.estimate.limiter;
    for (const diagnosis::Advice& advice : diagnosis.advice) {
      DiagnosedFinding finding{advice.rule, advice.title, advice.evidence.facts, "", 0, advice.cap_us, advice.remedy};
      if (advice.evidence.line) {
        finding.file = advice.evidence.line->file;
        finding.line = advice.evidence.line->line;
      }
      report_.findings.push_back(std::move(finding));
    }
    return {};
  }

  Result<void> sweep(const spec::Shape& base) {
    ASSAY_TRY(const Sweep wanted, parse_sweep(request_.sweep));
    ASSAY_TRY(const std::vector<spec::Shape> shapes, sweep_shapes(spec_, base, wanted));
    Progress progress(context_, "sweep", shapes.size());
    for (const spec::Shape& shape : shapes) {
      ASSAY_TRY(const EstimatedCase estimated, counted(shape));
      diagnosis::Case about = advised_case(spec_, shape, estimated);
      ASSAY_CHECK(measure(shape.text(), about));
      const diagnosis::Floor floor = diagnosis::floor_of(about);
      const double seconds = about.time_us * 1e-6;
      report_.sweep.push_back({shape.text(), about.time_us, about.measured, floor.time_us, estimated.estimate.limiter,
                               estimated.flops / seconds / 1e12, estimated.bytes / seconds / 1e9});
      progress.advance(shape.text());
      ASSAY_CHECK(check_cancelled(context_));
    }
    return {};
  }

  Result<void> write() {
    json& document = details_->document;
    document = document_head("diagnose", spec_, report_.configuration, device_);
    document.update(estimate_document(details_->estimated));
    document["known"] = report_.known;
    document["time_us"] = report_.time_us;
    document["measured"] = report_.measured;
    document["floor"] = {{"time_us", report_.floor_us}, {"by", report_.floor_by}};
    document["findings"] = json::array();
    for (const diagnosis::Advice& advice : details_->diagnosis.advice)
      document["findings"].push_back(advice_document(advice));
    if (!details_->not_measured.empty()) document["not_measured"] = details_->not_measured;
    if (details_->profile) document["profile"] = json::parse(to_json(*details_->profile));
    for (const SweepPoint& point : report_.sweep) {
      document["sweep"].push_back({{"shape", point.shape},
                                   {"time_us", point.time_us},
                                   {"known", point.measured ? "measured" : "estimated"},
                                   {"floor_us", point.floor_us},
                                   {"limiter", point.limiter},
                                   {"tflops", point.tflops},
                                   {"gb_per_s", point.gb_per_s}});
    }
    ledger::Attempt attempt = recording_.draft();
    attempt.configuration = report_.configuration;
    attempt.shape = report_.shape;
    attempt.verdict = report_.findings.empty() ? "nothing found" : report_.findings.front().rule;
    return recording_.write(std::move(attempt), document);
  }

  const DiagnoseRequest& request_;
  const Context& context_;
  const std::shared_ptr<DiagnoseDetails> details_;
  const spec::KernelSpec& spec_;
  const std::string device_;
  const std::string gpu_;  // empty: nothing is measured
  Recording& recording_;
  spec::Configuration configuration_;
  DiagnoseReport report_;
};

}  // namespace

Result<DiagnoseReport> diagnose(const DiagnoseRequest& request, const Context& context) {
  const auto details = std::make_shared<DiagnoseDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const DevicePair devices, device_pair(details->spec, request.choice.device, request.measure));
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::profile, &details->spec, request.choice.configuration,
                                                  devices.main(), request.seed}));
  return recording.close(Diagnoser(request, context, details, devices.counts, devices.measures, recording).run());
}

std::string to_json(const DiagnoseReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
