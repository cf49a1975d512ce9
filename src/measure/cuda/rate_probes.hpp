// SPDX-License-Identifier: MIT
// The rates of a GPU, measured with small kernels that each keep one part of it busy (rate_probes.cu).
#pragma once

#include <vector>

#include "assay/context.hpp"
#include "base/result.hpp"
#include "device/cuda/cuda_device.hpp"
#include "gpu/measured_rates.hpp"

namespace assay::measure::cuda {

// What a warp asks for in one round of a kernel.
inline constexpr double kFmaOfRound = 256;
inline constexpr double kSpecialOfRound = 128;
inline constexpr double kWavefrontsOfRound = 16 * 4;
inline constexpr double kMmaFlopOfRound = 16 * (2.0 * 16 * 8 * 16);
inline constexpr uint32_t kProbeThreads = 1024;  // of a block

// All of gpu::rate_kinds(), in a few seconds. What could not be measured is 0.
Result<std::vector<gpu::MeasuredRate>> probe_rates(device::cuda::CudaDevice& gpu, const Context& context);

}  // namespace assay::measure::cuda
