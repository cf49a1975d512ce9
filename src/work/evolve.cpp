// SPDX-License-Identifier: MIT
#include "assay/evolve.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <future>
#include <limits>

#include "base/elapsed.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "device/open/open_device.hpp"
#include "evolve/schema.hpp"
#include "work/document.hpp"
#include "work/evolve_crew.hpp"
#include "work/evolve_details.hpp"
#include "work/evolve_first.hpp"
#include "work/evolve_flights.hpp"
#include "work/evolve_record.hpp"
#include "work/evolve_request.hpp"
#include "work/evolve_results.hpp"
#include "work/evolve_state.hpp"
#include "work/evolve_trial.hpp"
#include "work/gather_crew.hpp"
#include "work/journal_file.hpp"
#include "work/kernel.hpp"
#include "work/proposer.hpp"
#include "work/recording.hpp"

namespace assay::work {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr size_t kFailures = 3;     // in a row, after which a proposer is not asked again
constexpr double kFarBehind = 0.5;  // of the baseline's speed: then a diagnosis helps more than changes
constexpr double kUsualAnswer = 300;
constexpr double kManualAnswer = 86400;

using OnStep = std::function<void(const EvolveStep&)>;

struct LookedAt {
  std::string id;
  std::string folder;  // that it was in
  DiagnoseReport report;
};

class Evolution {
 public:
  Evolution(const EvolveRequest& request, const Context& context, const OnStep& on_step, const spec::KernelSpec& spec,
            std::string device, Recording& recording)
      : request_(request),
        context_(context),
        on_step_(on_step),
        spec_(spec),
        device_(std::move(device)),
        recording_(recording) {}

  Result<EvolveReport> run() {
    ASSAY_CHECK(settle());
    ASSAY_CHECK(prove_first());
    ASSAY_TRY(const bool behind, far_behind());
    if (!behind) {
      ASSAY_CHECK(open_journal());
      ASSAY_CHECK(recall());
      ASSAY_CHECK(go_on());
      ASSAY_CHECK(race_finalist());
      ASSAY_CHECK(hand_over());
    }
    return finished();
  }

 private:
  bool on_gpu() const { return !device::is_virtual(device_); }
  std::string known() const { return on_gpu() ? "measured" : "estimated"; }
  bool manual() const { return !request_.proposer.empty() && request_.proposer.front() == "manual"; }
  double seconds() const { return seconds_since(start_); }

  // Everything that does not depend on proposals.
  Result<void> settle() {
    if (spec_.kernel.is_cubin())
      return Error{"the source is machine code, which cannot be changed", Place{spec_.file.string()}};
    ASSAY_TRY(configuration_, chosen_configuration(spec_, request_.choice.configuration));
    base_.device = device_;
    base_.rule = {request_.gain, request_.gaining_shapes, request_.margin};
    base_.limits = request_.limits;
    base_.record.ledger = recording_.ledger() != nullptr ? recording_.ledger()->file().string() : "none";
    base_.record.cost_per_hour = request_.record.cost_per_hour;
    constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();
    stop_.proposals = request_.proposals.value_or(manual() ? kNoLimit : stop_.proposals);
    stop_.patience = request_.patience.value_or(manual() ? kNoLimit : stop_.patience);
    stop_.target = request_.target;
    stop_.seconds = request_.seconds;
    stop_.gpu_seconds = request_.gpu_seconds;
    stop_.money = request_.money;
    stop_.margin = request_.margin;
    answer_seconds_ = request_.answer_seconds.value_or(manual() ? kManualAnswer : kUsualAnswer);
    ASSAY_CHECK(gather_crew());
    if (request_.replay.empty()) {
      ASSAY_TRY(proposer_, program_proposer(request_.proposer, answer_seconds_));
    } else {
      ASSAY_TRY(std::vector<std::string> answers, recorded_answers(request_.replay));
      stop_.proposals = answers.size();
      stop_.patience = kNoLimit;
      proposer_ = recorded_proposer(std::move(answers));
    }
    return {};
  }

  Result<void> gather_crew() {
    if (!request_.executor.divided()) return {};
    std::filesystem::path place = request_.executor.folder;
    if (place.empty()) place = default_file(".work");
    ASSAY_TRY(const std::filesystem::path folder, run_folder(place, request_.resume));
    ASSAY_TRY(crew_, EvolveCrew::gather(request_.executor, folder, context_));
    return {};
  }

