// SPDX-License-Identifier: MIT
// How work is written to the ledger. A function opens a Recording before its work, writes an attempt for each finished
// piece before it reports it, and hands its result through close():
//
//   ASSAY_TRY(Recording recording, Recording::open(request.record, context, {ledger::Kind::check, &spec, ...}));
//   return recording.close(work(request, spec, recording));
//
// A ledger that cannot be used is a warning and the work goes on, unless the user named it.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "base/result.hpp"
#include "build/builder.hpp"
#include "ledger/ledger.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

// What attempts and contracts say of a file; "" where it cannot be read.
std::string file_hash(const std::filesystem::path& file);

// What every attempt of a recording has in common.
struct RecordedWork {
  ledger::Kind kind = ledger::Kind::check;
  const spec::KernelSpec* spec = nullptr;  // null: it concerns no kernel, or several
  std::string configuration;               // as it was asked for
  std::string device;
  uint64_t seed = 0;
};

class Recording {
 public:
  static Result<Recording> open(const RecordOptions& options, const Context& context, const RecordedWork& work);

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

  void complain(const std::string& text);  // of what the ledger holds

  // Passes the result on. If it is an error of more than usage, that is an attempt too.
  template <class Report>
  Result<Report> close(Result<Report> result) {
    if (!result) write_error(result.error());
    return result;
  }

 private:
  Recording(const Context& context, const RecordedWork& work) : listener_(context.listener), work_(work) {}
  Result<void> open_ledger(const std::string& choice, const std::filesystem::path& kernel);
  Result<void> forgive(const Error& error);  // a warning, or the error itself
  void write_error(const Error& error);
  void warn(const Error& error);

  Listener* listener_;
  RecordedWork work_;
  std::optional<double> cost_per_hour_;
  bool strict_ = false;  // the user named the file
  std::optional<ledger::Ledger> ledger_;
  std::string kernel_;
  std::string specification_;
  std::string source_hash_;
  std::vector<ledger::SourceFile> sources_;
  std::string note_;    // of the user, for every attempt
  std::string commit_;  // of the kernel's repository
  std::chrono::steady_clock::time_point piece_start_ = std::chrono::steady_clock::now();
  int64_t piece_start_us_ = ledger::now_us();
};

// Fills in configuration, hashes, and as the contract all that a verdict on this build depends on.
void describe_build(ledger::Attempt& attempt, const build::BuildResult& built);

}  // namespace assay::work
