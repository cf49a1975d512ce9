// SPDX-License-Identifier: MIT
#include "cluster/labour.hpp"

#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/child.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace assay::cluster {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr size_t kProblemBytes = 4000;  // the end of what a command wrote to standard error

// abandoned: something ended the command from outside; the lease runs out, and another worker may try
enum class Ended { done, timed_out, cancelled, overtaken, abandoned };

bool was_ended_from_outside(const Child& child) {
  const std::optional<ProgramEnd>& end = child.end();
  if (!end) return false;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP}) {
    if (end->signal == signal || (end->signal == 0 && end->exit_status == 128 + signal)) return true;
  }
  return false;
}

// Waits for the child and keeps the lease meanwhile.
Result<Ended> attend(Child& child, const WorkFolder& folder, const Claim& claim, const Worker& worker,
                     Clock::time_point deadline, const Context& context) {
  const milliseconds beat = folder.lease() / 4;
  Clock::time_point next = Clock::now() + beat;
  while (!child.finish("", std::min({deadline, next, Clock::now() + milliseconds(200)}))) {
    if (context.cancelled()) return Ended::cancelled;
    if (Clock::now() >= deadline) return Ended::timed_out;
    if (Clock::now() < next) continue;
    next = Clock::now() + beat;
    ASSAY_TRY(const bool ours, folder.renew(claim));
    if (!ours) return Ended::overtaken;
    ASSAY_CHECK(folder.present(worker.name, to_text(worker)));
  }
  if (!was_ended_from_outside(child)) return context.cancelled() ? Ended::cancelled : Ended::done;
  // Batch systems send the same signal to all processes of a job, and ours may be a moment late.
  const auto late = Clock::now() + milliseconds(1000);
  while (!context.cancelled() && Clock::now() < late) std::this_thread::sleep_for(milliseconds(10));
  return context.cancelled() ? Ended::cancelled : Ended::abandoned;
}

std::string last_bytes(const std::string& text) {
  return text.size() <= kProblemBytes ? text : text.substr(text.size() - kProblemBytes);
}

ItemResult failed(const Worker& worker, const std::string& problem) {
  ItemResult result;
  result.worker = worker;
  result.exit_code = static_cast<int>(ExitCode::environment);
  result.problem = problem;
  return result;
}

struct Done {
  Ended how = Ended::done;
  ItemResult result;
};

Result<Done> run_item(const WorkFolder& folder, const Claim& claim, const Worker& worker, const Context& context) {
  const auto item = read_item(claim.content);
  if (!item) return Done{Ended::done, failed(worker, to_string(item.error()))};
  Command command;
  command.arguments = item->words;
  command.arguments.insert(command.arguments.begin(), context.program);
  const Clock::time_point start = Clock::now();
  auto child = Child::start(command);
  if (!child && context.cancelled()) return Done{Ended::cancelled, {}};  // from then on no child starts
  if (!child) return Done{Ended::done, failed(worker, to_string(child.error()))};
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(item->time_limit_s));
  Done done;
  ASSAY_TRY(done.how, attend(**child, folder, claim, worker, start + limit, context));
  const std::string ending = (*child)->stop();
  done.result.worker = worker;
  done.result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::optional<ProgramEnd>& end = (*child)->end();
  done.result.document = (*child)->take_output();
  if (done.how == Ended::timed_out) {
    done.result.exit_code = static_cast<int>(ExitCode::inconclusive);
    done.result.document.clear();
    done.result.problem = fmt::format("it was ended after its time limit of {:g} s", item->time_limit_s);
    return done;
  }
  done.result.exit_code = end && end->signal == 0 ? end->exit_status : static_cast<int>(ExitCode::internal);
  if (nlohmann::json::accept(done.result.document)) return done;
  done.result.document.clear();
  done.result.problem = fmt::format("the command {} without a document: {}", ending, last_bytes((*child)->errors()));
  return done;
}

}  // namespace

Result<LabourReport> labour(WorkFolder& folder, const Worker& worker, const LabourOptions& options,
                            const Context& context) {
  LabourReport report;
  Progress progress(context, "work", 0);
  while (!context.cancelled() && !folder.stopped() && folder.attended(options.unattended)) {
    ASSAY_CHECK(folder.present(worker.name, to_text(worker)));
    ASSAY_TRY(const std::optional<Claim> claim, folder.claim(worker.name, worker.device));
    if (!claim) {
      std::this_thread::sleep_for(options.poll);
      continue;
    }
    progress.step(claim->item);
    ASSAY_TRY(const Done done, run_item(folder, *claim, worker, context));
    if (done.how == Ended::cancelled) {
      ASSAY_CHECK(folder.give_back(*claim));
      ++report.given_back;
      break;
    }
    bool published = false;
    if (done.how == Ended::done || done.how == Ended::timed_out) {
      ASSAY_TRY(published, folder.publish(*claim, to_text(done.result)));
    }
    ++(published ? report.finished : report.overtaken);
    progress.advance(claim->item);
  }
  return report;
}

}  // namespace assay::cluster
