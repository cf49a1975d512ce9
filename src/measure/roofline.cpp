// SPDX-License-Identifier: MIT
#include "measure/roofline.hpp"

#include <algorithm>

namespace assay::measure {

Floor floor_of(const Work& work, const gpu::GpuModel& model, Cache cache, double clock_mhz) {
  constexpr double kL2Advantage = 4;
  Floor floor;
  const double faster =
      model.boost_clock_mhz > 0 && clock_mhz > model.boost_clock_mhz ? clock_mhz / model.boost_clock_mhz : 1;
  const double tflops = std::max(model.tensor_f16_tflops, model.f32_tflops) * faster * (work.eight_bit ? 2 : 1);
  if (work.flops && tflops > 0) floor.compute_us = *work.flops / tflops * 1e-6;
  const double gb_per_s = model.memory_bandwidth_gb_per_s * (cache == Cache::cold ? 1 : kL2Advantage);
  if (work.bytes && gb_per_s > 0) floor.memory_us = std::max(0.0, *work.bytes - work.output_bytes) / gb_per_s * 1e-3;
  floor.us = std::max(floor.compute_us, floor.memory_us);
  return floor;
}

}  // namespace assay::measure
