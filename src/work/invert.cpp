// SPDX-License-Identifier: MIT
#include "assay/invert.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/elapsed.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "invert/proof.hpp"
#include "spec/choice.hpp"
#include "spec/shape.hpp"
#include "work/device_pair.hpp"
#include "work/document.hpp"
#include "work/invert_json.hpp"
#include "work/invert_reading.hpp"
#include "work/inverter.hpp"
#include "work/kernel.hpp"
#include "work/kernel_sources.hpp"

namespace assay::work {

Result<InvertReport> Inverter::run() {
  ASSAY_CHECK(diagnose());
  ASSAY_CHECK(open());
  ASSAY_CHECK(prepare());
  ASSAY_CHECK(make_mutants());
  ASSAY_CHECK(prove());
  ASSAY_CHECK(time_on_gpu());
  details_->wall_s = seconds_since(began_);
  collect();
  read_experiments(report_);
  ASSAY_CHECK(write());
  // What there was no time for is done by the same command, so the rest stays remembered.
  ASSAY_CHECK(report_.left_over.empty() ? resumption_->finish() : resumption_->flush());
  report_.details = details_;
  return std::move(report_);
}

Result<void> Inverter::diagnose() {
  ASSAY_TRY(configuration_, chosen_configuration(spec_, request_.choice.configuration));
  ASSAY_TRY(shape_, request_.shape.empty() ? spec::first_shape(spec_) : spec::parse_shape(spec_, request_.shape));
  blocks_ = affordable_blocks(spec_, configuration_, shape_, request_.blocks);
  DiagnoseRequest request;
  request.choice = {request_.choice.kernel, request_.choice.configuration, device_};
  request.shape = request_.shape;
  request.measure = false;
  request.seed = request_.seed;
  request.blocks = blocks_;
  request.limits = request_.limits;
  request.record.ledger = "none";
  if (auto rates = stored_rates(recording_, device_)) request.rates = std::make_shared<StoredRates>(*std::move(rates));
  ASSAY_TRY(details_->diagnosis, work::diagnose(request, context_));
  report_.kernel = spec_.kernel.name;
  report_.configuration = details_->diagnosis.configuration;
  report_.device = device_;
  report_.shape = details_->diagnosis.shape;
  if (!details_->diagnosis.findings.empty()) report_.diagnosed = details_->diagnosis.findings.front().rule;
  return {};
}

Result<void> Inverter::open() {
  ASSAY_TRY(ScratchFolder folder, ScratchFolder::make());
  folder_.emplace(std::move(folder));
  const EstimatedCase& known = estimated();
  if (known.entry.empty() || spec_.stages.size() != 1)
    return Error{"experiments change one kernel, and this call has several or a launch function",
                 Place{spec_.file.string()},
                 "describe the kernel that matters by itself; assay diagnose looks at all of them", ExitCode::usage};
  ASSAY_TRY(original_, read_file(known.ptx));
  for (const std::string& name : request_.experiments) {
    if (invert::find_row(name) == nullptr)
      return Error{fmt::format("there is no experiment '{}'", name), {}, "docs/invert.md lists them", ExitCode::usage};
  }
  facts_ = facts_of(known);
  rates_.emplace(*facts_.model, known.measured);
  return open_resumption();
}

Result<void> Inverter::open_resumption() {
  ASSAY_TRY(const std::string specification, read_file(spec_.file));
  Hasher hasher;
  hasher.add("invert").add(kVersion).add(specification).add(original_).add(configuration_.id()).add(shape_.text());
  hasher.add(sources_hash(spec_));
  hasher.add(device_).add(gpu_).add(fmt::format("{} {} {} {} {}", request_.quick, request_.assemble, request_.seed,
                                                request_.blocks, request_.measure));
  ASSAY_TRY(Resumption resumption, Resumption::open(recording_.ledger(), hasher.hex()));
  resumption_.emplace(std::move(resumption));
  return {};
}

std::string Inverter::worker_configuration(const spec::Configuration& configuration) const {
  return spec_.tunable.tunables.empty() ? "" : configuration.id();
}

Result<void> Inverter::store(Image& image, const std::string& name) {
  image.printed = image.text.print();
  image.file = folder_->path() / (name + ".ptx");
  return write_file_atomically(image.file, image.printed.text);
}

Result<size_t> Inverter::control(invert::KernelText text, const gpu::LaunchChange& launch, const std::string& name,
                                 const std::string& configuration) {
  Image image;
  image.text = std::move(text);
  image.launch = launch;
  image.configuration = configuration;
  ASSAY_CHECK(store(image, "control_" + name));
  controls_.push_back(std::move(image));
  return controls_.size() - 1;
}

Result<void> Inverter::prepare() {
  ASSAY_TRY(invert::KernelText text, invert::prepare(original_, estimated().ptx.string(), estimated().entry));
  ASSAY_TRY(const size_t first, control(std::move(text), {}, "prepared", worker_configuration(configuration_)));
  ProvingGround::Setup setup;
  setup.spec = &spec_;
  setup.shape = shape_;
  setup.device = device_;
  setup.seed = request_.seed;
  setup.blocks = blocks_;
  setup.limits = request_.limits;
  setup.context = context_;
  setup.facts = &facts_;
  setup.rates = &*rates_;
  ASSAY_TRY(wanted_, ProvingGround::open(setup, controls_[first], &estimated().estimate));
  const CountedImage& own = wanted_->prepared();
  facts_.counts = own.lines;
  report_.time_us = own.us;
  details_->sampled = own.sampled;
  details_->blocks = own.blocks;
  details_->blocks_run = own.blocks_run;
  return find_smaller(setup);
}

Result<void> Inverter::find_smaller(ProvingGround::Setup setup) {
  constexpr uint64_t kQuick = 50'000;  // instructions of warps in a block: less is not worth looking for
  constexpr uint64_t kLittle = uint64_t{64} << 20;
  constexpr int kProbes = 16;
  uint64_t issued = 0;
  for (const gpu::InstructionCount& count : facts_.counts) issued += count.issued;
  issued /= std::max<uint64_t>(1, wanted_->prepared().blocks_run);
  if (request_.blocks == 0 || (issued < kQuick && facts_.all_buffers < kLittle)) return {};
  int probes = 0;
  for (const auto& [dimension, value] : shape_.values) {
    for (const spec::Shape& shape : smaller_along(spec_, configuration_, setup.shape, dimension)) {
      // Half of the time for proofs may go into making them shorter.
      if (probes++ == kProbes || (proof_seconds() > 0 && seconds_since(began_) > proof_seconds() / 2)) return {};
      ProvingGround::Setup other = setup;
      other.shape = shape;
      auto ground = ProvingGround::open(other, controls_.front(), nullptr);
      if (!ground && ground.error().exit_code == kInterrupted) return ground.error();
      if (!ground || !stands_for((*ground)->prepared(), wanted_->prepared())) continue;
      smaller_ = std::move(*ground);
      smaller_facts_ = facts_;
      smaller_facts_.counts = smaller_->prepared().lines;
      details_->proved_at = shape.text();
      setup.shape = shape;
      break;
    }
  }
  return {};
}

bool Inverter::recall(Trial& trial) {
  const std::string* kept = resumption_->recall(key(trial));
  if (kept == nullptr) return false;
  const auto known = experiment_from(nlohmann::json::parse(*kept, nullptr, false));
  if (!known) return false;
  trial.result = *known;
  trial.done = true;
  return true;
}

std::string Inverter::key(const Trial& trial) {
  return fmt::format("{}/{}", trial.result.name, trial.dose);
}

Result<void> Inverter::remember(const Trial& trial) {
  return resumption_->remember(key(trial), to_json(trial.result).dump());
}

void Inverter::end(Trial& trial, invert::State state, std::string why) {
  trial.result.state = to_string(state);
  trial.result.why = std::move(why);
  trial.done = true;
}

std::vector<InvertTrial*> Inverter::in_order_of_worth() {
  constexpr size_t kFindings = 3;
  const auto tier = [&](const Trial& trial) {
    // More blocks on idle SMs tell of a gain as well.
    const bool gains = trial.row->kind == invert::Kind::ablation || trial.row->name == "more_blocks";
    const std::vector<DiagnosedFinding>& findings = details_->diagnosis.findings;
    const bool first_dose = trial.dose == trial.row->doses.front();
    for (size_t i = 0; first_dose && i < std::min(kFindings, findings.size()); ++i) {
      if (invert::concerns(trial.row->resource, findings[i].rule)) return static_cast<int>(i);
    }
    return static_cast<int>(kFindings) + (gains ? 0 : 1);
  };
  std::vector<Trial*> order;
  for (Trial& trial : trials_) {
    if (!trial.done && trial.image) order.push_back(&trial);
  }
  std::ranges::stable_sort(order, {}, [&](const Trial* trial) { return std::pair(tier(*trial), trial->dose); });
  return order;
}

void Inverter::collect() {
  for (const Trial& trial : trials_) {
    report_.experiments.push_back(trial.result);
    if (trial.result.state == to_string(invert::State::not_tried) || trial.out_of_time)
      report_.left_over.push_back(fmt::format("{} {}", trial.result.name, trial.dose));
  }
}

Result<void> Inverter::write() {
  nlohmann::json& document = details_->document;
  document = document_head("invert", spec_, report_.configuration, device_);
  document.update(report_document(report_, *details_));
  // Of its own kind, without a time of the candidate: no leaderboard looks at it.
  ledger::Attempt attempt = recording_.draft();
  attempt.configuration = report_.configuration;
  attempt.shape = report_.shape;
  attempt.verdict = report_.first.empty() ? "nothing stands out" : report_.first;
  return recording_.write(std::move(attempt), document);
}

Result<InvertReport> invert(const InvertRequest& request, const Context& context) {
  const auto details = std::make_shared<InvertDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const DevicePair devices, device_pair(details->spec, request.choice.device, request.measure));
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::profile, &details->spec, request.choice.configuration,
                                                  devices.main(), request.seed}));
  return recording.close(Inverter(request, context, details, devices.counts, devices.measures, recording).run());
}

std::string to_json(const InvertReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
