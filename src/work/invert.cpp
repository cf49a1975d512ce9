// SPDX-License-Identifier: MIT
#include "assay/invert.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/repository.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "check/experiments.hpp"
#include "device/open/open_device.hpp"
#include "estimate/estimate.hpp"
#include "invert/proof.hpp"
#include "invert/reading.hpp"
#include "measure/mutant_timing.hpp"
#include "spec/choice.hpp"
#include "spec/shape.hpp"
#include "work/device_pair.hpp"
#include "work/diagnose_details.hpp"
#include "work/document.hpp"
#include "work/invert_details.hpp"
#include "work/invert_json.hpp"
#include "work/invert_reading.hpp"
#include "work/kernel.hpp"
#include "work/measuring.hpp"
#include "work/mutant_assembly.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"

namespace assay::work {
namespace {

using invert::Mutant;
using invert::Row;
using nlohmann::json;

// A text that runs: a mutant or a control.
struct Image {
  invert::KernelText text{};
  invert::KernelText::Printed printed{};
  std::filesystem::path file{};
  gpu::LaunchChange launch{};
  std::string configuration{};  // id; "" without tunables
  AssemblyResult assembled{};
  std::optional<double> estimated_us{};
};

struct Trial {
  const Row* row = nullptr;
  int dose = 1;
  InvertedExperiment result;
  std::optional<Mutant> mutant;
  std::optional<Image> image;
  size_t control = 0;  // index into the images of controls
  bool done = false;   // recalled, or over
  bool vanished = false;
};

class Inverter {
 public:
  Inverter(const InvertRequest& request, const Context& context, std::shared_ptr<InvertDetails> details,
           std::string device, std::string gpu, Recording& recording)
      : request_(request),
        context_(context),
        details_(std::move(details)),
        spec_(details_->spec),
        device_(std::move(device)),
        gpu_(std::move(gpu)),
        recording_(recording) {}

  Result<InvertReport> run() {
    ASSAY_CHECK(diagnose());
    ASSAY_CHECK(open());
    ASSAY_CHECK(prepare());
    ASSAY_CHECK(make_mutants());
    ASSAY_CHECK(assemble());
    ASSAY_CHECK(count());
    ASSAY_CHECK(time_on_gpu());
    for (const Trial& trial : trials_) report_.experiments.push_back(trial.result);
    read_experiments(report_);
    ASSAY_CHECK(write());
    ASSAY_CHECK(resumption_->finish());
    report_.details = details_;
    return std::move(report_);
  }

 private:
  // The counts, the estimate and the findings that are compared with.
  Result<void> diagnose() {
    DiagnoseRequest request;
    request.choice = {request_.choice.kernel, request_.choice.configuration, device_};
    request.shape = request_.shape;
    request.measure = false;
    request.seed = request_.seed;
    request.blocks = request_.blocks;
    request.limits = request_.limits;
    request.record.ledger = "none";
    ASSAY_TRY(details_->diagnosis, work::diagnose(request, context_));
    report_.kernel = spec_.kernel.name;
    report_.configuration = details_->diagnosis.configuration;
    report_.device = device_;
    report_.shape = details_->diagnosis.shape;
    if (!details_->diagnosis.findings.empty()) report_.diagnosed = details_->diagnosis.findings.front().rule;
    return {};
  }

  const EstimatedCase& estimated() const { return details_->diagnosis.details->estimated; }

  Result<void> open() {
    ASSAY_TRY(configuration_, chosen_configuration(spec_, request_.choice.configuration));
    ASSAY_TRY(shape_, request_.shape.empty() ? spec::first_shape(spec_) : spec::parse_shape(spec_, request_.shape));
    ASSAY_TRY(ScratchFolder folder, ScratchFolder::make());
    folder_.emplace(std::move(folder));
    const EstimatedCase& known = estimated();
    if (known.entry.empty() || spec_.stages.size() != 1)
      return Error{"experiments change one kernel, and this call has several or a launch function",
                   Place{spec_.file.string()}, "describe the kernel that matters by itself", ExitCode::usage};
    ASSAY_TRY(original_, read_file(known.ptx));
    for (const std::string& name : request_.experiments) {
      if (invert::find_row(name) == nullptr)
        return Error{
            fmt::format("there is no experiment '{}'", name), {}, "docs/invert.md lists them", ExitCode::usage};
    }
    facts_ = facts_of(known);
    return open_resumption();
  }

