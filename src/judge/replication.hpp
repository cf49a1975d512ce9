// SPDX-License-Identifier: MIT
// How often a contender is started anew in one comparison, and when that was enough.
//
// The unit of replication is the process: what is the same in all samples of a process and other in the next one (where
// memory lies, what the driver chose) shows in no scatter within it. Each pair of processes, one of each side, gives
// one ratio; the scatter of these ratios is the noise of their mean (Kalibera and Jones, "Rigorous benchmarking in
// reasonable time"). `first` pairs are always run. Then the interval of the ratio is looked at after every `step`
// pairs, until half of it is no wider than `width`, or `most` pairs have run, or the time is up. Sides that are further
// apart than `clear` may be known as much more roughly: at the usual width, half the interval is then a fifth of the
// difference, which noise does not reach. What the ticks of a timer hide (timer_ticks.hpp) does not count here: no
// further process would show it. The look never sees which side is ahead, so that looking often does not make noise a
// verdict; what little it does is in the simulated rates (simulation.hpp).
#pragma once

#include <cstddef>

#include "judge/batch.hpp"
#include "judge/comparison.hpp"

namespace assay::judge {

struct Replication {
  size_t batch = 10;   // samples of one side in a row
  size_t batches = 4;  // of each process; even, so that ABBA order cancels drift
  size_t first = 6;    // processes of each side
  size_t step = 3;
  size_t most = 30;
  double width = 0.008;  // half the interval of the ratio: enough to separate a ratio of 1.02 from 1.03
  double clear = 0.04;   // twice this difference, twice the width

  bool operator==(const Replication&) const = default;
};

// Whether both sides have run often enough. The sides have the same number of processes.
bool enough(const Replication& plan, const Batches& candidate, const Batches& baseline,
            const CompareOptions& options = {});
// The same for one side alone: its own level.
bool enough(const Replication& plan, const Batches& alone, const CompareOptions& options = {});

}  // namespace assay::judge
