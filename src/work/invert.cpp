// SPDX-License-Identifier: MIT
#include "assay/invert.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/elapsed.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/repository.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "device/open/open_device.hpp"
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
#include "work/invert_trial.hpp"
#include "work/kernel.hpp"
#include "work/measuring.hpp"
#include "work/mutant_assembly.hpp"
#include "work/proving_ground.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"

namespace assay::work {
namespace {

using Image = MutantImage;
using Trial = InvertTrial;
using invert::Mutant;
using invert::Row;
using nlohmann::json;

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
    ASSAY_CHECK(prove());
    ASSAY_CHECK(time_on_gpu());
    collect();
    read_experiments(report_);
    ASSAY_CHECK(write());
    // What there was no time for is done by the same command, so the rest stays remembered.
    ASSAY_CHECK(report_.left_over.empty() ? resumption_->finish() : resumption_->flush());
    report_.details = details_;
    return std::move(report_);
  }

 private:
  // The counts, the estimate and the findings that are compared with.
  Result<void> diagnose() {
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
    if (auto rates = stored_rates(recording_, device_))
      request.rates = std::make_shared<StoredRates>(*std::move(rates));
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
        return Error{
            fmt::format("there is no experiment '{}'", name), {}, "docs/invert.md lists them", ExitCode::usage};
    }
    facts_ = facts_of(known);
    rates_.emplace(*facts_.model, known.measured);
    return open_resumption();
  }

  Result<void> open_resumption() {
    ASSAY_TRY(const std::string specification, read_file(spec_.file));
    Hasher hasher;
    hasher.add("invert").add(kVersion).add(specification).add(original_).add(configuration_.id()).add(shape_.text());
    hasher.add(device_).add(gpu_).add(fmt::format("{} {} {} {} {}", request_.quick, request_.assemble, request_.seed,
                                                  request_.blocks, request_.measure));
    ASSAY_TRY(Resumption resumption, Resumption::open(recording_.ledger(), hasher.hex()));
    resumption_.emplace(std::move(resumption));
    return {};
  }

  std::string worker_configuration(const spec::Configuration& configuration) const {
    return spec_.tunable.tunables.empty() ? "" : configuration.id();
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

  Result<void> prepare() {
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

  // Proofs of long loops take long, and a few rounds of them show the same.
  Result<void> find_smaller(ProvingGround::Setup setup) {
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
        if (probes++ == kProbes) return {};
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
    const std::string made = outcome.mutant->text.print().text;
    ASSAY_CHECK(take_mutant(trial, std::move(*outcome.mutant), worker_configuration(configuration_)));
    if (!smaller_) return {};
    // Some rows look at counts: then a proof at another shape would be one of another text.
    const invert::Outcome other = trial.row->mutate(controls_.front().text, smaller_facts_, trial.dose);
    trial.as_at_smaller = other.mutant && other.mutant->text.print().text == made;
    return {};
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

  // Every mutant through ptxas and the virtual GPU, on all cores, the most telling first, as long as there is time.
  Result<void> prove() {
    open_assembly();
    ASSAY_CHECK(assemble(controls_.front()));
    std::vector<Trial*> order = in_order_of_worth();
    Progress progress(context_, "experiments", order.size());
    const auto start = std::chrono::steady_clock::now();
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    std::optional<Error> failed;
    const auto work = [&] {
      while (!context_.cancelled()) {
        const size_t i = next++;
        if (i >= order.size() || (proof_seconds() > 0 && seconds_since(start) > proof_seconds())) return;
        const auto proved = prove_one(*order[i]);
        const std::lock_guard lock(mutex);
        progress.advance(fmt::format("{} {}", order[i]->result.name, order[i]->dose));
        if (!proved) failed = proved.error();
        if (proved && order[i]->proved && (gpu_.empty() || order[i]->done)) {
          if (const auto kept = remember(*order[i]); !kept) failed = kept.error();
        }
        if (failed) return;
      }
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < std::min(order.size(), threads_for_proofs()); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    ASSAY_CHECK(check_cancelled(context_));
    if (failed) return *failed;
    details_->proof_s = seconds_since(start);
    for (Trial* trial : order) {
      if (!trial->proved)
        end(*trial, invert::State::not_tried, fmt::format("{:.0f} s for proofs were over", proof_seconds()));
    }
    doubt_other_doses();
    return {};
  }

  double proof_seconds() const {
    if (request_.seconds > 0 || gpu_.empty()) return request_.seconds;
    return request_.quick ? 15 : 60;  // a GPU is waiting
  }

  // Each has tensors of its own: not so many that memory ends.
  size_t threads_for_proofs() const {
    constexpr uint64_t kMemory = uint64_t{4} << 30;
    const uint64_t fit = kMemory / std::max<uint64_t>(1, 2 * facts_.all_buffers);
    return std::clamp<uint64_t>(fit, 1, std::max(1U, std::thread::hardware_concurrency()));
  }

  void open_assembly() {
    if (!request_.assemble) {
      details_->no_ptxas = "not asked for";
      return;
    }
    auto assembly =
        MutantAssembly::open(*facts_.model, estimated().target, spec::kernel_of(spec_, configuration_).flags);
    if (!assembly) {
      details_->no_ptxas = assembly.error().message;
      return;
    }
    assembly_.emplace(std::move(*assembly));
  }

  Result<void> assemble(Image& image) const {
    if (!assembly_) return {};
    const gpu::Dim3& block = image.launch.block ? *image.launch.block : facts_.block;
    ASSAY_TRY(image.assembled,
              assembly_->assemble({image.file, image.text.entry(), static_cast<int64_t>(block.volume()),
                                   facts_.dynamic_shared_bytes + image.launch.more_shared_bytes}));
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

  // By any thread: the prepared kernel is only read, and any other control belongs to one trial alone.
  Result<void> prove_one(Trial& trial) {
    Image& image = *trial.image;
    InvertedExperiment& result = trial.result;
    trial.proved = true;
    ASSAY_CHECK(assemble(image));
    if (!image.assembled.refused.empty()) {
      end(trial, invert::State::failed, "ptxas: " + image.assembled.refused);
      return {};
    }
    ProvingGround& ground = trial.as_at_smaller ? *smaller_ : *wanted_;
    Image& own_control = controls_[trial.control];
    double control_us = ground.prepared().us;
    if (trial.control != 0) {
      ASSAY_CHECK(assemble(own_control));
      const auto known = ground.count(own_control);
      if (!known && known.error().exit_code == kInterrupted) return known.error();
      if (!known) {
        end(trial, invert::State::failed, "its control: " + known.error().message);
        return {};
      }
      control_us = known->us;
    }
    const auto own = ground.count(image);
    if (!own && own.error().exit_code == kInterrupted) return own.error();
    if (!own) {
      end(trial, invert::State::failed, own.error().message);
      return {};
    }
    const invert::CountedChange change = invert::counted_change(ground.prepared().lines, *trial.mutant, own->lines);
    result.counted_before = change.before;
    result.counted_added = change.added;
    result.counted_removed = change.removed;
    result.counts_foretold = change.exact;
    describe_assembly(result, own_control.assembled.figures, image.assembled.figures);
    if (trial.row->not_estimated.empty()) result.estimated_ratio = own->us / control_us;
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

  // First what tells of the findings of `diagnose`, then ablations, then first doses: what a short budget leaves undone
  // matters least.
  std::vector<Trial*> in_order_of_worth() {
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

  // What there was no time for is named, and done by the same command.
  void collect() {
    for (const Trial& trial : trials_) {
      report_.experiments.push_back(trial.result);
      if (trial.result.state == to_string(invert::State::not_tried) || trial.out_of_time)
        report_.left_over.push_back(fmt::format("{} {}", trial.result.name, trial.dose));
    }
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
        trial->out_of_time = true;
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
  uint64_t blocks_ = 0;  // run at most so many; 0: all
  std::optional<ScratchFolder> folder_;
  std::optional<Resumption> resumption_;
  std::string original_;  // its PTX
  invert::Facts facts_;
  std::optional<CaseRates> rates_;
  std::unique_ptr<ProvingGround> wanted_;
  std::unique_ptr<ProvingGround> smaller_;  // null: there is none, or it is not worth it
  invert::Facts smaller_facts_;
  std::optional<MutantAssembly> assembly_;
  std::vector<Image> controls_;  // the prepared kernel first
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