  Result<void> open_resumption() {
    ASSAY_TRY(const std::string specification, read_file(spec_.file));
    Hasher hasher;
    hasher.add("invert").add(kVersion).add(specification).add(original_).add(configuration_.id()).add(shape_.text());
    hasher.add(device_).add(gpu_).add(fmt::format("{} {} {} {} {} {}", request_.quick, request_.budget_s,
                                                  request_.assemble, request_.seed, request_.blocks, request_.measure));
    ASSAY_TRY(Resumption resumption, Resumption::open(recording_.ledger(), hasher.hex()));
    resumption_.emplace(std::move(resumption));
    return {};
  }

  std::string worker_configuration(const spec::Configuration& configuration) const {
    return spec_.tunable.tunables.empty() ? "" : configuration.id();
  }
  check::Experiments& worker_of(const std::string& configuration) {
    auto& worker = workers_[configuration];
    if (!worker) {
      check::Experiments::Setup setup;
      setup.spec_file = spec_.file;
      setup.configuration = configuration;
      setup.shape = shape_.text();
      setup.device = device_;
      setup.seed = request_.seed;
      setup.cache_folder = build::ArtifactCache::default_folder();
      setup.time_limit = std::chrono::milliseconds(static_cast<int64_t>(request_.limits.time_s * 1000));
      setup.context = context_;
      worker = std::make_unique<check::Experiments>(std::move(setup));
    }
    return *worker;
  }

  Result<void> store(Image& image, const std::string& name) {
    image.printed = image.text.print();
    image.file = folder_->path() / (name + ".ptx");
    return write_file_atomically(image.file, image.printed.text);
  }

  // The number of the control: 0 is the prepared kernel. The same text and launch are one.
  Result<size_t> control(invert::KernelText text, const gpu::LaunchChange& launch, const std::string& name,
                         const std::string& configuration) {
    Image image;
    image.text = std::move(text);
    image.launch = launch;
    image.configuration = configuration;
    ASSAY_CHECK(store(image, "control_" + name));
    controls_.push_back(std::move(image));
    return controls_.size() - 1;
  }

  struct Counted {
    std::vector<gpu::InstructionCount> lines;
    double us = 0;
  };
  // Under the memory check: what is not clean has no time worth knowing.
  Result<Counted> counted(const Image& image) {
    check::TracedRequest request;
    request.ptx = image.file;
    request.checks = {gpu::kMemcheck};
    request.instruction_limit = request_.limits.instructions;
    request.blocks = request_.blocks;
    request.sampled = sampled_;
    request.change = image.launch;
    ASSAY_TRY(const check::TracedRun run, worker_of(image.configuration).run(request));
    Counted result;
    result.lines = invert::by_line(run.instructions, image.text, image.printed);
    int fit = facts_.blocks_per_sm;
    if (image.assembled.figures.blocks_per_sm) {
      fit = *image.assembled.figures.blocks_per_sm;
    } else if (!image.launch.plain()) {
      fit = blocks_that_fit(facts_, image.launch);
    }
    for (const gpu::LaunchWork& work : run.works)
      result.us += estimate::estimate(work, std::max(1, fit), *facts_.model, gpu::rates_of(*facts_.model)).time_us;
    if (&image == &controls_.front()) {
      sampled_ = run.works.front().sampled();
      details_->sampled = *sampled_;
      details_->blocks = run.works.front().blocks;
      details_->blocks_run = run.works.front().counted_blocks;
    }
    return result;
  }

