// SPDX-License-Identifier: MIT
#include "tune/synthetic_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace assay::tune {
namespace {

using Values = SyntheticKernel::Values;

// Sectors of a warp's row access of `elements` neighbouring 4-byte elements each `width` wide.
double sectors_per_request(double block_x, double width) {
  const double row = std::min(block_x, 32.0);
  return 32 / row * std::max(1.0, std::ceil(row * 4 * width / 32) + (std::fmod(block_x, 8) != 0 ? 1 : 0));
}

}  // namespace

std::vector<double> steps(double from, double to, double by) {
  std::vector<double> values;
  for (double value = from; value <= to; value += by) values.push_back(value);
  return values;
}

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

SyntheticKernel convolution(Random& random) {
  const double filter = 5 + 2 * static_cast<double>(random.below(7));
  const double image = 4096;
  SyntheticKernel kernel;
  kernel.parameters = {{"block_size_x", steps(16, 256, 16)},
                       {"block_size_y", {1, 2, 4, 8, 16, 32}},
                       {"tile_size_x", steps(1, 8, 1)},
                       {"tile_size_y", steps(1, 8, 1)},
                       {"use_padding", {0, 1}},
                       {"read_only", {0, 1}}};
  kernel.valid = [=](const Values& v) {
    const double threads = v.at("block_size_x") * v.at("block_size_y");
    const bool pads = std::fmod(v.at("block_size_x"), 32) != 0;
    return threads >= 32 && threads <= 1024 && (v.at("use_padding") == 0 || pads) &&
           (v.at("block_size_x") * v.at("tile_size_x") + filter) *
                   (v.at("block_size_y") * v.at("tile_size_y") + filter) * 4 <
               49152;
  };
  const double cached = random.uniform();
  kernel.work = [=](const Values& v) {
    const double bx = v.at("block_size_x"), by = v.at("block_size_y"), tx = v.at("tile_size_x"),
                 ty = v.at("tile_size_y");
    BlockWork work;
    work.threads = bx * by;
    const double warps = ceil_div(work.threads, 32);
    work.blocks = ceil_div(image, bx * tx) * ceil_div(image, by * ty);
    const double area = (bx * tx + filter - 1) * (by * ty + filter - 1);
    work.shared_bytes = area * 4;
    work.registers = 18 + 2.2 * tx * ty + (tx > 4 ? 6 : 0);
    work.floats = warps * tx * ty * filter * filter;
    const double conflicts = std::fmod(bx, 32) == 0 ? 1 : v.at("use_padding") == 1 ? 1.03 : 1 + std::fmod(bx, 32) / 16;
    work.wavefronts = warps * (ty + filter - 1) * (tx + 0.0) * filter * conflicts + area / 32;
    work.integers = warps * (20 + 3 * tx * ty + filter * 4) * (std::fmod(bx, 32) == 0 ? 1 : 1.15);
    work.requests = area / 32 * 1.2 + warps * tx * ty;
    work.memory = work.requests + warps * tx * ty * filter * filter / 4;
    work.sectors =
        area * 4 / 32 * (bx < 32 ? 1.5 : 1.1) * (v.at("read_only") == 1 ? 0.9 + 0.3 * cached : 1) + warps * tx * ty * 4;
    work.dram_bytes = (bx * by * tx * ty * 4 + area * 4 * 0.4);
    work.independent = 0.7 + 0.25 * std::min(tx * ty, 8.0);
    work.barriers = 1;
    return work;
  };
  kernel.fails = 0.02 * random.uniform();
  return kernel;
}

