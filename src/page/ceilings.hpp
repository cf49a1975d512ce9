// SPDX-License-Identifier: MIT
// The roofs of a GPU: rates by instruction and by memory level, from its model.
#pragma once

#include <string>
#include <vector>

#include "gpu/gpu_model.hpp"

namespace assay::page {

struct ComputeRoof {
  std::string name;   // "wgmma f16", "FMA f32"
  double tflops = 0;  // special functions: 10^12 results a second
};
struct MemoryRoof {
  std::string name;
  double gb_per_s = 0;
};
struct Ceilings {
  std::vector<ComputeRoof> compute;  // the highest first
  std::vector<MemoryRoof> memory;
};

Ceilings ceilings_of(const gpu::GpuModel& model);

// Where the points of a case lie: operations per byte of one memory level, and what was reached.
struct RooflinePoint {
  std::string contender;
  std::string shape;
  std::string level;  // "DRAM: bytes that must move", "L1 sectors", ...
  double intensity = 0;
  double tflops = 0;
  bool measured = true;  // else estimated
  int colour = 0;
  int64_t attempt = 0;
};

struct Roofline {
  std::string gpu;
  Ceilings ceilings;
  std::vector<RooflinePoint> points;
};

struct Content;
std::vector<Roofline> rooflines_of(const Content& content);  // one for each GPU

}  // namespace assay::page