  Result<void> prepare() {
    ASSAY_TRY(invert::KernelText text, invert::prepare(original_, estimated().ptx.string(), estimated().entry));
    ASSAY_TRY(const size_t first, control(std::move(text), {}, "prepared", worker_configuration(configuration_)));
    ASSAY_TRY(Counted own, counted(controls_[first]));
    facts_.counts = std::move(own.lines);
    controls_[first].estimated_us = own.us;
    report_.time_us = own.us;
    return {};
  }

  Result<void> make_mutants() {
    for (const Row& row : invert::catalogue()) {
      const bool wanted = request_.experiments.empty() ||
                          std::ranges::find(request_.experiments, row.name) != request_.experiments.end();
      if (!wanted) continue;
      for (const int dose : row.doses) {
        if (request_.quick && dose != row.doses.front()) break;
        Trial trial;
        trial.row = &row;
        trial.dose = dose;
        trial.result.name = row.name;
        trial.result.kind = to_string(row.kind);
        trial.result.resource = row.resource;
        trial.result.dose = dose;
        if (!recall(trial)) ASSAY_CHECK(make_mutant(trial));
        trials_.push_back(std::move(trial));
      }
    }
    return {};
  }

  static std::string key(const Trial& trial) { return fmt::format("{}/{}", trial.result.name, trial.dose); }

  bool recall(Trial& trial) {
    const std::string* kept = resumption_->recall(key(trial));
    if (kept == nullptr) return false;
    const auto known = experiment_from(json::parse(*kept, nullptr, false));
    if (!known) return false;
    trial.result = *known;
    trial.done = true;
    return true;
  }

  // A row that did not come to its time, and why. It is over.
  void end(Trial& trial, invert::State state, std::string why) {
    trial.result.state = to_string(state);
    trial.result.why = std::move(why);
    trial.done = true;
  }

  Result<void> make_mutant(Trial& trial) {
    if (trial.row->mutate == nullptr) return other_configuration(trial);
    invert::Outcome outcome = trial.row->mutate(controls_.front().text, facts_, trial.dose);
    if (!outcome.mutant) {
      end(trial, invert::State::not_applicable, std::move(outcome.why_not));
      return {};
    }
    return take_mutant(trial, std::move(*outcome.mutant), worker_configuration(configuration_));
  }

  Result<void> take_mutant(Trial& trial, Mutant mutant, const std::string& configuration) {
    const std::string name = fmt::format("{}_{}", trial.result.name, trial.dose);
    if (mutant.control) {
      ASSAY_TRY(trial.control, control(*mutant.control, mutant.control_launch, name, configuration));
    }
    const SourceNames names(spec_.source_path().parent_path());
    for (const invert::SourcePlace& site : mutant.sites) {
      if (site.line == 0) continue;
      std::string place = fmt::format("{}:{}", names.shown(site.file), site.line);
      if (std::ranges::find(trial.result.sites, place) == trial.result.sites.end())
        trial.result.sites.push_back(std::move(place));
    }
    Image image;
    image.text = mutant.text;
    image.launch = mutant.launch;
    image.configuration = configuration;
    ASSAY_CHECK(store(image, name));
    trial.image = std::move(image);
    trial.mutant = std::move(mutant);
    if (trial.row->kind != invert::Kind::ablation || trial.mutant->needs_dead_code_gone ||
        trial.row->name == "nothing_left")
      return {};
    const uint64_t dead = invert::newly_dead(controls_.front().text, facts_.counts, *trial.mutant);
    uint64_t all = 0;
    for (const gpu::InstructionCount& count : facts_.counts) all += count.issued;
    constexpr double kFew = 0.01;
    if (static_cast<double>(dead) > kFew * static_cast<double>(all))
      trial.result.why = fmt::format("{} further instructions of warps, {:.0f} %, are needed by nobody then", dead,
                                     100 * static_cast<double>(dead) / static_cast<double>(all));
    return {};
  }

