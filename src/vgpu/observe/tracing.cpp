// SPDX-License-Identifier: MIT
#include "vgpu/observe/tracing.hpp"

#include <algorithm>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/access_cost.hpp"
#include "vgpu/observe/block_tracing.hpp"

namespace assay::vgpu {
namespace {

using gpu::Work;
using gpu::WorkSums;

constexpr uint8_t kRead = 1;
constexpr uint8_t kWritten = 2;
constexpr double kGranuleBytes = 64;  // what DRAM fetches at least

}  // namespace

Tracing::Tracing(const Launch& launch, const gpu::GpuModel& model, BlockSample sample)
    : launch_(launch), rates_(gpu::rates_of(model)), sample_(std::move(sample)) {
  const auto threads = static_cast<double>(launch.block.volume());
  const double shared = launch.kernel->static_shared_bytes + static_cast<double>(launch.dynamic_shared_bytes) +
                        static_cast<double>(model.shared_bytes_reserved_per_block);
  const double fit = std::max(1.0, std::min({static_cast<double>(model.max_blocks_per_sm),
                                             static_cast<double>(model.max_threads_per_sm) / threads,
                                             static_cast<double>(model.shared_bytes_per_sm) / shared}));
  const double warps = std::max(1.0, fit * threads / kLanes);
  l1_bytes_per_warp_ = std::max(0.0, rates_.l1_bytes - fit * shared) / warps;
}

void Tracing::begin_launch(const LaunchView& view) {
  program_ = &view.program;
  costs_.clear();
  for (const Function& function : view.program.functions)
    costs_.push_back(instruction_costs(view.program, function, rates_));
  sums_.assign(costs_.size(), {});
  counts_.assign(costs_.size(), {});
}

std::unique_ptr<BlockObserver> Tracing::begin_block(const Block& block) {
  return std::make_unique<BlockTracing>(*this, block);
}

void Tracing::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& block = static_cast<BlockTracing&>(*observer);
  const Dim3& grid = launch_.grid;
  const Dim3& cluster = launch_.cluster;
  const uint64_t x = block.index % grid.x / cluster.x;
  const uint64_t y = block.index / grid.x % grid.y / cluster.y;
  const uint64_t z = block.index / grid.x / grid.y / cluster.z;
  const double weight = sample_.weight((z * (grid.y / cluster.y) + y) * (grid.x / cluster.x) + x);
  ++blocks_;
  weights_ += weight;
  for (size_t f = 0; f < sums_.size(); ++f) {
    const auto& from = block.sums[f];
    if (from.empty()) continue;
    if (sums_[f].empty()) sums_[f].resize(from.size());
    if (counts_[f].empty()) counts_[f].resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
      const InstructionSums& each = from[i];
      if (each.executed + each.off == 0) continue;
      gpu::InstructionCount& count = counts_[f][i];
      count.issued += each.executed + each.off;
      count.lanes += each.lanes;
      count.path_lanes += each.path_lanes;
      count.divergent += each.divergent;
      const InstructionCost& cost = costs_[f][i];
      const auto executed = static_cast<double>(each.executed);
      WorkSums own = each.sums;
      own[Work::issue] = executed * cost.issue + (cost.issue > 0 ? static_cast<double>(each.off) : 0);
      own[Work::fma] = executed * cost.fma;
      own[Work::alu] = executed * cost.alu;
      own[Work::xu] = executed * cost.xu;
      own[Work::xu_float64] = cost.of_float64 ? own[Work::xu] : 0;
      own[Work::xu_conversions] = cost.arithmetic == Arithmetic::conversion && !cost.of_float64 ? own[Work::xu] : 0;
      own[Work::fp64] = executed * cost.fp64;
      own[Work::lsu] = executed * cost.lsu;
      own[Work::lsu_global] = own[Work::sectors_asked] + own[Work::local_sectors] > 0 ? own[Work::lsu] : 0;
      if (cost.issue > 0) {
        own[Work::instructions] = executed;
        own[Work::lanes] = static_cast<double>(each.lanes);
      }
      if (cost.address_arithmetic) {
        own[Work::address_instructions] = executed;
        own[Work::address_issue] = own[Work::issue];
      } else if (cost.arithmetic == Arithmetic::integer) {
        own[Work::integer_issue] = own[Work::issue];
      } else if (cost.arithmetic == Arithmetic::floating) {
        own[Work::float_issue] = own[Work::issue];
      } else if (cost.arithmetic == Arithmetic::conversion) {
        own[Work::conversion_issue] = own[Work::issue];
      }
      if (cost.rule == ClockRule::collective) own[Work::shuffles] = executed;
      if (cost.rule == ClockRule::barrier) own[Work::barriers] = executed;
      sums_[f][i].add(own, weight);
    }
  }
  for (const auto& [name, from] : block.buffers) {
    BufferSums& into = buffers_[name];
    into.bytes = from.bytes;
    into.l2_read_sectors += weight * from.l2_read_sectors;
    into.l2_write_sectors += weight * from.l2_write_sectors;
    into.asked_sectors += weight * from.asked_sectors;
  }
  for (const auto& [name, range] : block.ranges) ranges_[name] = range;
  const auto name_of = [&](uint64_t sector) -> BufferSums* {
    const uint64_t address = sector * kSectorBytes;
    for (const auto& [name, range] : block.ranges) {
      if (address + kSectorBytes > range.first && address < range.second) return &buffers_[name];
    }
    return nullptr;
  };
  std::map<BufferSums*, Footprint> own;
  block.sectors.for_each([&](const SectorState& state) {
    BufferSums* const buffer = name_of(state.sector);
    if (buffer == nullptr) return;
    if (state.read) own[buffer].read_bytes += kSectorBytes;
    if (state.read && (state.sector % 2 == 0 || !block.sectors.was_read(state.sector - 1)))
      own[buffer].fetched_bytes += kGranuleBytes;
    if (state.written) own[buffer].written_bytes += kSectorBytes;
    touched_[state.sector] |= static_cast<uint8_t>((state.read ? kRead : 0) | (state.written ? kWritten : 0));
  });
  for (const auto& [buffer, bytes] : own) {
    for (double Footprint::* part : {&Footprint::read_bytes, &Footprint::fetched_bytes, &Footprint::written_bytes}) {
      buffer->blocks.*part += weight * bytes.*part;
      buffer->largest.*part = std::max(buffer->largest.*part, bytes.*part);
    }
  }
  for (const auto& [address, count] : block.atomics) atomics_[address] += weight * count;
  for (const auto& [site, count] : block.barriers.sites()) {
    auto& [complete, needed] = barriers_[{site >> 32, site & 0xffff'ffff}];
    complete += weight * static_cast<double>(count.complete);
    needed += weight * static_cast<double>(count.needed);
  }
  judges_barriers_ = judges_barriers_ && block.judges_barriers();
  const gpu::ChainCycles chain = block.chain();
  chains_.with_l2 += weight * chain.with_l2;
  chains_.with_dram += weight * chain.with_dram;
  longest_.with_l2 = std::max(longest_.with_l2, chain.with_l2);
  longest_.with_dram = std::max(longest_.with_dram, chain.with_dram);
}

void Tracing::add_instructions(gpu::LaunchWork& work) const {
  std::map<std::pair<std::string, int>, gpu::LineWork> lines;
  for (size_t f = 0; f < sums_.size(); ++f) {
    const Function& function = program_->functions[f];
    for (size_t i = 0; i < sums_[f].size(); ++i) {
      WorkSums own = sums_[f][i];
      const InstructionCost& cost = costs_[f][i];
      const double executed = own[Work::instructions];
      if (executed == 0 && own[Work::issue] == 0) continue;
      if (const auto site = barriers_.find({f, i}); site != barriers_.end() && site->second.first > 0)
        own[Work::needless_barriers] = own[Work::barriers] * (1 - site->second.second / site->second.first);
      own[Work::sites] = executed > 0 ? 1 : 0;
      work.total.add(own);
      if (cost.multiply_adds > 0)
        work.tensor_multiply_adds[cost.tensor_kind] += executed * static_cast<double>(cost.multiply_adds);
      Finding place;
      place.source = program_->source_chain(function.origins[i].location);
      const SourceLine* line = user_line(place);
      gpu::LineWork& of_line =
          lines[line == nullptr ? std::pair<std::string, int>() : std::pair(line->file, line->line)];
      if (line != nullptr) of_line.line = *line;
      of_line.sums.add(own);
      of_line.tensor_multiply_adds += executed * static_cast<double>(cost.multiply_adds);
    }
  }
  for (auto& [key, line] : lines) work.lines.push_back(std::move(line));
}

// What all blocks touch, from those that were run: the different bytes of each block add up, as far as the buffer goes;
// if those that were run all touch the same bytes, so do the others.
void Tracing::add_buffers(gpu::LaunchWork& work) const {
  std::map<std::string, Footprint> unions;
  for (const auto& [sector, how] : touched_) {
    const uint64_t address = sector * kSectorBytes;
    for (const auto& [name, range] : ranges_) {
      if (address + kSectorBytes <= range.first || address >= range.second) continue;
      const auto pair = touched_.find(sector - 1);
      const bool second = sector % 2 == 1 && pair != touched_.end() && (pair->second & kRead) != 0;
      if ((how & kRead) != 0) unions[name].read_bytes += kSectorBytes;
      if ((how & kRead) != 0 && !second) unions[name].fetched_bytes += kGranuleBytes;
      if ((how & kWritten) != 0) unions[name].written_bytes += kSectorBytes;
      break;
    }
  }
  constexpr double kSame = 1.02;
  for (const auto& [name, sums] : buffers_) {
    const Footprint& seen = unions[name];
    const auto unique = [&](double Footprint::* part) {
      if (!work.sampled() || (blocks_ > 1 && seen.*part <= kSame * sums.largest.*part)) return seen.*part;
      return std::max(seen.*part, std::min(sums.blocks.*part, static_cast<double>(sums.bytes)));
    };
    const bool by_all = blocks_ > 1 && seen.read_bytes > 0 && seen.read_bytes <= kSame * sums.largest.read_bytes;
    work.buffers.push_back({name, sums.bytes, sums.l2_read_sectors, sums.l2_write_sectors, sums.asked_sectors,
                            unique(&Footprint::read_bytes), unique(&Footprint::fetched_bytes),
                            unique(&Footprint::written_bytes), sums.blocks.fetched_bytes, by_all});
  }
}

std::vector<gpu::InstructionCount> Tracing::instructions() const {
  std::vector<gpu::InstructionCount> result;
  for (size_t f = 0; f < counts_.size(); ++f) {
    const Function& function = program_->functions[f];
    for (size_t i = 0; i < counts_[f].size(); ++i) {
      const InstructionOrigin& origin = function.origins[i];
      if (counts_[f][i].issued == 0 || origin.table_row == kNoTableRow) continue;
      gpu::InstructionCount count = counts_[f][i];
      count.function = function.name;
      count.ptx_line = origin.ptx_line;
      count.opcode = program_->opcodes[static_cast<size_t>(origin.opcode)];
      result.push_back(std::move(count));
    }
  }
  return result;
}

gpu::LaunchWork Tracing::work() const {
  gpu::LaunchWork work;
  work.grid = launch_.grid;
  work.block = launch_.block;
  work.blocks = launch_.grid.volume();
  work.counted_blocks = blocks_;
  work.warps_per_block = static_cast<int>((launch_.block.volume() + kLanes - 1) / kLanes);
  work.judges_barriers = judges_barriers_;
  add_instructions(work);
  add_buffers(work);
  if (weights_ > 0) work.mean_chain = {chains_.with_l2 / weights_, chains_.with_dram / weights_};
  work.longest_chain = longest_;
  for (const auto& [address, count] : atomics_) work.hottest_atomics = std::max(work.hottest_atomics, count);
  return work;
}

}  // namespace assay::vgpu
