// SPDX-License-Identifier: MIT
// What each value of each tunable, and each pair of values, adds to the logarithm of the time: learned from trials at
// other places (shapes, devices), so that the first configurations tried at a new one need not be drawn at random.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "learn/trial.hpp"

namespace assay::learn {

class Effects {
 public:
  static Effects fit(const std::vector<Trial>& trials);  // of one kernel

  bool empty() const { return trials_ == 0; }
  size_t trials() const { return trials_; }
  // The expected time, as a factor of a typical configuration's. Values that were never tried count as typical.
  double factor(const Values& values) const;

 private:
  using Key = std::string;  // "STAGES=3" or "STAGES=3,BLOCK=128"

  std::map<Key, double> single_;
  std::map<Key, double> pair_;
  size_t trials_ = 0;
};

// The candidates, the most promising first; equals stay in their order.
std::vector<Values> ranked(const Effects& effects, std::vector<Values> candidates);

}  // namespace assay::learn
