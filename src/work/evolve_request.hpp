// SPDX-License-Identifier: MIT
// What a proposer is asked: docs/schemas/evolve_request.v1.json.
#pragma once

#include <string>
#include <vector>

#include "assay/diagnose.hpp"
#include "assay/result.hpp"
#include "evolve/acceptance.hpp"
#include "evolve/stop_rule.hpp"
#include "spec/kernel_spec.hpp"
#include "work/evolve_folder.hpp"
#include "work/evolve_state.hpp"

namespace assay::work {

struct Asking {
  const spec::KernelSpec& spec;
  const KernelSnapshot& snapshot;
  const EvolveState& state;
  const evolve::Candidate& parent;
  const DiagnoseReport& looked;  // at the parent
  const std::string& looked_in;  // the folder that it was looked at in: names of files are relative to it
  const evolve::AcceptanceRule& rule;
  const evolve::StopRules& stop;
  std::string device;
  std::string known;  // "measured" or "estimated"
  size_t proposal = 1;
  std::vector<EvolveStep> in_flight;  // proposals that are judged now: number, parent and hypothesis are known
  double seconds = 0;                 // that the evolution has run
  double answer_seconds = 300;
};

Result<std::string> request_text(const Asking& asking);  // one line, checked against that schema

}  // namespace assay::work
