// SPDX-License-Identifier: MIT
#include "tune/interpolation.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tune/matern.hpp"

namespace assay::tune {
namespace {

constexpr double kSlope = 4;      // variance of each feature's slope: a factor of e^4 from one end to the other
constexpr double kLevel = 100;    // variance of the level
constexpr double kAround = 0.25;  // variance around the line
constexpr double kNoise = 1e-4;
constexpr std::array kLengths{0.3, 0.7, 1.5, 3.0};

// Small amounts count as nothing: what matters is what takes time.
double to_log(double amount) {
  return std::log(std::max(amount, 0.0) + 1);
}

}  // namespace

struct Interpolation::State {
  Eigen::MatrixXd points;   // features of what is known, by row
  Eigen::MatrixXd weights;  // by row; one column for each amount
  Eigen::MatrixXd features;
  Eigen::VectorXd largest;  // of each amount, as a logarithm: a factor of e^3 beyond it is the most that is believed
  double length = 1;
  double error = 0;

  double covariance(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b, double scale) const {
    return kLevel + kSlope * a.dot(b) + kAround * matern((a - b).squaredNorm() / (scale * scale));
  }
};

Interpolation::Interpolation(const Features& features) : state_(std::make_unique<State>()) {
  const size_t count = features.list.empty() ? 0 : features.list.front().values.size();
  state_->features = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(std::max<size_t>(count, 1)),
                                           static_cast<Eigen::Index>(std::max<size_t>(features.list.size(), 1)));
  for (size_t column = 0; column < features.list.size(); ++column) {
    for (size_t row = 0; row < count; ++row)
      state_->features(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) =
          features.list[column].values[row];
  }
}

Interpolation::~Interpolation() = default;
Interpolation::Interpolation(Interpolation&&) noexcept = default;
Interpolation& Interpolation::operator=(Interpolation&&) noexcept = default;

void Interpolation::learn(std::span<const size_t> configurations, const std::vector<std::vector<double>>& amounts) {
  const auto known = static_cast<Eigen::Index>(configurations.size());
  const auto width = static_cast<Eigen::Index>(amounts.front().size());
  State& state = *state_;
  state.points.resize(known, state.features.cols());
  Eigen::MatrixXd logs(known, width);
  for (Eigen::Index i = 0; i < known; ++i) {
    const auto each = static_cast<size_t>(i);
    state.points.row(i) = state.features.row(static_cast<Eigen::Index>(configurations[each]));
    for (Eigen::Index j = 0; j < width; ++j) logs(i, j) = to_log(amounts[each][static_cast<size_t>(j)]);
  }
  state.largest = logs.colwise().maxCoeff().transpose();
  double least = std::numeric_limits<double>::infinity();
  for (const double length : kLengths) {
    Eigen::MatrixXd covariance(known, known);
    for (Eigen::Index i = 0; i < known; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        covariance(i, j) = state.covariance(state.points.row(i), state.points.row(j), length) + (i == j ? kNoise : 0);
        covariance(j, i) = covariance(i, j);
      }
    }
    const Eigen::MatrixXd inverse = covariance.ldlt().solve(Eigen::MatrixXd::Identity(known, known));
    const Eigen::MatrixXd weights = inverse * logs;
    // The residual of each when it is left out, without solving again.
    double sum = 0;
    for (Eigen::Index i = 0; i < known; ++i) sum += (weights.row(i) / inverse(i, i)).squaredNorm();
    if (!(sum < least)) continue;
    least = sum;
    state.length = length;
    state.weights = weights;
  }
  state.error = std::sqrt(least / static_cast<double>(std::max<Eigen::Index>(1, known * width)));
}

std::vector<double> Interpolation::at(size_t configuration) const {
  const State& state = *state_;
  const Eigen::RowVectorXd here = state.features.row(static_cast<Eigen::Index>(configuration));
  Eigen::RowVectorXd covariance(state.points.rows());
  for (Eigen::Index i = 0; i < state.points.rows(); ++i)
    covariance(i) = state.covariance(here, state.points.row(i), state.length);
  const Eigen::RowVectorXd logs = covariance * state.weights;
  std::vector<double> amounts;
  for (Eigen::Index j = 0; j < logs.size(); ++j) {
    const double limited = std::clamp(logs(j), 0.0, state.largest(j) + 3);
    amounts.push_back(std::exp(limited) - 1);
  }
  return amounts;
}

double Interpolation::error() const {
  return state_->error;
}

}  // namespace assay::tune
