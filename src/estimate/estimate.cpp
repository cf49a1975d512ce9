// SPDX-License-Identifier: MIT
#include "estimate/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace assay::estimate {
namespace {

using gpu::Work;

constexpr double kSectorBytes = 32;
constexpr double kPartitions = 4;

// The launch on the GPU: how its blocks lie on the SMs.
struct Placement {
  double sms = 0;
  double blocks = 0;
  double per_sm = 0;      // blocks that the busiest SM runs, one wave after the other
  double resident = 0;    // of them at once
  double partitions = 0;  // of an SM that have a warp
  double rounds = 0;      // of resident blocks

  Placement(const gpu::LaunchWork& work, int blocks_per_sm, const gpu::GpuModel& model) {
    sms = model.sm_count;
    blocks = static_cast<double>(work.blocks);
    per_sm = std::max(1.0, std::ceil(blocks / sms));
    resident = std::min(per_sm, static_cast<double>(std::max(1, blocks_per_sm)));
    partitions = std::min(kPartitions, std::max(1.0, resident * work.warps_per_block));
    // An SM takes the next block when one ends: beyond a few rounds there are no steps left.
    const double exact = per_sm / resident;
    rounds = exact <= kStepped ? std::ceil(exact - 1e-9) : exact;
  }

  static constexpr double kStepped = 4;
};

// Bytes from and to DRAM: each once, and again what the L2 could not hold, from one wave of blocks to the next or while
// the blocks of a wave go through their own data once more.
struct DramTraffic {
  double compulsory = 0;
  double total = 0;
  double peak_bytes = 0;  // what no cache could spare

  DramTraffic(const gpu::LaunchWork& work, const Placement& place, const gpu::Rates& rates) {
    double footprint = 0;
    for (const gpu::BufferWork& buffer : work.buffers) {
      compulsory += buffer.fetched_bytes + buffer.unique_written_bytes;
      peak_bytes += buffer.unique_read_bytes + buffer.unique_written_bytes;
      footprint += std::max(buffer.fetched_bytes, buffer.unique_written_bytes);
    }
    total = compulsory;
    const double lost = footprint <= rates.l2_usable_bytes ? 0 : 1 - rates.l2_usable_bytes / footprint;
    const double waves = std::max(1.0, place.blocks / (place.sms * place.resident));
    for (const gpu::BufferWork& buffer : work.buffers) {
      if (buffer.read_by_all) continue;  // what every block reads stays in the L2
      const double of_block = buffer.block_fetched_bytes / place.blocks;
      const double of_wave = std::min(buffer.fetched_bytes, of_block * place.sms * place.resident);
      total += lost * std::max(0.0, waves * of_wave - buffer.fetched_bytes);
    }
    total += read_again(work, place, rates);
  }

  // What blocks read that they have read before and that their L1 did not keep. Meanwhile the other blocks of the wave
  // have read theirs.
  static double read_again(const gpu::LaunchWork& work, const Placement& place, const gpu::Rates& rates) {
    double again = 0;
    double of_wave = 0;
    for (const gpu::BufferWork& buffer : work.buffers) {
      const double of_block = buffer.block_fetched_bytes / place.blocks;
      of_wave += std::min(buffer.fetched_bytes, of_block * place.sms * place.resident);
      of_wave += std::min(1.0, place.sms * place.resident / place.blocks) * buffer.unique_written_bytes;
      if (!buffer.read_by_all)
        again += std::max(0.0, buffer.l2_read_sectors * kSectorBytes - buffer.block_fetched_bytes);
    }
    return of_wave <= rates.l2_usable_bytes ? 0 : again * (1 - rates.l2_usable_bytes / of_wave);
  }
};

double tensor_cycles(const gpu::LaunchWork& work, const gpu::Rates& rates) {
  double cycles = 0;
  for (const auto& [kind, multiply_adds] : work.tensor_multiply_adds) {
    double rate = rates.tensor_rate(kind);
    if (rate == 0) rate = rates.tensor_rate("mma.f16");
    if (rate > 0) cycles += 2 * multiply_adds / rate;
  }
  return cycles;
}

double tensor_total(const gpu::LaunchWork& work) {
  double total = 0;
  for (const auto& [kind, multiply_adds] : work.tensor_multiply_adds) total += multiply_adds;
  return total;
}

// Cycles that the busiest SM spends on one resource, given the sum over the grid in cycles of one SM.
double of_busiest(double cycles, const Placement& place) {
  return cycles / place.blocks * place.per_sm;
}

class Model {
 public:
  Model(const gpu::LaunchWork& work, int blocks_per_sm, const gpu::GpuModel& gpu, const gpu::Rates& rates)
      : work_(work), gpu_(gpu), rates_(rates), place_(work, blocks_per_sm, gpu), dram_(work, place_, rates) {}

