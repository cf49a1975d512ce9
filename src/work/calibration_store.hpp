// SPDX-License-Identifier: MIT
// Calibrations in the ledger: one for each machine and GPU model, the newest.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "gpu/gpu_model.hpp"
#include "judge/calibration.hpp"
#include "work/recording.hpp"

namespace assay::work {

Result<void> store_calibration(Recording& recording, const gpu::GpuModel& model, const judge::Calibration& calibration);
// Nothing if this machine was never calibrated, or nothing is recorded, or what is stored is damaged, which is warned of.
std::optional<judge::Calibration> stored_calibration(Recording& recording, const gpu::GpuModel& model);

}  // namespace assay::work
