// SPDX-License-Identifier: MIT
// The workers of one run, seen from where their results are wanted. Workers that end while there is work to be done are
// replaced; results arrive in any order.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "cluster/executor.hpp"
#include "cluster/work_folder.hpp"
#include "cluster/work_item.hpp"

namespace assay::cluster {

struct CrewOptions {
  std::filesystem::path folder;  // of this run; what an earlier one left in it is used
  size_t workers = 1;
  std::chrono::milliseconds lease{60'000};
  std::chrono::milliseconds poll{200};
  size_t most_starts = 0;  // of workers, in all; 0: ten times as many as there are to be
};

class Crew {
 public:
  static Result<std::unique_ptr<Crew>> gather(const CrewOptions& options, std::unique_ptr<Executor> executor,
                                              const Context& context);
  ~Crew();  // workers end
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // The item's name, by which its result is known. `only_for`: a worker's device.
  Result<std::string> put(const WorkItem& item, const std::string& only_for = "");
  size_t open_items() const { return open_.size(); }
  // The next result of an item that was put and not heard of yet; waits for it, at most so long. An error: nobody is
  // left to do it, or the user has had enough.
  Result<std::optional<ItemResult>> next_within(std::chrono::milliseconds time);
  // Somebody is there who will wait for results, but not now: workers stay, and are replaced.
  Result<void> tend();
  // All workers that were asked for, also where there is less work; waits until they are there, at most so long.
  Result<void> muster(std::chrono::milliseconds time);
  std::vector<Worker> present_workers() const;
  // No longer wanted: nobody is there who could do it.
  void forget(const std::string& item) { open_.erase(item); }
  size_t starts() const { return starts_; }
  std::string state() const { return executor_->state(); }

 private:
  Crew(CrewOptions options, WorkFolder folder, std::unique_ptr<Executor> executor, const Context& context)
      : options_(std::move(options)), folder_(std::move(folder)), executor_(std::move(executor)), context_(context) {}
  Result<void> keep_up();
  Result<size_t> start_missing(size_t wanted);  // how many are there then
  Result<bool> listen(bool recalled);           // whether there was something new

  const CrewOptions options_;
  WorkFolder folder_;
  std::unique_ptr<Executor> executor_;
  const Context& context_;
  std::set<std::string> open_;
  std::map<std::string, ItemResult> arrived_;
  std::chrono::steady_clock::time_point looked_{};
  size_t starts_ = 0;
};

}  // namespace assay::cluster
