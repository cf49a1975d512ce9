// SPDX-License-Identifier: MIT
#include "measure/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::measure {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

const std::array<Rules, 5>& table() {
  static const std::array<Rules, 5> rules{{
      {.name = "kernelbench",
       .of = "KernelBench, cuda_event",
       .warm_up = "3 calls",
       .flush = "256 MiB written before each call",
       .samples = "100",
       .statistic = "mean, 3 digits",
       .tolerance = "1e-4; 1e-2 in half precision",
       .differs = "",
       .flush_bytes = 256 * kMiB,
       .warm_up_calls = 3,
       .stop = Rules::Stop::count,
       .most = 100,
       .digits = 3,
       .atol = 1e-4,
       .rtol = 1e-4,
       .half_atol = 1e-2,
       .half_rtol = 1e-2},
      {.name = "gpumode",
       .of = "GPU MODE, leaderboard",
       .warm_up = "1 call",
       .flush = "256 MiB written before each call",
       .samples = "3 to 100, until the standard error is below 0.1 %, or 30 s of calls",
       .statistic = "mean",
       .tolerance = "1e-5 relative, 1e-8 absolute, unless the task says otherwise",
       .differs = "inputs change with each call, but four sets rotate; a task's own tolerance is not known",
       .flush_bytes = 256 * kMiB,
       .warm_up_calls = 1,
       .stop = Rules::Stop::error,
       .least = 3,
       .most = 100,
       .seconds = 30,
       .limit = 0.001,
       .most_seconds = 120,
       .fresh_inputs = true,
       .atol = 1e-8,
       .rtol = 1e-5,
       .half_atol = 1e-8,
       .half_rtol = 1e-5},
      {.name = "solexec",
       .of = "SOL-ExecBench",
       .warm_up = "10 calls",
       .flush = "twice the L2 cache before each call",
       .samples = "50",
       .statistic = "mean",
       .tolerance = "1e-2, for 99 % of the elements",
       .differs = "times are of events behind a gate, not CUPTI's of each kernel",
       .flush_caches = 2,
       .warm_up_calls = 10,
       .stop = Rules::Stop::count,
       .most = 50,
       .gated = true,
       .atol = 1e-2,
       .rtol = 1e-2,
       .half_atol = 1e-2,
       .half_rtol = 1e-2,
       .matched = 0.99},
      {.name = "nvbench",
       .of = "NVBench, cold",
       .warm_up = "1 call",
       .flush = "the L2 cache before each call",
       .samples = "at least 10 and 0.5 s, until the deviation is below 0.5 % or steady, 15 s at most",
       .statistic = "mean",
       .tolerance = "nothing is compared",
       .differs = "samples of throttled clocks are kept",
       .flush_caches = 1,
       .warm_up_calls = 1,
       .stop = Rules::Stop::spread,
       .least = 10,
       .most = 100'000,
       .seconds = 0.5,
       .limit = 0.005,
       .most_seconds = 15,
       .gated = true},
      {.name = "triton",
       .of = "Triton's do_bench",
       .warm_up = "25 ms of calls",
       .flush = "256 MiB written before each call",
       .samples = "100 ms of calls",
       .statistic = "mean",
       .tolerance = "nothing is compared",
       .differs = "calls that warm up are flushed like the others",
       .flush_bytes = 256 * kMiB,
       .warm_up_calls = 1,
       .warm_up_seconds = 0.025,
       .stop = Rules::Stop::time,
       .most = 10'000,
       .seconds = 0.1},
  }};
  return rules;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};
Moments moments(const std::vector<double>& values) {
  Moments result;
  for (const double value : values) result.mean += value;
  result.mean /= static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return result;
}

// The deviation has not changed by more than a twentieth while the last half of the samples came.
bool is_steady(const std::vector<double>& us) {
  constexpr size_t kFewest = 64;
  if (us.size() < kFewest) return false;
  const double now = moments(us).deviation / moments(us).mean;
  for (size_t count = us.size() / 2; count < us.size(); count += std::max<size_t>(1, us.size() / 16)) {
    const Moments before = moments(std::vector<double>(us.begin(), us.begin() + static_cast<ptrdiff_t>(count)));
    if (std::fabs(before.deviation / before.mean - now) > 0.05 * now) return false;
  }
  return true;
}

}  // namespace

spec::Tolerance Rules::tolerance_for(spec::DType type) const {
  const bool half = spec::size_bytes(type) <= 2;
  return {half ? half_atol : atol, half ? half_rtol : rtol};
}

std::span<const Rules> all_rules() {
  return table();
}

const Rules* find_rules(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Rules::name);
  return found == table().end() ? nullptr : &*found;
}

bool has_enough(const Rules& rules, const std::vector<double>& us, double seconds, size_t planned) {
  if (us.size() >= rules.most) return true;
  if (us.size() < rules.least || us.empty()) return false;
  const Moments now = moments(us);
  double called = 0;
  for (const double each : us) called += each * 1e-6;
  switch (rules.stop) {
    case Rules::Stop::count:
      return false;
    case Rules::Stop::time:
      return us.size() >= std::max<size_t>(1, planned);
    case Rules::Stop::error:
      return now.deviation / std::sqrt(static_cast<double>(us.size())) < rules.limit * now.mean ||
             called > rules.seconds || seconds > rules.most_seconds;
    case Rules::Stop::spread:
      if (seconds > rules.most_seconds) return true;
      return called >= rules.seconds && (now.deviation < rules.limit * now.mean || is_steady(us));
  }
  return true;
}

double reported(const Rules& rules, const std::vector<double>& us) {
  if (us.empty()) return 0;
  double value = moments(us).mean;
  if (rules.digits > 0 && value > 0) {
    const double step = std::pow(10.0, std::floor(std::log10(value)) - rules.digits + 1);
    value = std::round(value / step) * step;
  }
  return value;
}

}  // namespace assay::measure
