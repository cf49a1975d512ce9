// SPDX-License-Identifier: MIT
#include "work/evolve_record.hpp"

#include <nlohmann/json.hpp>

#include "evolve/candidate.hpp"
#include "work/evolve_step.hpp"

namespace assay::work {

using nlohmann::json;

Result<void> EvolveRecord::write_first(uint64_t seed, const JudgingCosts& costs) {
  EvolveStep step;
  step.id = state_.first().id;
  step.verdict = "begun";
  step.text = "the kernel as it is";
  step.seed = seed;
  step.shapes = state_.against_first(state_.first().id);
  step.costs.virtual_s = costs.virtual_s;
  step.costs.gpu_s = costs.gpu_s;
  return append(step, state_.first());
}

// An answer that made no kernel is recorded with the sources of the first one.
Result<void> EvolveRecord::write(const JudgedProposal& judged) {
  return append(judged.step, judged.candidate.id.empty() ? state_.first() : judged.candidate);
}

std::vector<ledger::SourceFile> EvolveRecord::sources_of(const evolve::Candidate& candidate) const {
  std::vector<ledger::SourceFile> sources;
  for (const auto& [path, content] : candidate.files) sources.push_back({path, content});
  if (const auto text = evolve::specification_of(candidate, snapshot_.original))
    sources.push_back({snapshot_.specification_file, *text});
  return sources;
}

Result<void> EvolveRecord::append(const EvolveStep& step, const evolve::Candidate& candidate) {
  if (recording_.ledger() == nullptr) return {};
  ledger::Attempt attempt = recording_.draft();
  attempt.time_us = ledger::now_us();
  attempt.configuration = candidate.configuration;
  attempt.seed = step.seed;
  attempt.verdict = step.verdict;
  attempt.source_hash = candidate.id;
  attempt.duration_s = step.costs.proposer_s + step.costs.compile_s + step.costs.virtual_s + step.costs.gpu_s;
  const bool was_checked = step.verdict == "accepted" || step.verdict == "lost";
  if (was_checked || step.gate == "check") attempt.correct = was_checked;
  json details = step_document(step, known_);
  details["evolution"] = evolution_;
  details["known"] = known_;
  attempt.details = details.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::vector<ledger::SourceFile> sources = sources_of(candidate);
  ASSAY_TRY(const int64_t id, recording_.ledger()->append(attempt, {}, sources));
  if (step.hypothesis.empty()) return {};
  const auto noted = recording_.ledger()->add_note(
      {.attempt = id, .kernel = {}, .kind = ledger::Note::Kind::hypothesis, .text = step.hypothesis});
  if (!noted) return noted.error();
  return {};
}

}  // namespace assay::work
