// SPDX-License-Identifier: MIT
#include "tune/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "tune/synthetic_counters.hpp"
#include "tune/synthetic_kernels.hpp"

namespace assay::tune {
namespace {

using Values = SyntheticKernel::Values;
using Row = std::vector<uint16_t>;

SyntheticKernel make_kernel(const std::string& name, Random& random) {
  if (name == "convolution") return convolution(random);
  if (name == "gemm") return gemm(random);
  if (name == "stencil") return stencil(random);
  if (name == "dedispersion") return dedispersion(random);
  if (name == "filter") return filter(random);
  if (name == "polygon") return polygon(random);
  if (name == "coulomb") return coulomb(random);
  if (name == "streaming") return streaming(random);
  return pipelined(random);
}

std::vector<Row> enumerate_rows(const SyntheticKernel& kernel) {
  std::vector<Row> rows;
  Row row(kernel.parameters.size(), 0);
  Values values;
  for (;;) {
    for (size_t p = 0; p < row.size(); ++p) values[kernel.parameters[p].first] = kernel.parameters[p].second[row[p]];
    if (kernel.valid(values)) rows.push_back(row);
    size_t p = row.size();
    while (p > 0 && ++row[p - 1] == kernel.parameters[p - 1].second.size()) row[--p] = 0;
    if (p == 0) return rows;
  }
}

double draw(uint64_t key) {
  return Random(key * 0xbf58476d1ce4e5b9u).normal();
}

// Random numbers for pairs of values of parameters: the same for all configurations that have both.
class PairEffects {
 public:
  PairEffects(size_t width, Random& random) : salt_(random.next()) {
    for (size_t pair = 0; pair < width; ++pair) {
      const size_t first = random.below(width);
      pairs_.emplace_back(first, (first + 1 + random.below(width - 1)) % width);
    }
  }
  double singles(const Row& row, uint64_t salt = 0) const {
    double sum = 0;
    for (size_t p = 0; p < row.size(); ++p) sum += draw((salt_ + salt) ^ (p * 7919 + row[p] * 104729u + 17));
    return sum;
  }
  double pairs(const Row& row, uint64_t salt = 0) const {
    double sum = 0;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const auto [a, b] = pairs_[i];
      sum += draw(salt_ + salt + i * 1000003 + row[a] * 8191u + row[b] * 131u);
    }
    return sum;
  }
  double own(const Row& row, uint64_t salt = 0) const {
    uint64_t all = salt_ + salt;
    for (const uint16_t value : row) all = all * 0x9e3779b97f4a7c15u + value + 1;
    return draw(all);
  }
  uint64_t salt() const { return salt_; }

 private:
  uint64_t salt_;
  std::vector<std::pair<size_t, size_t>> pairs_;
};

// How much of a space's times comes from what.
struct Difficulty {
  double singles, pairs, jitter;  // on time, what no counter shows: of values, of pairs of them, of configurations
  double compiled = 0;            // on instructions and registers, by pairs: counters show it
  double blur = 0;                // of every counter
  double spread = 0;              // of the tenth part of the space that is fastest, as a logarithm, at least
  double counted = 0;             // share of what widens it that counters show
  double at_floor = 0;            // share of the space that something not modelled makes equally fast
};

constexpr double kLeastSpread = 0.15, kMostSpread = 0.6, kMostContrast = 5;

Difficulty draw_difficulty(SyntheticManner manner, Random& random, Random spreads) {
  if (manner == SyntheticManner::harder)
    return {0.005, 0.004 + 0.012 * random.uniform(), 0.002 + 0.006 * random.uniform(), 0,
            0.03 + 0.05 * random.uniform()};
  // From spaces with many ties to such with a single best configuration.
  const double pairs = std::exp(std::log(0.0007) + std::log(10.0) * random.uniform());
  const double jitter = 0.0005 + 0.0035 * random.uniform();
  const double compiled = 0.02 + 0.04 * random.uniform();
  const double spread = kLeastSpread + (kMostSpread - kLeastSpread) * spreads.uniform();
  const double counted = 0.3 + 0.7 * spreads.uniform();
  const double at_floor = spreads.below(3) == 0 ? 0.001 + 0.003 * spreads.uniform() : 0;
  return {pairs * 0.7, pairs, jitter, compiled, 0, spread, counted, at_floor};
}

// What the compiler makes of the source differs with the parameters, and can be counted.
void compile(BlockWork& work, const Row& row, const PairEffects& effects, double scale) {
  if (scale == 0) return;
  const double per_pair = scale / std::sqrt(static_cast<double>(row.size()));
  work.integers *= std::exp(2 * per_pair * effects.pairs(row, 11));
  work.floats *= std::exp(0.3 * per_pair * effects.pairs(row, 12));
  work.memory *= std::exp(0.5 * per_pair * effects.pairs(row, 13));
  work.registers = std::max(16.0, std::round(work.registers * std::exp(per_pair * effects.pairs(row, 14))));
}

// More of everything that a block does, by so many times.
void do_more(BlockWork& work, double factor) {
  for (double* amount : {&work.floats, &work.integers, &work.special, &work.memory, &work.wavefronts, &work.requests,
                         &work.sectors, &work.dram_bytes, &work.local_sectors, &work.barriers})
    *amount *= factor;
}

constexpr size_t kMostSize = 18000;
constexpr double kMostFailing = 0.23;

// Two parameters of many values: where a combination of switches fails, half of the space would.
std::pair<size_t, size_t> draw_failing_pair(const SyntheticKernel& kernel, Random& random) {
  const size_t width = kernel.parameters.size();
  std::pair<size_t, size_t> best{0, 1};
  size_t most = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const size_t a = random.below(width), b = (a + 1 + random.below(width - 1)) % width;
    const size_t combinations = kernel.parameters[a].second.size() * kernel.parameters[b].second.size();
    if (combinations <= most) continue;
    most = combinations;
    best = {a, b};
  }
  return best;
}

