// SPDX-License-Identifier: MIT
#include "base/random.hpp"

#include <cmath>
#include <numbers>

namespace assay {

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace assay
