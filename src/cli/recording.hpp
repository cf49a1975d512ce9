// SPDX-License-Identifier: MIT
// How commands write to the ledger. A command opens a Recording before its work, writes an attempt for each finished
// piece before it reports it, and hands its result through close():
//
//   ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::check, spec));
//   return recording.close(work(options, spec, recording));
//
// A ledger that cannot be used is a warning and the command goes on, unless the user named it with --ledger.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"
#include "build/builder.hpp"
#include "check/checker.hpp"
#include "check/sanitizer.hpp"
#include "cli/command.hpp"
#include "ledger/ledger.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::cli {

// --ledger and --cost-per-hour
void add_ledger(CommandLine& line, Options& options);

class Recording {
 public:
  static Result<Recording> open(const Options& options, ledger::Kind kind, const spec::KernelSpec& spec);
  // For commands that concern no kernel, or several.
  static Result<Recording> open(const Options& options, ledger::Kind kind);

  // Null if nothing is recorded: for baselines, calibrations, leaderboards and work items.
  ledger::Ledger* ledger() { return ledger_ ? &*ledger_ : nullptr; }

  // An attempt with everything that is known already: kernel, device, seed, source hash, version, cost per hour; its
  // time is when the last piece ended.
  ledger::Attempt draft() const;

  // Stores it, with the time since the last piece as its duration if it has none. Its id; empty if nothing is recorded.
  [[nodiscard]] Result<std::optional<int64_t>> write(ledger::Attempt attempt,
                                                     std::span<const ledger::Samples> samples = {});
  // The same for a document as commands print it: it gets the attempt's id as "attempt"; without its lists of cases it
  // becomes the details.
  Result<void> write(ledger::Attempt attempt, nlohmann::json& document, std::span<const ledger::Samples> samples = {});

  // Passes the command's result on. If it is an error of more than usage, that is an attempt too.
  Result<ExitCode> close(Result<ExitCode> result);

 private:
  explicit Recording(const Options& options, ledger::Kind kind) : options_(&options), kind_(kind) {}
  Result<void> open_ledger(const std::filesystem::path& kernel);
  Result<void> forgive(const Error& error);  // a warning, or the error itself

  const Options* options_;
  ledger::Kind kind_;
  std::optional<double> cost_per_hour_;
  bool strict_ = false;  // the user named the file
  std::optional<ledger::Ledger> ledger_;
  std::string kernel_;
  std::string specification_;
  std::string source_hash_;
  std::chrono::steady_clock::time_point piece_start_ = std::chrono::steady_clock::now();
  int64_t piece_start_us_ = ledger::now_us();
};

// --- attempts of the steps that several commands take
ledger::Attempt build_attempt(const Recording& recording, const build::BuildReport& report, ExitCode exit_code);
// `clean` says what all tools together found; the device is the one that the worker used.
ledger::Attempt sanitize_attempt(const Recording& recording, const Runnable& runnable,
                                 const check::SanitizeReport& report, bool clean);
ledger::Attempt check_attempt(const Recording& recording, const Runnable& runnable, const check::CheckReport& report);
// Fills in configuration, hashes, and as the contract all that a verdict on this build depends on.
void describe_build(ledger::Attempt& attempt, const build::BuildResult& built);

}  // namespace assay::cli
