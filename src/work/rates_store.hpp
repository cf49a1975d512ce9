// SPDX-License-Identifier: MIT
// Rates that were measured on a GPU of this machine, in the ledger.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/measured_rates.hpp"
#include "work/recording.hpp"

namespace assay::work {

struct StoredRates {
  std::string device;  // "cuda:0"
  std::string gpu;     // "NVIDIA H200"
  std::string time;    // "2026-11-18T05:30:00Z"
  std::vector<gpu::MeasuredRate> rates;

  std::string date() const { return time.substr(0, time.find('T')); }
};

Result<void> store_rates(Recording& recording, const gpu::GpuModel& model, const StoredRates& rates);
// Those of this model that were measured on this machine, as far as they can be right.
std::optional<StoredRates> stored_rates(Recording& recording, const gpu::GpuModel& model);

// The same by the name of a device; nothing for one that is no model.
std::optional<StoredRates> stored_rates(Recording& recording, const std::string& device);

}  // namespace assay::work
