// SPDX-License-Identifier: MIT
// The record of every attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

// Which attempts; in texts * stands for any text.
struct LogRequest {
  std::string ledger;  // a file; empty: $ASSAY_LEDGER, else the project's
  std::string kernel;
  std::string kind;  // "build", "check", "measure", ...
  std::string verdict;
  std::string device;
  std::string since;  // "30min", "12h", "3d", "2w", or a date
  size_t limit = 20;  // the newest that many; 0: all
};

struct LoggedAttempt {
  int64_t id = 0;
  std::string kind;
  std::string time;  // ISO 8601, UTC
  std::string kernel;
  std::string configuration;
  std::string shape;
  std::string device;
  std::string verdict;
  int exit_code = 0;
  std::optional<double> p50_us;
};

struct LogDetails;

struct LogReport {
  std::string ledger;  // the file
  std::vector<LoggedAttempt> attempts;
  bool more = false;                 // there are older ones
  std::vector<std::string> damaged;  // rows that make no sense, in words: somebody wrote into the file
  bool exists = true;                // false: nothing has been recorded yet
  std::shared_ptr<const LogDetails> details;
};

Result<LogReport> log(const LogRequest& request);

// What a person says about an attempt, or about a kernel as a whole.
struct NoteRequest {
  std::string ledger;
  std::optional<int64_t> attempt;
  std::string kernel;           // without an attempt
  std::string kind = "remark";  // "hypothesis", "decision", "retired", "remark"
  std::string text;
};
Result<int64_t> add_note(const NoteRequest& request);  // its number
std::string to_json(const LogReport& report);

}  // namespace assay::work