SyntheticKernel gemm(Random& random) {
  const double size = 2048 + 1024 * static_cast<double>(random.below(3));
  const double depth = random.below(2) == 0 ? 16 : 32;
  SyntheticKernel kernel;
  kernel.parameters = {
      {"MWG", {16, 32, 64, 128}}, {"NWG", {16, 32, 64, 128}}, {"MDIMC", {8, 16, 32}}, {"NDIMC", {8, 16, 32}},
      {"MDIMA", {8, 16, 32}},     {"NDIMB", {8, 16, 32}},     {"VWM", {1, 2, 4, 8}},  {"VWN", {1, 2, 4, 8}},
      {"STRM", {0, 1}},           {"STRN", {0, 1}},           {"SA", {0, 1}},         {"SB", {0, 1}}};
  const auto divides = [](double a, double b) { return std::fmod(a, b) == 0; };
  kernel.valid = [=](const Values& v) {
    const double threads = v.at("MDIMC") * v.at("NDIMC");
    return threads <= 1024 && divides(v.at("MWG"), v.at("MDIMC") * v.at("VWM")) &&
           divides(v.at("NWG"), v.at("NDIMC") * v.at("VWN")) && divides(v.at("MWG"), v.at("MDIMA") * v.at("VWM")) &&
           divides(v.at("NWG"), v.at("NDIMB") * v.at("VWN")) && divides(depth, threads / v.at("MDIMA")) &&
           divides(depth, threads / v.at("NDIMB")) && v.at("MWG") * v.at("NWG") / threads <= 128;
  };
  const double stride_cost = 0.05 * random.uniform(), cache_help = 0.4 + 0.5 * random.uniform();
  kernel.work = [=](const Values& v) {
    const double mwg = v.at("MWG"), nwg = v.at("NWG"), vwm = v.at("VWM"), vwn = v.at("VWN");
    const double threads = v.at("MDIMC") * v.at("NDIMC");
    BlockWork work;
    work.threads = threads;
    const double warps = ceil_div(threads, 32);
    work.blocks = ceil_div(size, mwg) * ceil_div(size, nwg);
    const double mine_m = mwg / v.at("MDIMC"), mine_n = nwg / v.at("NDIMC");
    work.registers = 24 + mine_m * mine_n + mine_m + mine_n + (vwm + vwn) * 1.5;
    work.shared_bytes = 4 * depth * (v.at("SA") * mwg + v.at("SB") * nwg);
    const double rounds = size / depth;
    work.floats = warps * mine_m * mine_n * size;
    const double conflicts_m = v.at("STRM") == 1 ? 1 : std::max(1.0, vwm / 2),
                 conflicts_n = v.at("STRN") == 1 ? 1 : std::max(1.0, vwn / 2);
    const double shared_reads =
        v.at("SA") * mine_m / std::min(vwm, 4.0) * conflicts_m + v.at("SB") * mine_n / std::min(vwn, 4.0) * conflicts_n;
    work.wavefronts = warps * size * shared_reads * 1.6 + rounds * depth * (v.at("SA") * mwg + v.at("SB") * nwg) / 32;
    const double direct = (1 - v.at("SA")) * mine_m / vwm + (1 - v.at("SB")) * mine_n / vwn;
    work.requests = warps * size * direct + rounds * depth * (v.at("SA") * mwg / vwm + v.at("SB") * nwg / vwn) / 32;
    const double wasted = 1 + stride_cost * (v.at("STRM") + v.at("STRN")) +
                          0.02 * std::fabs(std::log2(v.at("MDIMA") / v.at("MDIMC"))) +
                          0.02 * std::fabs(std::log2(v.at("NDIMB") / v.at("NDIMC")));
    work.memory = work.requests + warps * size * (mine_m / vwm + mine_n / vwn);
    work.sectors = (rounds * depth * (mwg + nwg) * 4 / 32 + warps * size * direct * 4 * cache_help) * wasted;
    work.integers = warps * size * (0.6 + 2 / (vwm * vwn)) * wasted;
    work.dram_bytes = (mwg + nwg) * size * 4 * 0.25;
    work.independent = 0.5 + 0.12 * std::min(mine_m * mine_n, 24.0);
    work.footprint = direct > 0 ? 4 * depth * (mwg + nwg) : 0;
    work.barriers = (v.at("SA") + v.at("SB") > 0 ? 2 : 0) * rounds;
    return work;
  };
  return kernel;
}

