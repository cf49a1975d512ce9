// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tune/synthetic_kernels.hpp"

namespace assay::tune {
namespace {

using Values = SyntheticKernel::Values;

}  // namespace

// A 2D convolution that keeps the image in registers, in shared memory, or in shared memory loaded by extra threads.
SyntheticKernel filter(Random& random) {
  const double image = random.below(2) == 0 ? 4096 : 8192, radius = 3 + static_cast<double>(random.below(3));
  const double side = 2 * radius + 1;
  SyntheticKernel kernel;
  kernel.parameters = {{"TBX", {8, 16, 32, 64}}, {"TBY", {8, 16, 32, 64}}, {"LOCAL", {0, 1, 2}},
                       {"WPTX", {1, 2, 4, 8}},   {"WPTY", {1, 2, 4, 8}},   {"VECTOR", {1, 2, 4}},
                       {"UNROLL", {1, side}},    {"PADDING", {0, 1}},      {"REVERSE", {0, 1}}};
  const auto area_of = [=](const Values& v) {
    return (v.at("TBX") * v.at("WPTX") + 2 * radius + v.at("PADDING")) * (v.at("TBY") * v.at("WPTY") + 2 * radius);
  };
  kernel.valid = [=](const Values& v) {
    const double extra = v.at("LOCAL") == 2 ? ceil_div(2 * radius, v.at("WPTX")) : 0;
    return (v.at("TBX") + extra) * (v.at("TBY") + extra) <= 1024 && v.at("VECTOR") <= v.at("WPTX") &&
           (v.at("PADDING") == 0 || v.at("LOCAL") > 0) && (v.at("LOCAL") == 0 || area_of(v) * 4 <= 49152);
  };
  const double order = 0.02 * random.uniform();
  kernel.work = [=](const Values& v) {
    const double wx = v.at("WPTX"), wy = v.at("WPTY"), vector = v.at("VECTOR"), local = v.at("LOCAL");
    const double extra = local == 2 ? ceil_div(2 * radius, wx) : 0;
    BlockWork work;
    work.threads = (v.at("TBX") + extra) * (v.at("TBY") + extra);
    const double warps = ceil_div(work.threads, 32), busy = ceil_div(v.at("TBX") * v.at("TBY"), 32);
    work.blocks = ceil_div(image, v.at("TBX") * wx) * ceil_div(image, v.at("TBY") * wy);
    const double area = area_of(v), outputs = busy * wx * wy;
    work.shared_bytes = local > 0 ? area * 4 : 0;
    const double held = (wx + 2 * radius) * (wy + 2 * radius);  // a thread's window in registers
    work.registers = 20 + wx * wy + (local == 0 ? 0.8 * held : 4) + (v.at("UNROLL") > 1 ? 5 + radius : 0) + vector;
    work.floats = outputs * side * side;
    work.integers = warps * 24 + outputs * (v.at("UNROLL") > 1 ? 2 : 2 + side) * (1 + order * v.at("REVERSE"));
    const double conflicts = v.at("TBX") < 32 && v.at("PADDING") == 0 ? 32 / v.at("TBX") * 0.8 : 1;
    if (local == 0) {
      work.requests = busy * held / std::max(1.0, vector * 0.8);
      work.sectors = busy * held * 4 * (v.at("TBX") < 32 ? 1.4 : 1);
    } else {
      work.wavefronts = busy * (wx + 2 * radius) * (wy + 2 * radius) * conflicts + area / 32;
      work.requests = area / 32 / vector * 1.3;
      work.sectors = area * 4 / 32 * (v.at("TBX") * wx < 32 ? 1.5 : 1.15);
    }
    work.requests += outputs / vector;
    work.sectors += outputs * 4;
    work.memory = work.requests + (local > 0 ? busy * held : 0);
    work.dram_bytes = area * 4 * 0.2 + v.at("TBX") * v.at("TBY") * wx * wy * 4;
    work.independent = 0.8 + 0.2 * std::min(wx * wy, 8.0);
    work.footprint = local == 0 ? area * 4 : 0;
    work.barriers = local > 0 ? 1 : 0;
    return work;
  };
  return kernel;
}

// Which of many points lie in a polygon: a loop over its edges for a few points per thread.
SyntheticKernel polygon(Random& random) {
  const double points = 2e7, vertices = 200 + 100 * static_cast<double>(random.below(6));
  SyntheticKernel kernel;
  kernel.parameters = {{"block_size_x", steps(32, 992, 32)},
                       {"tile_size", {1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
                       {"between_method", {0, 1, 2, 3}},
                       {"use_precomputed_slopes", {0, 1}},
                       {"use_method", {0, 1, 2}}};
  kernel.valid = [](const Values& v) {
    return v.at("use_precomputed_slopes") == 0 || v.at("between_method") == 1 || v.at("between_method") == 2;
  };
  const double division = 6 + 4 * random.uniform();
  kernel.work = [=](const Values& v) {
    static const double compares[] = {6, 4, 5, 7};
    static const double toggles[] = {3, 2, 4};
    const double tile = v.at("tile_size"), slopes = v.at("use_precomputed_slopes");
    BlockWork work;
    work.threads = v.at("block_size_x");
    const double warps = work.threads / 32;
    work.blocks = ceil_div(points, work.threads * tile);
    work.registers = 18 + 2.6 * tile + 2 * v.at("use_method");
    const double tests = warps * tile * vertices;
    work.floats = tests * (4 + (slopes == 1 ? 1 : division * 0.4));
    work.special = tests * (slopes == 1 ? 0 : 0.25);
    work.integers =
        tests *
            (compares[static_cast<size_t>(v.at("between_method"))] + toggles[static_cast<size_t>(v.at("use_method"))]) *
            0.5 +
        warps * vertices * 3;
    work.requests = warps * tile * 2;
    work.memory = work.requests + warps * vertices * (2 + slopes);
    work.sectors = warps * tile * 12;
    work.dram_bytes = warps * tile * 32 * 12;
    work.independent = 0.6 + 0.2 * std::min(tile, 10.0);
    return work;
  };
  kernel.fails = 0.01;
  return kernel;
}

// The electric potential of atoms on a grid: reciprocal square roots, and little memory.
SyntheticKernel coulomb(Random& random) {
  const double grid = 512, atoms = 2048 + 2048 * static_cast<double>(random.below(2));
  SyntheticKernel kernel;
  kernel.parameters = {{"INNER_UNROLL_FACTOR", {0, 1, 2, 4, 8, 16, 32}},
                       {"USE_CONSTANT_MEMORY", {0, 1}},
                       {"VECTOR_TYPE", {1, 2, 4, 8}},
                       {"USE_SOA", {0, 1, 2}},
                       {"OUTER_UNROLL_FACTOR", {1, 2, 4, 8}},
                       {"WORK_GROUP_SIZE_X", {8, 16, 32, 64}},
                       {"WORK_GROUP_SIZE_Y", {1, 2, 4, 8, 16}}};
  kernel.valid = [](const Values& v) {
    const double threads = v.at("WORK_GROUP_SIZE_X") * v.at("WORK_GROUP_SIZE_Y");
    return threads >= 32 && threads <= 512 && (v.at("USE_SOA") > 0 || v.at("VECTOR_TYPE") == 1) &&
           (v.at("USE_CONSTANT_MEMORY") == 0 || v.at("USE_SOA") < 2) &&
           (v.at("INNER_UNROLL_FACTOR") == 0 || v.at("INNER_UNROLL_FACTOR") >= v.at("VECTOR_TYPE"));
  };
  kernel.work = [=](const Values& v) {
    const double outer = v.at("OUTER_UNROLL_FACTOR"), inner = v.at("INNER_UNROLL_FACTOR"), vector = v.at("VECTOR_TYPE");
    const double width = v.at("WORK_GROUP_SIZE_X"), height = v.at("WORK_GROUP_SIZE_Y");
    BlockWork work;
    work.threads = width * height;
    const double warps = ceil_div(work.threads, 32);
    work.blocks = ceil_div(grid, width) * ceil_div(grid, height) * grid / outer;
    work.registers = 16 + 3 * outer + (inner > 0 ? 0.5 * inner : 6) + vector;
    const double pairs = warps * atoms * outer;
    work.floats = pairs * (5 + 6 / outer);
    work.special = pairs;
    work.integers = warps * atoms * (inner == 0 ? 0.4 : 2.5 / inner) + pairs * 0.3;
    const double loads = warps * atoms * (v.at("USE_SOA") == 0 ? 1 : 4 / vector);
    work.requests = v.at("USE_CONSTANT_MEMORY") == 1 ? 0 : loads;
    work.memory = loads + warps * outer;
    work.sectors = v.at("USE_CONSTANT_MEMORY") == 1 ? 0 : loads * 0.5;
    work.dram_bytes = warps * outer * 128;
    work.independent = 0.6 + 0.25 * outer + 0.03 * std::min(inner, 8.0);
    return work;
  };
  return kernel;
}

}  // namespace assay::tune
