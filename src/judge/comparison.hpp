// SPDX-License-Identifier: MIT
// What a comparison of two kernels' times says, and the evidence for it. Ratios are candidate / baseline time: above 1
// the candidate is slower.
//
// The verdict is about the difference itself:
//   THROTTLED     more samples of a side were throttled than max_throttled allows; the figures are of all samples
//   SLOWER        the interval (1 - alpha) of the ratio lies above 1, the ratio is at least 1 + minimum_effect, and the
//                 difference is there in cycles too where the clocks are known
//   FASTER        the same the other way, the ratio at most 1 / (1 + minimum_effect)
//   SAME          not one of those, and the ratio lies within [1 / (1 + margin), 1 + margin] by two one-sided tests at
//                 alpha; never because "no difference was found"
//   INCONCLUSIVE  all else: more samples, or a quieter machine, would tell
// Intervals and tests include what the ticks of the timer hide (timer_ticks.hpp), except `likely`.
// Whether a difference is too much is the gate's question (gate.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/process_spread.hpp"
#include "stats/interval.hpp"
#include "stats/summary.hpp"

namespace assay::judge {

enum class Verdict { faster, slower, same, inconclusive, throttled };

std::string_view to_string(Verdict verdict);  // "FASTER", ...

struct CompareOptions {
  double margin = 0.03;          // within it two times are the same
  double minimum_effect = 0.01;  // smaller differences are not called FASTER or SLOWER, however certain
  double alpha = 0.005;          // of every test; intervals have confidence 1 - alpha
  double power = 0.95;           // for the minimum detectable effect
  double max_throttled = 0.2;    // fraction of a side's samples
  bool interleaved = true;       // batch i of one side was taken beside batch i of the other
  double run_spread = 0.005;     // how much whole runs differ; used only if not interleaved
  // How much processes that run the same were seen to differ on this machine; nothing if it was not calibrated.
  std::optional<ProcessSpread> process_spread{};
  size_t resamples = 10'000;  // of the bootstrap; 0: nothing is computed from single samples, which do not decide
  uint64_t seed = 1;

  bool operator==(const CompareOptions&) const = default;
};

struct Side {
  stats::Summary time_us{};           // of all samples that count
  stats::Interval median_interval{};  // BCa; assumes independent samples
  double throttled_fraction = 0;
  size_t batches = 0;
  size_t processes = 0;
  std::optional<double> clock_mhz{};

  bool operator==(const Side&) const = default;
};

// The comparison in cycles (time x clock), where both sides' clocks are known.
struct Cycles {
  double ratio = 1;
  stats::Interval interval{};
  bool confirms = true;  // false: the difference in time is not there in cycles, so the clocks made it

  bool operator==(const Cycles&) const = default;
};

struct Comparison {
  Verdict verdict = Verdict::inconclusive;
  std::string reason{};  // one sentence

  // The estimate that decides: from the ratio of levels (mean of the middle half of each batch) of each pair of
  // processes.
  double ratio = 1;
  stats::Interval interval{};
  stats::Interval likely{};              // 90 % of noise alone: above either end with 95 %
  double p = 1;                          // two-sided, against "no difference"
  double equivalence_p = 1;              // against "differs by the margin or more"
  double minimum_detectable_effect = 0;  // what this run would call FASTER or SLOWER with probability `power`
  size_t units = 0;                      // pairs of processes, or what had to do for them
  bool replicated = false;               // they are processes
  double between_processes = 0;          // deviation of the ratio from pair to pair of processes
  double between_batches = 0;            // and from batch to batch of one pair
  std::optional<Cycles> cycles{};

  // Beside it, from single samples (each pair of batches brought to one level first, so that drift does not count).
  double mann_whitney_p = 1;
  double cliff_delta = 0;     // above 0: the candidate's times tend to be larger
  double hodges_lehmann = 1;  // ratio
  stats::Interval hodges_lehmann_interval{};
  // From single samples as they are.
  double median_ratio = 1;
  stats::Interval median_ratio_interval{};

  Side candidate{};
  Side baseline{};
  std::vector<std::string> warnings{};
  CompareOptions options{};

  bool operator==(const Comparison&) const = default;
};

// "3.1 % slower (99 % interval 2.7 % to 3.5 % slower)".
std::string describe_difference(double ratio, const stats::Interval& interval, double alpha);

}  // namespace assay::judge
