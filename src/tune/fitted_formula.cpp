// SPDX-License-Identifier: MIT
#include "tune/fitted_formula.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace assay::tune {
namespace {

constexpr size_t kLatency = kPipes, kTail = kPipes + 1, kSharpness = kPipes + 2;

// The prior: middle and standard deviation of each rate.
constexpr double kPipeDeviation = 0.35;  // of the logarithm
constexpr double kLatencyMiddle = 0.69, kLatencyDeviation = 0.4;
constexpr double kTailMiddle = 0.7, kTailDeviation = 0.3;
constexpr double kSharpnessMiddle = 1.6, kSharpnessDeviation = 0.4;

// What the formula leaves unexplained: of the best configurations, and more of slower ones.
constexpr double kUnexplained = 0.08, kUnexplainedOfSlow = 0.35;
constexpr int kIterations = 8;

}  // namespace

FittedFormula::FittedFormula(std::vector<std::vector<Demand>> by_kind)
    : by_kind_(std::move(by_kind)), rates_(by_kind_.size()) {
  for (size_t pipe = 0; pipe < kPipes; ++pipe) {
    // A pipe that is never near the busiest one decides nothing.
    const bool needed = std::ranges::any_of(by_kind_.front(), [&](const Demand& demand) {
      return demand.log_cycles[pipe] > *std::ranges::max_element(demand.log_cycles) - 1.5;
    });
    if (needed) used_.push_back(pipe);
  }
}

double FittedFormula::log_time(const Demand& demand, const std::array<double, kRates>& values) const {
  if (!demand.known()) return kNotCounted;
  const double sharpness = std::exp(kSharpnessMiddle + kSharpnessDeviation * values[kSharpness]);
  double most = kNoWork;
  std::array<double, kPipes> pipes;
  for (const size_t pipe : used_) {
    pipes[pipe] = demand.log_cycles[pipe] + kPipeDeviation * values[pipe];
    most = std::max(most, pipes[pipe]);
  }
  double sum = 0;
  for (const size_t pipe : used_) {
    if (pipes[pipe] > most - 2) sum += std::exp(sharpness * (pipes[pipe] - most));
  }
  const double latency = std::exp(kLatencyMiddle + kLatencyDeviation * values[kLatency]);
  const double hidden = demand.warps < 0 ? 1 : 1 - std::exp(-demand.warps / latency);
  const double tail = std::clamp(kTailMiddle + kTailDeviation * values[kTail], 0.0, 1.0);
  return most + std::log(sum) / sharpness + std::log1p(tail * std::expm1(demand.log_tail)) - std::log(hidden);
}

std::vector<size_t> FittedFormula::free_rates() const {
  std::vector<size_t> free = used_;
  free.insert(free.end(), {kLatency, kTail, kSharpness});
  return free;
}

std::vector<std::vector<float>> FittedFormula::slopes() const {
  constexpr double kStep = 0.1;
  std::vector<std::vector<float>> columns;
  for (const size_t rate : free_rates()) {
    std::array<double, kRates> moved = rates_[kind_].values;
    moved[rate] += kStep;
    std::vector<float>& column = columns.emplace_back();
    column.reserve(size());
    for (size_t i = 0; i < size(); ++i) {
      const double slope = (log_time(by_kind_[kind_][i], moved) - log_time(i)) / kStep;
      column.push_back(std::isfinite(slope) ? static_cast<float>(slope) : 0);
    }
  }
  return columns;
}

double FittedFormula::log_time(size_t configuration) const {
  return log_time(by_kind_[kind_][configuration], rates_[kind_].values);
}

// Least squares by Levenberg and Marquardt; the constant is the mean of what is left over.
FittedFormula::Rates FittedFormula::fit(std::span<const Measured> measured, double best,
                                        const std::vector<Demand>& demands, Rates start) const {
  const std::vector<size_t> free = free_rates();
  const auto n = static_cast<Eigen::Index>(measured.size()), m = static_cast<Eigen::Index>(free.size());
  Eigen::VectorXd weight(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double slower = std::max(0.0, measured[static_cast<size_t>(i)].log_time - best);
    weight[i] = 1 / (kUnexplained + kUnexplainedOfSlow * slower);
  }
  const double total = weight.squaredNorm();
  const auto left_over = [&](const std::array<double, kRates>& values) {
    Eigen::VectorXd left(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Measured& each = measured[static_cast<size_t>(i)];
      left[i] = each.log_time - log_time(demands[each.configuration], values);
    }
    const double centre = left.dot(weight.cwiseAbs2()) / total;
    return Eigen::VectorXd((left.array() - centre) * weight.array());
  };
  const auto loss_of = [&](const Eigen::VectorXd& left, const std::array<double, kRates>& values) {
    double loss = left.squaredNorm();
    for (const size_t rate : free) loss += values[rate] * values[rate];
    return loss;
  };
  Rates rates = start;
  Eigen::VectorXd left = left_over(rates.values);
  rates.loss = loss_of(left, rates.values);
  double damping = 0.1;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Eigen::MatrixXd slopes(n, m);
    for (Eigen::Index p = 0; p < m; ++p) {
      std::array<double, kRates> moved = rates.values;
      moved[free[static_cast<size_t>(p)]] += 1e-3;
      slopes.col(p) = (left_over(moved) - left) / 1e-3;
    }
    Eigen::VectorXd place(m);
    for (Eigen::Index p = 0; p < m; ++p) place[p] = rates.values[free[static_cast<size_t>(p)]];
    const Eigen::VectorXd gradient = slopes.transpose() * left + place;
    Eigen::MatrixXd curvature = slopes.transpose() * slopes;
    curvature.diagonal().array() += 1 + damping;
    const Eigen::VectorXd step = curvature.ldlt().solve(gradient);
    std::array<double, kRates> moved = rates.values;
    for (Eigen::Index p = 0; p < m; ++p) moved[free[static_cast<size_t>(p)]] -= std::clamp(step[p], -1.0, 1.0);
    const Eigen::VectorXd now = left_over(moved);
    const double loss = loss_of(now, moved);
    if (loss < rates.loss) {
      const bool little = rates.loss - loss < 1e-3;
      rates.values = moved;
      rates.loss = loss;
      left = now;
      damping *= 0.3;
      if (little) break;
    } else {
      damping *= 10;
    }
  }
  return rates;
}

void FittedFormula::fit(std::span<const Measured> measured, double best) {
  std::vector<Measured> usable;
  for (const Measured& each : measured) {
    if (by_kind_.front()[each.configuration].known()) usable.push_back(each);
  }
  if (usable.size() < 2) return;
  for (size_t kind = 0; kind < by_kind_.size(); ++kind) rates_[kind] = fit(usable, best, by_kind_[kind], rates_[kind]);
  // The middling kind is what we expect: another one has to explain more.
  for (size_t kind = 0; kind < by_kind_.size(); ++kind) {
    const double handicap = kind == kind_ ? 0 : 1.5;
    if (rates_[kind].loss + handicap < rates_[kind_].loss) kind_ = kind;
  }
}

}  // namespace assay::tune
