// SPDX-License-Identifier: MIT
// A judged proposal with all that going on from it needs, and its form in journals, requests and the ledger.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "assay/evolve.hpp"
#include "evolve/archive.hpp"
#include "evolve/candidate.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

inline constexpr const char* kEvolveJournal = "assay evolve";  // the name that a journal of proposals begins with

struct JudgedProposal {
  EvolveStep step;
  evolve::Candidate candidate;  // its id is "" if there is none
  std::string hash;             // of what it compiles to; "" if it does not
  std::optional<evolve::Cell> cell;
};

nlohmann::json cell_document(const evolve::Cell& cell);
nlohmann::json verdict_document(const EvolvedShape& shape, const std::string& known);
nlohmann::json costs_document(const EvolveCosts& costs);
nlohmann::json step_document(const EvolveStep& step, const std::string& known);
nlohmann::json report_document(const EvolveReport& report, const spec::KernelSpec& spec);
// Nothing if it is not what we wrote.
std::optional<EvolveStep> step_from(const nlohmann::json& document);

// Files that are as in `first` are left out.
nlohmann::json judged_document(const JudgedProposal& judged, const evolve::Candidate& first, const std::string& known);
std::optional<JudgedProposal> judged_from(const nlohmann::json& document, const evolve::Candidate& first);

void add(EvolveCosts& sum, const EvolveCosts& further);

}  // namespace assay::work
