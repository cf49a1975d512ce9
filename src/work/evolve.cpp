// SPDX-License-Identifier: MIT
#include "assay/evolve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <future>
#include <limits>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "device/open/open_device.hpp"
#include "evolve/schema.hpp"
#include "ledger/location.hpp"
#include "work/diagnose_details.hpp"
#include "work/document.hpp"
#include "work/evolve_crew.hpp"
#include "work/evolve_details.hpp"
#include "work/evolve_first.hpp"
#include "work/evolve_request.hpp"
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

constexpr const char* kJournalName = "assay evolve";
constexpr size_t kFailures = 3;     // in a row, after which a proposer is not asked again
constexpr double kFarBehind = 0.5;  // of the baseline's speed: then a diagnosis helps more than changes
constexpr double kUsualAnswer = 300;
constexpr double kManualAnswer = 86400;

using OnStep = std::function<void(const EvolveStep&)>;

Result<std::vector<std::string>> recorded_answers(const std::string& file) {
  ASSAY_TRY(const std::vector<json> lines, JournalFile::read(file, kJournalName));
  std::map<size_t, std::string> asked;
  std::vector<std::string> answers;
  for (const json& line : lines) {
    if (line.contains("asked")) asked[line.value("asked", size_t{0})] = line.value("output", "");
    if (line.contains("judged") && line["judged"].value("verdict", "") == "accepted")
      answers.push_back(asked[line["judged"].value("proposal", size_t{0})]);
  }
  if (answers.empty()) return Error{"no proposal of this journal was accepted", Place{file}};
  return answers;
}

struct LookedAt {
  std::string id;
  std::string folder;  // that it was in
  DiagnoseReport report;
};

// A proposal from its answer to its verdict. Several may be on their way at once; verdicts are taken in the order of
// the questions, whichever comes first.
struct InFlight {
  size_t number = 0;
  Reply reply;
  std::string parent;     // ids: as they were when it was asked for
  std::string incumbent;  // that it is judged beside
  evolve::Tabu tabu;
  uint64_t seed = 0;
  std::optional<evolve::Answer> answer;
  std::string no_answer;  // why there is none
  // --- with workers
  std::optional<Judging> judging;  // as soon as it is there
  JudgingCosts spent;              // on judgings beside incumbents that are none any more
  std::string device;