  Estimate run() {
    choose_clock();
    add_pipes();
    add_memory();
    add_chain();
    add_starting();
    combine();
    bound();
    result_.blocks_per_sm = static_cast<int>(place_.resident);
    result_.waves = place_.blocks / (place_.sms * std::max(1.0, place_.resident));
    result_.warps_per_scheduler = place_.resident * work_.warps_per_block / kPartitions;
    result_.dram_bytes = dram_.total;
    result_.compulsory_bytes = dram_.compulsory;
    return std::move(result_);
  }

 private:
  struct PipeRate {
    Work work;
    double rate;
    std::string_view name;
  };
  std::array<PipeRate, 6> pipes() const {
    return {PipeRate{Work::issue, rates_.issue, kIssue},
            {Work::fma, rates_.fma, kFma},
            {Work::alu, rates_.alu, kAlu},
            {Work::xu, rates_.xu, kXu},
            {Work::fp64, rates_.fp64, kFp64},
            {Work::lsu, rates_.lsu, kLsu}};
  }
  double partitioned(double rate) const { return rate * place_.partitions / kPartitions; }
  double us(double cycles) const { return cycles / result_.clock_mhz; }

  void add(std::string_view name, double time_us, double amount, std::string_view unit) {
    if (time_us > 0) result_.resources.push_back({std::string(name), time_us, 0, amount, std::string(unit)});
  }

  // Tensor cores draw so much power that the clock falls where they are busy.
  void choose_clock() {
    const double tensor = tensor_cycles(work_, rates_);
    const double issue = work_.total[Work::issue] / rates_.issue;
    const double l1 = work_.total[Work::l1_wavefronts] + work_.total[Work::shared_wavefronts];
    const bool busy = tensor > 0 && tensor >= std::max(issue, l1);
    result_.clock_mhz = busy ? rates_.tensor_clock_mhz : rates_.clock_mhz;
  }

  void add_pipes() {
    for (const PipeRate& pipe : pipes()) {
      const double amount = work_.total[pipe.work];
      const bool shared_by_partitions = pipe.work != Work::lsu;
      const double rate = shared_by_partitions ? partitioned(pipe.rate) : pipe.rate;
      add(pipe.name, us(of_busiest(amount / rate, place_)), amount, "warp instructions");
    }
    const double tensor = tensor_cycles(work_, rates_) * kPartitions / place_.partitions;
    add(kTensor, us(of_busiest(tensor, place_)), tensor_total(work_), "multiply-adds");
  }

  void add_memory() {
    const double wavefronts = work_.total[Work::l1_wavefronts] + work_.total[Work::shared_wavefronts];
    add(kL1, us(of_busiest(wavefronts / rates_.l1_wavefronts, place_)), wavefronts, "wavefronts");
    const double local = work_.total[Work::local_write_sectors];
    const double sectors =
        work_.total[Work::l2_read_sectors] + work_.total[Work::l2_write_sectors] + local - sectors_kept_by_sms();
    result_.l2_bytes = sectors * kSectorBytes;
    add(kPort, us(of_busiest(sectors / rates_.l2_sectors, place_)), sectors, "sectors");
    const double writes = work_.total[Work::l2_write_sectors] + local;
    const double partial = work_.total[Work::partial_sectors] + work_.total[Work::local_partial_sectors];
    const double full_time = (writes - partial) * kSectorBytes / (rates_.l2_full_writes * rates_.l2_reached) / 1e3;
    const double read_time = (sectors - writes) * kSectorBytes / rates_.l2_reached / 1e3;
    add(kL2, read_time + full_time + partial / rates_.partial_writes_per_ns / 1e3, result_.l2_bytes, "bytes");
    add(kDram, dram_.total / rates_.dram_reached / 1e3, dram_.total, "bytes");
    const double atomics = work_.total[Work::atomics];
    const double spread_out = atomics / rates_.atomics_per_ns / 1e3;
    const double on_one = work_.hottest_atomics / rates_.atomics_one_address / 1e3;
    add(kAtomics, std::max(spread_out, on_one), atomics, "atomics");
  }