  // Proposals in flight. A person wants the verdict on a save, and a replay each step on top of the one before: one at
  // a time.
  size_t width() const {
    if (crew_ == nullptr || manual() || !request_.replay.empty()) return 1;
    return request_.in_flight.value_or(crew_->workers());
  }

  std::filesystem::path default_file(const char* ending) const {
    std::error_code failed;
    Hasher name;
    name.add(std::filesystem::canonical(spec_.folder.empty() ? "." : spec_.folder, failed).string());
    name.add(device_).add(request_.replay);
    return build::ArtifactCache::default_folder() / "evolve" /
           fmt::format("{}-{}{}", spec_.kernel.name, name.hex().substr(0, 12), ending);
  }

  // Where the GPU is: here, or where a worker is.
  Result<FirstTrial> try_on_gpu() {
    FirstRequest first;
    first.kernel = std::filesystem::absolute(spec_.file).string();
    first.configuration = request_.choice.configuration;
    first.device = device_;
    std::error_code failed;
    first.baseline = std::filesystem::exists(request_.baseline, failed)
                         ? std::filesystem::absolute(request_.baseline).string()
                         : request_.baseline;
    first.beside_baseline = !request_.anyway && request_.replay.empty();
    first.seed = base_.seed;
    first.limits = request_.limits;
    first.record = base_.record;
    return crew_ != nullptr ? crew_->try_first(first) : try_first(first, context_);
  }

  Error incorrect(const std::string& why) const {
    return Error{fmt::format("the kernel itself is not correct: {}", why), Place{spec_.file.string()},
                 "assay check shows it; only a correct kernel can be evolved", ExitCode::incorrect};
  }

  // No verdict on a change of a kernel that is wrong itself. What is learned of it is where all others begin.
  Result<void> prove_first() {
    Progress progress(context_, fmt::format("evolving {}: the kernel as it is", spec_.kernel.name), 3);
    base_.seed = draw(0);
    base_.virtual_device = device_;
    if (on_gpu()) {
      progress.step("on the GPU");
      ASSAY_TRY(first_trial_, try_on_gpu());
      base_.virtual_device = first_trial_->virtual_device;
      first_costs_ = first_trial_->costs;
      if (!first_trial_->wrong.empty()) return incorrect(first_trial_->wrong);
    }
    progress.step("building");
    ASSAY_TRY(const Runnable runnable,
              make_runnable(spec_, configuration_, base_.virtual_device, request_.limits, context_));
    ASSAY_TRY(base_.snapshot, take_snapshot(spec_, runnable.built));
    const std::string configuration = spec_.tunable.tunables.empty() ? "" : configuration_.id();
    evolve::Candidate first = first_candidate(base_.snapshot, configuration);
    ASSAY_TRY(const std::string ptx, read_file(runnable.built.ptx));
    base_.first_facts = evolve::ptx_facts(ptx);
    Hasher hash;
    hash.add(evolve::normalised_ptx(ptx));
    progress.advance("built");

    ASSAY_TRY(CandidateFolder folder, CandidateFolder::make(base_.snapshot, first));
    if (!on_gpu()) {
      ASSAY_TRY(const std::string wrong,
                why_incorrect(folder.specification().string(), configuration, {}, base_, first_costs_, context_));
      if (!wrong.empty()) return incorrect(replace_all(wrong, folder.path().string() + "/", ""));
    }
    progress.advance("checked");

    ASSAY_TRY(const std::vector<spec::Shape> shapes, race_shapes(spec_, configuration_, on_gpu()));
    std::vector<EvolvedShape> times;
    for (const spec::Shape& shape : shapes) {
      ASSAY_CHECK(check_cancelled(context_));
      ASSAY_TRY(DiagnoseReport looked,
                look_at(folder.specification().string(), configuration, shape.text(), base_, context_));
      double time_us = looked.time_us;
      if (first_trial_) {
        const auto measured = first_trial_->times_us.find(shape.text());
        if (measured == first_trial_->times_us.end())
          return Error{fmt::format("the kernel was not timed on {}", shape.text()), {}, "", ExitCode::environment};
        time_us = measured->second;
      }
      times.push_back({looked.shape, false, time_us, time_us, 1, {}, {}});
      if (times.size() == 1) first_looked_ = looked;
    }
    progress.advance("estimated");
    const evolve::Cell cell = cell_of(*first_looked_, base_.first_facts);
    state_.emplace(std::move(first), hash.hex(), cell, std::move(times));
    flights_.emplace(base_, *state_, crew_.get(), width(), context_);
    report_.first = report_.best = state_->first().id;
    return {};
  }

