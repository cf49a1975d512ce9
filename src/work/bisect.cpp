// SPDX-License-Identifier: MIT
#include "assay/bisect.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/check.hpp"
#include "assay/profile.hpp"
#include "assay/sanitize.hpp"
#include "base/escape.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "bisect/bisection.hpp"
#include "bisect/history.hpp"
#include "spec/shape.hpp"
#include "work/counting.hpp"
#include "work/document.hpp"
#include "work/kernel.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using bisect::Mark;
using nlohmann::json;

constexpr size_t kReasonShown = 240;

// What one commit says, before anybody knows what is good.
struct Observed {
  bool judged = false;
  bool sound = false;           // of check and sanitize
  std::optional<double> value;  // of a counter
  std::string reason;
};

json to_payload(const Observed& seen) {
  json payload = {{"judged", seen.judged}, {"sound", seen.sound}, {"reason", seen.reason}};
  if (seen.value) payload["value"] = *seen.value;
  return payload;
}

std::optional<Observed> from_payload(const std::string& text) {
  const json payload = json::parse(text, nullptr, false);
  if (!payload.is_object() || !payload.contains("judged") || !payload["judged"].is_boolean()) return std::nullopt;
  Observed seen;
  seen.judged = payload["judged"].get<bool>();
  seen.sound = payload.value("sound", false);
  seen.reason = payload.value("reason", "");
  if (payload.contains("value") && payload["value"].is_number()) seen.value = payload["value"].get<double>();
  return seen;
}

std::string one_line(const std::string& text) {
  std::string line;
  for (const std::string_view each : split(text, '\n')) {
    if (!trim(each).empty()) line += (line.empty() ? "" : "; ") + std::string(trim(each));
  }
  return line.size() > kReasonShown ? line.substr(0, kReasonShown) + "..." : line;
}

Observed skipped(const std::string& reason) {
  return {false, false, std::nullopt, reason};
}

class Search {
 public:
  Search(const BisectRequest& request, const Context& context, const bisect::History& history, fs::path kernel,
         Resumption& resumption)
      : request_(request),
        context_(context),
        history_(history),
        kernel_(std::move(kernel)),
        resumption_(resumption),
        device_(request.choice.device),
        shape_(request.shape) {}

  const std::string& device() const { return device_; }

  // A commit on the virtual GPU, in a folder of its own; what an earlier run has seen is not looked at again.
  Result<Observed> look_at(const std::string& id) {
    ASSAY_CHECK(check_cancelled(context_));
    ASSAY_CHECK(settle());
    if (const auto looked_at = seen_.find(id); looked_at != seen_.end()) return looked_at->second;
    ASSAY_TRY(const Observed seen, recalled_or_observed(id));
    return seen_.emplace(id, seen).first->second;
  }
  size_t reused() const { return reused_; }

 private:
  Result<Observed> recalled_or_observed(const std::string& id) {
    if (const std::string* known = resumption_.recall(id)) {
      if (auto seen = from_payload(*known)) {
        ++reused_;
        return *seen;
      }
    }
    ASSAY_TRY(const Observed seen, observe(id));
    ASSAY_CHECK(resumption_.remember(id, to_payload(seen).dump(-1, ' ', false, json::error_handler_t::replace)));
    return seen;
  }

