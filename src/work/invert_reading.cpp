// SPDX-License-Identifier: MIT
#include "work/invert_reading.hpp"

#include <algorithm>

#include "invert/proof.hpp"
#include "invert/reading.hpp"

namespace assay::work {
namespace {

// Measured and estimated ratios never stand side by side.
invert::Effect effect_of(const InvertedExperiment& result, bool measured) {
  invert::Effect effect;
  effect.row = result.name;
  effect.dose = result.dose;
  effect.state = invert::state_named(result.state).value_or(invert::State::not_applicable);
  effect.why = result.why;
  effect.ratio = measured ? result.measured_ratio : result.estimated_ratio;
  if (measured && result.measured_ratio) {
    effect.low = result.measured_low;
    effect.high = result.measured_high;
  }
  return effect;
}

InvertedResource resource_of(const invert::ResourceReading& each, const std::vector<InvertedExperiment>& experiments) {
  InvertedResource resource;
  resource.name = each.resource;
  resource.verdict = to_string(each.verdict);
  resource.gain = each.gain;
  resource.gain_low = each.gain_low;
  resource.gain_high = each.gain_high;
  resource.cost_per_dose = each.cost_per_dose;
  resource.slack = each.slack;
  resource.remedy = each.remedy;
  for (const InvertedExperiment& result : experiments) {
    if (result.name != each.gain_by && result.name != each.cost_by) continue;
    for (const std::string& site : result.sites) {
      if (std::ranges::find(resource.sites, site) == resource.sites.end()) resource.sites.push_back(site);
    }
  }
  return resource;
}

}  // namespace

invert::Facts facts_of(const EstimatedCase& known) {
  invert::Facts facts;
  facts.grid = {known.launch.grid[0], known.launch.grid[1], known.launch.grid[2]};
  facts.block = {known.launch.block[0], known.launch.block[1], known.launch.block[2]};
  facts.dynamic_shared_bytes = known.launch.shared_bytes;
  if (known.launch.cluster)
    facts.cluster = gpu::Dim3{(*known.launch.cluster)[0], (*known.launch.cluster)[1], (*known.launch.cluster)[2]};
  facts.model = known.model;
  facts.blocks_per_sm = known.blocks_per_sm;
  if (known.usage) {
    facts.static_shared_bytes = known.usage->static_shared_bytes.value_or(0);
    facts.registers = known.usage->registers;
    if (known.usage->spill_load_bytes)
      facts.spill_bytes = *known.usage->spill_load_bytes + known.usage->spill_store_bytes.value_or(0);
  }
  for (const spec::ResolvedArgument& argument : known.arguments) {
    if (argument.tensor() == nullptr) continue;
    const auto bytes = static_cast<uint64_t>(argument.tensor()->bytes);
    facts.largest_buffer = std::max(facts.largest_buffer, bytes);
    facts.all_buffers += bytes;
  }
  return facts;
}

int blocks_that_fit(const invert::Facts& facts, const gpu::LaunchChange& launch) {
  gpu::BlockNeeds needs;
  needs.threads = static_cast<int64_t>((launch.block ? *launch.block : facts.block).volume());
  constexpr int kUsualRegisters = 32;
  needs.registers_per_thread = facts.registers.value_or(kUsualRegisters);
  needs.static_shared_bytes = facts.static_shared_bytes;
  needs.dynamic_shared_bytes = facts.dynamic_shared_bytes + launch.more_shared_bytes;
  return gpu::occupancy(*facts.model, needs).blocks_per_sm.value_or(1);
}

void read_experiments(InvertReport& report) {
  std::vector<invert::Effect> effects;
  for (const InvertedExperiment& result : report.experiments) effects.push_back(effect_of(result, report.measured));
  const invert::Reading reading = invert::read(effects, report.noise);
  for (const invert::ResourceReading& each : reading.resources)
    report.resources.push_back(resource_of(each, report.experiments));
  report.first = reading.first;
  report.sentence = reading.sentence;
  report.agrees = invert::agrees(reading, report.diagnosed);
  report.known = report.measured ? "counted and measured" : "counted and estimated";
}

}  // namespace assay::work