  // Below half of what others reach, a diagnosis tells more than changes of what is there.
  Result<bool> far_behind() {
    if (request_.anyway || !request_.replay.empty()) return false;
    ASSAY_TRY(const std::optional<double> speed, speed_beside_baseline());
    if (!speed || *speed >= kFarBehind) return false;
    report_.stopped =
        fmt::format("the kernel runs at {:.2f} of the speed of its baseline ({}): diagnose it first", *speed, known());
    for (const DiagnosedFinding& each : first_looked_->findings)
      report_.diagnosis.push_back(fmt::format("{}: at most {:.2f} us of {:.2f}; {}", each.title, each.cap_us,
                                              first_looked_->time_us, each.remedy));
    report_.exit_code = ExitCode::inconclusive;
    return true;
  }

  Result<std::optional<double>> speed_beside_baseline() {
    const std::string shape = first_looked_->shape;
    if (!on_gpu()) {
      if (request_.baseline.empty()) return std::optional<double>();
      ASSAY_TRY(const DiagnoseReport other, look_at(request_.baseline, "", shape, base_, context_));
      return std::optional(other.time_us / first_looked_->time_us);
    }
    return first_trial_->speed;
  }

  Result<void> open_journal() {
    JournalFile::Header header;
    header.name = kEvolveJournal;
    header.depends_on = {
        {"specification, or a file that belongs to it,", protected_hash(base_.snapshot)},
        {"source", state_->first().id},
        {"configuration", configuration_.id()},
        {"device", device_},
        {"rule of acceptance", fmt::format("{} {} {}", request_.gain, request_.gaining_shapes, request_.margin)},
        {"version of assay", std::string(kVersion)}};
    report_.evolution = fmt::format("{:012x}", system_random() >> 16);
    header.further = {{"evolution", report_.evolution}};
    if (request_.journal == "none") {
      record_.emplace(recording_, *state_, base_.snapshot, report_.evolution, known());
      return record_->write_first(base_.seed, first_costs_);
    }
    std::filesystem::path file = request_.journal;
    if (file.empty()) file = default_file(".jsonl");
    ASSAY_TRY(JournalFile journal, JournalFile::open(file, header, request_.resume));
    journal_.emplace(std::move(journal));
    report_.journal = file.string();
    report_.started_anew = journal_->started_anew();
    report_.evolution = journal_->further().value("evolution", "");
    record_.emplace(recording_, *state_, base_.snapshot, report_.evolution, known());
    if (journal_->lines().empty()) return record_->write_first(base_.seed, first_costs_);
    return {};
  }

  // What was judged before the interruption; answers that were not judged any more are judged now. A line stands
  // where the state was the one that it belongs to.
  Result<void> recall() {
    if (!journal_) return {};
    for (const json& line : journal_->lines()) {
      if (line.contains("asked")) {
        const size_t number = line.value("asked", size_t{0});
        if (number != flights_->next_number()) return senseless();
        flights_->add({line.value("output", ""), line.value("failure", ""), line.value("seconds", 0.0)},
                      line.contains("seed") ? line.value("seed", uint64_t{0}) : draw(number));
        continue;
      }
      const auto judged = line.contains("judged") ? judged_from(line["judged"], state_->first()) : std::nullopt;
      if (!judged || judged->step.proposal != state_->steps().size() + 1) return senseless();
      state_->apply(*judged);
      ASSAY_CHECK(flights_->remove_oldest());
      ++report_.recalled;
    }
    return flights_->send_all();
  }

  Result<void> remember(const json& line) { return journal_ ? journal_->append(line) : Result<void>(); }

  Error senseless() const {
    return Error{"a line of the journal makes no sense", Place{journal_->path().string()},
                 "begin anew: leave --resume out", ExitCode::environment};
  }

  Result<void> go_on() {
    Progress progress(context_, fmt::format("evolving {}", spec_.kernel.name),
                      stop_.proposals == std::numeric_limits<size_t>::max() ? 0 : stop_.proposals);
    for (size_t i = 0; i < state_->steps().size(); ++i) progress.advance("judged before");
    while (true) {
      ASSAY_CHECK(check_cancelled(context_));
      ASSAY_TRY(report_.stopped, reason_to_stop());
      if (!report_.stopped.empty()) return {};
      ASSAY_CHECK(ask(progress));
      ASSAY_CHECK(take_next(progress));
      const EvolveStep& last = state_->steps().back();
      progress.advance(fmt::format("{} {}; {:.3f} times as fast", last.proposal, last.verdict, state_->speedup()));
      if (on_step_) on_step_(last);
    }
  }

