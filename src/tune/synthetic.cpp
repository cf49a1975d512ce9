// SPDX-License-Identifier: MIT
#include "tune/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "base/random.hpp"

namespace assay::tune {
namespace {

struct SyntheticGpu {
  std::string name;
  double sms, float_lanes, l2_bytes, dram_bytes;  // per SM and clock
  double max_warps, max_blocks, shared_per_sm, shared_per_block, l1_bytes;
  double latency;    // warps per scheduler, times the independent instructions of each, that hide most of it
  double tail;       // how much of a partial wave is lost
  double sharpness;  // of the maximum over the pipes
};

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

// What one block does; instructions are those of warps.
struct BlockWork {
  double threads = 0, blocks = 0, registers = 32, shared_bytes = 0;
  double floats = 0, integers = 0, memory = 0, wavefronts = 0, requests = 0, sectors = 0, dram_bytes = 0;
  double independent = 1;  // instructions that a warp can issue without waiting for one another
  double footprint = 0;    // bytes that the block would like to find in L1
  double barriers = 0;     // per block, each stalls for a while
};

struct Timing {
  std::optional<double> milliseconds;
  std::string failure;
  BlockWork work;  // as counted, with what spilling adds
  double active_warps = 0;
};

Timing simulate(BlockWork work, const SyntheticGpu& gpu) {
  Timing result;
  const double warps = std::ceil(work.threads / 32);
  if (work.threads > 1024 || work.shared_bytes > gpu.shared_per_block) {
    result.work = work;
    result.failure = "RuntimeFailedConfig";
    return result;
  }
  // ptxas spills what is above 255 registers, and no launch has more than 65536.
  const double spilled = std::max(0.0, work.registers - 255);
  work.registers = std::min(255.0, work.registers);
  work.memory += spilled * warps * 2;
  work.sectors += spilled * warps * 8;
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
  const double pipes[] = {
      work.floats * 32 / gpu.float_lanes,
      (work.floats + work.integers + work.memory) / 4,
      work.integers * 32 / 64,
      work.memory + work.wavefronts,
      work.sectors * misses * 32 / gpu.l2_bytes,
      work.dram_bytes * std::sqrt(misses) / gpu.dram_bytes,
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

using Values = std::map<std::string, double>;

struct SyntheticKernel {
  std::vector<std::pair<std::string, std::vector<double>>> parameters;
  std::function<bool(const Values&)> valid;
  std::function<BlockWork(const Values&)> work;
  double fails = 0;  // the share that does not compile, beside what does not fit
};

std::vector<double> steps(double from, double to, double by) {
  std::vector<double> values;
  for (double value = from; value <= to; value += by) values.push_back(value);
  return values;
}

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

// Sectors of a warp's row access of `elements` neighbouring 4-byte elements each `width` wide.
double sectors_per_request(double block_x, double width) {
  const double row = std::min(block_x, 32.0);
  return 32 / row * std::max(1.0, std::ceil(row * 4 * width / 32) + (std::fmod(block_x, 8) != 0 ? 1 : 0));
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

SyntheticKernel make_kernel(const std::string& name, Random& random) {
  if (name == "convolution") return convolution(random);
  if (name == "gemm") return gemm(random);
  if (name == "stencil") return stencil(random);
  if (name == "dedispersion") return dedispersion(random);
  if (name == "streaming") return streaming(random);
  return pipelined(random);
}

std::vector<std::vector<uint16_t>> enumerate_rows(const SyntheticKernel& kernel) {
  std::vector<std::vector<uint16_t>> rows;
  std::vector<uint16_t> row(kernel.parameters.size(), 0);
  Values values;
  for (;;) {
    for (size_t p = 0; p < row.size(); ++p) values[kernel.parameters[p].first] = kernel.parameters[p].second[row[p]];
    if (kernel.valid(values)) rows.push_back(row);
    size_t p = row.size();
    while (p > 0 && ++row[p - 1] == kernel.parameters[p - 1].second.size()) row[--p] = 0;
    if (p == 0) return rows;
  }
}

// What the compiler does and no counter shows: factors of single values and of pairs of values.
class HiddenEffects {
 public:
  HiddenEffects(const SyntheticKernel& kernel, Random& random) : salt_(random.next()) {
    const size_t width = kernel.parameters.size();
    pair_scale_ = 0.004 + 0.012 * random.uniform();
    jitter_ = 0.002 + 0.006 * random.uniform();
    for (size_t pair = 0; pair < width; ++pair) {
      const size_t first = random.below(width);
      pairs_.emplace_back(first, (first + 1 + random.below(width - 1)) % width);
    }
  }
  double log_factor(const std::vector<uint16_t>& row) const {
    double sum = 0;
    uint64_t all = salt_;
    for (size_t p = 0; p < row.size(); ++p) {
      sum += 0.005 * draw(salt_ ^ (p * 7919 + row[p] * 104729 + 17));
      all = all * 0x9e3779b97f4a7c15u + row[p] + 1;
    }
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const auto [a, b] = pairs_[i];
      sum += pair_scale_ * draw(salt_ + i * 1000003 + row[a] * 8191 + row[b] * 131);
    }
    return sum + jitter_ * draw(all);
  }
  static double draw(uint64_t key) { return Random(key * 0xbf58476d1ce4e5b9u).normal(); }
  uint64_t salt() const { return salt_; }

 private:
  uint64_t salt_;
  double pair_scale_ = 0, jitter_ = 0;
  std::vector<std::pair<size_t, size_t>> pairs_;
};

// Totals of the grid under Nsight Compute's names; a virtual GPU sees neither caches nor what the compiler adds.
std::vector<double> counted(const Timing& timing, double blur, uint64_t key) {
  const BlockWork& work = timing.work;
  const double n = work.blocks;
  const auto seen = [&](double value, uint64_t salt) {
    return value * n * std::exp(blur * HiddenEffects::draw(key + salt));
  };
  return {seen((work.floats + work.integers + work.memory) * 1.1, 1),
          seen(work.floats * 32, 2),
          seen(work.integers * 32, 3),
          seen(work.memory, 4),
          seen(work.wavefronts, 5),
          seen(work.requests, 6),
          seen(work.sectors, 7),
          work.registers,
          work.shared_bytes,
          work.threads,
          work.blocks};
}

const std::vector<std::string> kCounterNames{"smsp__inst_executed.sum",
                                             "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
                                             "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
                                             "smsp__inst_executed_pipe_lsu.sum",
                                             "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                             "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                             "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                             "launch__registers_per_thread",
                                             "launch__shared_mem_per_block",
                                             "launch__block_size",
                                             "launch__grid_size"};

constexpr size_t kLeastSize = 4000;
constexpr size_t kMostSize = 18000;

// Spaces that are too large lose values of their longest parameters.
void shrink(SyntheticKernel& kernel, std::vector<std::vector<uint16_t>>& rows, Random& random) {
  while (rows.size() > kMostSize) {
    auto longest = std::max_element(kernel.parameters.begin(), kernel.parameters.end(),
                                    [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    longest->second.erase(longest->second.begin() + static_cast<std::ptrdiff_t>(random.below(longest->second.size())));
    rows = enumerate_rows(kernel);
  }
}

}  // namespace

const std::vector<std::string>& synthetic_kernels() {
  static const std::vector<std::string> names{"convolution",  "gemm",      "stencil",
                                              "dedispersion", "streaming", "pipelined"};
  return names;
}

RecordedSpace synthetic_space(const std::string& name, uint64_t seed) {
  const auto& names = synthetic_kernels();
  const auto kind = static_cast<uint64_t>(std::ranges::find(names, name) - names.begin());
  Random random(seed * 0x9e3779b97f4a7c15u + kind * 1000003);
  const SyntheticGpu gpu = draw_gpu(random);
  SyntheticKernel kernel = make_kernel(name, random);
  std::vector<std::vector<uint16_t>> rows = enumerate_rows(kernel);
  shrink(kernel, rows, random);
  const HiddenEffects effects(kernel, random);
  const double blur = 0.03 + 0.05 * random.uniform();
  const double noise = 0.004 + 0.012 * random.uniform();
  // A third of the spaces fails for reasons of its own, where two parameters meet.
  const double fails = random.below(3) == 0 ? 0.08 + 0.12 * random.uniform() : kernel.fails;
  const size_t fail_a = random.below(kernel.parameters.size());
  const size_t fail_b = (fail_a + 1 + random.below(kernel.parameters.size() - 1)) % kernel.parameters.size();

  std::vector<uint16_t> flat;
  std::vector<std::optional<double>> times;
  std::vector<std::string> failures;
  CounterTable counters{kCounterNames, {}};
  std::vector<double> compile;
  Values values;
  for (const std::vector<uint16_t>& row : rows) {
    for (size_t p = 0; p < row.size(); ++p) values[kernel.parameters[p].first] = kernel.parameters[p].second[row[p]];
    const Timing timing = simulate(kernel.work(values), gpu);
    flat.insert(flat.end(), row.begin(), row.end());
    const uint64_t key = effects.salt() + flat.size() * 7907;
    std::optional<double> time = timing.milliseconds;
    std::string failure = timing.failure;
    if (time) *time *= std::exp(effects.log_factor(row));
    const double meets = Random(effects.salt() ^ (row[fail_a] * 977 + row[fail_b] * 89 + 5)).uniform();
    if (time && (meets < fails * 0.7 || Random(key).uniform() < fails * 0.3)) {
      time.reset();
      failure = "CompilationFailedConfig";
    }
    times.push_back(time);
    failures.push_back(failure);
    compile.push_back(600 + 10 * timing.work.registers);
    const std::vector<double> line = counted(timing, blur, key);
    counters.values.insert(counters.values.end(), line.begin(), line.end());
  }
  // Every tenth space has an isolated optimum: one of the better configurations is better still.
  if (random.below(10) == 0) {
    std::vector<size_t> order;
    for (size_t i = 0; i < times.size(); ++i) {
      if (times[i]) order.push_back(i);
    }
    std::ranges::sort(order, [&](size_t a, size_t b) { return *times[a] < *times[b]; });
    const size_t lucky = order[random.below(std::max<size_t>(order.size() / 50, 1))];
    times[lucky] = *times[order.front()] * (0.90 + 0.05 * random.uniform());
  }
  std::vector<Parameter> parameters;
  for (const auto& [parameter, numbers] : kernel.parameters) {
    Parameter& added = parameters.emplace_back(Parameter{parameter, {}});
    for (const double number : numbers) {
      static const char* const layouts[] = {"plain", "staged", "interleaved"};
      added.values.push_back(parameter == "LAYOUT" ? word_value(layouts[static_cast<size_t>(number)])
                                                   : number_value(number));
    }
  }
  std::vector<std::vector<double>> samples;
  for (size_t i = 0; i < times.size(); ++i) {
    std::vector<double>& of_one = samples.emplace_back();
    if (!times[i]) continue;
    Random draws(effects.salt() + i * 31337);
    for (int s = 0; s < 32; ++s)
      of_one.push_back(*times[i] * std::exp(noise * std::fabs(draws.normal()) - 0.6 * noise));
  }
  return {name + "_" + std::to_string(seed),
          gpu.name,
          std::move(Space::make(std::move(parameters), std::move(flat))).value(),
          std::move(times),
          std::move(failures),
          std::move(samples),
          std::move(compile),
          std::move(counters)};
}

std::vector<RecordedSpace> synthetic_spaces(SyntheticHalf half) {
  std::vector<RecordedSpace> spaces;
  const bool choosing = half == SyntheticHalf::choosing;
  const size_t kinds = choosing ? 4 : 6;
  for (uint64_t i = 0; i < (choosing ? 10 : 12); ++i)
    spaces.push_back(synthetic_space(synthetic_kernels()[i % kinds], choosing ? 1 + i : 101 + i));
  return spaces;
}

}  // namespace assay::tune
