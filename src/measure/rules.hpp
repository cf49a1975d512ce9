// SPDX-License-Identifier: MIT
// How other benchmarks time a kernel: warm-up, flush, when they stop, which figure they report and what they take for
// right. One table; docs/cross.md shows it, and a test compares the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/dtype.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::measure {

struct Rules {
  enum class Stop {
    count,   // so many samples
    time,    // so many as fit into `seconds` of calls with their flush
    error,   // until the standard error of the mean is small, within bounds
    spread,  // until the standard deviation is small or steady, within bounds
  };
  std::string_view name;
  std::string_view of;       // whose they are
  std::string_view warm_up;  // the parts, in words
  std::string_view flush;
  std::string_view samples;
  std::string_view statistic;
  std::string_view tolerance;
  std::string_view differs;  // in what this imitation differs; "": in nothing that is known

  uint64_t flush_bytes = 0;  // before each call
  double flush_caches = 0;   // the same, in sizes of the L2 cache; the larger one counts
  size_t warm_up_calls = 0;
  double warm_up_seconds = 0;  // the same by time, where it is more
  Stop stop = Stop::count;
  size_t least = 1;
  size_t most = 100;
  double seconds = 0;         // of calls (time), at least (spread)
  double limit = 0;           // relative: standard error (error), standard deviation (spread)
  double most_seconds = 0;    // in all
  bool gated = false;         // the time to enqueue is hidden behind a kernel that waits
  bool fresh_inputs = false;  // every call has other inputs than the one before
  int digits = 0;             // that the reported figure is rounded to; 0: all
  double atol = 0;            // 0 with rtol 0: nothing is compared
  double rtol = 0;
  double half_atol = 0;  // of outputs of 16 bits and less
  double half_rtol = 0;
  double matched = 1;  // share of the elements that must be within the tolerance

  bool compares() const { return atol > 0 || rtol > 0; }
  spec::Tolerance tolerance_for(spec::DType type) const;
};

std::span<const Rules> all_rules();
const Rules* find_rules(std::string_view name);

// Whether a benchmark with these rules would stop now: all samples so far, and the seconds since the first. `planned`
// is how many fit into the time, for those that count on time.
bool has_enough(const Rules& rules, const std::vector<double>& us, double seconds, size_t planned);
// The figure that it would report.
double reported(const Rules& rules, const std::vector<double>& us);

}  // namespace assay::measure
