// SPDX-License-Identifier: MIT
// Whether a block fits on a GPU model, how many fit on one SM, and what stops more from fitting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu_model.hpp"

namespace assay::gpu {

// What one block of a launch takes. Empty: not known; then nothing that depends on it is claimed.
struct BlockNeeds {
  int64_t threads = 0;
  std::optional<int> registers_per_thread;
  std::optional<int64_t> static_shared_bytes;
  int64_t dynamic_shared_bytes = 0;
  std::optional<int> max_threads;  // the kernel was compiled for at most this many threads per block
  int barriers = 1;
};

enum class Fit { fits, fits_with_optin, does_not_fit, unknown };
enum class Limiter { registers, shared_memory, threads, blocks, barriers };

std::string_view to_string(Fit fit);          // "fits", "fits with opt-in", "does not fit", "unknown"
std::string_view to_string(Limiter limiter);  // "registers", "shared memory", ...

struct Occupancy {
  Fit fit = Fit::unknown;
  std::string reason;  // why it does not fit, needs the opt-in or is not known, with the figures; empty if it fits
  // Only if all that they depend on is known; zero blocks if it does not fit.
  std::optional<int> blocks_per_sm;
  std::optional<int> warps_per_sm;
  std::optional<double> percent;  // of the warps that an SM can hold
  std::vector<Limiter> limiters;  // every resource that allows exactly blocks_per_sm
};

Occupancy occupancy(const GpuModel& model, const BlockNeeds& needs);

}  // namespace assay::gpu