  // The device and the shape are those of the newest commit that can be read: figures of others compare with nothing.
  Result<void> settle() {
    if (settled_) return {};
    settled_ = true;
    if (const std::string* known = resumption_.recall("settled")) {
      const json payload = json::parse(*known, nullptr, false);
      if (payload.is_object()) {
        device_ = payload.value("device", device_);
        shape_ = payload.value("shape", shape_);
        return {};
      }
    }
    ASSAY_TRY(const std::string bad, history_.resolve(request_.bad));
    ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make());
    ASSAY_CHECK(history_.extract(bad, scratch.path() / "tree", scratch.path() / "index"));
    ASSAY_TRY(const spec::KernelSpec spec, spec::load(scratch.path() / "tree" / kernel_));
    ASSAY_TRY(device_, virtual_device_for(spec, request_.choice.device));
    if (shape_.empty() && request_.judge == "counter") {
      ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, request_.choice.configuration));
      ASSAY_TRY(const spec::Shape shape, countable_shape(spec, configuration));
      shape_ = shape.text();
    }
    const json payload = {{"device", device_}, {"shape", shape_}};
    return resumption_.remember("settled", payload.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  Result<Observed> observe(const std::string& id) {
    ASSAY_TRY(const ScratchFolder scratch, ScratchFolder::make());
    const fs::path tree = scratch.path() / "tree";
    ASSAY_CHECK(history_.extract(id, tree, scratch.path() / "index"));
    std::error_code ignored;
    if (!fs::exists(tree / kernel_, ignored)) return skipped("the kernel is not there yet");
    KernelChoice choice = request_.choice;
    choice.kernel = (tree / kernel_).string();
    choice.device = device_;
    auto seen = request_.judge == "counter" ? count(choice)
                : request_.judge == "check" ? check_results(choice)
                                            : check_memory(choice);
    if (seen) return *seen;
    if (context_.cancelled() || seen.error().exit_code == kInterrupted) return seen.error();
    // It does not build, does not fit the device, or its specification says something else: nothing to judge.
    return skipped(one_line(replace_all(seen.error().message, tree.string() + "/", "")));
  }

  Context quiet() const {
    Context context = context_;
    context.listener = nullptr;  // each commit is one step of ours
    return context;
  }

  template <class Request>
  Request request_for(const KernelChoice& choice) const {
    Request request;
    request.choice = choice;
    request.shape = shape_;
    request.seed = request_.seed;
    request.limits = request_.limits;
    request.record.ledger = "none";
    return request;
  }

  Result<Observed> count(const KernelChoice& choice) const {
    const auto request = request_for<ProfileRequest>(choice);
    ASSAY_TRY(const ProfileReport report, profile(request, quiet()));
    const auto found = report.counters.find(request_.counter);
    if (found == report.counters.end()) {
      std::vector<std::string> names;
      for (const auto& [name, value] : report.counters) names.push_back(name);
      const std::string near = nearest(request_.counter, names);
      return skipped(fmt::format("there is no counter '{}'{}", request_.counter,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    return Observed{true, true, static_cast<double>(found->second), ""};
  }

  Result<Observed> check_results(const KernelChoice& choice) const {
    auto request = request_for<CheckRequest>(choice);
    request.fuzz = request_.fuzz;
    ASSAY_TRY(const CheckReport report, check(request, quiet()));
    if (report.exit_code == ExitCode::good) return Observed{true, true, std::nullopt, ""};
    if (report.exit_code != ExitCode::incorrect) return skipped(report.verdict);
    std::string reason = report.verdict;
    for (const ConfigurationCheck& each : report.configurations) {
      for (const CaseReport& test : each.cases) {
        if (test.outcome != "passed" && !test.message.empty()) {
          reason = fmt::format("{} at {}: {}", test.outcome, test.shape, test.message);
          break;
        }
      }
    }
    return Observed{true, false, std::nullopt, reason};
  }

  Result<Observed> check_memory(const KernelChoice& choice) const {
    auto request = request_for<SanitizeRequest>(choice);
    request.costs = false;
    ASSAY_TRY(const SanitizeReport report, sanitize(request, quiet()));
    if (report.exit_code == ExitCode::good) return Observed{true, true, std::nullopt, ""};
    if (report.exit_code != ExitCode::incorrect) return skipped(report.verdict);
    return Observed{true, false, std::nullopt,
                    report.findings.empty() ? report.verdict : report.findings.front().message};
  }

  const BisectRequest& request_;
  const Context& context_;
  const bisect::History& history_;
  fs::path kernel_;  // relative to the repository
  Resumption& resumption_;
  std::string device_;
  std::string shape_;
  bool settled_ = false;
  std::map<std::string, Observed> seen_;  // in this run
  size_t reused_ = 0;
};

std::string number(double value) {
  return fmt::format("{:.10g}", value);
}

// What is good and what is bad, once an end is known.
class Ruler {
 public:
  explicit Ruler(const BisectRequest& request) : request_(request) {}

  // With a good end, a counter is bad where it differs from that; without one, where it is as at the bad end.
  void set_good_end(const Observed& seen) { good_value_ = seen.value; }
  void set_bad_end(const Observed& seen) { bad_value_ = seen.value; }

  Mark mark(const Observed& seen) const {
    if (!seen.judged) return Mark::skipped;
    if (request_.judge != "counter") return seen.sound ? Mark::good : Mark::bad;
    if (good_value_) return differs(*seen.value, *good_value_) ? Mark::bad : Mark::good;
    return differs(*seen.value, *bad_value_) ? Mark::good : Mark::bad;
  }

 private:
  bool differs(double value, double other) const {
    return std::abs(value - other) > request_.threshold * std::abs(other);
  }

  const BisectRequest& request_;
  std::optional<double> good_value_;
  std::optional<double> bad_value_;
};

const char* name_of(Mark mark) {
  return mark == Mark::good ? "good" : mark == Mark::bad ? "bad" : "skipped";
}

// All of one search: the ends first, then what lies between them.
struct Bisect {
  const BisectRequest& request;
  const Context& context;
  const bisect::History& history;
  Search& search;
  Ruler ruler{request};
  BisectReport& report;
  std::map<std::string, Observed> seen{};

  Result<Mark> judge(const std::string& id) {
    ASSAY_TRY(const Observed observed, search.look_at(id));
    seen[id] = observed;
    const Mark mark = ruler.mark(observed);
    report.judged.push_back({id, name_of(mark), observed.value, observed.reason});
    return mark;
  }

  Error cannot_judge(const std::string& end, const std::string& id) {
    return Error{fmt::format("the {} end, {}, cannot be judged: {}", end, id.substr(0, 10), seen[id].reason),
                 Place{report.kernel}, fmt::format("name another commit with --{}", end)};
  }

  // The row of commits from a good one to the bad one; empty: nothing changed.
  Result<std::vector<std::string>> row() {
    ASSAY_TRY(const std::string bad, history.resolve(request.bad));
    if (!request.good.empty()) {
      ASSAY_TRY(const std::string good, history.resolve(request.good));
      return named_row(good, bad);
    }
    ASSAY_TRY(const Observed at_bad, search.look_at(bad));
    ruler.set_bad_end(at_bad);
    ASSAY_TRY(const Mark mark, judge(bad));
    if (mark == Mark::skipped) return cannot_judge("bad", bad);
    if (mark == Mark::good) return std::vector<std::string>();
    return found_row(bad);
  }

  Result<std::vector<std::string>> named_row(const std::string& good, const std::string& bad) {
    ASSAY_TRY(const bool older, history.is_ancestor(good, bad));
    if (!older || good == bad)
      return Error{fmt::format("{} is not before {}", escape_terminal(request.good), escape_terminal(request.bad)),
                   Place{history.root().string()}, "the good end is the older one"};
    ASSAY_TRY(const Observed at_good, search.look_at(good));
    if (request.judge == "counter") ruler.set_good_end(at_good);
    ASSAY_TRY(const Mark first, judge(good));
    if (first == Mark::skipped) return cannot_judge("good", good);
    if (first == Mark::bad)
      return Error{fmt::format("the good end, {}, is bad already: {}", good.substr(0, 10), at_good.reason),
                   Place{report.kernel}, "name an older commit with --good"};
    ASSAY_TRY(const Mark last, judge(bad));
    if (last == Mark::skipped) return cannot_judge("bad", bad);
    if (last == Mark::good) return std::vector<std::string>();
    ASSAY_TRY(std::vector<std::string> commits, history.between(good, bad));
    commits.insert(commits.begin(), good);
    return commits;
  }

  // Backwards in steps of 1, 2, 4, ... commits, until one is good.
  Result<std::vector<std::string>> found_row(const std::string& bad) {
    ASSAY_TRY(const std::vector<std::string> all, history.up_to(bad));
    size_t first_bad = all.size() - 1;
    Progress progress(context, "looking for a good commit", 0);
    for (size_t step = 1; first_bad > 0; step *= 2) {
      const size_t at = first_bad > step ? first_bad - step : 0;
      progress.step(all[at].substr(0, 10));
      ASSAY_TRY(const Mark mark, judge(all[at]));
      if (mark == Mark::good) return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
      if (mark == Mark::bad) first_bad = at;
      // One that cannot be judged: the next older ones, one by one, until one can.
      size_t older = at;
      while (mark == Mark::skipped && older > 0) {
        ASSAY_TRY(const Mark next, judge(all[--older]));
        if (next == Mark::good)
          return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(older), all.end());
        if (next == Mark::bad) break;
      }
      if (mark == Mark::skipped && older == 0) break;
      first_bad = std::min(first_bad, older);
    }
    return std::vector<std::string>();
  }

  Result<void> run() {
    ASSAY_TRY(const std::vector<std::string> commits, row());
    report.device = search.device();
    if (commits.size() < 2) {
      report.verdict = "no change";
      report.exit_code = ExitCode::inconclusive;
      report.reason =
          request.good.empty() ? "no commit that can be judged is different" : "both ends are the same in this respect";
      return {};
    }
    report.commits = commits.size() - 1;
    bisect::Bisection bisection(commits.size());
    for (size_t i = 1; i + 1 < commits.size(); ++i) {  // what the way to the ends has shown already
      if (const auto known = seen.find(commits[i]); known != seen.end()) bisection.mark(i, ruler.mark(known->second));
    }
    Progress progress(context, fmt::format("bisecting {} commits", report.commits), bisection.steps_left());
    while (const std::optional<size_t> next = bisection.next()) {
      progress.step(commits[*next].substr(0, 10));
      ASSAY_TRY(const Mark mark, judge(commits[*next]));
      bisection.mark(*next, mark);
      progress.advance(fmt::format("{} {}", commits[*next].substr(0, 10), name_of(mark)));
    }
    return conclude(commits, bisection);
  }

  Result<void> conclude(const std::vector<std::string>& commits, const bisect::Bisection& bisection) {
    const Observed& before = seen[commits[bisection.last_good()]];
    const Observed& after = seen[commits[bisection.first_bad()]];
    report.reason = before.value && after.value
                        ? fmt::format("{} {} -> {}", request.counter, number(*before.value), number(*after.value))
                        : after.reason;
    for (const size_t suspect : bisection.suspects()) {
      ASSAY_TRY(const bisect::Commit commit, history.describe(commits[suspect]));
      report.suspects.push_back({commit.id, commit.short_id, commit.author, commit.date, commit.subject});
    }
    const bool found = report.suspects.size() == 1;
    report.verdict = found ? "found" : "one of these";
    report.exit_code = found ? ExitCode::good : ExitCode::inconclusive;
    return {};
  }
};

Result<fs::path> path_in(const fs::path& root, const std::string& kernel) {
  std::error_code problem;
  const fs::path path = fs::weakly_canonical(kernel, problem);
  const fs::path relative = problem ? fs::path() : path.lexically_relative(fs::weakly_canonical(root, problem));
  if (relative.empty() || relative.string().starts_with(".."))
    return Error{"this kernel is not in the repository", Place{kernel}};
  return relative;
}

std::string hash_of(const BisectRequest& request, const fs::path& root, const fs::path& kernel,
                    const std::string& bad) {
  Hasher hasher;
  hasher.add("bisect").add(kVersion).add(root.string()).add(kernel.string()).add(request.choice.configuration);
  hasher.add(request.choice.device).add(request.judge).add(request.counter).add(request.shape).add(bad);
  hasher.add(std::to_string(request.fuzz)).add(std::to_string(request.seed));
  hasher.add(fmt::format("{} {}", request.limits.time_s, request.limits.instructions));
  return hasher.hex();
}

Result<void> check_request(const BisectRequest& request) {
  if (request.judge != "counter" && request.judge != "check" && request.judge != "sanitize")
    return Error{"nothing says what is good and what is bad", {}, "--counter NAME, --check or --sanitize"};
  if (request.judge == "counter" && request.counter.empty())
    return Error{"the counter has no name", {}, "assay profile --json lists them"};
  return {};
}

Result<BisectReport> search_history(const BisectRequest& request, const Context& context,
                                    const bisect::History& history, const fs::path& kernel, Recording& recording) {
  BisectReport report;
  report.kernel = kernel.generic_string();
  report.judge = request.judge;
  ASSAY_TRY(const std::string bad, history.resolve(request.bad));
  ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), hash_of(request, history.root(), kernel, bad)));
  Search search(request, context, history, kernel, resumption);
  Bisect work{.request = request, .context = context, .history = history, .search = search, .report = report};
  auto done = work.run();
  ASSAY_CHECK(resumption.flush());
  if (!done) return done.error();
  report.reused = search.reused();
  ASSAY_CHECK(resumption.finish());
  ledger::Attempt attempt = recording.draft();
  attempt.device = report.device;
  attempt.configuration = request.choice.configuration;
  attempt.verdict = report.verdict;
  attempt.exit_code = static_cast<int>(report.exit_code);
  json document = json::parse(to_json(report));
  ASSAY_CHECK(recording.write(std::move(attempt), document));
  return report;
}

}  // namespace