SyntheticKernel stencil(Random& random) {
  const double grid = 2048 + 2048 * static_cast<double>(random.below(2));
  const double total_steps = 60;
  SyntheticKernel kernel;
  kernel.parameters = {{"block_size_x", {8, 16, 32, 64, 128, 256}},
                       {"block_size_y", {1, 2, 4, 8, 16, 32}},
                       {"tile_size_x", steps(1, 6, 1)},
                       {"tile_size_y", steps(1, 6, 1)},
                       {"temporal_tiling_factor", steps(1, 8, 1)},
                       {"loop_unroll_factor_t", {1, 2, 4, 8}},
                       {"sh_power", {0, 1}}};
  kernel.valid = [](const Values& v) {
    const double threads = v.at("block_size_x") * v.at("block_size_y"), t = v.at("temporal_tiling_factor");
    const double wide = v.at("block_size_x") * v.at("tile_size_x"), high = v.at("block_size_y") * v.at("tile_size_y");
    return threads >= 64 && threads <= 1024 && std::fmod(t, v.at("loop_unroll_factor_t")) == 0 && wide > 2 * t &&
           high > 2 * t && (wide + 2 * t) * (high + 2 * t) * (2 + v.at("sh_power")) * 4 <= 49152 * 1.2;
  };
  const double reload = 0.5 + random.uniform();
  kernel.work = [=](const Values& v) {
    const double bx = v.at("block_size_x"), by = v.at("block_size_y"), tx = v.at("tile_size_x"),
                 ty = v.at("tile_size_y"), t = v.at("temporal_tiling_factor");
    BlockWork work;
    work.threads = bx * by;
    const double warps = ceil_div(work.threads, 32);
    const double rounds = ceil_div(total_steps, t);
    work.blocks = ceil_div(grid, bx * tx - 2 * t + 2) * ceil_div(grid, by * ty - 2 * t + 2);
    const double area = (bx * tx + 2) * (by * ty + 2);
    work.shared_bytes = area * 4 * (2 + v.at("sh_power"));
    work.registers = 22 + 3 * tx * ty + 1.5 * v.at("loop_unroll_factor_t") * std::sqrt(tx * ty);
    work.floats = rounds * t * warps * tx * ty * 14;
    work.integers = rounds * t * warps * tx * ty * 5 * (1 + 0.6 / v.at("loop_unroll_factor_t"));
    work.wavefronts = rounds * t * warps * tx * ty * (5 + v.at("sh_power")) * (bx < 32 ? 32 / bx * 0.7 : 1);
    work.requests = rounds * (3 * area / 32 + (v.at("sh_power") == 0 ? t * warps * tx * ty : 0));
    work.memory = work.requests + work.wavefronts * 0.5;
    const double per = sectors_per_request(bx, 1);
    work.sectors = rounds * (3 * area / 32 + (v.at("sh_power") == 0 ? reload * t * warps * tx * ty : 0)) * per;
    work.dram_bytes = rounds * area * 12 * (bx < 32 ? 1.5 : 1);
    work.independent = 0.6 + 0.15 * std::min(tx * ty, 10.0) + 0.05 * v.at("loop_unroll_factor_t");
    work.barriers = rounds * t;
    return work;
  };
  kernel.fails = 0.01;
  return kernel;
}

