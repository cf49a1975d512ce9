// SPDX-License-Identifier: MIT
// One item of a suite and what came of it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.hpp"
#include "base/result.hpp"
#include "judge/comparison.hpp"
#include "measure/judged_case.hpp"
#include "stats/interval.hpp"
#include "suite/plan.hpp"

namespace assay::suite {

enum class Status {
  measured,
  rejected,  // timed or not, a guard objected: a verdict on the kernel
  failed,    // could not be built or run to its end; tried again when the suite goes on
  skipped,   // the configuration does not apply to the shape
};

std::string_view to_string(Status status);

// The candidate beside one baseline. Speedups are baseline / candidate time: above 1 the candidate is faster.
struct Against {
  std::string baseline;
  std::string objection;  // why this baseline is not to be compared with; empty: it is
  std::optional<double> p50_us;
  std::optional<double> speedup;
  stats::Interval interval{};  // of the speedup
  judge::Verdict verdict = judge::Verdict::inconclusive;
  std::string reason;
  double p = 1;
  double adjusted_p = 1;  // set by correct_for_many()
  double alpha = 0;

  bool comparable() const { return objection.empty() && speedup.has_value(); }
};

struct Row {
  std::string kernel;
  std::string configuration;
  std::string shape;
  std::string dtype;
  Status status = Status::failed;
  std::string reason;  // why it is not measured
  std::string hint;
  ExitCode exit_code = ExitCode::good;  // what this row alone would end the command with
  std::optional<double> p50_us;
  std::vector<Against> against;
  std::optional<int64_t> attempt;  // in the ledger
  bool resumed = false;            // measured by an earlier run of the suite
  nlohmann::json document;         // of the case, as assay bench prints it, without samples; null: none

  // The baseline with the smallest p50 of those that may be compared with; null if there is none.
  const Against* fastest_baseline() const;
  std::string label() const;  // "softmax ROWS=1,COLUMNS=7"
};

Row row_of(const Group& group, const Item& item);  // as it is before anything was measured
Row failed_row(const Group& group, const Item& item, const Error& error);

Row row_from_case(const Group& group, const Item& item, const measure::JudgedCase& measured);
// From the JSON of a bench's case (report::bench_case_document), out of the ledger. An error if it is not one.
Result<Row> row_from_document(const Group& group, const Item& item, const std::string& document);

}  // namespace assay::suite