// Spaces that are too large lose values of their longest parameters.
void shrink(SyntheticKernel& kernel, std::vector<Row>& rows, Random& random) {
  while (rows.size() > kMostSize) {
    auto longest = std::max_element(kernel.parameters.begin(), kernel.parameters.end(),
                                    [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    longest->second.erase(longest->second.begin() + static_cast<std::ptrdiff_t>(random.below(longest->second.size())));
    rows = enumerate_rows(kernel);
  }
}

}  // namespace

const std::vector<std::string>& synthetic_kernels() {
  static const std::vector<std::string> names{"convolution", "gemm",    "stencil",   "dedispersion", "filter",
                                              "polygon",     "coulomb", "streaming", "pipelined"};
  return names;
}

RecordedSpace synthetic_space(const std::string& name, uint64_t seed, SyntheticManner manner) {
  const auto& names = synthetic_kernels();
  const auto kind = static_cast<uint64_t>(std::ranges::find(names, name) - names.begin());
  Random random(seed * 0x9e3779b97f4a7c15u + kind * 1000003);
  const SyntheticGpu gpu = draw_gpu(random);
  SyntheticKernel kernel = make_kernel(name, random);
  std::vector<Row> rows = enumerate_rows(kernel);
  shrink(kernel, rows, random);
  const PairEffects effects(kernel.parameters.size(), random);
  const Difficulty difficulty = draw_difficulty(manner, random, Random(seed * 7727 + kind * 31 + 0xc0));
  const auto counted_by = static_cast<CounterNames>(random.below(3));
  const double noise = 0.004 + 0.012 * random.uniform();
  // A third of the spaces fails for reasons of its own, where two parameters meet.
  double fails = random.below(3) == 0 ? 0.08 + 0.12 * random.uniform() : kernel.fails;
  const auto [fail_a, fail_b] = draw_failing_pair(kernel, random);

  std::vector<uint16_t> flat;
  std::vector<std::optional<double>> times;
  std::vector<std::string> failures;
  CounterTable counters{counter_names(counted_by), {}};
  std::vector<double> compile_ms;
  Values values;
  const auto work_of = [&](const Row& row) {
    for (size_t p = 0; p < row.size(); ++p) values[kernel.parameters[p].first] = kernel.parameters[p].second[row[p]];
    BlockWork work = kernel.work(values);
    compile(work, row, effects, difficulty.compiled);
    return work;
  };
  std::vector<double> modelled;
  std::vector<Row> failing;
  for (const Row& row : rows) {
    if (const auto time = simulate(work_of(row), gpu).milliseconds) {
      modelled.push_back(*time);
    } else {
      failing.push_back(row);
    }
  }
  std::ranges::sort(modelled);
  if (manner == SyntheticManner::calibrated) {
    const double share = static_cast<double>(failing.size()) / static_cast<double>(rows.size());
    fails = std::min(fails, std::max(0.0, kMostFailing - share));
    // Whoever records a space has restricted it to what mostly runs.
    const auto most = static_cast<size_t>(kMostFailing / (1 - kMostFailing) * static_cast<double>(modelled.size()));
    Random dropping(effects.salt() ^ 0xd40);
    while (failing.size() > most) {
      std::swap(failing[dropping.below(failing.size())], failing.back());
      std::erase(rows, failing.back());
      failing.pop_back();
    }
  }
  // Real kernels react more strongly to their parameters than this model does.
  const double own_spread = std::log(modelled[modelled.size() / 10] / modelled.front());
  const double contrast = std::clamp(difficulty.spread / own_spread, 1.0, kMostContrast);
  const double floor = difficulty.at_floor > 0
                           ? modelled[static_cast<size_t>(difficulty.at_floor * static_cast<double>(modelled.size()))]
                           : 0;
  for (const Row& row : rows) {
    BlockWork work = work_of(row);
    SyntheticTiming timing = simulate(work, gpu);
    const std::optional<double> own = timing.milliseconds;
    double unseen = 1;
    if (own && contrast > 1) {
      const double more = std::exp((contrast - 1) * std::min(std::log(*own / modelled.front()), own_spread));
      do_more(work, std::pow(more, difficulty.counted));
      timing = simulate(work, gpu);
      unseen = std::pow(more, 1 - difficulty.counted);
    }
    if (own && *own < floor) unseen *= std::pow(floor / *own, contrast);
    flat.insert(flat.end(), row.begin(), row.end());
    const uint64_t key = effects.salt() + flat.size() * 7907;
    std::optional<double> time = timing.milliseconds;
    std::string failure = timing.failure;
    if (time)
      *time *= unseen * std::exp(difficulty.singles * effects.singles(row) + difficulty.pairs * effects.pairs(row) +
                                 difficulty.jitter * effects.own(row));
    const double meets = Random(effects.salt() ^ (row[fail_a] * 977 + row[fail_b] * 89 + 5)).uniform();
    if (time && (meets < fails * 0.7 || Random(key).uniform() < fails * 0.3)) {
      time.reset();
      failure = "CompilationFailedConfig";
    }
    times.push_back(time);
    failures.push_back(failure);
    compile_ms.push_back(600 + 10 * timing.work.registers);
    const std::vector<double> line = counted(timing, counted_by, difficulty.blur, key);
    counters.values.insert(counters.values.end(), line.begin(), line.end());
  }
  // One space of each half has an isolated optimum: one of the better configurations is better still.
  if (seed % 14 == 8) {
    std::vector<size_t> order;
    for (size_t i = 0; i < times.size(); ++i) {
      if (times[i]) order.push_back(i);
    }
    std::ranges::sort(order, [&](size_t a, size_t b) { return *times[a] < *times[b]; });
    const size_t lucky = order[random.below(std::max<size_t>(order.size() / 50, 1))];
    times[lucky] = *times[order.front()] * (0.90 + 0.05 * random.uniform());
  }
  std::vector<Parameter> parameters;
  for (const auto& [parameter, numbers] : kernel.parameters) {
    Parameter& added = parameters.emplace_back(Parameter{parameter, {}});
    for (const double number : numbers) {
      static const char* const layouts[] = {"plain", "staged", "interleaved"};
      added.values.push_back(parameter == "LAYOUT" ? word_value(layouts[static_cast<size_t>(number)])
                                                   : number_value(number));
    }
  }
  std::vector<std::vector<double>> samples;
  for (size_t i = 0; i < times.size(); ++i) {
    std::vector<double>& of_one = samples.emplace_back();
    if (!times[i]) continue;
    Random draws(effects.salt() + i * 31337);
    for (int s = 0; s < 32; ++s)
      of_one.push_back(*times[i] * std::exp(noise * std::fabs(draws.normal()) - 0.6 * noise));
  }
  return {name + "_" + std::to_string(seed),
          gpu.name,
          std::move(Space::make(std::move(parameters), std::move(flat))).value(),
          std::move(times),
          std::move(failures),
          std::move(samples),
          std::move(compile_ms),
          std::move(counters)};
}

std::vector<RecordedSpace> synthetic_spaces(SyntheticGroup group) {
  std::vector<RecordedSpace> spaces;
  const auto& names = synthetic_kernels();
  if (group == SyntheticGroup::harder) {
    for (uint64_t i = 0; i < 8; ++i) spaces.push_back(synthetic_space(names[i % 4], 1 + i, SyntheticManner::harder));
    return spaces;
  }
  const bool choosing = group == SyntheticGroup::choosing;
  const size_t kinds = choosing ? 7 : 9;
  for (uint64_t i = 0; i < (choosing ? 14 : 18); ++i)
    spaces.push_back(synthetic_space(names[i % kinds], choosing ? 1 + i : 101 + i));
  return spaces;
}

}  // namespace assay::tune