  // Blocks that follow each other on an SM find in its L1 what all blocks read, as far as it is not pushed out by what
  // each brings for itself.
  double sectors_kept_by_sms() const {
    double common = 0;
    double own = 0;
    for (const gpu::BufferWork& buffer : work_.buffers) {
      (buffer.read_by_all ? common : own) +=
          buffer.read_by_all ? buffer.fetched_bytes : buffer.block_fetched_bytes / place_.blocks;
    }
    if (common == 0 || place_.per_sm <= 1) return 0;
    const double needed = common + own * place_.resident;
    const double kept = std::min(1.0, rates_.l1_bytes / needed);
    double sectors = 0;
    for (const gpu::BufferWork& buffer : work_.buffers) {
      const double once = buffer.fetched_bytes / kSectorBytes * std::min(place_.sms, place_.blocks);
      if (buffer.read_by_all) sectors += kept * std::max(0.0, buffer.l2_read_sectors - once);
    }
    return sectors;
  }

  void add_chain() {
    const double from_dram = share_from_dram();
    const auto blend = [&](const gpu::ChainCycles& chain) {
      return chain.with_l2 + from_dram * (chain.with_dram - chain.with_l2);
    };
    result_.chain_cycles = blend(work_.mean_chain);
    const double cycles = rates_.chain * std::max(place_.rounds * result_.chain_cycles, blend(work_.longest_chain));
    add(kChain, us(cycles), cycles, "cycles");
  }

  // Of the data that warps wait for, what comes from DRAM. Blocks that run side by side ask for the same bytes at about
  // the same time, and wait for them together; what an earlier wave of blocks has brought is in the L2.
  double share_from_dram() const {
    const double waves = std::max(1.0, place_.blocks / (place_.sms * place_.resident));
    double sectors = 0;
    double waited = 0;
    for (const gpu::BufferWork& buffer : work_.buffers) {
      const double of_block = buffer.block_fetched_bytes / place_.blocks;
      const double of_wave = std::min(buffer.fetched_bytes, of_block * place_.sms * place_.resident);
      sectors += buffer.l2_read_sectors;
      if (of_wave > 0) waited += buffer.l2_read_sectors * std::min(1.0, buffer.fetched_bytes / waves / of_wave);
    }
    return sectors > 0 ? waited / sectors : 0;
  }

  void add_starting() { add(kBlocks, place_.blocks * rates_.block_ns / 1e3, place_.blocks, "blocks"); }

  // What an SM does, what the memory does and what a warp waits for overlap, but never quite: the exponent of the GPU's
  // rates says how much. L2 and DRAM overlap entirely, so that only the slower counts; the pipes of an SM nearly do.
  void combine() {
    constexpr double kPipeOverlap = 6;
    const auto time = [&](std::string_view name) { return result_.time_of(name); };
    // An instruction takes its issue slot and its pipe at once, and the LSU hands on to the L1 what the port brings.
    double pipes = 0;
    for (const double pipe : {time(kFma), time(kAlu), time(kXu), time(kFp64), time(kTensor),
                              std::max({time(kLsu), time(kL1), time(kPort)})})
      pipes += std::pow(pipe, kPipeOverlap);
    const double sm = std::max(time(kIssue), std::pow(pipes, 1 / kPipeOverlap));
    const double memory = std::max({time(kL2), time(kDram), time(kAtomics)});
    const double together = lockstep_exponent();
    const double waited = std::pow(std::pow(time(kChain), together) + std::pow(memory, together), 1 / together);
    double sum = 0;
    for (const double part : {sm, waited, time(kBlocks)}) sum += std::pow(part, rates_.overlap);
    result_.time_us = rates_.launch_us + std::pow(sum, 1 / rates_.overlap);
    add(kLaunch, rates_.launch_us, 1, "launch");
    for (Resource& resource : result_.resources) resource.share = resource.time_us / result_.time_us;
    std::ranges::stable_sort(result_.resources, std::greater(), &Resource::time_us);
    result_.limiter = result_.resources.front().name;
    result_.low_us = result_.time_us / (1 + rates_.spread);
    result_.high_us = result_.time_us * (1 + rates_.spread);
  }

