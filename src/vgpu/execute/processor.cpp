// SPDX-License-Identifier: MIT
#include "vgpu/execute/processor.hpp"

#include <cstdlib>

namespace assay::vgpu {

bool has_wide_vectors() {
  static const bool wide = [] {
    __builtin_cpu_init();
    return std::getenv("ASSAY_PLAIN") == nullptr && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  }();
  return wide;
}

}  // namespace assay::vgpu