SyntheticKernel dedispersion(Random& random) {
  const double samples = 25000, trials = 2048, channels = 1536;
  SyntheticKernel kernel;
  std::vector<double> xs{1, 2, 4, 8};
  for (const double x : steps(16, 256, 16)) xs.push_back(x);
  kernel.parameters = {{"block_size_x", xs},
                       {"block_size_y", {4, 8, 16, 24, 32, 48, 64, 96, 128}},
                       {"tile_size_x", {1, 2, 3, 4}},
                       {"tile_size_y", {1, 2, 3, 4, 6, 8}},
                       {"tile_stride_x", {0, 1}},
                       {"tile_stride_y", {0, 1}},
                       {"loop_unroll_factor_channel", {0, 4, 16}}};
  kernel.valid = [](const Values& v) {
    const double threads = v.at("block_size_x") * v.at("block_size_y");
    return threads >= 32 && threads <= 1024 && (v.at("tile_size_x") > 1 || v.at("tile_stride_x") == 0) &&
           (v.at("tile_size_y") > 1 || v.at("tile_stride_y") == 0);
  };
  const double lines = 0.4 + random.uniform();
  kernel.work = [=](const Values& v) {
    const double bx = v.at("block_size_x"), by = v.at("block_size_y"), tx = v.at("tile_size_x"),
                 ty = v.at("tile_size_y"), unroll = v.at("loop_unroll_factor_channel");
    BlockWork work;
    work.threads = bx * by;
    const double warps = ceil_div(work.threads, 32);
    work.blocks = ceil_div(samples, bx * tx) * ceil_div(trials, by * ty);
    work.registers = 20 + 2.5 * tx * ty + (unroll > 0 ? 0.3 * unroll * tx : 4);
    work.floats = warps * tx * ty * channels;
    work.integers =
        warps * channels * (ty * 1.5 + (unroll == 0 ? 1 : 4 / unroll) + (v.at("tile_stride_y") == 1 ? 0.3 : 0));
    work.requests = warps * tx * ty * channels;
    work.memory = work.requests;
    const double spread = v.at("tile_stride_x") == 1 || tx == 1 ? 1 : 1 + 0.3 * (tx - 1);
    const double reuse = 1 / (1 + lines * std::log2(1 + by * (v.at("tile_stride_y") == 1 ? 0.7 : 1)));
    work.sectors = warps * tx * ty * channels * sectors_per_request(bx, 1) * spread * reuse;
    work.dram_bytes = work.sectors * 32 * 0.05;
    work.footprint = bx * tx * 4 * by * ty * 0.4;
    work.independent = 0.7 + 0.2 * std::min(tx * ty, 8.0) + (unroll > 0 ? 0.1 * std::log2(unroll) : 0);
    return work;
  };
  kernel.fails = 0.03 * random.uniform();
  return kernel;
}

SyntheticKernel streaming(Random& random) {
  const double elements = 1 << 26;
  SyntheticKernel kernel;
  kernel.parameters = {{"BLOCK", steps(32, 1024, 32)}, {"ITEMS", {1, 2, 3, 4, 6, 8, 12, 16}},
                       {"VECTOR", {1, 2, 4, 8}},       {"UNROLL", {1, 2, 4, 8}},
                       {"LAYOUT", {0, 1, 2}},          {"PREFETCH", {0, 1}}};
  kernel.valid = [](const Values& v) {
    return std::fmod(v.at("ITEMS"), v.at("VECTOR")) == 0 && v.at("UNROLL") <= v.at("ITEMS");
  };
  const double best_layout = static_cast<double>(random.below(3)), math = 2 + 30 * random.uniform();
  kernel.work = [=](const Values& v) {
    const double block = v.at("BLOCK"), items = v.at("ITEMS"), vector = v.at("VECTOR"), unroll = v.at("UNROLL");
    BlockWork work;
    work.threads = block;
    const double warps = block / 32;
    work.blocks = ceil_div(elements, block * items);
    work.registers = 16 + items * (1 + 0.4 * unroll) + vector * 2 + 8 * v.at("PREFETCH");
    work.shared_bytes = v.at("LAYOUT") == 1 ? block * items * 4 : 0;
    work.floats = warps * items * math;
    work.integers = warps * (14 + items * (2 / vector + 2 / unroll));
    work.requests = warps * items / vector * 2;
    work.memory = work.requests + (v.at("LAYOUT") == 1 ? warps * items : 0);
    work.wavefronts = v.at("LAYOUT") == 1 ? warps * items * (std::fmod(items, 2) == 0 ? 1.8 : 1) : 0;
    work.sectors = warps * items * 8 * (v.at("LAYOUT") == best_layout ? 1 : 1.25) * (vector == 8 ? 1.1 : 1);
    work.dram_bytes = warps * items * 32 * 8 * (v.at("LAYOUT") == best_layout ? 1 : 1.06);
    work.independent = 0.5 + 0.2 * vector * (1 + 0.3 * v.at("PREFETCH")) + 0.1 * unroll;
    work.barriers = v.at("LAYOUT") == 1 ? 2 : 0;
    return work;
  };
  kernel.fails = 0.05;
  return kernel;
}

