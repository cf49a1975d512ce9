// SPDX-License-Identifier: MIT
#include "tune/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tune/matern.hpp"

namespace assay::tune {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kConstant = 0.5;  // variance of the unknown mean, in units of the values' own

double matern_slope(double squared) {  // by the squared distance
  const double r = std::sqrt(squared);
  return -5.0 / 6 * (1 + kRootFive * r) * std::exp(-kRootFive * r);
}

}  // namespace

struct GaussianProcess::State {
  std::vector<size_t> candidates;
  std::vector<const Feature*> features;
  std::vector<std::vector<float>> columns;         // of the candidates, one per feature
  std::vector<std::vector<float>> linear;          // of all configurations
  std::vector<std::vector<float>> linear_columns;  // of the candidates
  ProcessParameters parameters;
  std::vector<double> prior_mean;  // of the log inverse lengths
  double likelihood = -std::numeric_limits<double>::infinity();

  std::vector<size_t> points;              // observed configurations
  std::vector<std::vector<double>> rows;   // of the lower factor
  std::vector<std::vector<float>> solved;  // factor^-1 * covariance(points, candidates), by rows
  std::vector<float> variance;             // left at each candidate

  double weight(size_t f) const { return std::exp(2 * parameters.log_inverse_lengths[f]); }
  double signal() const { return std::exp(2 * parameters.log_signal); }
  double noise() const { return std::exp(2 * parameters.log_noise) + 1e-6; }

  double covariance(size_t a, size_t b) const {
    double squared = 0;
    for (size_t f = 0; f < features.size(); ++f) {
      const double difference = features[f]->values[a] - features[f]->values[b];
      squared += weight(f) * difference * difference;
    }
    return signal() * matern(squared) + kConstant + linear_covariance(a, b);
  }

  double linear_covariance(size_t a, size_t b) const {
    double sum = 0;
    for (const std::vector<float>& column : linear) sum += double{column[a]} * column[b];
    return sum;
  }

  void forget() {
    points.clear();
    rows.clear();
    solved.clear();
    variance.assign(candidates.size(), static_cast<float>(signal() + kConstant));
    for (const std::vector<float>& column : linear_columns) {
      for (size_t i = 0; i < column.size(); ++i) variance[i] += column[i] * column[i];
    }
  }
};

GaussianProcess::GaussianProcess(const Features& features, std::vector<size_t> candidates)
    : state_(std::make_unique<State>()) {
  state_->candidates = std::move(candidates);
  const double dimensions = static_cast<double>(std::max<size_t>(
      std::ranges::count_if(features.list, [](const Feature& feature) { return !feature.derived; }), 1));
  for (const Feature& feature : features.list) {
    state_->features.push_back(&feature);
    std::vector<float>& column = state_->columns.emplace_back();
    column.reserve(state_->candidates.size());
    for (const size_t each : state_->candidates) column.push_back(feature.values[each]);
    state_->prior_mean.push_back(-std::log(0.7 * std::sqrt(dimensions)));
  }
  state_->parameters.log_inverse_lengths = state_->prior_mean;
  state_->forget();
}

GaussianProcess::~GaussianProcess() = default;

const std::vector<size_t>& GaussianProcess::candidates() const {
  return state_->candidates;
}
double GaussianProcess::log_likelihood() const {
  return state_->likelihood;
}
size_t GaussianProcess::observed() const {
  return state_->points.size();
}
const ProcessParameters& GaussianProcess::parameters() const {
  return state_->parameters;
}

void GaussianProcess::set_linear(std::vector<std::vector<float>> columns) {
  state_->linear = std::move(columns);
  state_->linear_columns.clear();
  for (const std::vector<float>& column : state_->linear) {
    std::vector<float>& own = state_->linear_columns.emplace_back();
    own.reserve(state_->candidates.size());
    for (const size_t each : state_->candidates) own.push_back(column[each]);
  }
  state_->forget();
}

void GaussianProcess::set_parameters(const ProcessParameters& parameters) {
  state_->parameters = parameters;
  state_->forget();
}