  // The next lower value of a tunable.
  Result<void> other_configuration(Trial& trial) {
    for (const auto& [name, value] : configuration_.values) {
      std::string upper = name;
      std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      if (upper.find(trial.row->configuration.tunable) == std::string::npos || !value.is_number()) continue;
      const double own = value.as_double();
      std::optional<spec::Configuration> best;
      ASSAY_TRY(const std::vector<spec::Configuration> all, spec::configurations(spec_));
      for (const spec::Configuration& other : all) {
        spec::Configuration same = other;
        same.values[name] = value;
        if (same != configuration_ || other.values.at(name).as_double() >= own) continue;
        if (!best || other.values.at(name).as_double() > best->values.at(name).as_double()) best = other;
      }
      if (!best) continue;
      const auto runnable = make_runnable(spec_, *best, device_, request_.limits, context_);
      if (!runnable) {
        end(trial, invert::State::not_applicable, runnable.error().message);
        return {};
      }
      ASSAY_TRY(const std::string text, read_file(runnable->built.ptx));
      ASSAY_TRY(const std::string entry, first_kernel(spec_, *best, shape_, *runnable));
      auto prepared = invert::prepare(text, runnable->built.ptx.string(), entry);
      if (!prepared) {
        end(trial, invert::State::not_applicable, prepared.error().message);
        return {};
      }
      Mutant mutant;
      mutant.text = std::move(*prepared);
      mutant.foretold = false;
      return take_mutant(trial, std::move(mutant), worker_configuration(*best));
    }
    end(trial, invert::State::not_applicable,
        fmt::format("the kernel has no tunable with {} in its name and a lower value",
                    trial.row->configuration.tunable));
    return {};
  }

  Result<void> assemble() {
    if (!request_.assemble) {
      details_->no_ptxas = "not asked for";
      return {};
    }
    const auto assembly =
        MutantAssembly::open(*facts_.model, estimated().target, spec::kernel_of(spec_, configuration_).flags, context_);
    if (!assembly) {
      details_->no_ptxas = assembly.error().message;
      return {};
    }
    std::vector<Image*> images;
    for (Image& image : controls_) images.push_back(&image);
    for (Trial& trial : trials_) {
      if (trial.image && !trial.done) images.push_back(&*trial.image);
    }
    std::vector<AssemblyRequest> requests;
    for (const Image* image : images) {
      const gpu::Dim3& block = image->launch.block ? *image->launch.block : facts_.block;
      requests.push_back({image->file, image->text.entry(), static_cast<int64_t>(block.volume()),
                          facts_.dynamic_shared_bytes + image->launch.more_shared_bytes});
    }
    ASSAY_TRY(std::vector<AssemblyResult> results, assembly->assemble(requests));
    for (size_t i = 0; i < images.size(); ++i) images[i]->assembled = std::move(results[i]);
    return {};
  }

  Result<void> count() {
    Progress progress(context_, "experiments", trials_.size());
    if (const auto own = counted(controls_.front())) controls_.front().estimated_us = own->us;
    report_.time_us = controls_.front().estimated_us.value_or(0);
    for (Trial& trial : trials_) {
      progress.advance(fmt::format("{} {}", trial.result.name, trial.dose));
      if (trial.done || !trial.image) continue;
      ASSAY_CHECK(count_one(trial));
      ASSAY_CHECK(check_cancelled(context_));
      if (gpu_.empty()) ASSAY_CHECK(remember(trial));
    }
    doubt_other_doses();
    return {};
  }

  // Where the machine code shows that one dose vanished, the smaller ones have too: they are only harder to see.
  void doubt_other_doses() {
    std::map<std::string, std::string> vanished;
    for (const Trial& trial : trials_) {
      if (trial.vanished) vanished[trial.result.name] = trial.result.why;
    }
    for (Trial& trial : trials_) {
      const auto found = vanished.find(trial.result.name);
      if (found != vanished.end() && trial.image && trial.result.state == to_string(invert::State::ranked))
        end(trial, invert::State::not_proved, "another dose: " + found->second);
    }
  }

