// SPDX-License-Identifier: MIT
#include "work/suite_crew.hpp"

#include <fmt/format.h>

#include "ledger/machine.hpp"
#include "work/calibration_store.hpp"
#include "work/suite_item.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr const char* kDevice = "device";  // the item that says only which GPU is there

bool tells_an_error(const json& document) {
  return document.is_object() && document.contains("error");
}

// What a kernel or a suite has wrong is an answer; what a machine lacks is not, nor is a failure of an earlier run.
std::string trouble_of(const TaskAnswer& answer) {
  if (answer.document.is_null()) return answer.problem;
  if (!tells_an_error(answer.document)) return item_from(answer.document) ? "" : "its document cannot be read";
  return answer.recalled || answer.exit_code == ExitCode::environment ? answer.problem : "";
}

Error error_of(const TaskAnswer& answer) {
  if (!answer.trouble.empty()) return Error{answer.trouble, {}, "", ExitCode::environment};
  const json& reported = answer.document.at("error");
  Error error{answer.problem, {}, "", answer.exit_code};
  if (reported.is_object()) {
    error.hint = reported.value("hint", "");
    error.place.file = reported.value("file", "");
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<SuiteCrew>> SuiteCrew::gather(const SuiteRequest& request, const std::string& device,
                                                     const RecordOptions& recorded, const std::filesystem::path& folder,
                                                     const Context& context) {
  std::unique_ptr<SuiteCrew> made(new SuiteCrew(request, device, recorded, context));
  ASSAY_TRY(made->crew_, TaskCrew::gather(request.executor, folder, context));
  return made;
}

std::vector<std::string> SuiteCrew::words(const std::string& item) const {
  std::vector<std::string> words{"suite", std::filesystem::absolute(request_.file).string()};
  words.insert(words.end(), {"--item", item, "--device", device_, "--seed", std::to_string(request_.seed), "--json"});
  if (!line_.empty()) words.insert(words.end(), {"--gpu", line_});
  return words;
}

Result<void> SuiteCrew::ask_for_device() {
  Task task{kDevice, words(kDevice), "", true};
  task.trouble = [](const TaskAnswer& answer) {
    return answer.document.is_object() && answer.document.contains("gpu") ? "" : answer.problem;
  };
  ASSAY_CHECK(crew_->put(task));
  ASSAY_TRY(const TaskAnswer answer, crew_->answer_of(kDevice));
  try {
    line_ = answer.document.at("gpu");
    model_ = answer.document.at("model");
    return {};
  } catch (const json::exception&) {
    return Error{fmt::format("no worker has a GPU to measure with: {}", answer.trouble),
                 {},
                 "run `assay doctor` where workers run",
                 answer.exit_code == ExitCode::good ? ExitCode::environment : answer.exit_code};
  }
}

// All at once: who is done early takes the next, of whichever kernel it is.
Result<void> SuiteCrew::expect(const std::vector<suite::Pending>& items) {
  for (const suite::Pending& each : items) {
    Task task{each.item->key, words(each.item->key), "", false};
    task.trouble = trouble_of;
    ASSAY_CHECK(crew_->put(task));
  }
  return {};
}

Result<void> SuiteCrew::prepare(const suite::Group& group) {
  recording_.reset();
  const std::string configuration = request_of(group, device_, request_.seed).configuration;
  auto recording = Recording::open(recorded_, context_,
                                   {ledger::Kind::measure, group.spec.get(), configuration, device_, request_.seed});
  if (!recording) {
    fatal_ = recording.error();
    return *fatal_;
  }
  recording_.emplace(std::move(*recording));
  return {};
}

Result<suite::Row> SuiteCrew::row_of(const suite::Group& group, const suite::Item& item, const TaskAnswer& answer) {
  std::optional<MeasuredItem> found = item_from(answer.document);
  if (!found) return Error{"its document cannot be read", {}, "", ExitCode::environment};
  const size_t contenders = found->measured.contenders.size();
  if (found->measured.shape != item.shape.text() || contenders != group.baselines.size() + 1)
    return Error{"the worker measured something else", {}, "", ExitCode::environment};
  // Folders have other names where the worker stands.
  for (size_t i = 0; i < group.baselines.size(); ++i) found->measured.contenders[i + 1].name = group.baselines[i];
  judge::CompareOptions compare = compare_options(request_.seed);
  if (found->machine == ledger::this_machine().id) {
    gpu::GpuModel model;
    model.name = model_;
    compare = judge::calibrated(compare, stored_calibration(*recording_, model));
  }
  const std::vector<ledger::Samples> samples = samples_of(found->measured);
  ASSAY_TRY(const report::BenchCase judged, measure::judge_case(std::move(found->measured), compare));
  ledger::Attempt attempt = recording_->draft();
  attempt.configuration = group.configuration.id();
  attempt.source_hash = found->source_hash;
  attempt.cubin_hash = found->cubin_hash;
  attempt.machine = found->machine;
  attempt.duration_s = answer.seconds;
  describe_case(attempt, judged);
  auto stored = recording_->write(std::move(attempt), samples);
  if (!stored) {
    fatal_ = stored.error();
    return *fatal_;
  }
  suite::Row row = suite::row_from_case(group, item, judged);
  row.attempt = *stored;
  return row;
}

Result<void> SuiteCrew::measure(const suite::Group& group, const std::vector<const suite::Item*>& items,
                                const OnFinished& on_finished) {
  for (const suite::Item* item : items) {
    auto answer = crew_->answer_of(item->key);
    if (!answer) {
      fatal_ = answer.error();
      return *fatal_;
    }
    if (!answer->trouble.empty() || tells_an_error(answer->document)) return error_of(*answer);
    ASSAY_TRY(suite::Row row, row_of(group, *item, *answer));
    ASSAY_CHECK(on_finished(std::move(row)));
  }
  return {};
}

Result<std::optional<int64_t>> SuiteCrew::record_failure(const suite::Group& group, const suite::Item& item,
                                                         const Error& error) {
  if (fatal_) return *fatal_;
  return write_failure(*recording_, group, item, error);
}

Result<std::optional<int64_t>> write_failure(Recording& recording, const suite::Group& group, const suite::Item& item,
                                             const Error& error) {
  ledger::Attempt attempt = recording.draft();
  attempt.configuration = group.configuration.id();
  attempt.shape = item.shape.text();
  attempt.dtype = item.dtype();
  attempt.verdict = "error";
  attempt.exit_code = static_cast<int>(error.exit_code);
  const json document = {{"error", {{"message", error.message}, {"file", error.place.file}, {"hint", error.hint}}}};
  attempt.details = document.dump(-1, ' ', false, json::error_handler_t::replace);
  return recording.write(std::move(attempt));
}

}  // namespace assay::work
