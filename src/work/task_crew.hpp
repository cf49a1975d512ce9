// SPDX-License-Identifier: MIT
// What a command divides among workers: tasks, each of which is a command of this program whose JSON document is
// wanted. Workers that are lost are replaced, tasks that a machine failed over are tried again, and whoever asks gets
// the answers as they come, or in the order that it wants.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "assay/executor.hpp"
#include "base/progress.hpp"
#include "cluster/crew.hpp"

namespace assay::work {

struct TaskAnswer {
  std::string task;
  nlohmann::json document;  // what the command printed; null: nothing that can be read
  std::string problem;      // the error that it tells, or why there is no document; empty if there is none
  ExitCode exit_code = ExitCode::good;
  cluster::Worker worker;
  double seconds = 0;     // that the worker took
  bool recalled = false;  // an earlier run has left it
  std::string trouble;    // of the machine, after the last try; empty: it is an answer
};

struct Task {
  std::string name;                // of our own; one task is out under it at a time
  std::vector<std::string> words;  // of the command, without the program
  std::string only_for;            // a device; empty: any
  bool anew = false;               // a question about the worker: asked also if an earlier run has the answer
  // What of an answer is a machine's fault and no answer; "" if nothing is.
  std::function<std::string(const TaskAnswer&)> trouble = [](const TaskAnswer& answer) {
    return answer.document.is_null() ? answer.problem : "";
  };
};

class TaskCrew {
 public:
  // `folder`: of this run's work; answers that an earlier run has left there are used.
  static Result<std::unique_ptr<TaskCrew>> gather(const ExecutorOptions& options, const std::filesystem::path& folder,
                                                  const Context& context);

  Result<void> put(const Task& task);
  // The same task on every GPU that is there; their names are NAME@DEVICE. None where all are virtual: what is counted
  // is the same everywhere.
  Result<std::vector<std::string>> put_on_each_gpu(const Task& task);
  size_t open_tasks() const { return tasks_.size(); }
  size_t workers() const { return workers_; }

  Result<TaskAnswer> next();                              // whichever comes first; waits
  Result<TaskAnswer> answer_of(const std::string& task);  // waits; others that come meanwhile are kept
  // Keeps workers there while nobody waits for an answer. Call it every second or so.
  Result<void> tend() { return crew_->tend(); }

  const std::vector<WorkerDevice>& devices() const { return devices_; }
  size_t workers_started() const { return crew_->starts(); }
  std::string state() const { return crew_->state(); }

 private:
  struct Open {
    Task task;
    std::string item;
    int number = 0;                    // of the try: makes the item another one
    int troubles = 0;                  // of machines
    std::set<std::string> troubled{};  // their devices
    std::string elsewhere{};           // the device for which the next try is kept; empty: any
    bool lonely = false;
    std::chrono::steady_clock::time_point lonely_since{};

    const std::string& only_for() const { return task.only_for.empty() ? elsewhere : task.only_for; }
  };

  TaskCrew(const ExecutorOptions& options, size_t workers) : options_(options), workers_(workers) {}
  Result<void> send(Open& open);
  Result<std::optional<TaskAnswer>> take(const cluster::ItemResult& result);
  std::optional<TaskAnswer> abandoned();
  std::string another_device(const Open& open) const;
  void remember(const cluster::Worker& worker, bool counts);

  const ExecutorOptions options_;
  const size_t workers_;
  std::unique_ptr<cluster::Crew> crew_;
  std::map<std::string, Open> tasks_;         // by name
  std::map<std::string, std::string> names_;  // of tasks, by item
  std::map<std::string, TaskAnswer> kept_;    // that nobody has asked for yet
  std::vector<WorkerDevice> devices_;
};

}  // namespace assay::work