Result<BisectReport> bisect(const BisectRequest& request, const Context& context) {
  ASSAY_CHECK(check_request(request));
  ASSAY_TRY(const bisect::History history, bisect::History::open(request.choice.kernel));
  ASSAY_TRY(const fs::path kernel, path_in(history.root(), request.choice.kernel));
  // The kernel as it is now may be broken: then the attempt has no name.
  const auto spec = spec::load(request.choice.kernel);
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::bisect, spec ? &*spec : nullptr,
                                                  request.choice.configuration, request.choice.device, request.seed}));
  return recording.close(search_history(request, context, history, kernel, recording));
}

std::string to_json(const BisectReport& report) {
  json document = document_head("bisect");
  document.update({{"exit_code", static_cast<int>(report.exit_code)},
                   {"verdict", report.verdict},
                   {"kernel", report.kernel},
                   {"device", report.device},
                   {"judge", report.judge},
                   {"reason", report.reason},
                   {"commits", report.commits},
                   {"reused", report.reused}});
  document["suspects"] = json::array();
  for (const SuspectCommit& each : report.suspects)
    document["suspects"].push_back({{"id", each.id},
                                    {"short_id", each.short_id},
                                    {"author", each.author},
                                    {"date", each.date},
                                    {"subject", each.subject}});
  document["judged"] = json::array();
  for (const JudgedCommit& each : report.judged) {
    json entry = {{"id", each.id}, {"mark", each.mark}, {"reason", each.reason}};
    if (each.value) entry["value"] = *each.value;
    document["judged"].push_back(std::move(entry));
  }
  return document_text(document);
}

}  // namespace assay::work
