// SPDX-License-Identifier: MIT
#include "work/recording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/repository.hpp"
#include "base/version.hpp"
#include "ledger/location.hpp"
#include "work/kernel_sources.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr size_t kTextLimit = 8192;  // bytes of one text in an attempt's details
constexpr size_t kListLimit = 1000;

// What is worth keeping for years: no list of every case, no endless compiler output.
json shortened(const json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() <= kTextLimit) return value;
    return fmt::format("{} ... ({} bytes more)", text.substr(0, kTextLimit), text.size() - kTextLimit);
  }
  if (value.is_array()) {
    json list = json::array();
    for (const json& element : value) {
      if (list.size() == kListLimit) break;
      list.push_back(shortened(element));
    }
    return list;
  }
  if (!value.is_object()) return value;
  json object = json::object();
  for (const auto& [key, element] : value.items()) {
    if (key == "cases" && element.is_array()) {
      object["case_count"] = element.size();
    } else {
      object[key] = shortened(element);
    }
  }
  return object;
}

// The commit is no part of a contract, which the source's own hash binds more exactly: it is for those who look back.
std::string with_commit(const std::string& details, const std::string& commit) {
  if (commit.empty()) return details;
  json object = details.empty() ? json::object() : json::parse(details, nullptr, false);
  if (!object.is_object()) return details;
  object["commit"] = commit;
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string file_hash(const std::filesystem::path& file) {
  if (file.empty()) return "";
  const auto content = read_file(file);
  return content ? content_hash(*content) : "";
}

Result<void> Recording::open_ledger(const std::string& choice, const std::filesystem::path& kernel) {
  const ledger::Location location = ledger::find_ledger(choice, kernel);
  strict_ = location.explicitly_chosen;
  if (location.file.empty()) return {};
  if (const auto prepared = ledger::prepare_folder(location); !prepared) return forgive(prepared.error());
  auto opened = ledger::Ledger::open(location.file);
  if (!opened) return forgive(opened.error());
  ledger_ = std::move(*opened);
  return {};
}

void Recording::complain(const std::string& text) {
  if (listener_ != nullptr) listener_->warn(text);
}

void Recording::warn(const Error& error) {
  if (listener_ != nullptr) listener_->warn("not recorded: " + to_string(error));
}

Result<void> Recording::forgive(const Error& error) {
  ledger_.reset();
  Error problem = error;
  problem.exit_code = ExitCode::environment;
  if (strict_) return problem;
  warn(problem);
  return {};
}

Result<Recording> Recording::open(const RecordOptions& options, const Context& context, const RecordedWork& work) {
  Recording recording(context, work);
  recording.cost_per_hour_ = options.cost_per_hour;
  recording.note_ = options.note;
  std::filesystem::path kernel;
  if (work.spec != nullptr) {
    recording.kernel_ = work.spec->kernel.name;
    recording.specification_ = work.spec->file.string();
    recording.source_hash_ = file_hash(work.spec->source_path());
    recording.sources_ = kernel_sources(*work.spec);
    kernel = work.spec->folder.empty() ? std::filesystem::path(".") : work.spec->folder;
    recording.commit_ = commit_of(repository_of(kernel));
  }
  recording.work_.spec = nullptr;  // it need not outlive this function
  ASSAY_CHECK(recording.open_ledger(options.ledger, kernel));
  return recording;
}

ledger::Attempt Recording::draft() const {
  ledger::Attempt attempt;
  attempt.kind = work_.kind;
  attempt.time_us = piece_start_us_;
  attempt.assay = kVersion;
  attempt.kernel = kernel_;
  attempt.specification = specification_;
  attempt.device = work_.device;
  attempt.seed = work_.seed;
  attempt.source_hash = source_hash_;
  attempt.cost_per_hour = cost_per_hour_;
  return attempt;
}

Result<std::optional<int64_t>> Recording::write(ledger::Attempt attempt, std::span<const ledger::Samples> samples) {
  const auto now = std::chrono::steady_clock::now();
  if (attempt.duration_s == 0) attempt.duration_s = std::chrono::duration<double>(now - piece_start_).count();
  piece_start_ = now;
  piece_start_us_ = ledger::now_us();
  if (!ledger_) return std::optional<int64_t>();
  attempt.details = with_commit(attempt.details, commit_);
  const auto id = ledger_->append(attempt, samples, sources_);
  if (id && note_.empty()) return std::optional(*id);
  const auto noted =
      id ? ledger_->add_note({.attempt = *id, .kernel = {}, .kind = ledger::Note::Kind::hypothesis, .text = note_})
         : id;
  if (noted) return std::optional(*id);
  ASSAY_CHECK(forgive(noted.error()));
  return std::optional<int64_t>();
}

Result<void> Recording::write(ledger::Attempt attempt, json& document, std::span<const ledger::Samples> samples) {
  if (!ledger_) return {};
  attempt.details = shortened(document).dump(-1, ' ', false, json::error_handler_t::replace);
  ASSAY_TRY(const std::optional<int64_t> id, write(std::move(attempt), samples));
  if (id) document["attempt"] = *id;
  return {};
}

void Recording::write_error(const Error& error) {
  if (!ledger_ || error.exit_code == ExitCode::usage || error.exit_code == kInterrupted) return;
  ledger::Attempt attempt = draft();
  attempt.configuration = work_.configuration;
  attempt.verdict = "error";
  attempt.exit_code = static_cast<int>(error.exit_code);
  json document = {{"error", {{"message", error.message}, {"file", error.place.file}, {"hint", error.hint}}}};
  // The work's own error is the one to report, even if the ledger fails as well.
  if (const auto written = write(std::move(attempt), document); !written) warn(written.error());
}

void describe_build(ledger::Attempt& attempt, const build::BuildResult& built) {
  attempt.configuration = built.configuration.id();
  if (!built.sources.empty()) {
    Hasher hasher;
    for (const build::Dependency& source : built.sources) {
      hasher.add(std::filesystem::path(source.path).filename().string()).add(source.hash);
    }
    attempt.source_hash = hasher.hex();
  }
  attempt.cubin_hash = file_hash(built.cubin);
  const json contract = {{"assay", attempt.assay},
                         {"device", attempt.device},
                         {"seed", attempt.seed},
                         {"configuration", attempt.configuration},
                         {"target", built.target},
                         {"compiler", built.compiler},
                         {"source_hash", attempt.source_hash},
                         {"ptx_hash", file_hash(built.ptx)},
                         {"cubin_hash", attempt.cubin_hash}};
  attempt.contract = contract.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace assay::work
