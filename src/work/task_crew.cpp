// SPDX-License-Identifier: MIT
#include "work/task_crew.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/random.hpp"
#include "work/gather_crew.hpp"

namespace assay::work {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr int kMostTries = 2;                // again, after trouble with a machine
constexpr std::chrono::seconds kMuster{10};  // for workers that are not there yet; a job may wait for hours
constexpr double kPatience = 3;              // leases for which a device may have no worker

// What the worker has to say where there is no result.
std::string problem_of(const cluster::ItemResult& result, const json& document) {
  if (document.is_object() && document.contains("error") && document["error"].is_object())
    return document["error"].value("message", "an error without a message");
  if (!document.is_null()) return "";
  return result.problem.empty() ? "its document cannot be read" : result.problem;
}

}  // namespace

Result<std::unique_ptr<TaskCrew>> TaskCrew::gather(const ExecutorOptions& options, const std::filesystem::path& folder,
                                                   const Context& context) {
  std::unique_ptr<TaskCrew> made(new TaskCrew(options, worker_count(options)));
  ASSAY_TRY(made->crew_, gather_crew(options, folder, context));
  return made;
}

// The limit of time is a part of the item, and differs from try to try by less than anybody notices.
Result<void> TaskCrew::send(Open& open) {
  cluster::WorkItem item;
  item.words = open.task.words;
  item.time_limit_s = options_.time_limit_s + 1e-3 * open.number;
  if (open.task.anew) item.time_limit_s += static_cast<double>(1 + system_random() % 1'000'000) * 1e-9;
  ASSAY_TRY(open.item, crew_->put(item, open.only_for()));
  names_[open.item] = open.task.name;
  return {};
}

Result<void> TaskCrew::put(const Task& task) {
  Open& open = tasks_[task.name];
  open = {};
  open.task = task;
  return send(open);
}

Result<std::vector<std::string>> TaskCrew::put_on_each_gpu(const Task& task) {
  std::vector<std::string> names;
  ASSAY_CHECK(crew_->muster(kMuster));
  for (const cluster::Worker& worker : crew_->present_workers()) {
    Task one = task;
    one.name = fmt::format("{}@{}", task.name, worker.device);
    one.only_for = worker.device;
    if (worker.device == "virtual" || std::ranges::find(names, one.name) != names.end()) continue;
    names.push_back(one.name);
    ASSAY_CHECK(put(one));
  }
  return names;
}

// A GPU that had no trouble with the task, that which the fewest tasks are kept for; "": there is none.
std::string TaskCrew::another_device(const Open& open) const {
  std::map<std::string, size_t> kept_for;
  for (const cluster::Worker& worker : crew_->present_workers()) {
    if (worker.device != "virtual" && !open.troubled.contains(worker.device)) kept_for[worker.device] = 0;
  }
  for (const auto& [name, other] : tasks_) {
    if (const auto device = kept_for.find(other.only_for()); device != kept_for.end()) ++device->second;
  }
  const auto least = std::ranges::min_element(kept_for, {}, [](const auto& each) { return each.second; });
  return least == kept_for.end() ? "" : least->first;
}

void TaskCrew::remember(const cluster::Worker& worker, bool counts) {
  auto known = std::ranges::find(devices_, worker.device, &WorkerDevice::device);
  if (known == devices_.end()) known = devices_.insert(known, {worker.device, worker.gpu, {}, 0});
  if (std::ranges::find(known->hosts, worker.host) == known->hosts.end()) known->hosts.push_back(worker.host);
  known->answers += counts ? 1 : 0;
}

// Nothing: it is tried again, or nobody waits for it any more.
Result<std::optional<TaskAnswer>> TaskCrew::take(const cluster::ItemResult& result) {
  const auto name = names_.find(result.item);
  const auto found = name == names_.end() ? tasks_.end() : tasks_.find(name->second);
  if (found == tasks_.end() || found->second.item != result.item) return std::optional<TaskAnswer>();
  Open& open = found->second;
  TaskAnswer answer;
  answer.task = open.task.name;
  if (!result.document.empty()) answer.document = json::parse(result.document, nullptr, false);
  if (answer.document.is_discarded()) answer.document = json();
  answer.problem = problem_of(result, answer.document);
  answer.exit_code = static_cast<ExitCode>(result.exit_code);
  answer.worker = result.worker;
  answer.seconds = result.seconds;
  answer.recalled = result.recalled;
  answer.trouble = open.task.trouble(answer);
  // What an earlier run failed over may work by now.
  const bool again = result.recalled || (!result.given_up && ++open.troubles <= kMostTries);
  if (!answer.trouble.empty() && again) {
    ++open.number;
    if (!result.recalled) {
      open.troubled.insert(result.worker.device);
      open.elsewhere = another_device(open);
    }
    ASSAY_CHECK(send(open));
    return std::optional<TaskAnswer>();
  }
  if (!answer.trouble.empty() && !result.worker.host.empty())
    answer.trouble = fmt::format("{}: {}", result.worker.host, answer.trouble);
  if (answer.trouble.empty()) remember(result.worker, !open.task.anew);
  tasks_.erase(found);
  return std::optional(std::move(answer));
}

// A task of a device whose worker is gone for good.
std::optional<TaskAnswer> TaskCrew::abandoned() {
  const std::vector<cluster::Worker> present = crew_->present_workers();
  const auto now = steady_clock::now();
  for (auto& [name, open] : tasks_) {
    const bool lonely = !open.only_for().empty() &&
                        std::ranges::find(present, open.only_for(), &cluster::Worker::device) == present.end();
    if (lonely && !open.lonely) open.lonely_since = now;
    open.lonely = lonely;
    if (!lonely || now - open.lonely_since < std::chrono::duration<double>(kPatience * options_.lease_s)) continue;
    TaskAnswer answer;
    answer.task = name;
    answer.worker.device = open.only_for();
    answer.trouble = answer.problem = fmt::format("{} has no worker any more", open.only_for());
    crew_->forget(open.item);
    tasks_.erase(name);
    return answer;
  }
  return std::nullopt;
}

Result<TaskAnswer> TaskCrew::next() {
  if (!kept_.empty()) {
    TaskAnswer answer = std::move(kept_.begin()->second);
    kept_.erase(kept_.begin());
    return answer;
  }
  while (true) {
    ASSAY_TRY(const std::optional<cluster::ItemResult> result, crew_->next_within(std::chrono::seconds(1)));
    if (!result) {
      if (auto answer = abandoned()) return std::move(*answer);
      continue;
    }
    ASSAY_TRY(std::optional<TaskAnswer> answer, take(*result));
    if (answer) return std::move(*answer);
  }
}

Result<TaskAnswer> TaskCrew::answer_of(const std::string& task) {
  std::map<std::string, TaskAnswer> others = std::exchange(kept_, {});
  if (const auto known = others.find(task); known != others.end()) {
    TaskAnswer answer = std::move(known->second);
    others.erase(known);
    kept_ = std::move(others);
    return answer;
  }
  while (true) {
    auto answer = next();
    if (answer && answer->task != task) {
      others[answer->task] = std::move(*answer);
      continue;
    }
    kept_ = std::move(others);
    return answer;
  }
}

}  // namespace assay::work
