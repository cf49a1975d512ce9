// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/repository.hpp"
#include "invert/proof.hpp"
#include "spec/choice.hpp"
#include "work/inverter.hpp"
#include "work/kernel.hpp"

namespace assay::work {

Result<void> Inverter::make_mutants() {
  for (const invert::Row& row : invert::catalogue()) {
    const bool wanted =
        request_.experiments.empty() || std::ranges::find(request_.experiments, row.name) != request_.experiments.end();
    if (!wanted) continue;
    for (const int dose : row.doses) {
      if (request_.quick && dose != row.doses.front()) break;
      Trial trial;
      trial.row = &row;
      trial.dose = dose;
      trial.result.name = row.name;
      trial.result.kind = to_string(row.kind);
      trial.result.resource = row.resource;
      trial.result.dose = dose;
      if (!recall(trial)) ASSAY_CHECK(make_mutant(trial));
      trials_.push_back(std::move(trial));
    }
  }
  return {};
}

Result<void> Inverter::make_mutant(Trial& trial) {
  if (trial.row->mutate == nullptr) return other_configuration(trial);
  invert::Outcome outcome = trial.row->mutate(controls_.front().text, facts_, trial.dose);
  if (!outcome.mutant) {
    end(trial, invert::State::not_applicable, std::move(outcome.why_not));
    return {};
  }
  const std::string made = outcome.mutant->text.print().text;
  ASSAY_CHECK(take_mutant(trial, std::move(*outcome.mutant), worker_configuration(configuration_)));
  if (!smaller_) return {};
  // Some rows look at counts: then a proof at another shape would be one of another text.
  const invert::Outcome other = trial.row->mutate(controls_.front().text, smaller_facts_, trial.dose);
  trial.as_at_smaller = other.mutant && other.mutant->text.print().text == made;
  return {};
}

Result<void> Inverter::take_mutant(Trial& trial, invert::Mutant mutant, const std::string& configuration) {
  const std::string name = fmt::format("{}_{}", trial.result.name, trial.dose);
  if (mutant.control) {
    ASSAY_TRY(trial.control, control(*mutant.control, mutant.control_launch, name, configuration));
  }
  const SourceNames names(spec_.source_path().parent_path());
  for (const invert::SourcePlace& site : mutant.sites) {
    if (site.line == 0) continue;
    std::string place = fmt::format("{}:{}", names.shown(site.file), site.line);
    if (std::ranges::find(trial.result.sites, place) == trial.result.sites.end())
      trial.result.sites.push_back(std::move(place));
  }
  Image image;
  image.text = mutant.text;
  image.launch = mutant.launch;
  image.configuration = configuration;
  ASSAY_CHECK(store(image, name));
  trial.image = std::move(image);
  trial.mutant = std::move(mutant);
  if (trial.row->kind != invert::Kind::ablation || trial.mutant->needs_dead_code_gone ||
      trial.row->name == "nothing_left")
    return {};
  const uint64_t dead = invert::newly_dead(controls_.front().text, facts_.counts, *trial.mutant);
  uint64_t all = 0;
  for (const gpu::InstructionCount& count : facts_.counts) all += count.issued;
  constexpr double kFew = 0.01;
  if (static_cast<double>(dead) > kFew * static_cast<double>(all))
    trial.result.why = fmt::format("{} further instructions of warps, {:.0f} %, are needed by nobody then", dead,
                                   100 * static_cast<double>(dead) / static_cast<double>(all));
  return {};
}

Result<void> Inverter::other_configuration(Trial& trial) {
  for (const auto& [name, value] : configuration_.values) {
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (upper.find(trial.row->configuration.tunable) == std::string::npos || !value.is_number()) continue;
    const double own = value.as_double();
    std::optional<spec::Configuration> best;
    ASSAY_TRY(const std::vector<spec::Configuration> all, spec::configurations(spec_));
    for (const spec::Configuration& other : all) {
      spec::Configuration same = other;
      same.values[name] = value;
      if (same != configuration_ || other.values.at(name).as_double() >= own) continue;
      if (!best || other.values.at(name).as_double() > best->values.at(name).as_double()) best = other;
    }
    if (!best) continue;
    const auto runnable = make_runnable(spec_, *best, device_, request_.limits, context_);
    if (!runnable) {
      end(trial, invert::State::not_applicable, runnable.error().message);
      return {};
    }
    ASSAY_TRY(const std::string text, read_file(runnable->built.ptx));
    ASSAY_TRY(const std::string entry, first_kernel(spec_, *best, shape_, *runnable));
    auto prepared = invert::prepare(text, runnable->built.ptx.string(), entry);
    if (!prepared) {
      end(trial, invert::State::not_applicable, prepared.error().message);
      return {};
    }
    invert::Mutant mutant;
    mutant.text = std::move(*prepared);
    mutant.foretold = false;
    return take_mutant(trial, std::move(mutant), worker_configuration(*best));
  }
  end(trial, invert::State::not_applicable,
      fmt::format("the kernel has no tunable with {} in its name and a lower value", trial.row->configuration.tunable));
  return {};
}

}  // namespace assay::work
