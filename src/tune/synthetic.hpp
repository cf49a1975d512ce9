// SPDX-License-Identifier: MIT
// Synthetic spaces for choosing and judging strategies. Each has the parameters and restrictions of a kind of kernel
// that people tune, and times from a model of a GPU (pipes, occupancy, waves, coalescing, bank conflicts, caches,
// spilling) whose figures are drawn for each space. The fastest are spread out as recorded ones are. On top of it come
// effects that no counter shows: of the compiler on pairs of parameters, jitter of single configurations, isolated
// optima, floors, and configurations that fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tune/recorded_space.hpp"

namespace assay::tune {

// Strategies are chosen by one half and judged by the other. The harder group has effects on pairs of parameters of
// several per cent in all of its spaces, and counters that are off by several per cent, each by its own.
enum class SyntheticGroup { choosing, judging, harder };
enum class SyntheticManner { calibrated, harder };  // docs/tuning.md says by what

const std::vector<std::string>& synthetic_kernels();  // "convolution", "gemm", ...

// One space: a kernel on a GPU that `seed` draws. 3,000 to 18,000 configurations, up to 23 % of them failing, samples
// with about 1 % of noise.
RecordedSpace synthetic_space(const std::string& kernel, uint64_t seed,
                              SyntheticManner manner = SyntheticManner::calibrated);

// Fourteen, eighteen or eight spaces. The judging half has two kinds of kernels that the choosing half lacks.
std::vector<RecordedSpace> synthetic_spaces(SyntheticGroup group);

}  // namespace assay::tune
