// SPDX-License-Identifier: MIT
// Any bytes as a file of steps.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "learn/step.hpp"
#include "require.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read = learn::read_steps({reinterpret_cast<const char*>(data), size}, "steps.json");
  if (!read) return 0;
  for (const nlohmann::json& entry : read->steps) {
    const auto step = learn::step_of(read->origin, entry);
    fuzz::require(step.ok());
    for (const double ratio : step->ratios) fuzz::require(std::isfinite(ratio) && ratio > 0);
  }
  return 0;
}
