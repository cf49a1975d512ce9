// SPDX-License-Identifier: MIT
// A gate result with one case of every kind, and names that try to break out of whatever they are printed in.
#pragma once

#include "judge/compare.hpp"
#include "judge/gate.hpp"
#include "judge/simulation.hpp"

namespace assay::judge {

inline GateResult sample_gate(const GateOptions& options = {}) {
  CompareOptions compare_options;
  compare_options.resamples = 200;
  SimulatedRun slow = simulate({.slowdown = 0.05}, {}, 1);
  for (Batches* side : {&slow.candidate, &slow.baseline}) {
    for (Batch& batch : *side) batch.clock_mhz = 1980;
  }
  const SimulatedRun same = simulate({}, {}, 2);
  const SimulatedRun noisy =
      simulate({.noise = Noise::process_constant, .microseconds = 2}, {.first = 3, .most = 3}, 3);
  const GateVerdict verdicts[] = {GateVerdict::pass, GateVerdict::pass};
  const InjectedTrials trials[] = {{0.03, {GateVerdict::regression}}};
  Calibration calibration = calibrate(verdicts, trials);
  calibration.spread = {{20, 0.005, 60}};
  return gate({{.name = "slow | <b>@all</b> `x`",
                .comparison = compare(slow.candidate, slow.baseline, compare_options).value()},
               {.name = "same", .comparison = compare(same.candidate, same.baseline, compare_options).value()},
               {.name = "noisy", .comparison = compare(noisy.candidate, noisy.baseline, compare_options).value()},
               {.name = "wrong", .incorrect = "o[3] & \"q\": expected 1,\ngot \x01\xff"},
               {.name = "counted",
                .counters = compare_counters({{"sec|tors", 0}, {"new", 2}, {"fresh", 1}, {"other", 5}},
                                             {{"sec|tors", 9}, {"new", 0}, {"other", 4}}, 0.01, {"new", "fresh"})}},
              options, calibration);
}

}  // namespace assay::judge
