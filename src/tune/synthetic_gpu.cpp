// SPDX-License-Identifier: MIT
#include "tune/synthetic_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::tune {

SyntheticGpu draw_gpu(Random& random) {
  static const double sm_counts[] = {20, 28, 40, 46, 60, 68, 82, 104, 108, 132};
  SyntheticGpu gpu;
  gpu.sms = sm_counts[random.below(std::size(sm_counts))];
  gpu.float_lanes = random.below(2) == 0 ? 64 : 128;
  gpu.l2_bytes = 32 + 32 * random.uniform();
  gpu.dram_bytes = 5 + 12 * random.uniform();
  gpu.max_warps = std::vector<double>{32, 48, 64}[random.below(3)];
  gpu.max_blocks = std::vector<double>{16, 24, 32}[random.below(3)];
  gpu.shared_per_sm = std::vector<double>{64, 96, 100, 164, 228}[random.below(5)] * 1024;
  gpu.shared_per_block = 48 * 1024;
  gpu.l1_bytes = (24 + 100 * random.uniform()) * 1024;
  gpu.latency = 1.5 + 2.5 * random.uniform();
  gpu.tail = 0.4 + 0.6 * random.uniform();
  gpu.sharpness = 3 + 4 * random.uniform();
  gpu.name = "synthetic GPU, " + std::to_string(static_cast<int>(gpu.sms)) + " SMs";
  return gpu;
}

SyntheticTiming simulate(BlockWork work, const SyntheticGpu& gpu) {
  SyntheticTiming result;
  const double warps = std::ceil(work.threads / 32);
  result.l2_sectors = work.sectors;
  result.dram_sectors = work.dram_bytes / 32;
  if (work.threads > 1024 || work.shared_bytes > gpu.shared_per_block) {
    result.work = work;
    result.failure = "RuntimeFailedConfig";
    return result;
  }
  // ptxas spills what is above 255 registers, and no launch has more than 65536.
  const double spilled = std::max(0.0, work.registers - 255);
  work.registers = std::min(255.0, work.registers);
  work.memory += spilled * warps * 2;
  work.local_sectors += spilled * warps * 8;
  result.work = work;
  const double by_registers = std::floor(65536 / (std::ceil(work.registers / 8) * 8 * 32 * warps));
  const double by_shared = work.shared_bytes > 0 ? std::floor(gpu.shared_per_sm / (work.shared_bytes + 1024)) : 1e9;
  const double resident = std::min({gpu.max_blocks, std::floor(gpu.max_warps / warps), by_registers, by_shared});
  if (resident < 1) {
    result.failure = "RuntimeFailedConfig";
    return result;
  }
  const double waves = work.blocks / (resident * gpu.sms);
  const double in_flight = waves < 1 ? std::ceil(work.blocks / gpu.sms) : resident;
  result.active_warps = in_flight * warps;
  const double misses = work.footprint > 0 ? std::clamp(in_flight * work.footprint / gpu.l1_bytes, 0.6, 1.8) : 1;
  result.l2_sectors = (work.sectors + work.local_sectors) * misses;
  result.dram_sectors = work.dram_bytes / 32 * std::sqrt(misses);
  const double pipes[] = {
      work.floats * 32 / gpu.float_lanes,
      (work.floats + work.integers + work.special + work.memory) / 4,
      work.integers * 32 / 64,
      work.memory + work.wavefronts,
      work.special * 32 / 16,
      result.l2_sectors * 32 / gpu.l2_bytes,
      result.dram_sectors * 32 / gpu.dram_bytes,
  };
  double sum = 0;
  for (const double pipe : pipes) sum += std::pow(pipe, gpu.sharpness);
  const double busiest = std::pow(sum, 1 / gpu.sharpness);
  const double hidden = 1 - std::exp(-result.active_warps / 4 * std::sqrt(work.independent) / gpu.latency);
  const double quantised =
      waves < 1 ? std::ceil(work.blocks / gpu.sms) * gpu.sms / work.blocks : std::ceil(waves) / waves;
  const double tail = 1 + gpu.tail * (quantised - 1);
  const double stalls = work.barriers * 10 / in_flight;
  const double cycles = (busiest / hidden + stalls) * work.blocks / gpu.sms * tail + 3000;
  result.milliseconds = cycles / 1.4e6;
  return result;
}

}  // namespace assay::tune
