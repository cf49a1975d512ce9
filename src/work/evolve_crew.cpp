// SPDX-License-Identifier: MIT
#include "work/evolve_crew.hpp"

#include <fmt/format.h>

namespace assay::work {
namespace {

using nlohmann::json;

constexpr const char* kFirst = "the first kernel";
constexpr const char* kFinalist = "the finalist";

std::vector<std::string> words(const std::filesystem::path& request) {
  return {"evolve", "--judge", request.string(), "--json"};
}

json member(const json& document, const char* name) {
  return document.is_object() ? document.value(name, json()) : json();
}

std::string problem_of(const TaskAnswer& answer) {
  return answer.problem.empty() ? "its document cannot be read" : answer.problem;
}

// As if one answer had brought all that was accepted.
evolve::Answer whole_change(const evolve::Candidate& first, const evolve::Candidate& best) {
  evolve::Answer answer;
  for (const auto& [path, content] : best.files) {
    const auto same = first.files.find(path);
    if (same == first.files.end() || same->second != content) answer.files[path] = content;
  }
  answer.tunables = best.tunables;
  answer.constraints = best.constraints;
  answer.hypothesis.text = "the best of this evolution";
  return answer;
}

}  // namespace

Result<std::unique_ptr<EvolveCrew>> EvolveCrew::gather(const ExecutorOptions& options,
                                                       const std::filesystem::path& folder, const Context& context) {
  ASSAY_TRY(std::unique_ptr<TaskCrew> crew, TaskCrew::gather(options, folder, context));
  return std::unique_ptr<EvolveCrew>(new EvolveCrew(std::move(crew), JudgingStore(folder)));
}

Result<FirstTrial> EvolveCrew::try_first(const FirstRequest& request) {
  ASSAY_TRY(const std::filesystem::path file, store_.write(request));
  Task task{kFirst, words(file), "", true};
  task.trouble = [](const TaskAnswer& answer) {
    return first_from(member(answer.document, "first")) ? "" : problem_of(answer);
  };
  ASSAY_CHECK(crew_->put(task));
  ASSAY_TRY(const TaskAnswer answer, crew_->answer_of(kFirst));
  if (auto trial = first_from(member(answer.document, "first"))) return std::move(*trial);
  return Error{fmt::format("no worker could try the kernel itself: {}", answer.trouble),
               {},
               "run the same command there without --executor to see more",
               answer.exit_code == ExitCode::good ? ExitCode::environment : answer.exit_code};
}

Result<Task> EvolveCrew::task(const std::string& name, const JudgingRequest& request) {
  ASSAY_TRY(const std::filesystem::path file, store_.write(request));
  const Asked asked{request.parent, request.answer, request.snapshot.rules};
  Task task{name, words(file), "", false};
  task.trouble = [asked](const TaskAnswer& answer) {
    const json judging = member(answer.document, "judging");
    return judging_from(judging, asked.parent, asked.answer, asked.rules) ? "" : problem_of(answer);
  };
  asked_[name] = asked;
  return task;
}

Result<void> EvolveCrew::put(size_t proposal, const JudgingRequest& request) {
  ASSAY_TRY(const Task wanted, task(std::to_string(proposal), request));
  return crew_->put(wanted);
}

Result<EvolveCrew::Answered> EvolveCrew::next() {
  ASSAY_TRY(const TaskAnswer answer, crew_->next());
  if (!answer.trouble.empty())
    return Error{fmt::format("no machine could judge proposal {}: {}", answer.task, answer.trouble),
                 {},
                 "mend the machines; --resume goes on with what was judged",
                 ExitCode::environment};
  const Asked& asked = asked_.at(answer.task);
  auto judging = judging_from(member(answer.document, "judging"), asked.parent, asked.answer, asked.rules);
  if (!judging) return Error{"a judging was read once and not again", {}, "", ExitCode::internal};
  return Answered{std::stoull(answer.task), std::move(*judging), answer.worker.device};
}

Result<void> EvolveCrew::race_finalist(JudgingRequest request, const evolve::Candidate& first,
                                       const evolve::Candidate& best) {
  request.parent = request.incumbent = first;
  request.answer = whole_change(first, best);
  request.configuration = best.configuration;
  ASSAY_TRY(const Task wanted, task(kFinalist, request));
  ASSAY_TRY(const std::vector<std::string> names, crew_->put_on_each_gpu(wanted));
  const Asked& asked = asked_.at(kFinalist);
  for (const std::string& name : names) {
    ASSAY_TRY(const TaskAnswer answer, crew_->answer_of(name));
    EvolveDevice& device = finalists_[answer.worker.device];
    const auto judging = judging_from(member(answer.document, "judging"), asked.parent, asked.answer, asked.rules);
    if (!judging) {
      device.text = answer.trouble;  // it was not raced there; the report shows that
      continue;
    }
    device.verdict = judging->verdict;
    device.gate = judging->gate;
    device.text = judging->text;
    if (!judging->shapes.empty()) device.ratio = evolve::geometric_mean_ratio(judging->shapes);
    device.disagrees = judging->verdict != "accepted";
  }
  return {};
}

std::vector<EvolveDevice> EvolveCrew::devices() const {
  std::vector<EvolveDevice> all;
  for (const WorkerDevice& each : crew_->devices()) {
    EvolveDevice& device = all.emplace_back();
    if (const auto raced = finalists_.find(each.device); raced != finalists_.end()) device = raced->second;
    device.worker = each;
  }
  return all;
}

}  // namespace assay::work
