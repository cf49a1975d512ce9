// SPDX-License-Identifier: MIT
#include "work/tune_crew.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "base/text.hpp"
#include "work/gather_crew.hpp"
#include "work/tune_json.hpp"

namespace assay::work {
namespace {

using cluster::ItemResult;

constexpr int kMostTries = 2;  // again, after trouble with a machine

using nlohmann::json;

// A worker's document, or null.
json document_of(const ItemResult& result) {
  return result.document.empty() ? json() : json::parse(result.document, nullptr, false);
}

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

// What the worker has to say where it evaluated nothing.
std::string problem_of(const ItemResult& result, const json& document) {
  if (document.is_object() && document.contains("error") && document["error"].is_object())
    return document["error"].value("message", "an error without a message");
  if (document.is_object() && document.contains("left_out")) return "it was left out there";
  return result.problem.empty() ? "its document cannot be read" : result.problem;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

bool positive(const std::vector<double>& values) {
  return !values.empty() && std::ranges::all_of(values, [](double each) { return each > 0 && std::isfinite(each); });
}

}  // namespace

Result<std::unique_ptr<TuneCrew>> TuneCrew::gather(const spec::KernelSpec& spec, const TuneRequest& request,
                                                   const std::string& device, const std::string& beside,
                                                   const std::filesystem::path& folder, const Context& context) {
  std::unique_ptr<TuneCrew> made(new TuneCrew(spec, request, device, beside));
  made->workers_ = worker_count(request.executor);
  ASSAY_TRY(made->crew_, gather_crew(request.executor, folder, context));
  return made;
}

cluster::WorkItem TuneCrew::item(const std::vector<std::string>& only, bool race) const {
  cluster::WorkItem item;
  item.words = {"tune",         std::filesystem::absolute(spec_.file).string(),
                "--device",     device_,
                "--ledger",     "none",
                "--journal",    "none",
                "--strategy",   "exhaustive",
                "--seed",       std::to_string(request_.seed),
                "--time-limit", fmt::format("{}", request_.limits.time_s),
                "--json"};
  for (const std::string& each : only) item.words.insert(item.words.end(), {"--only", each});
  if (!race) item.words.push_back("--no-race");
  if (request_.limits.instructions > 0)
    item.words.insert(item.words.end(), {"--instruction-limit", std::to_string(request_.limits.instructions)});
  if (request_.shape.empty()) {
    item.words.insert(item.words.end(), {"--shapes", request_.shapes});
  } else {
    item.words.insert(item.words.end(), {"--shape", request_.shape});
  }
  item.time_limit_s = request_.executor.time_limit_s;
  return item;
}

// Evaluated anew by every run: its answer says whether what an earlier run found still holds.
Result<TuneCrew::Facts> TuneCrew::probe() {
  ASSAY_TRY(const spec::Configuration first, spec::default_configuration(spec_));
  cluster::WorkItem wanted = item({first.id()}, false);
  wanted.time_limit_s += static_cast<double>(system_random() % 1'000'000) * 1e-6;  // unlike any other item
  ASSAY_CHECK(crew_->put(wanted));
  ASSAY_TRY(const ItemResult result, crew_->next());
  const json document = document_of(result);
  try {
    Facts facts;
    facts.gpu = document.at("gpu");
    facts.target = document.at("target");
    facts.depends = document.at("depends_on").get<TuneDependencies>();
    return facts;
  } catch (const json::exception&) {
    return Error{fmt::format("the first worker could not evaluate {}: {}", first.id(), problem_of(result, document)),
                 {},
                 "run the same command there without --executor to see more",
                 result.exit_code == 0 ? ExitCode::environment : static_cast<ExitCode>(result.exit_code)};
  }
}

Result<void> TuneCrew::put(const std::string& configuration) {
  std::vector<std::string> only{configuration};
  if (!beside_.empty() && beside_ != configuration) only.insert(only.begin(), beside_);
  cluster::WorkItem wanted = item(only, false);
  wanted.time_limit_s += 1e-3 * troubles_[configuration];  // another item than the one that failed
  ASSAY_TRY(const std::string name, crew_->put(wanted));
  configurations_[name] = configuration;
  return {};
}

TuneDevice& TuneCrew::device_of(const cluster::Worker& worker) {
  TuneDevice& device = devices_[worker.device];
  device.device = worker.device;
  device.gpu = worker.gpu;
  if (std::ranges::find(device.hosts, worker.host) == device.hosts.end()) device.hosts.push_back(worker.host);
  return device;
}

TunedConfiguration TuneCrew::read(const std::string& configuration, const ItemResult& result) {
  const json document = document_of(result);
  auto found = find_entry(document, configuration);
  TunedConfiguration failed;
  failed.configuration = configuration;
  failed.failure = "machine";
  failed.message = fmt::format("{}: {}", result.worker.host, problem_of(result, document));
  if (!found) return failed;
  ++device_of(result.worker).evaluations;
  if (!found->value || beside_.empty()) return *found;
  const auto beside = find_entry(document, beside_);
  if (!beside || !positive(beside->by_shape) || beside->by_shape.size() != found->by_shape.size()) {
    failed.message = fmt::format("{}: {} was not measured beside it", result.worker.host, beside_);
    return failed;
  }
  beside_times_[result.worker.device].push_back(beside->by_shape);
  if (unit_.empty()) unit_ = beside->by_shape;
  for (size_t shape = 0; shape < found->by_shape.size(); ++shape) {
    const double factor = unit_[shape] / beside->by_shape[shape];
    found->by_shape[shape] *= factor;
    if (shape < found->samples.size())
      std::ranges::for_each(found->samples[shape], [&](double& each) { each *= factor; });
  }
  found->value = geometric_mean(found->by_shape);
  return *found;
}

Result<TunedConfiguration> TuneCrew::next() {
  while (true) {
    ASSAY_TRY(const ItemResult result, crew_->next());
    TunedConfiguration evaluated = read(configurations_.at(result.item), result);
    if (evaluated.failure != "machine" || ++troubles_[evaluated.configuration] > kMostTries) return evaluated;
    ASSAY_CHECK(put(evaluated.configuration));
  }
}

Result<std::optional<double>> TuneCrew::race(const std::vector<std::string>& finalists) {
  std::map<std::string, std::string> devices;  // by item
  for (const cluster::Worker& worker : crew_->present_workers()) {
    const bool known = std::ranges::any_of(devices, [&](const auto& each) { return each.second == worker.device; });
    if (known || worker.device == "virtual") continue;
    ASSAY_TRY(const std::string name, crew_->put(item(finalists, true), worker.device));
    devices[name] = worker.device;
  }
  std::optional<double> bound;
  while (crew_->open_items() > 0) {
    ASSAY_TRY(const ItemResult result, crew_->next());
    const json document = document_of(result);
    TuneDevice& device = device_of(result.worker);
    try {
      device.tie_group = document.at("tie_group").get<std::vector<std::string>>();
      if (document.at("regret_bound").is_number())
        bound = std::max(bound.value_or(0), document["regret_bound"].get<double>());
    } catch (const json::exception&) {
      device.tie_group.clear();  // it was not raced there; the report shows that
    }
  }
  return bound;
}

std::vector<TuneDevice> TuneCrew::devices() const {
  std::vector<TuneDevice> all;
  for (const auto& [name, device] : devices_) {
    TuneDevice& shown = all.emplace_back(device);
    const auto times = beside_times_.find(name);
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