  Result<std::string> reason_to_stop() {
    if (!tampered_.empty()) {
      report_.exit_code = ExitCode::incorrect;
      return fmt::format("{} while the proposer ran: the kernel is judged by it, and no proposer may touch it",
                         tampered_);
    }
    if (state_->failures() >= kFailures) {
      report_.exit_code = ExitCode::environment;
      return fmt::format("the proposer failed {} times in a row: {}", kFailures, state_->steps().back().text);
    }
    evolve::Standing now = state_->standing();
    now.seconds = seconds();
    now.above_floor = above_floor_[state_->incumbent().id];
    if (now.above_floor == 0) {
      ASSAY_TRY(now.above_floor, look_for_floor(state_->incumbent()));
      above_floor_[state_->incumbent().id] = now.above_floor;
    }
    return evolve::reason_to_stop(stop_, now);
  }

  // The largest distance to the floor, over the specification's shapes.
  Result<double> look_for_floor(const evolve::Candidate& candidate) {
    ASSAY_TRY(const CandidateFolder folder, CandidateFolder::make(base_.snapshot, candidate));
    double most = 0;
    for (const EvolvedShape& each : state_->against_first(candidate.id)) {
      ASSAY_TRY(const DiagnoseReport looked,
                look_at(folder.specification().string(), candidate.configuration, each.shape, base_, context_));
      const double time = on_gpu() ? each.time_us : looked.time_us;
      if (looked.floor_us > 0) most = std::max(most, time / looked.floor_us);
    }
    return most;
  }

  // So many are always on their way that the state in which a question is asked depends on nobody's speed.
  Result<void> ask(Progress& progress) {
    while (!flights_->full() && flights_->next_number() <= stop_.proposals) {
      const size_t number = flights_->next_number();
      progress.step(fmt::format("proposal {}: the proposer", number));
      ASSAY_TRY(const std::string question, question_of(number, state_->parent()));
      ASSAY_TRY(const Reply reply, reply_to(question));
      const InFlight& flight = flights_->add(reply, draw(number));
      ASSAY_CHECK(remember({{"asked", number},
                            {"output", reply.output},
                            {"failure", reply.failure},
                            {"seconds", reply.seconds},
                            {"seed", flight.seed}}));
      ASSAY_CHECK(flights_->send(flight));
    }
    return {};
  }

  // Workers are looked after while the proposer thinks.
  Result<Reply> reply_to(const std::string& question) {
    if (crew_ == nullptr) return proposer_->ask(question, context_);
    auto asked = std::async(std::launch::async, [&] { return proposer_->ask(question, context_); });
    while (asked.wait_for(std::chrono::milliseconds(500)) != std::future_status::ready) ASSAY_CHECK(crew_->tend());
    return asked.get();
  }

  Result<void> take_next(Progress& progress) {
    ASSAY_TRY(JudgedProposal judged, flights_->verdict_on_oldest(progress));
    tampered_ = tampered(base_.snapshot);
    if (!tampered_.empty() && judged.step.verdict == "accepted") {
      judged.step.verdict = "refused";
      judged.step.gate = "files";
      judged.step.text = tampered_;
    }
    if (request_.record.cost_per_hour) {
      const EvolveCosts& costs = judged.step.costs;
      judged.step.costs.money +=
          *request_.record.cost_per_hour * (costs.proposer_s + costs.compile_s + costs.virtual_s + costs.gpu_s) / 3600;
    }
    // A kill between the two repeats the judging, and the newer of two records of a proposal counts.
    ASSAY_CHECK(record_->write(judged));
    ASSAY_CHECK(remember({{"judged", judged_document(judged, state_->first(), known())}}));
    state_->apply(judged);
    return flights_->remove_oldest();
  }

  // Counted once for each parent.
  Result<const LookedAt*> looked_at(const evolve::Candidate& parent) {
    if (looked_.id == parent.id) return &looked_;
    ASSAY_TRY(const CandidateFolder folder, CandidateFolder::make(base_.snapshot, parent));
    ASSAY_TRY(looked_.report,
              look_at(folder.specification().string(), parent.configuration, first_looked_->shape, base_, context_));
    looked_.id = parent.id;
    looked_.folder = folder.path().string();
    return &looked_;
  }

