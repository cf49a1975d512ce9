// SPDX-License-Identifier: MIT
#include "cli/recording.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "ledger/location.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr size_t kTextLimit = 8192;  // bytes of one text in an attempt's details
constexpr size_t kListLimit = 1000;

Result<std::optional<double>> cost_per_hour(const Options& options) {
  const char* variable = std::getenv("ASSAY_COST_PER_HOUR");
  const std::string text = !options.cost_per_hour.empty() ? options.cost_per_hour : variable == nullptr ? "" : variable;
  if (text.empty()) return std::optional<double>();
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value >= 0) {
    return std::optional(value);
  }
  return Error{fmt::format("the cost per hour must be a number >= 0, not '{}'", text),
               {},
               "give one with --cost-per-hour or ASSAY_COST_PER_HOUR, or neither"};
}

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

std::string file_hash(const std::filesystem::path& file) {
  if (file.empty()) return "";
  const auto content = read_file(file);
  return content ? content_hash(*content) : "";
}

}  // namespace

void add_ledger(CommandLine& line, Options& options) {
  line.option("--ledger", options.ledger, "the file that attempts are recorded in; none: record nothing");
  line.option("--cost-per-hour", options.cost_per_hour, "of this machine, to be recorded");
}

Result<void> Recording::open_ledger(const std::filesystem::path& kernel) {
  ASSAY_TRY(cost_per_hour_, cost_per_hour(*options_));
  const ledger::Location location = ledger::find_ledger(options_->ledger, kernel);
  strict_ = location.explicitly_chosen;
  if (location.file.empty()) return {};
  if (const auto prepared = ledger::prepare_folder(location); !prepared) return forgive(prepared.error());
  auto opened = ledger::Ledger::open(location.file);
  if (!opened) return forgive(opened.error());
  ledger_ = std::move(*opened);
  return {};
}

Result<void> Recording::forgive(const Error& error) {
  ledger_.reset();
  Error problem = error;
  problem.exit_code = ExitCode::environment;
  if (strict_) return problem;
  const std::string text = fmt::format("assay: warning: not recorded: {}\n", to_string(problem));
  std::fputs(text.c_str(), stderr);
  return {};
}

Result<Recording> Recording::open(const Options& options, ledger::Kind kind, const spec::KernelSpec& spec) {
  Recording recording(options, kind);
  recording.kernel_ = spec.kernel.name;
  recording.specification_ = spec.file.string();
  recording.source_hash_ = file_hash(spec.source_path());
  ASSAY_CHECK(recording.open_ledger(spec.folder.empty() ? std::filesystem::path(".") : spec.folder));
  return recording;
}

Result<Recording> Recording::open(const Options& options, ledger::Kind kind) {
  Recording recording(options, kind);
  ASSAY_CHECK(recording.open_ledger({}));
  return recording;
}

ledger::Attempt Recording::draft() const {
  ledger::Attempt attempt;
  attempt.kind = kind_;
  attempt.time_us = piece_start_us_;
  attempt.assay = kVersion;
  attempt.kernel = kernel_;
  attempt.specification = specification_;
  attempt.device = device_name(*options_);
  attempt.seed = options_->seed;
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
  const auto id = ledger_->append(attempt, samples);
  if (id) return std::optional(*id);
  ASSAY_CHECK(forgive(id.error()));
  return std::optional<int64_t>();
}

Result<void> Recording::write(ledger::Attempt attempt, json& document, std::span<const ledger::Samples> samples) {
  if (!ledger_) return {};
  attempt.details = shortened(document).dump(-1, ' ', false, json::error_handler_t::replace);
  ASSAY_TRY(const std::optional<int64_t> id, write(std::move(attempt), samples));
  if (id) document["attempt"] = *id;
  return {};
}

Result<ExitCode> Recording::close(Result<ExitCode> result) {
  if (result.ok() || result.error().exit_code == ExitCode::usage || !ledger_) return result;
  const Error& error = result.error();
  ledger::Attempt attempt = draft();
  attempt.configuration = options_->configuration;
  attempt.verdict = "error";
  attempt.exit_code = static_cast<int>(error.exit_code);
  json document = {{"error", {{"message", error.message}, {"file", error.place.file}, {"hint", error.hint}}}};
  // The command's own error is the one to report, even if the ledger fails as well.
  if (const auto written = write(std::move(attempt), document); !written) {
    const std::string text = fmt::format("assay: warning: not recorded: {}\n", to_string(written.error()));
    std::fputs(text.c_str(), stderr);
  }
  return result;
}

ledger::Attempt build_attempt(const Recording& recording, const build::BuildReport& report, ExitCode exit_code) {
  ledger::Attempt attempt = recording.draft();
  attempt.kind = ledger::Kind::build;
  attempt.device.clear();  // a build is for targets, not for a device
  attempt.exit_code = static_cast<int>(exit_code);
  attempt.verdict = exit_code == ExitCode::good ? "good" : "failed";
  if (report.results.size() == 1) {
    describe_build(attempt, report.results.front());
  } else {
    attempt.configuration = fmt::format("{} artifacts", report.results.size());
  }
  return attempt;
}

ledger::Attempt sanitize_attempt(const Recording& recording, const Runnable& runnable,
                                 const check::SanitizeReport& report, bool clean) {
  ledger::Attempt attempt = recording.draft();
  attempt.kind = ledger::Kind::sanitize;
  attempt.device = runnable.worker.setup.device;
  describe_build(attempt, runnable.built);
  attempt.verdict = clean ? "clean" : "failed";
  attempt.exit_code = static_cast<int>(clean ? ExitCode::good : ExitCode::incorrect);
  if (report.results.size() == 1) attempt.shape = report.results.front().test.shape.text();
  return attempt;
}

ledger::Attempt check_attempt(const Recording& recording, const Runnable& runnable, const check::CheckReport& report) {
  ledger::Attempt attempt = recording.draft();
  attempt.kind = ledger::Kind::check;
  attempt.device = runnable.worker.setup.device;
  describe_build(attempt, runnable.built);
  attempt.correct = report.passed();
  attempt.verdict = report.passed() ? "correct" : "incorrect";
  attempt.exit_code = static_cast<int>(report.passed() ? ExitCode::good : ExitCode::incorrect);
  if (report.failure) {
    attempt.shape = report.failure->test.shape.text();
  } else if (report.results.size() == 1) {
    attempt.shape = report.results.front().test.shape.text();
  }
  return attempt;
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

}  // namespace assay::cli
