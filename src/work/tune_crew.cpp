// SPDX-License-Identifier: MIT
#include "work/tune_crew.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "stats/geometric_mean.hpp"
#include "work/tune_json.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

std::optional<TunedConfiguration> find_entry(const json& document, const std::string& configuration) {
  try {
    for (const json& entry : document.at("evaluated")) {
      if (entry.at("configuration") == configuration) return evaluation_from(entry);
    }
  } catch (const json::exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

bool positive(const std::vector<double>& values) {
  return !values.empty() && std::ranges::all_of(values, [](double each) { return each > 0 && std::isfinite(each); });
}

}  // namespace

Result<std::unique_ptr<TuneCrew>> TuneCrew::gather(const spec::KernelSpec& spec, const TuneRequest& request,
                                                   const std::string& device, const std::string& beside,
                                                   const std::filesystem::path& folder, const Context& context) {
  std::unique_ptr<TuneCrew> made(new TuneCrew(spec, request, device, beside));
  ASSAY_TRY(made->crew_, TaskCrew::gather(request.executor, folder, context));
  return made;
}

std::vector<std::string> TuneCrew::words(const std::vector<std::string>& only, bool race) const {
  std::vector<std::string> words{"tune",         std::filesystem::absolute(spec_.file).string(),
                                 "--device",     device_,
                                 "--ledger",     "none",
                                 "--journal",    "none",
                                 "--strategy",   "exhaustive",
                                 "--seed",       std::to_string(request_.seed),
                                 "--time-limit", fmt::format("{}", request_.limits.time_s),
                                 "--json"};
  for (const std::string& each : only) words.insert(words.end(), {"--only", each});
  if (!race) words.push_back("--no-race");
  if (request_.limits.instructions > 0)
    words.insert(words.end(), {"--instruction-limit", std::to_string(request_.limits.instructions)});
  if (request_.shape.empty()) {
    words.insert(words.end(), {"--shapes", request_.shapes});
  } else {
    words.insert(words.end(), {"--shape", request_.shape});
  }
  return words;
}

// Evaluated anew by every run: its answer says whether what an earlier run found still holds.
Result<TuneCrew::Facts> TuneCrew::probe() {
  ASSAY_TRY(const spec::Configuration first, spec::default_configuration(spec_));
  Task task{"the first", words({first.id()}, false), "", true};
  ASSAY_CHECK(crew_->put(task));
  ASSAY_TRY(const TaskAnswer answer, crew_->answer_of("the first"));
  try {
    const auto found = find_entry(answer.document, first.id());
    beside_worked_ = first.id() == beside_ && found && found->value;
    Facts facts;
    facts.gpu = answer.document.at("gpu");
    facts.target = answer.document.at("target");
    facts.depends = answer.document.at("depends_on").get<TuneDependencies>();
    return facts;
  } catch (const json::exception&) {
    return Error{fmt::format("the first worker could not evaluate {}: {}", first.id(), answer.problem),
                 {},
                 "run the same command there without --executor to see more",
                 answer.exit_code == ExitCode::good ? ExitCode::environment : answer.exit_code};
  }
}

Result<void> TuneCrew::put(const std::string& configuration) {
  std::vector<std::string> only{configuration};
  const bool beside = !beside_.empty() && beside_ != configuration;
  if (beside) only.insert(only.begin(), beside_);
  Task task{configuration, words(only, false), "", false};
  task.trouble = [this, configuration](const TaskAnswer& answer) -> std::string {
    const auto found = find_entry(answer.document, configuration);
    if (!found && answer.document.contains("left_out")) return "it was left out there";
    if (!found) return answer.problem.empty() ? "its document cannot be read" : answer.problem;
    if (beside_.empty()) return "";
    const auto other = find_entry(answer.document, beside_);
    // Where what worked before fails, a failure says nothing of the configuration: the GPU may be lost.
    if (!found->value && beside_worked_ && other && !other->value)
      return fmt::format("{} failed there, which works elsewhere: {}", beside_, other->message);
    if (!found->value || configuration == beside_) return "";
    const bool measured = other && positive(other->by_shape) && other->by_shape.size() == found->by_shape.size();
    return measured ? "" : fmt::format("{} was not measured beside it", beside_);
  };
  return crew_->put(task);
}

TunedConfiguration TuneCrew::read(const TaskAnswer& answer) {
  if (!answer.trouble.empty()) {
    TunedConfiguration failed;
    failed.configuration = answer.task;
    failed.failure = "machine";
    failed.message = answer.trouble;
    return failed;
  }
  auto found = find_entry(answer.document, answer.task);
  ++evaluations_[answer.worker.device];
  if (!found->value || beside_.empty()) return *found;
  const auto beside = find_entry(answer.document, beside_);
  beside_times_[answer.worker.device].push_back(beside->by_shape);
  if (unit_.empty()) unit_ = beside->by_shape;
  for (size_t shape = 0; shape < found->by_shape.size(); ++shape) {
    const double factor = unit_[shape] / beside->by_shape[shape];
    found->by_shape[shape] *= factor;
    if (shape < found->samples.size())
      std::ranges::for_each(found->samples[shape], [&](double& each) { each *= factor; });
  }
  found->value = stats::geometric_mean(found->by_shape);
  return *found;
}

Result<TunedConfiguration> TuneCrew::next() {
  ASSAY_TRY(const TaskAnswer answer, crew_->next());
  return read(answer);
}

Result<std::map<std::string, double>> TuneCrew::race(const std::vector<std::string>& finalists) {
  ASSAY_TRY(const std::vector<std::string> raced, crew_->put_on_each_gpu({"race", words(finalists, true), "", false}));
  std::map<std::string, double> bounds;
  for (const std::string& each : raced) {
    ASSAY_TRY(const TaskAnswer answer, crew_->answer_of(each));
    std::vector<std::string>& ties = tie_groups_[answer.worker.device];
    try {
      ties = answer.document.at("tie_group").get<std::vector<std::string>>();
      for (const auto& [configuration, bound] : answer.document.at("regret_bounds").items())
        bounds[configuration] = std::max(bounds[configuration], bound.get<double>());
    } catch (const json::exception&) {
      ties.clear();  // it was not raced there; the report shows that
    }
  }
  return bounds;
}

std::vector<TuneDevice> TuneCrew::devices() const {
  std::vector<TuneDevice> all;
  for (const WorkerDevice& device : crew_->devices()) {
    TuneDevice& shown = all.emplace_back();
    shown.device = device.device;
    shown.gpu = device.gpu;
    shown.hosts = device.hosts;
    if (const auto count = evaluations_.find(device.device); count != evaluations_.end())
      shown.evaluations = count->second;
    if (const auto ties = tie_groups_.find(device.device); ties != tie_groups_.end()) shown.tie_group = ties->second;
    const auto times = beside_times_.find(device.device);
    if (times == beside_times_.end()) continue;
    for (size_t shape = 0; shape < times->second.front().size(); ++shape) {
      std::vector<double> own;
      for (const auto& each : times->second) own.push_back(each[shape]);
      std::ranges::sort(own);
      shown.beside.push_back(own[own.size() / 2]);
    }
  }
  return all;
}

}  // namespace assay::work
