// SPDX-License-Identifier: MIT
// The parts of a report's content out of single attempts. The details are JSON that a command wrote, this version or
// an older one; a field that is missing or of another type counts as absent.
#pragma once

#include <optional>
#include <vector>

#include "page/content.hpp"

namespace assay::page {

std::optional<MeasuredCase> measured_case(const ledger::Attempt& attempt);
std::optional<EstimatedCase> estimated_case(const ledger::Attempt& attempt);
std::optional<DiagnosedCase> diagnosed_case(const ledger::Attempt& attempt);
std::optional<ProfiledCase> profiled_case(const ledger::Attempt& attempt);
std::optional<InvertedCase> inverted_case(const ledger::Attempt& attempt);
std::optional<TunedCase> tuned_case(const ledger::Attempt& attempt);
std::vector<ReportedFinding> findings_of(const ledger::Attempt& attempt);
std::vector<BuiltEntry> built_entries(const ledger::Attempt& attempt);
std::vector<Step> steps_of(const ledger::Attempt& attempt);
std::optional<Stop> stop_of(const ledger::Attempt& attempt);
std::optional<SuiteSummary> suite_summary(const ledger::Attempt& attempt);
std::string suite_work(const ledger::Attempt& attempt);  // the key of its work items; "": none
double cases_of(const ledger::Attempt& attempt);         // that a check or sanitize ran; 0: not known
std::string commit_of(const ledger::Attempt& attempt);   // "": not known
std::string error_of(const ledger::Attempt& attempt);    // the message of an attempt that ended with one
std::string failure_of(const ledger::Attempt& attempt);  // what a check or a suite says of its own; "": nothing

}  // namespace assay::page