  // Warps that meet at barriers all along, and wait for their loads between them, ask for their data at the same moment
  // and then leave the memory idle: transfer and latency add up. Warps that are free of each other fill the gaps.
  double lockstep_exponent() const {
    constexpr double kFewBarriers = 3;  // of a warp: before and behind the work, not all along
    constexpr double kAddUp = 1.05;
    const double warps = place_.blocks * work_.warps_per_block;
    if (warps <= 0 || work_.total[Work::barriers] / warps <= kFewBarriers) return rates_.overlap;
    double waits = 0;
    for (const Work wait :
         {Work::wait_global, Work::wait_async, Work::wait_shared, Work::wait_tensor, Work::wait_fixed})
      waits += work_.total[wait];
    const double for_loads = waits > 0 ? work_.total[Work::wait_global] / waits : 0;
    return rates_.overlap - (rates_.overlap - kAddUp) * for_loads;
  }

  // Peak rates, the highest clock, work spread evenly, everything overlapped, and only what neither ptxas nor a cache
  // can take away. Data starts in DRAM.
  void bound() {
    constexpr double kFewerInstructions = 0.7;  // ptxas may make fewer than the PTX has
    constexpr double kContracted = 0.45;        // products and sums may become fused ones
    constexpr double kFasterTensor = 1.02;
    const double clock = gpu_.boost_clock_mhz;
    const double sms = std::min(place_.sms, place_.blocks);
    const auto consider = [&](std::string_view name, double time_us) {
      if (time_us <= result_.lower_bound_us) return;
      result_.lower_bound_us = time_us;
      result_.lower_bound_by = name;
    };
    for (const PipeRate& pipe : pipes()) {
      const double certain = pipe.work == Work::xu || pipe.work == Work::fp64 ? 1.0
                             : pipe.work == Work::fma                         ? kContracted
                                                                              : kFewerInstructions;
      consider(pipe.name, certain * work_.total[pipe.work] / pipe.rate / sms / clock);
    }
    consider(kTensor, tensor_cycles(work_, rates_) / kFasterTensor / sms / clock);
    consider(kL1, kFewerInstructions * work_.total[Work::shared_wavefronts] / rates_.l1_wavefronts / sms / clock);
    consider(kDram, dram_.peak_bytes / rates_.dram_peak / 1e3);
    consider(kL2, work_.total[Work::l2_write_sectors] * kSectorBytes / rates_.l2_peak / 1e3);
    consider(kBlocks, place_.blocks * rates_.block_floor_ns / 1e3);
    consider(kLaunch, rates_.launch_floor_us);
    result_.low_us = std::max(result_.low_us, result_.lower_bound_us);
  }

  const gpu::LaunchWork& work_;
  const gpu::GpuModel& gpu_;
  const gpu::Rates& rates_;
  const Placement place_;
  const DramTraffic dram_;
  Estimate result_;
};

}  // namespace

double Estimate::time_of(std::string_view resource) const {
  const auto found = std::ranges::find(resources, resource, &Resource::name);
  return found == resources.end() ? 0 : found->time_us;
}

Estimate estimate(const gpu::LaunchWork& work, int blocks_per_sm, const gpu::GpuModel& model, const gpu::Rates& rates) {
  return Model(work, blocks_per_sm, model, rates).run();
}

}  // namespace assay::estimate
