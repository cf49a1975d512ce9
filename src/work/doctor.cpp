// SPDX-License-Identifier: MIT
#include "assay/doctor.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "build/artifact_cache.hpp"
#include "build/environment.hpp"
#include "ledger/machine.hpp"
#include "work/doctor_document.hpp"
#include "work/document.hpp"
#include "work/gpu_facts.hpp"
#include "work/recording.hpp"

namespace assay::work {
namespace {

struct Purpose {
  const char* name;
  std::vector<std::string> needs;  // names of facts, which must be there and not missing
};

const std::vector<Purpose>& purposes() {
  static const std::vector<Purpose> list = {
      {"build", {"nvcc", "ptxas", "host compiler", "cache"}},
      {"bench", {"GPU", "cache"}},
      {"profile", {"GPU", "ncu"}},
  };
  return list;
}

// What figures of a machine depend on.
const std::vector<std::string>& watched_facts() {
  static const std::vector<std::string> names = {"nvcc",       "ptxas", "host compiler", "driver",  "GPU driver",
                                                 "GPU clocks", "torch", "PyTorch",       "GPU ECC", "ncu",
                                                 "cuda:0",     "CUPTI", "driver's CUDA"};
  return names;
}

const Fact* find_fact(const DoctorReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.facts, name, &Fact::name);
  return found != report.facts.end() ? &*found : nullptr;
}

// Facts that only a purpose asks for.
void add_facts(DoctorReport& report) {
  report.facts.push_back(report.has_gpu ? Fact{"GPU", "ok", "there is one", ""}
                                        : Fact{"GPU", "missing", "none", "run it on a machine with an NVIDIA GPU"});
}

// Clocks of the moment wander; what the GPU can reach does not.
std::string lasting(const Fact& fact) {
  if (fact.name != "GPU clocks") return fact.value;
  std::string kept;
  for (const std::string_view part : split(fact.value, ',')) {
    const size_t of = part.find(" of ");
    if (of != std::string_view::npos) kept += (kept.empty() ? "at most" : ",") + std::string(part.substr(of + 3));
  }
  return kept;
}

// What has changed since the last good state, which this one becomes if it is good.
Result<void> compare_with_last(DoctorReport& report, const RecordOptions& record, const Context& context) {
  ASSAY_TRY(Recording recording, Recording::open(record, context, {}));
  if (recording.ledger() == nullptr) return {};
  const std::string machine = ledger::this_machine().id;
  const std::string key = "doctor/" + report.purpose;
  nlohmann::json state = nlohmann::json::object();
  for (const std::string& name : watched_facts()) {
    if (const Fact* fact = find_fact(report, name))
      state[name] = fact->status == "missing" ? "missing" : lasting(*fact);
  }
  ASSAY_TRY(const auto stored, recording.ledger()->machine_value(machine, key));
  const nlohmann::json last = stored ? nlohmann::json::parse(*stored, nullptr, false) : nlohmann::json();
  if (last.is_object()) {
    for (const std::string& name : watched_facts()) {
      const std::string before =
          last.contains(name) && last[name].is_string() ? last[name].get<std::string>() : "not there";
      const std::string now = state.contains(name) ? state[name].get<std::string>() : "not there";
      if (before != now) report.drifts.push_back({name, before, now});
    }
  }
  if (!report.missing.empty()) return {};
  return recording.ledger()->set_machine_value(machine, key,
                                               state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<void> judge_purpose(const DoctorRequest& request, const Context& context, DoctorReport& report) {
  const auto purpose = std::ranges::find(purposes(), request.purpose, &Purpose::name);
  if (purpose == purposes().end())
    return Error{fmt::format("there is no purpose '{}'", request.purpose), {}, "choose build, bench or profile"};
  report.purpose = request.purpose;
  add_facts(report);
  for (const std::string& name : purpose->needs) {
    const Fact* fact = find_fact(report, name);
    if (fact == nullptr || fact->status == "missing") report.missing.push_back(name);
  }
  if (!report.missing.empty()) report.exit_code = ExitCode::environment;
  return compare_with_last(report, request.record, context);
}

}  // namespace

Result<DoctorReport> doctor(const DoctorRequest& request, const Context& context) {
  DoctorReport report;
  const auto take = [&](const std::vector<build::Fact>& facts) {
    for (const build::Fact& fact : facts)
      report.facts.push_back({fact.name, std::string(to_string(fact.status)), fact.value, fact.hint});
  };
  take(build::environment_facts(build::ArtifactCache::default_folder()));
  const std::vector<build::Fact> gpu = gpu_facts({.torch = request.torch, .measure = request.measure});
  report.has_gpu = !gpu.empty();
  take(gpu);
  if (!request.purpose.empty()) ASSAY_CHECK(judge_purpose(request, context, report));
  return report;
}

std::string to_json(const DoctorReport& report) {
  nlohmann::json document = document_head("doctor");
  document.update(doctor_document(report));
  return document_text(document);
}

nlohmann::json doctor_document(const DoctorReport& report) {
  nlohmann::json list = nlohmann::json::array();
  for (const Fact& fact : report.facts)
    list.push_back({{"name", fact.name}, {"status", fact.status}, {"value", fact.value}, {"hint", fact.hint}});
  nlohmann::json document = {{"facts", std::move(list)}};
  if (report.purpose.empty()) return document;
  document["for"] = report.purpose;
  document["verdict"] = report.missing.empty() ? "good" : "missing";
  document["missing"] = report.missing;
  document["drifts"] = nlohmann::json::array();
  for (const Drift& drift : report.drifts)
    document["drifts"].push_back({{"name", drift.name}, {"before", drift.before}, {"now", drift.now}});
  return document;
}

}  // namespace assay::work
