// SPDX-License-Identifier: MIT
// Times as a GPU gives them, from a seed: lognormal noise, now and then an outlier, levels that wander from block to
// block, and drift that both sides share, in ABBA order.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/random.hpp"
#include "judge/block.hpp"

namespace assay::judge {

struct RunModel {
  double microseconds = 20;
  double slowdown = 0;         // of the candidate
  double noise = 0.01;         // relative deviation of one sample
  double outliers = 0.02;      // how often a sample takes 1.2 to 2 times as long
  double drift = 0.03;         // over the whole run, shared
  double block_noise = 0.002;  // relative deviation of a block's level
  double correlation = 0;      // of neighbouring samples in a block
  double tick = 0;             // timer resolution in microseconds; 0: none
  size_t blocks = 10;
  size_t samples = 10;  // per block
};

struct SimulatedRun {
  Blocks candidate;
  Blocks baseline;
};

inline SimulatedRun simulate(const RunModel& model, uint64_t seed) {
  Random random(seed);
  const double total = 2.0 * static_cast<double>(model.blocks);
  double position = 0;
  const auto block = [&](double factor) {
    const double level = model.microseconds * factor * (1.0 + model.drift * position / total) *
                         std::exp(model.block_noise * random.normal());
    position += 1;
    Block result;
    double state = random.normal();
    for (size_t i = 0; i < model.samples; ++i) {
      state = model.correlation * state + std::sqrt(1 - model.correlation * model.correlation) * random.normal();
      double time = level * std::exp(model.noise * state);
      if (random.uniform() < model.outliers) time *= 1.2 + 0.8 * random.uniform();
      if (model.tick > 0) time = std::round(time / model.tick) * model.tick;
      result.microseconds.push_back(time);
    }
    return result;
  };
  SimulatedRun run;
  for (size_t i = 0; i < model.blocks; ++i) {
    const bool candidate_first = i % 2 == 0;
    if (candidate_first) run.candidate.push_back(block(1 + model.slowdown));
    run.baseline.push_back(block(1));
    if (!candidate_first) run.candidate.push_back(block(1 + model.slowdown));
  }
  return run;
}

}  // namespace assay::judge