// Resilient steps along the sign of the gradient: no line search, and scales of parameters do not matter.
void GaussianProcess::fit(std::span<const size_t> configurations, std::span<const double> values, size_t iterations) {
  State& state = *state_;
  const auto n = static_cast<Eigen::Index>(configurations.size());
  const size_t lengths = state.features.size();
  if (n < 2) {
    state.forget();
    return;
  }
  std::vector<Matrix> squares;
  for (const Feature* feature : state.features) {
    Matrix& each = squares.emplace_back(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const double difference = feature->values[configurations[static_cast<size_t>(i)]] -
                                  feature->values[configurations[static_cast<size_t>(j)]];
        each(i, j) = difference * difference;
      }
    }
  }
  Matrix linear = Matrix::Constant(n, n, kConstant);
  for (const std::vector<float>& column : state.linear) {
    Vector own(n);
    for (Eigen::Index i = 0; i < n; ++i) own[i] = column[configurations[static_cast<size_t>(i)]];
    linear += own * own.transpose();
  }
  const Vector y = Eigen::Map<const Vector>(values.data(), n);
  const size_t count = lengths + 2;
  std::vector<double> place = state.parameters.log_inverse_lengths;
  place.push_back(state.parameters.log_signal);
  place.push_back(state.parameters.log_noise);
  std::vector<double> centre = state.prior_mean, width(lengths, 0.9), low(lengths, -5), high(lengths, 2.5);
  centre.insert(centre.end(), {0.0, std::log(0.03)});
  width.insert(width.end(), {0.5, 0.8});
  low.insert(low.end(), {-2.0, std::log(0.01)});
  high.insert(high.end(), {1.5, std::log(0.5)});

  std::vector<double> gradient(count), previous(count, 0), step(count, 0.15), best = place;
  double best_value = -std::numeric_limits<double>::infinity();
  for (size_t iteration = 0; iteration <= iterations; ++iteration) {
    Matrix squared = Matrix::Zero(n, n);
    for (size_t f = 0; f < lengths; ++f) squared += std::exp(2 * place[f]) * squares[f];
    const double signal = std::exp(2 * place[lengths]);
    const double noise = std::exp(2 * place[lengths + 1]) + 1e-6;
    const Matrix shape = squared.unaryExpr(&matern);
    Matrix covariance = signal * shape + linear;
    covariance.diagonal().array() += noise;
    const Eigen::LLT<Matrix> factor(covariance);
    if (factor.info() != Eigen::Success) break;
    const Vector alpha = factor.solve(y);
    const Matrix lower = factor.matrixL();
    double value = -0.5 * y.dot(alpha) - lower.diagonal().array().log().sum();
    for (size_t p = 0; p < count; ++p) value -= 0.5 * std::pow((place[p] - centre[p]) / width[p], 2);
    if (value > best_value) {
      best_value = value;
      best = place;
    }
    if (iteration == iterations) break;
    const Matrix inverse = factor.solve(Matrix::Identity(n, n));
    const Matrix pull = alpha * alpha.transpose() - inverse;
    const Matrix slope = pull.cwiseProduct(signal * squared.unaryExpr(&matern_slope));
    for (size_t f = 0; f < lengths; ++f)
      gradient[f] = 0.5 * slope.cwiseProduct(squares[f]).sum() * 2 * std::exp(2 * place[f]);
    gradient[lengths] = pull.cwiseProduct(shape).sum() * signal;
    gradient[lengths + 1] = pull.diagonal().sum() * (noise - 1e-6);
    for (size_t p = 0; p < count; ++p) {
      gradient[p] -= (place[p] - centre[p]) / (width[p] * width[p]);
      const double agreement = gradient[p] * previous[p];
      if (agreement > 0) step[p] = std::min(step[p] * 1.3, 0.6);
      if (agreement < 0) {
        step[p] = std::max(step[p] * 0.5, 1e-3);
        gradient[p] = 0;
      }
      if (gradient[p] != 0) place[p] = std::clamp(place[p] + (gradient[p] > 0 ? step[p] : -step[p]), low[p], high[p]);
      previous[p] = gradient[p];
    }
  }
  state.likelihood = best_value;
  state.parameters.log_inverse_lengths.assign(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(lengths));
  state.parameters.log_signal = best[lengths];
  state.parameters.log_noise = best[lengths + 1];
  state.forget();
}

