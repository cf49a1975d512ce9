// SPDX-License-Identifier: MIT
#include "cluster/crew.hpp"

#include <fmt/format.h>
#include <thread>

namespace assay::cluster {
namespace {

using Clock = std::chrono::steady_clock;

// Asking a batch system costs it something: not more often than this.
constexpr std::chrono::milliseconds kBetweenLooks{2000};

// By a name that means the same in another process.
std::string program_file(const std::string& program) {
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(program, failed);
  return failed ? program : file.string();
}

ItemResult given_up(const std::string& item) {
  ItemResult result;
  result.item = item;
  result.given_up = true;
  result.exit_code = static_cast<int>(ExitCode::internal);
  result.problem = fmt::format("given up: {} workers were lost over it", WorkFolder::kMostLost);
  return result;
}

}  // namespace

Result<std::unique_ptr<Crew>> Crew::gather(const CrewOptions& options, std::unique_ptr<Executor> executor,
                                           const Context& context) {
  ASSAY_TRY(WorkFolder folder, WorkFolder::create(options.folder, options.lease));
  ASSAY_CHECK(folder.reopen());
  std::unique_ptr<Crew> crew(new Crew(options, std::move(folder), std::move(executor), context));
  ASSAY_CHECK(crew->listen(true));
  return crew;
}

Crew::~Crew() {
  (void)folder_.stop();  // a full disk is no reason to leave workers behind
  executor_->end_all();
}

Result<std::string> Crew::put(const WorkItem& item, const std::string& only_for) {
  ASSAY_TRY(const std::string name, folder_.put(to_text(item), only_for));
  open_.insert(name);
  return name;
}

std::vector<Worker> Crew::present_workers() const {
  std::vector<Worker> present;
  for (const std::string& about : folder_.present_workers()) {
    if (auto worker = read_worker(about)) present.push_back(std::move(*worker));
  }
  return present;
}

Result<size_t> Crew::start_missing(size_t wanted) {
  ASSAY_TRY(size_t present, executor_->present());
  const size_t most = options_.most_starts > 0 ? options_.most_starts : 10 * options_.workers;
  for (; present < wanted && starts_ < most; ++present) {
    ASSAY_CHECK(executor_->start(
        {program_file(context_.program), "work", std::filesystem::absolute(options_.folder).string()}));
    ++starts_;
  }
  return present;
}

Result<void> Crew::muster(std::chrono::milliseconds time) {
  const Clock::time_point deadline = Clock::now() + time;
  ASSAY_CHECK(folder_.attend());
  ASSAY_CHECK(start_missing(options_.workers));
  while (present_workers().size() < options_.workers && Clock::now() < deadline) {
    ASSAY_CHECK(check_cancelled(context_));
    std::this_thread::sleep_for(options_.poll);
  }
  return {};
}

// As many workers as were asked for, but not more than there is work for.
Result<void> Crew::keep_up() {
  if (Clock::now() - looked_ < kBetweenLooks) return {};
  looked_ = Clock::now();
  ASSAY_CHECK(folder_.attend());
  ASSAY_TRY(const size_t present, start_missing(std::min(options_.workers, open_.size())));
  if (present == 0)
    return Error{fmt::format("no worker is left: {} were started and all of them ended", starts_),
                 Place{(options_.folder / "log").string()},
                 "read what they wrote there; the same command with --resume goes on", ExitCode::environment};
  return {};
}

Result<bool> Crew::listen(bool recalled) {
  ASSAY_TRY(const std::vector<Outcome> outcomes, folder_.outcomes());
  for (const Outcome& outcome : outcomes) {
    auto read = outcome.result.empty() ? Result<ItemResult>(given_up(outcome.item)) : read_result(outcome.result);
    if (!read) read = given_up(outcome.item);
    read->item = outcome.item;
    read->recalled = recalled;
    arrived_[outcome.item] = std::move(*read);
  }
  return !outcomes.empty();
}

Result<void> Crew::tend() {
  ASSAY_CHECK(check_cancelled(context_));
  if (open_.empty()) return folder_.attend();
  ASSAY_CHECK(listen(false));
  return keep_up();
}

Result<std::optional<ItemResult>> Crew::next_within(std::chrono::milliseconds time) {
  const Clock::time_point deadline = Clock::now() + time;
  while (true) {
    for (auto each = arrived_.begin(); each != arrived_.end(); ++each) {
      if (open_.erase(each->first) == 0) continue;
      ItemResult result = std::move(each->second);
      arrived_.erase(each);
      return std::optional(std::move(result));
    }
    if (open_.empty()) return Error{"there is no work whose result could come", {}, "", ExitCode::internal};
    ASSAY_CHECK(check_cancelled(context_));
    ASSAY_TRY(const bool fresh, listen(false));
    if (fresh) continue;
    ASSAY_CHECK(keep_up());
    if (Clock::now() >= deadline) return std::optional<ItemResult>();
    std::this_thread::sleep_for(options_.poll);
  }
}

}  // namespace assay::cluster
