// SPDX-License-Identifier: MIT
// How long the statistics of one comparison take: the BCa interval by drawing order statistics, beside the same by
// resampling (10,000 resamples of 1,000 points), and the Hodges-Lehmann shift of 1,000 by 1,000.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "stats/bootstrap.hpp"
#include "stats/hodges_lehmann.hpp"
#include "stats/median_ratio.hpp"
#include "stats/quantile.hpp"

namespace assay::stats {
namespace {

constexpr size_t kPoints = 1000;
constexpr size_t kResamples = 10'000;

Sample times(uint64_t seed) {
  Random random(seed);
  std::vector<double> values(kPoints);
  for (double& value : values) value = 20.0 * std::exp(0.01 * random.normal());
  return Sample::make(std::move(values)).value();
}

void bca_of_median(benchmark::State& state) {
  const Sample sample = times(1);
  for (auto _ : state) benchmark::DoNotOptimize(median_interval(sample, {.resamples = kResamples}));
}

void bca_of_ratio(benchmark::State& state) {
  const Sample first = times(1);
  const Sample second = times(2);
  for (auto _ : state) benchmark::DoNotOptimize(median_ratio_interval(first, second, 0.95));
}

void medians_by_resampling(benchmark::State& state) {
  const Sample sample = times(1);
  std::vector<double> resample(kPoints);
  for (auto _ : state) {
    Random random(1);
    for (size_t i = 0; i < kResamples; ++i) {
      for (double& value : resample) value = sample.values()[random.below(kPoints)];
      const auto middle = resample.begin() + kPoints / 2;
      std::nth_element(resample.begin(), middle, resample.end());
      benchmark::DoNotOptimize((*middle + *std::max_element(resample.begin(), middle)) / 2.0);
    }
  }
}

void hodges_lehmann_of_1000_by_1000(benchmark::State& state) {
  const Sample first = times(1);
  const Sample second = times(2);
  for (auto _ : state) benchmark::DoNotOptimize(hodges_lehmann(first, second));
}

BENCHMARK(bca_of_median)->Unit(benchmark::kMillisecond);
BENCHMARK(bca_of_ratio)->Unit(benchmark::kMillisecond);
BENCHMARK(medians_by_resampling)->Unit(benchmark::kMillisecond);
BENCHMARK(hodges_lehmann_of_1000_by_1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::stats
