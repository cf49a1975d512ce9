// SPDX-License-Identifier: MIT
// A Gaussian process over an enumerated set of candidates: Matern 5/2 with one length per feature. Adding an
// observation costs one row: the factor grows by a row, and so does the solved covariance with every candidate.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tune/features.hpp"

namespace assay::tune {

struct ProcessParameters {
  std::vector<double> log_inverse_lengths;  // of each feature
  double log_signal = 0;                    // of the standard deviation
  double log_noise = -3;
};

class GaussianProcess {
 public:
  // The features of `candidates`; predictions are for their positions in it.
  GaussianProcess(const Features& features, std::vector<size_t> candidates);
  ~GaussianProcess();
  GaussianProcess(const GaussianProcess&) = delete;
  GaussianProcess& operator=(const GaussianProcess&) = delete;

  const std::vector<size_t>& candidates() const;
  // Columns over all configurations, each with an unknown coefficient of mean 0 and deviation 1 that the values may
  // contain beside what the features explain. Observations are forgotten.
  void set_linear(std::vector<std::vector<float>> columns);
  // Parameters that make the observations most likely, beginning at the present ones. Observations are forgotten.
  void fit(std::span<const size_t> configurations, std::span<const double> values, size_t iterations);
  double log_likelihood() const;  // of the last fit, with the prior of the parameters

  void observe(size_t configuration);  // values come with predict(), so that they may change
  void forget_last(size_t count);      // as if they had not been observed
  size_t observed() const;

  // Mean and standard deviation at every candidate. One value for each observation, in order.
  struct Prediction {
    std::vector<float> mean;
    std::vector<float> deviation;
  };
  Prediction predict(std::span<const double> values) const;

  const ProcessParameters& parameters() const;
  void set_parameters(const ProcessParameters& parameters);  // forgets the observations

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::tune