SyntheticKernel pipelined(Random& random) {
  const double m = 4096, n = 4096, k = 1024 + 1024 * static_cast<double>(random.below(4));
  SyntheticKernel kernel;
  kernel.parameters = {{"BLOCK_M", {32, 64, 96, 128, 192, 256}},
                       {"BLOCK_N", {32, 64, 96, 128, 192, 256}},
                       {"BLOCK_K", {16, 32, 64, 128}},
                       {"WARPS_M", {1, 2, 4}},
                       {"WARPS_N", {1, 2, 4}},
                       {"STAGES", {1, 2, 3, 4, 5}},
                       {"SWIZZLE", {0, 1}},
                       {"MAX_REGISTERS", {0, 128, 168}}};
  kernel.valid = [](const Values& v) {
    const double warps = v.at("WARPS_M") * v.at("WARPS_N");
    return std::fmod(v.at("BLOCK_M"), 16 * v.at("WARPS_M")) == 0 &&
           std::fmod(v.at("BLOCK_N"), 8 * v.at("WARPS_N")) == 0 &&
           v.at("BLOCK_M") * v.at("BLOCK_N") / (32 * warps) <= 256 &&
           2 * v.at("STAGES") * v.at("BLOCK_K") * (v.at("BLOCK_M") + v.at("BLOCK_N")) <= 2 * 49152;
  };
  const double issue = 4 + 4 * random.uniform();
  kernel.work = [=](const Values& v) {
    const double bm = v.at("BLOCK_M"), bn = v.at("BLOCK_N"), bk = v.at("BLOCK_K"), stages = v.at("STAGES");
    const double warps = v.at("WARPS_M") * v.at("WARPS_N"), rounds = k / bk;
    BlockWork work;
    work.threads = 32 * warps;
    work.blocks = ceil_div(m, bm) * ceil_div(n, bn);
    const double wm = bm / v.at("WARPS_M"), wn = bn / v.at("WARPS_N");
    const double wanted = 30 + bm * bn / work.threads + (wm + wn) / 4;
    work.registers = v.at("MAX_REGISTERS") > 0 ? std::min(wanted, v.at("MAX_REGISTERS")) : wanted;
    const double spilled = wanted - work.registers;
    work.shared_bytes = std::min(2 * stages * bk * (bm + bn), 2.0 * 49152) / 2;
    work.floats = warps * (wm / 16) * (wn / 8) * (k / 16) * issue;
    work.wavefronts =
        warps * (k / 16) * (wm / 16 * 4 + wn / 8 * 2) * (v.at("SWIZZLE") == 1 ? 1 : 2.2) + rounds * bk * (bm + bn) / 64;
    work.integers = warps * rounds * (20 + 4 * v.at("SWIZZLE")) + spilled * rounds * warps * 0.3;
    work.memory = warps * rounds * (bk / 16) * (wm / 16 + wn / 16) + spilled * rounds * warps * 0.1;
    work.requests = rounds * bk * (bm + bn) / 256;
    work.sectors = rounds * bk * (bm + bn) * 2 / 32 + bm * bn / 16;
    work.dram_bytes = k * (bm + bn) * 2 * 0.2;
    work.independent = 0.5 + 0.45 * std::min(stages, 4.0) + 0.01 * bk;
    work.barriers = rounds * (stages == 1 ? 2 : 1);
    return work;
  };
  kernel.fails = 0.04;
  return kernel;
}

}  // namespace assay::tune
