// SPDX-License-Identifier: MIT
// The judgement judged: simulated comparisons of kernels of known times under known noise. They are sampled as a
// session samples (processes, batches, ABBA order), judged by the same code and stopped by the same rule, so that error
// rates are those of the program. docs/measurement.md shows the table; assay calibrate --simulate makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "judge/batch.hpp"
#include "judge/comparison.hpp"
#include "judge/gate.hpp"
#include "judge/replication.hpp"

namespace assay::judge {

// Every kind has what all runs have: single samples scatter by 1 % of the time and 0.03 us, 2 % of them take 1.2 to 2
// times as long, batches differ by 0.2 %, the timer ticks every 1/32 us, and clocks drift by 3 % over the run.
enum class Noise {
  independent,       // nothing else
  correlated_90,     // neighbouring samples of a process correlate by 0.9
  correlated_98,     // by 0.98: longer than a batch
  drift,             // by 30 % over the run, for both sides
  process_part,      // every process has a level of its own: deviation of 1 %
  process_constant,  // and of 0.07 us
  process_modes,     // every process is in one of two modes, 2 % apart
  wander,            // the level of a side wanders by 1 % over 30 batches, on and on through its processes
  two_modes,         // samples are in one of two equal modes, 5 % apart
  heavy_tails,       // Student's t with 2 degrees of freedom instead of the normal distribution
  process_tails,     // every process has a level of its own: Student's t with 2 degrees of freedom, times 0.3 %
  warm_up,           // the first batches of a process are slower, by 2 % on average, other in every process
  periodic,          // clocks of both sides swing by 2 %, with a period from half a batch to 500 batches
  coarse_timer,      // the timer ticks every 0.5 us
};

struct NoiseKind {
  Noise noise;
  std::string_view name;
  double decides_from_us = 0;  // shorter ones have no other right verdict than INCONCLUSIVE
};

std::span<const NoiseKind> noise_kinds();
const NoiseKind& kind_of(Noise noise);
std::string_view to_string(Noise noise);

struct SimulatedCase {
  Noise noise = Noise::independent;
  double microseconds = 20;
  double slowdown = 0;  // of the candidate: 0.03 is 3 %
};

struct SimulatedRun {
  Batches candidate;
  Batches baseline;
};

// Process after process of both sides.
class SimulatedMachine {
 public:
  SimulatedMachine(const SimulatedCase& what, const Replication& plan, uint64_t seed);

  void run_process(SimulatedRun& run);

 private:
  struct Side {
    double factor = 1;      // slowdown
    double wander = 0;      // of the level, in deviations
    double process = 0;     // log of the level of the process that runs
    double process_us = 0;  // and its constant part
    double correlated = 0;  // state of the correlated noise
    double warm_up = 0;     // log of how much slower the next batch is
  };
  void start_process(Side& side);
  Batch batch(Side& side, size_t process);

  SimulatedCase what_;
  Replication plan_;
  Random random_;
  Side candidate_;
  Side baseline_;
  double period_ = 1;    // of the clocks, in batches
  double phase_ = 0;     // in periods
  double position_ = 0;  // batches so far
  size_t processes_ = 0;
};

// As many processes as the plan's rule asks for.
SimulatedRun simulate(const SimulatedCase& what, const Replication& plan, uint64_t seed);

// What the judgement says of many runs of one case.
struct SimulatedCell {
  SimulatedCase what{};
  size_t runs = 0;
  size_t faster = 0, slower = 0, same = 0;  // compare
  size_t passes = 0, regressions = 0;       // the gate
  size_t processes = 0;                     // of one side, of all runs together

  // Compare: FASTER or SLOWER of the same kernel; FASTER of a slower one.
  size_t false_comparisons() const { return what.slowdown > 0 ? faster : faster + slower; }
  double mean_processes() const { return runs == 0 ? 0 : static_cast<double>(processes) / static_cast<double>(runs); }
};

// Runs with the seeds seed, seed + 1, ...
SimulatedCell simulate_cell(const SimulatedCase& what, const Replication& plan, size_t runs, uint64_t seed);

// The table's rows: every kind of noise at 2, 5, 20, 200 and 2000 us, each with the slowdowns 0, 2 %, 3 %, 5 %, 10 %.
std::vector<SimulatedCase> simulated_cases();

}  // namespace assay::judge