  Result<std::string> question_of(size_t number, const evolve::Candidate& parent) {
    ASSAY_TRY(const LookedAt* looked, looked_at(parent));
    const Asking asking{spec_, base_.snapshot, *state_, parent, looked->report,       looked->folder, base_.rule,
                        stop_, device_,        known(), number, flights_->underway(), seconds(),      answer_seconds_};
    return request_text(asking);
  }

  // Shapes and inputs that decide are drawn when the answer is there.
  uint64_t draw(size_t proposal) const {
    const uint64_t number = request_.seed ? Random(*request_.seed + proposal).next() : system_random();
    return number >> 24;
  }

  // --- the end
  Result<void> race_finalist() {
    if (crew_ == nullptr || !on_gpu() || state_->accepted() == 0) return {};
    const Progress progress(context_, "the best on every GPU", 0);
    JudgingRequest request = base_;
    request.seed = draw(state_->steps().size() + 1);
    return crew_->race_finalist(std::move(request), state_->first(), state_->incumbent());
  }

  Result<void> hand_over() {
    ASSAY_TRY(EvolveResults results, write_results(request_, base_.snapshot, *state_));
    report_.diff = std::move(results.diff);
    report_.written = std::move(results.written);
    return {};
  }

  Result<EvolveReport> finished() {
    report_.kernel = spec_.kernel.name;
    report_.specification = spec_.file.string();
    report_.device = device_;
    report_.known = known();
    report_.best = state_->incumbent().id;
    report_.speedup = state_->speedup();
    report_.steps = state_->steps();
    report_.judged_again = flights_->judged_again();
    report_.accepted = state_->accepted();
    report_.costs = state_->costs();
    report_.costs.virtual_s += first_costs_.virtual_s;
    report_.costs.gpu_s += first_costs_.gpu_s;
    if (crew_ != nullptr) {
      report_.devices = crew_->devices();
      report_.workers_started = crew_->workers_started();
    }
    for (const auto& [cell, champion] : state_->archive().cells())
      report_.archive.push_back({evolve::to_string(cell), champion.id, champion.ratio});
    if (request_.replay.empty()) return std::move(report_);
    const bool all = report_.accepted == report_.steps.size();
    if (!all && report_.exit_code == ExitCode::good) report_.exit_code = ExitCode::regression;
    return std::move(report_);
  }

  const EvolveRequest& request_;
  const Context& context_;
  const OnStep& on_step_;
  const spec::KernelSpec& spec_;
  const std::string device_;
  Recording& recording_;
  const steady_clock::time_point start_ = steady_clock::now();
  spec::Configuration configuration_;
  JudgingRequest base_;  // what all judgings have in common
  evolve::StopRules stop_;
  double answer_seconds_ = kUsualAnswer;
  std::unique_ptr<Proposer> proposer_;
  std::unique_ptr<EvolveCrew> crew_;       // none if this process judges
  std::optional<FirstTrial> first_trial_;  // on a GPU
  JudgingCosts first_costs_;
  std::optional<DiagnoseReport> first_looked_;
  LookedAt looked_;  // at the parent of the last question
  std::optional<EvolveState> state_;
  std::optional<JournalFile> journal_;    // none with --journal none
  std::optional<EvolveFlights> flights_;  // with the state; they know it
  std::optional<EvolveRecord> record_;
  std::string tampered_;
  std::map<std::string, double> above_floor_;
  EvolveReport report_;
};

}  // namespace

Result<EvolveReport> evolve(const EvolveRequest& request, const Context& context, const OnStep& on_step) {
  if (request.proposer.empty() == request.replay.empty())
    return Error{"a proposer is needed, or a journal to replay", {}, "--proposer PROGRAM, or --replay JOURNAL"};
  if (request.resume && request.journal == "none")
    return Error{"--resume goes on with a journal, and --journal none keeps none"};
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  const std::string device = device_for(spec, request.choice.device);
  ASSAY_TRY(
      Recording recording,
      Recording::open(request.record, context, {ledger::Kind::evolve, &spec, request.choice.configuration, device, 0}));
  ASSAY_TRY(EvolveReport report, recording.close(Evolution(request, context, on_step, spec, device, recording).run()));
  const auto details = std::make_shared<EvolveDetails>();
  details->document = report_document(report, spec);
  report.details = details;
  return report;
}

std::string to_json(const EvolveReport& report) {
  return document_text(report.details->document);
}

Result<std::string> validate_proposer_document(const std::string& file) {
  ASSAY_TRY(const std::string text, read_file(file, size_t{64} << 20));
  return evolve::validate_document(text, file);
}

}  // namespace assay::work
