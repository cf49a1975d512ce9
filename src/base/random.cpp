// SPDX-License-Identifier: MIT
#include "base/random.hpp"

#include <cmath>
#include <numbers>
#include <sys/random.h>
#include <sys/types.h>

namespace assay {

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

uint64_t system_random() {
  uint64_t value = 0;
  // Up to 256 bytes come whole or not at all; before the system is seeded, which is over long before us, it waits.
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
  }
  return value;
}

}  // namespace assay