  bool is_judged() const { return answer && !answer->passes(); }
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
      ASSAY_CHECK(write_results());
    }
    return finished();
  }

 private:
  bool on_gpu() const { return !device::is_virtual(device_); }
  std::string known() const { return on_gpu() ? "measured" : "estimated"; }
  bool manual() const { return !request_.proposer.empty() && request_.proposer.front() == "manual"; }
  double seconds() const { return std::chrono::duration<double>(steady_clock::now() - start_).count(); }

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

  // A person wants the verdict on a save, and a replay each step on top of the one before: one at a time.
  Result<void> gather_crew() {
    const bool one = manual() || !request_.replay.empty();
    if (!request_.executor.divided()) return {};
    std::filesystem::path place = request_.executor.folder;
    if (place.empty()) place = default_file(".work");
    ASSAY_TRY(const std::filesystem::path folder, run_folder(place, request_.resume));
    ASSAY_TRY(crew_, EvolveCrew::gather(request_.executor, folder, context_));
    width_ = one ? 1 : request_.in_flight.value_or(crew_->workers());
    return {};
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
    header.name = kJournalName;
    header.depends_on = {
        {"specification, or a file that belongs to it,", protected_hash(base_.snapshot)},
        {"source", state_->first().id},
        {"configuration", configuration_.id()},
        {"device", device_},
        {"rule of acceptance", fmt::format("{} {} {}", request_.gain, request_.gaining_shapes, request_.margin)},
        {"version of assay", std::string(kVersion)}};
    header.further = {{"evolution", fmt::format("{:012x}", system_random() >> 16)}};
    std::filesystem::path file = request_.journal;
    if (file.empty()) file = default_file(".jsonl");
    ASSAY_TRY(JournalFile journal, JournalFile::open(file, header, request_.resume));
    journal_.emplace(std::move(journal));
    report_.journal = file.string();
    report_.started_anew = journal_->started_anew();
    report_.evolution = journal_->further().value("evolution", "");
    if (journal_->lines().empty()) return record_first();
    return {};
  }

  // What was judged before the interruption; answers that were not judged any more are judged now. A line stands
  // where the state was the one that it belongs to.
  Result<void> recall() {
    for (const json& line : journal_->lines()) {
      if (line.contains("asked")) {
        const size_t number = line.value("asked", size_t{0});
        const bool next = number == state_->steps().size() + queue_.size() + 1;
        if (!next) return senseless();
        in_flight({line.value("output", ""), line.value("failure", ""), line.value("seconds", 0.0)},
                  line.contains("seed") ? line.value("seed", uint64_t{0}) : draw(number));
        continue;
      }
      const auto judged = line.contains("judged") ? judged_from(line["judged"], state_->first()) : std::nullopt;
      if (!judged || judged->step.proposal != state_->steps().size() + 1) return senseless();
      if (!queue_.empty()) queue_.pop_front();
      state_->apply(*judged);
      ++report_.recalled;
    }
    for (const InFlight& each : queue_) ASSAY_CHECK(send(each));
    return {};
  }

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
    while (queue_.size() < width_ && state_->steps().size() + queue_.size() < stop_.proposals) {
      const size_t number = state_->steps().size() + queue_.size() + 1;
      progress.step(fmt::format("proposal {}: the proposer", number));
      ASSAY_TRY(const std::string question, question_of(number, state_->parent()));
      ASSAY_TRY(const Reply reply, reply_to(question));
      const InFlight& flight = in_flight(reply, draw(number));
      ASSAY_CHECK(journal_->append({{"asked", number},
                                    {"output", reply.output},
                                    {"failure", reply.failure},
                                    {"seconds", reply.seconds},
                                    {"seed", flight.seed}}));
      ASSAY_CHECK(send(flight));
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

  InFlight& in_flight(Reply reply, uint64_t seed) {
    InFlight& flight = queue_.emplace_back();
    flight.number = state_->steps().size() + queue_.size();
    flight.reply = std::move(reply);
    flight.parent = state_->parent().id;
    flight.incumbent = state_->incumbent().id;
    flight.tabu = state_->tabu();
    flight.seed = seed;
    flight.no_answer = flight.reply.failure;
    if (!flight.no_answer.empty()) return flight;
    auto answer = evolve::read_answer(flight.reply.output, flight.number);
    if (answer) {
      flight.answer = std::move(*answer);
    } else {
      flight.no_answer = to_string(answer.error());
    }
    return flight;
  }

  JudgingRequest judging_request(const InFlight& flight) const {
    JudgingRequest request = base_;
    request.parent = state_->candidate(flight.parent);
    request.incumbent = state_->candidate(flight.incumbent);
    request.answer = *flight.answer;
    request.tabu = flight.tabu;
    request.seed = flight.seed;
    return request;
  }

  // As the state is now.
  JudgingRequest judging_request_now(const InFlight& flight) const {
    JudgingRequest request = judging_request(flight);
    request.incumbent = state_->incumbent();
    request.tabu = state_->tabu();
    return request;
  }

  Result<void> send(const InFlight& flight) {
    if (crew_ == nullptr || !flight.is_judged()) return {};
    return crew_->put(flight.number, judging_request(flight));
  }

  // What was raced beside an incumbent that is none any more is judged again.
  Result<void> judge_again_if_stale(InFlight& flight) {
    if (!flight.judging) return {};
    Judging judging = *flight.judging;
    if (!bring_up_to_date(judging, judging_request_now(flight), flight.incumbent)) return {};
    add(flight.spent, flight.judging->costs);
    flight.judging.reset();
    flight.incumbent = state_->incumbent().id;
    flight.tabu = state_->tabu();
    ++report_.judged_again;
    return send(flight);
  }

  Result<Judging> judging_of(InFlight& flight, Progress& progress) {
    if (crew_ == nullptr) return judge_proposal(judging_request_now(flight), context_);
    ASSAY_CHECK(judge_again_if_stale(flight));
    while (!flight.judging) {
      progress.step(fmt::format("proposal {}: workers: {}", flight.number, crew_->state()));
      ASSAY_TRY(EvolveCrew::Answered answered, crew_->next());
      const auto which = std::ranges::find(queue_, answered.proposal, &InFlight::number);
      if (which == queue_.end()) continue;
      which->judging = std::move(answered.judging);
      which->device = answered.device;
      ASSAY_CHECK(judge_again_if_stale(*which));
    }
    Judging judging = *flight.judging;
    bring_up_to_date(judging, judging_request_now(flight), flight.incumbent);
    add(judging.costs, flight.spent);
    return judging;
  }

  static void add(JudgingCosts& sum, const JudgingCosts& further) {
    sum.compile_s += further.compile_s;
    sum.virtual_s += further.virtual_s;
    sum.gpu_s += further.gpu_s;
  }

  Result<void> take_next(Progress& progress) {
    InFlight& flight = queue_.front();
    JudgedProposal judged;
    judged.step.proposal = flight.number;
    const evolve::Candidate parent = state_->candidate(flight.parent);
    judged.step.parent = parent.id;
    judged.step.costs.proposer_s = flight.reply.seconds;
    progress.step(fmt::format("proposal {}: the gates", flight.number));
    ASSAY_CHECK(judge(flight, parent, judged, progress));
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
    ASSAY_CHECK(record(judged));
    ASSAY_CHECK(journal_->append({{"judged", judged_document(judged, state_->first(), known())}}));
    state_->apply(judged);
    queue_.pop_front();
    for (InFlight& each : queue_) ASSAY_CHECK(judge_again_if_stale(each));
    return {};
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
    std::vector<EvolveStep> others;
    for (const InFlight& each : queue_) {
      if (!each.is_judged()) continue;
      EvolveStep& other = others.emplace_back();
      other.proposal = each.number;
      other.parent = each.parent;
      other.hypothesis = each.answer->hypothesis.text;
    }
    const Asking asking{spec_, base_.snapshot, *state_, parent, looked->report, looked->folder, base_.rule,
                        stop_, device_,        known(), number, others,         seconds(),      answer_seconds_};
    const json document = request_document(asking);
    if (const std::string wrong = evolve::violation(evolve::schema_named("evolve_request.v1.json"), document);
        !wrong.empty())
      return Error{"the request breaks its own schema: " + wrong, {}, "", ExitCode::internal};
    return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  }

  // Shapes and inputs that decide are drawn when the answer is there.
  uint64_t draw(size_t proposal) const {
    const uint64_t number = request_.seed ? Random(*request_.seed + proposal).next() : system_random();
    return number >> 24;
  }

  Result<void> judge(InFlight& flight, const evolve::Candidate& parent, JudgedProposal& judged, Progress& progress) {
    EvolveStep& step = judged.step;
    step.gate = "answer";
    step.verdict = "refused";
    step.text = flight.no_answer;
    if (!flight.answer) return {};
    const evolve::Answer& answer = *flight.answer;
    step.hypothesis = answer.hypothesis.text;
    step.counter = answer.hypothesis.counter;
    step.costs.tokens_in = answer.costs.tokens_in;
    step.costs.tokens_out = answer.costs.tokens_out;
    step.costs.money = answer.costs.money;
    if (answer.passes()) {
      step.verdict = "passed";
      step.text = "the proposer passed";
      return {};
    }
    step.seed = flight.seed;
    ASSAY_TRY(Judging found, judging_of(flight, progress));
    step.device = flight.device;
    take(std::move(found), parent, judged);
    return {};
  }

  static void take(Judging found, const evolve::Candidate& parent, JudgedProposal& judged) {
    EvolveStep& step = judged.step;
    step.id = found.candidate.id;
    step.verdict = found.verdict;
    step.gate = found.gate;
    step.text = found.text;
    step.hypothesis_held = found.hypothesis_held;
    for (const evolve::RaceShape& each : found.shapes)
      step.shapes.push_back({each.shape, each.drawn, each.time_us, each.incumbent_us, each.ratio, each.low, each.high});
    if (!found.shapes.empty()) step.ratio = evolve::geometric_mean_ratio(found.shapes);
    if (found.cell) step.cell = evolve::to_string(*found.cell);
    if (!found.candidate.id.empty()) step.diff = evolve::make_diff(parent.files, found.candidate.files);
    step.costs.compile_s = found.costs.compile_s;
    step.costs.virtual_s = found.costs.virtual_s;
    step.costs.gpu_s = found.costs.gpu_s;
    judged.candidate = std::move(found.candidate);
    judged.hash = found.hash;
    judged.cell = found.cell;
  }

  // --- the record
  std::vector<ledger::SourceFile> sources_of(const evolve::Candidate& candidate) const {
    std::vector<ledger::SourceFile> sources;
    for (const auto& [path, content] : candidate.files) sources.push_back({path, content});
    if (const auto text = evolve::specification_of(candidate, base_.snapshot.original))
      sources.push_back({base_.snapshot.specification_file, *text});
    return sources;
  }

  Result<void> append(const JudgedProposal& judged, const evolve::Candidate& candidate) {
    if (recording_.ledger() == nullptr) return {};
    ledger::Attempt attempt = recording_.draft();
    attempt.time_us = ledger::now_us();
    attempt.configuration = candidate.configuration;
    attempt.seed = judged.step.seed;
    attempt.verdict = judged.step.verdict;
    attempt.source_hash = candidate.id;
    const EvolveCosts& costs = judged.step.costs;
    attempt.duration_s = costs.proposer_s + costs.compile_s + costs.virtual_s + costs.gpu_s;
    const bool was_checked = judged.step.verdict == "accepted" || judged.step.verdict == "lost";
    if (was_checked || judged.step.gate == "check") attempt.correct = was_checked;
    json details = step_document(judged.step, known());
    details["evolution"] = report_.evolution;
    details["known"] = known();
    attempt.details = details.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::vector<ledger::SourceFile> sources = sources_of(candidate);
    ASSAY_TRY(const int64_t id, recording_.ledger()->append(attempt, {}, sources));
    if (judged.step.hypothesis.empty()) return {};
    const auto noted = recording_.ledger()->add_note(
        {.attempt = id, .kernel = {}, .kind = ledger::Note::Kind::hypothesis, .text = judged.step.hypothesis});
    if (!noted) return noted.error();
    return {};
  }

  Result<void> record(const JudgedProposal& judged) {
    return append(judged, judged.candidate.id.empty() ? state_->first() : judged.candidate);
  }

  Result<void> record_first() {
    JudgedProposal first;
    first.step.id = state_->first().id;
    first.step.verdict = "begun";
    first.step.text = "the kernel as it is";
    first.step.seed = base_.seed;
    first.step.shapes = state_->against_first(state_->first().id);
    first.step.costs.virtual_s = first_costs_.virtual_s;
    first.step.costs.gpu_s = first_costs_.gpu_s;
    return append(first, state_->first());
  }

  // --- the end
  // The whole change at once, beside the first kernel, through all gates, on every GPU that workers have.
  Result<void> race_finalist() {
    if (crew_ == nullptr || !on_gpu() || state_->accepted() == 0) return {};
    const Progress progress(context_, "the best on every GPU", 0);
    const evolve::Candidate& best = state_->incumbent();
    JudgingRequest request = base_;
    request.parent = request.incumbent = state_->first();
    for (const auto& [path, content] : best.files) {
      const auto same = request.parent.files.find(path);
      if (same == request.parent.files.end() || same->second != content) request.answer.files[path] = content;
    }
    request.answer.tunables = best.tunables;
    request.answer.constraints = best.constraints;
    request.answer.hypothesis.text = "the best of this evolution";
    request.configuration = best.configuration;
    request.seed = draw(state_->steps().size() + 1);
    return crew_->race_finalist(request);
  }

  Result<void> write_results() {
    report_.diff = evolve::make_diff(state_->first().files, state_->incumbent().files);
    if (!request_.diff.empty()) {
      ASSAY_CHECK(write_file_atomically(request_.diff, report_.diff));
      report_.written.push_back(request_.diff);
    }
    if (!request_.apply || state_->accepted() == 0) return {};
    const evolve::Candidate& best = state_->incumbent();
    // Somebody may have edited the sources meanwhile: that is not ours to overwrite.
    for (const auto& [path, content] : best.files) {
      const auto now = read_file(base_.snapshot.folder / path);
      const auto before = base_.snapshot.files.find(path);
      const bool untouched = before == base_.snapshot.files.end() ? !now : now && *now == before->second;
      if (!untouched && (!now || *now != content))
        return Error{"the file was changed meanwhile, and is left as it is",
                     Place{(base_.snapshot.folder / path).string()},
                     "apply the change with --diff FILE --resume, and patch"};
    }
    evolve::Files wanted = best.files;
    ASSAY_TRY(wanted[base_.snapshot.specification_file], evolve::specification_of(best, base_.snapshot.original));
    for (const auto& [path, content] : wanted) {
      const auto before = base_.snapshot.files.find(path);
      if (before != base_.snapshot.files.end() && before->second == content) continue;
      const std::filesystem::path file = base_.snapshot.folder / path;
      std::error_code ignored;
      std::filesystem::create_directories(file.parent_path(), ignored);
      ASSAY_CHECK(write_file_atomically(file, content));
      report_.written.push_back(file.string());
    }
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
  size_t width_ = 1;                       // proposals in flight
  std::optional<FirstTrial> first_trial_;  // on a GPU
  JudgingCosts first_costs_;
  std::optional<DiagnoseReport> first_looked_;
  LookedAt looked_;  // at the parent of the last question
  std::optional<EvolveState> state_;
  std::optional<JournalFile> journal_;
  std::deque<InFlight> queue_;
  std::string tampered_;
  std::map<std::string, double> above_floor_;
  EvolveReport report_;
};

}  // namespace

Result<EvolveReport> evolve(const EvolveRequest& request, const Context& context, const OnStep& on_step) {
  if (request.proposer.empty() == request.replay.empty())
    return Error{"a proposer is needed, or a journal to replay", {}, "--proposer PROGRAM, or --replay JOURNAL"};
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