  Result<void> remember(const Trial& trial) { return resumption_->remember(key(trial), to_json(trial.result).dump()); }

  Result<void> count_one(Trial& trial) {
    Image& image = *trial.image;
    InvertedExperiment& result = trial.result;
    if (!image.assembled.refused.empty()) {
      end(trial, invert::State::failed, "ptxas: " + image.assembled.refused);
      return {};
    }
    Image& own_control = controls_[trial.control];
    if (!own_control.estimated_us) {
      const auto known = counted(own_control);
      if (!known && known.error().exit_code == kInterrupted) return known.error();
      if (!known) {
        end(trial, invert::State::failed, "its control: " + known.error().message);
        return {};
      }
      own_control.estimated_us = known->us;
    }
    const auto own = counted(image);
    if (!own && own.error().exit_code == kInterrupted) return own.error();
    if (!own) {
      end(trial, invert::State::failed, own.error().message);
      return {};
    }
    const invert::CountedChange change = invert::counted_change(facts_.counts, *trial.mutant, own->lines);
    result.counted_before = change.before;
    result.counted_added = change.added;
    result.counted_removed = change.removed;
    result.counts_foretold = change.exact;
    describe_assembly(result, own_control.assembled.figures, image.assembled.figures);
    if (trial.row->not_estimated.empty()) result.estimated_ratio = own->us / *own_control.estimated_us;
    if (trial.mutant->foretold && !change.exact) {
      end(trial, invert::State::not_proved, change.why_not);
      return {};
    }
    const invert::TextChange text = invert::text_change(controls_.front().text, *trial.mutant);
    const invert::Judged judged =
        invert::judge(own_control.assembled.figures, image.assembled.figures, *trial.row, text.added, text.removed);
    if (judged.standing == invert::Standing::vanished) {
      end(trial, invert::State::not_proved, judged.why);
      trial.vanished = true;
    } else if (judged.standing == invert::Standing::confounded) {
      end(trial, invert::State::confounded, judged.why);
      trial.done = false;  // it is timed and shown
    } else if (!result.why.empty()) {
      end(trial, invert::State::confounded, result.why);
      trial.done = false;
    } else {
      result.why = trial.row->not_estimated;
      result.state = to_string(result.why.empty() ? invert::State::ranked : invert::State::not_timed);
    }
    return {};
  }

  static void describe_assembly(InvertedExperiment& result, const invert::Assembled& before,
                                const invert::Assembled& after) {
    result.registers_before = before.registers;
    result.registers = after.registers;
    result.spill_bytes_before = before.spill_bytes;
    result.spill_bytes = after.spill_bytes;
    result.code_bytes_before = before.code_bytes;
    result.code_bytes = after.code_bytes;
    result.blocks_per_sm_before = before.blocks_per_sm;
    result.blocks_per_sm = after.blocks_per_sm;
  }

  measure::TimedImage timed(const Image& image) const {
    return {image.configuration, image.file, image.assembled.cubin, image.launch};
  }

  // Ablations first, then first doses: what a short budget leaves undone matters least.
  std::vector<Trial*> in_order_of_worth() {
    std::vector<Trial*> order;
    for (Trial& trial : trials_) {
      if (!trial.done && trial.image) order.push_back(&trial);
    }
    std::ranges::stable_sort(order, {}, [](const Trial* trial) {
      // More blocks on idle SMs tell of a gain as well.
      const bool gains = trial->row->kind == invert::Kind::ablation || trial->row->name == "more_blocks";
      return std::pair(gains ? 0 : 1, trial->dose);
    });
    return order;
  }

  Result<void> time_on_gpu() {
    if (gpu_.empty()) return {};
    const auto measured = measure();
    if (!measured && measured.error().exit_code == kInterrupted) return measured.error();
    if (!measured) report_.not_measured = measured.error().message;
    return {};
  }

