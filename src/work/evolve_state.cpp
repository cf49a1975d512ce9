// SPDX-License-Identifier: MIT
#include "work/evolve_state.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace assay::work {
namespace {

double mean_ratio(const std::vector<EvolvedShape>& shapes) {
  double sum = 0;
  for (const EvolvedShape& each : shapes) sum += std::log(each.ratio);
  return shapes.empty() ? 1 : std::exp(sum / static_cast<double>(shapes.size()));
}

// The specification's shapes beside the first kernel, by way of the incumbent.
std::vector<EvolvedShape> beside_first(const std::vector<EvolvedShape>& raced,
                                       const std::vector<EvolvedShape>& incumbent) {
  std::vector<EvolvedShape> result;
  for (const EvolvedShape& each : raced) {
    if (each.drawn) continue;
    const auto known = std::ranges::find(incumbent, each.shape, &EvolvedShape::shape);
    EvolvedShape shape = each;
    if (known != incumbent.end()) {
      // An interval holds for the kernels that were measured side by side, and for no others.
      const bool direct = known->ratio == 1;
      shape.ratio = each.ratio * known->ratio;
      shape.incumbent_us = known->incumbent_us;
      if (!direct) shape.low = shape.high = std::nullopt;
    }
    result.push_back(std::move(shape));
  }
  return result;
}

}  // namespace

EvolveState::EvolveState(evolve::Candidate first, const std::string& hash, const evolve::Cell& cell,
                         std::vector<EvolvedShape> shapes)
    : first_(first.id), incumbent_(first.id) {
  archive_.add(cell, {first.id, mean_ratio(shapes)});
  tabu_.add_kernel(hash, 0);
  against_first_[first.id] = std::move(shapes);
  candidates_[first.id] = std::move(first);
}

const evolve::Candidate& EvolveState::parent() const {
  return candidates_.at(archive_.parent(incumbent_, since_accepted_));
}

void EvolveState::apply(const JudgedProposal& judged) {
  const EvolveStep& step = judged.step;
  steps_.push_back(step);
  add(costs_, step.costs);
  passes_ = step.verdict == "passed" ? passes_ + 1 : 0;
  failures_ = step.verdict == "refused" && step.gate == "answer" ? failures_ + 1 : 0;
  ++since_accepted_;
  if (step.verdict == "passed" || judged.candidate.id.empty()) return;
  if (!judged.hash.empty()) tabu_.add_kernel(judged.hash, step.proposal);
  if (step.verdict != "accepted" && step.gate != "files" && step.gate != "seen")
    tabu_.add_loss(step.parent, step.hypothesis);
  if (!judged.cell) return;
  const std::string& id = judged.candidate.id;
  candidates_[id] = judged.candidate;
  against_first_[id] = beside_first(step.shapes, against_first_[incumbent_]);
  made_by_[id] = step;
  archive_.add(*judged.cell, {id, mean_ratio(against_first_[id])});
  if (step.verdict != "accepted") return;
  incumbent_ = id;
  speedup_ /= step.ratio.value_or(1);
  ++accepted_;
  since_accepted_ = 0;
}

std::vector<EvolveStep> EvolveState::lineage_of(const std::string& id) const {
  std::vector<EvolveStep> line;
  std::set<std::string> seen;
  for (auto at = made_by_.find(id); at != made_by_.end() && seen.insert(at->first).second;
       at = made_by_.find(at->second.parent))
    line.push_back(at->second);
  std::ranges::reverse(line);
  return line;
}

evolve::Standing EvolveState::standing() const {
  evolve::Standing now;
  now.proposals = steps_.size();
  now.since_accepted = since_accepted_;
  now.passes = passes_;
  now.speedup = speedup_;
  now.gpu_seconds = costs_.gpu_s;
  now.money = costs_.money;
  return now;
}

}  // namespace assay::work
