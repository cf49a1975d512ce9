// SPDX-License-Identifier: MIT
// Slurm by its commands, which are the same everywhere. What is true stands in the folder of the work; a job's state
// only says why a worker is missing.
#include <fmt/format.h>
#include <map>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cluster/executor.hpp"

namespace assay::cluster {
namespace {

// Our words arrive as arguments of the script, so that no shell reads them.
constexpr const char* kScript = "#!/bin/sh\nexec \"$@\"\n";

Result<std::string> ask(std::vector<std::string> words) {
  Command command;
  command.arguments = std::move(words);
  command.time_limit = std::chrono::seconds(60);
  ASSAY_TRY(const ProcessOutcome outcome, run(command));
  if (outcome.succeeded()) return outcome.output;
  return Error{fmt::format("{} {}: {}", command.arguments[0], describe_end(outcome), trim(outcome.errors)),
               {},
               "see whether `sinfo` answers, and whether the partition exists",
               ExitCode::environment};
}

class SlurmExecutor final : public Executor {
 public:
  SlurmExecutor(SlurmOptions options, std::filesystem::path log_folder)
      : options_(std::move(options)), folder_(std::move(log_folder)) {
    std::error_code failed;
    std::filesystem::create_directories(folder_ / "jobs", failed);
    for (std::filesystem::directory_iterator each(folder_ / "jobs", failed), end; !failed && each != end;
         each.increment(failed)) {
      if (is_job(each->path().filename().string())) jobs_[each->path().filename()] = "PENDING";
    }
  }

  Result<void> start(const std::vector<std::string>& command) override {
    const std::filesystem::path script = folder_ / "worker.sh";
    ASSAY_CHECK(write_file_atomically(script, kScript));
    std::vector<std::string> words{"sbatch",
                                   "--parsable",
                                   "--requeue",
                                   "--open-mode=append",
                                   "--job-name=assay",
                                   fmt::format("--signal=B:USR1@{}", options_.warning.count()),
                                   fmt::format("--output={}/job-%j.txt", folder_.string())};
    if (!options_.partition.empty()) words.push_back("--partition=" + options_.partition);
    if (!options_.gres.empty()) words.push_back("--gres=" + options_.gres);
    if (!options_.time.empty()) words.push_back("--time=" + options_.time);
    words.insert(words.end(), options_.options.begin(), options_.options.end());
    words.push_back(script.string());
    words.insert(words.end(), command.begin(), command.end());
    ASSAY_TRY(const std::string answer, ask(std::move(words)));
    const std::string job(trim(answer.substr(0, answer.find(';'))));  // "id;cluster" on federations
    if (!is_job(job))
      return Error{fmt::format("sbatch did not answer with the number of a job: '{}'", trim(answer)),
                   {},
                   "",
                   ExitCode::environment};
    jobs_[job] = "PENDING";
    ASSAY_CHECK(create_file(folder_ / "jobs" / job, ""));
    return {};
  }

  // A job that squeue no longer knows has ended.
  Result<size_t> present() override {
    if (jobs_.empty()) return size_t{0};
    // All of this user's: squeue fails if one of the numbers that it is asked for is no longer known.
    ASSAY_TRY(const std::string answer, ask({"squeue", "--noheader", "--me", "--states=all", "--format=%i %T %r"}));
    std::map<std::string, std::string> now;
    for (const std::string_view line : split(answer, '\n')) {
      const std::vector<std::string_view> words = split(trim(line), ' ');
      if (words.size() < 2 || !jobs_.contains(std::string(words[0])) || has_ended(words[1])) continue;
      std::string state(words[1]);
      if (state == "PENDING" && words.size() > 2 && words[2] != "None") state += fmt::format(" ({})", words[2]);
      now[std::string(words[0])] = state;
    }
    jobs_ = std::move(now);
    return jobs_.size();
  }

  std::string state() const override {
    std::map<std::string, size_t> count;
    for (const auto& [job, state] : jobs_) ++count[state];
    std::vector<std::string> words;
    for (const auto& [state, number] : count) words.push_back(fmt::format("{} {}", number, state));
    return words.empty() ? "no job" : join(words, ", ");
  }

  void end_all() override {
    if (jobs_.empty()) return;
    std::vector<std::string> words{"scancel"};
    for (const auto& [job, state] : jobs_) words.push_back(job);
    (void)ask(std::move(words));  // jobs that have just ended are no concern
    jobs_.clear();
  }

 private:
  static bool is_job(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  }

  static bool has_ended(std::string_view state) {
    for (const char* each : {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL", "OUT_OF_MEMORY",
                             "BOOT_FAIL", "DEADLINE", "REVOKED"}) {
      if (state == each) return true;
    }
    return false;  // PENDING, RUNNING, COMPLETING, REQUEUED, SUSPENDED, ...
  }

  const SlurmOptions options_;
  const std::filesystem::path folder_;
  std::map<std::string, std::string> jobs_;  // states, by number
};

}  // namespace

Result<std::unique_ptr<Executor>> slurm_executor(const SlurmOptions& options, const std::filesystem::path& log_folder) {
  for (const char* program : {"sbatch", "squeue", "scancel"}) {
    if (find_program(program).empty())
      return Error{fmt::format("there is no {} here", program),
                   {},
                   "run this where Slurm's commands are, or use --executor local",
                   ExitCode::environment};
  }
  return std::unique_ptr<Executor>(std::make_unique<SlurmExecutor>(options, log_folder));
}

}  // namespace assay::cluster
