// SPDX-License-Identifier: MIT
#include "device/cuda/gpu_state.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace assay::device::cuda {

std::string describe_clock_reasons(uint64_t reasons) {
  constexpr std::array<std::pair<uint64_t, const char*>, 9> kNames = {{
      {clock_reason::kIdle, "idle"},
      {clock_reason::kApplicationSetting, "application clocks are set"},
      {clock_reason::kSoftwarePowerCap, "power cap"},
      {clock_reason::kHardwareSlowdown, "hardware slowdown"},
      {clock_reason::kSyncBoost, "sync boost"},
      {clock_reason::kSoftwareThermal, "thermal slowdown by software"},
      {clock_reason::kHardwareThermal, "thermal slowdown by hardware"},
      {clock_reason::kPowerBrake, "power brake"},
      {clock_reason::kDisplaySetting, "display clock setting"},
  }};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if ((reasons & bit) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
    reasons &= ~bit;
  }
  if (reasons != 0) text += fmt::format("{}unknown (0x{:x})", text.empty() ? "" : ", ", reasons);
  return text.empty() ? "none" : text;
}

}  // namespace assay::device::cuda