void GaussianProcess::observe(size_t configuration) {
  State& state = *state_;
  const size_t n = state.points.size();
  std::vector<double> row(n + 1);
  for (size_t j = 0; j < n; ++j) {
    double sum = state.covariance(configuration, state.points[j]);
    for (size_t k = 0; k < j; ++k) sum -= row[k] * state.rows[j][k];
    row[j] = sum / state.rows[j][j];
  }
  double rest = state.signal() + kConstant + state.noise() + state.linear_covariance(configuration, configuration);
  for (size_t k = 0; k < n; ++k) rest -= row[k] * row[k];
  row[n] = std::sqrt(std::max(rest, 1e-8));

  const size_t size = state.candidates.size();
  std::vector<float> across(size, 0);
  for (size_t f = 0; f < state.features.size(); ++f) {
    const auto weight = static_cast<float>(state.weight(f));
    const float here = state.features[f]->values[configuration];
    const float* column = state.columns[f].data();
    float* squared = across.data();
    for (size_t i = 0; i < size; ++i) squared[i] += weight * (column[i] - here) * (column[i] - here);
  }
  Eigen::Map<Eigen::ArrayXf> covariance(across.data(), static_cast<Eigen::Index>(size));
  const auto signal = static_cast<float>(state.signal());
  {
    const Eigen::ArrayXf r = covariance.sqrt() * static_cast<float>(kRootFive);
    covariance = signal * (1.0f + r + r.square() / 3.0f) * (-r).exp() + static_cast<float>(kConstant);
  }
  for (size_t l = 0; l < state.linear.size(); ++l)
    covariance += state.linear[l][configuration] *
                  Eigen::Map<const Eigen::ArrayXf>(state.linear_columns[l].data(), static_cast<Eigen::Index>(size));
  for (size_t j = 0; j < n; ++j)
    covariance -= static_cast<float>(row[j]) *
                  Eigen::Map<const Eigen::ArrayXf>(state.solved[j].data(), static_cast<Eigen::Index>(size));
  covariance /= static_cast<float>(row[n]);
  Eigen::Map<Eigen::ArrayXf>(state.variance.data(), static_cast<Eigen::Index>(size)) -= covariance.square();
  state.points.push_back(configuration);
  state.rows.push_back(std::move(row));
  state.solved.push_back(std::move(across));
}

void GaussianProcess::forget_last(size_t count) {
  State& state = *state_;
  for (; count > 0 && !state.points.empty(); --count) {
    const auto size = static_cast<Eigen::Index>(state.candidates.size());
    Eigen::Map<Eigen::ArrayXf>(state.variance.data(), size) +=
        Eigen::Map<const Eigen::ArrayXf>(state.solved.back().data(), size).square();
    state.points.pop_back();
    state.rows.pop_back();
    state.solved.pop_back();
  }
}

GaussianProcess::Prediction GaussianProcess::predict(std::span<const double> values) const {
  const State& state = *state_;
  const size_t size = state.candidates.size();
  Prediction prediction{std::vector<float>(size, 0), std::vector<float>(size)};
  Eigen::Map<Eigen::ArrayXf> mean(prediction.mean.data(), static_cast<Eigen::Index>(size));
  std::vector<double> whitened;
  for (size_t j = 0; j < state.points.size() && j < values.size(); ++j) {
    double sum = values[j];
    for (size_t k = 0; k < j; ++k) sum -= state.rows[j][k] * whitened[k];
    whitened.push_back(sum / state.rows[j][j]);
    mean += static_cast<float>(whitened.back()) *
            Eigen::Map<const Eigen::ArrayXf>(state.solved[j].data(), static_cast<Eigen::Index>(size));
  }
  for (size_t i = 0; i < size; ++i) prediction.deviation[i] = std::sqrt(std::max(state.variance[i], 1e-7f));
  return prediction;
}

}  // namespace assay::tune