  Result<void> measure() {
    ASSAY_TRY(const MeasuredDevice device, measured_device(gpu_, "invert"));
    ASSAY_TRY(const std::unique_ptr<device::Device> opened, device::open_device(gpu_));
    ASSAY_TRY(const measure::ProviderPrograms programs,
              measure::ProviderPrograms::install(build::ArtifactCache::default_folder()));
    ASSAY_TRY(const measure::ProblemCase problem, measure::ProblemCase::make(spec_, configuration_, shape_));
    measure::MutantTiming::Options options;
    options.device = device.ordinal;
    options.model = opened->model();
    options.instruments = programs.instruments();
    options.seed = request_.seed;
    options.rounds = request_.quick ? 4 : 6;
    options.context = context_;
    ASSAY_TRY(const std::unique_ptr<measure::MutantTiming> timing, measure::MutantTiming::open(problem, options));
    const Image& prepared = controls_.front();
    ASSAY_TRY(const measure::MutantTime same, timing->time(timed(prepared), timed(prepared)));
    report_.time_us = same.control_us;
    report_.measured = true;
    report_.noise = std::abs(same.ratio - 1);
    details_->gpu = fmt::format("{} {}", gpu_, opened->model().name);
    Image original;
    original.file = folder_->path() / "original.ptx";
    original.configuration = worker_configuration(configuration_);
    ASSAY_CHECK(write_file_atomically(original.file, original_));
    if (const auto plain = timing->time(timed(prepared), timed(original))) details_->original_ratio = plain->ratio;
    const double budget = request_.budget_s > 0 ? request_.budget_s : request_.quick ? 15 : 60;
    const std::vector<Trial*> order = in_order_of_worth();
    Progress progress(context_, "timing", order.size());
    for (Trial* trial : order) {
      progress.advance(fmt::format("{} {}", trial->result.name, trial->dose));
      if (timing->spent_s() > budget) {
        end(*trial, invert::State::not_timed, fmt::format("{:.0f} s of GPU time were over", budget));
        continue;
      }
      const auto time = timing->time(timed(controls_[trial->control]), timed(*trial->image));
      if (!time && time.error().exit_code == kInterrupted) return time.error();
      if (!time) {
        end(*trial, invert::State::failed, "on the GPU: " + time.error().message);
      } else {
        trial->result.measured_ratio = time->ratio;
        trial->result.measured_low = time->interval.low;
        trial->result.measured_high = time->interval.high;
        if (trial->result.state == to_string(invert::State::not_timed)) {
          trial->result.state = to_string(invert::State::ranked);
          trial->result.why.clear();
        }
      }
      ASSAY_CHECK(remember(*trial));
    }
    report_.gpu_s = timing->spent_s();
    return {};
  }

  Result<void> write() {
    json& document = details_->document;
    document = document_head("invert", spec_, report_.configuration, device_);
    document.update(report_document(report_, *details_));
    // Of its own kind, without a time of the candidate: no leaderboard looks at it.
    ledger::Attempt attempt = recording_.draft();
    attempt.configuration = report_.configuration;
    attempt.shape = report_.shape;
    attempt.verdict = report_.first.empty() ? "nothing stands out" : report_.first;
    return recording_.write(std::move(attempt), document);
  }

  const InvertRequest& request_;
  const Context& context_;
  const std::shared_ptr<InvertDetails> details_;
  const spec::KernelSpec& spec_;
  const std::string device_;
  const std::string gpu_;  // empty: nothing is measured
  Recording& recording_;
  spec::Configuration configuration_;
  spec::Shape shape_;
  std::optional<ScratchFolder> folder_;
  std::optional<Resumption> resumption_;
  std::string original_;  // its PTX
  invert::Facts facts_;
  std::optional<bool> sampled_;
  std::map<std::string, std::unique_ptr<check::Experiments>> workers_;  // by configuration
  std::vector<Image> controls_;                                         // the prepared kernel first
  std::vector<Trial> trials_;
  InvertReport report_;
};

}  // namespace

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
