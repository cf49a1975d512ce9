// SPDX-License-Identifier: MIT
#include "work/tune_counting.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/elapsed.hpp"
#include "base/progress.hpp"
#include "check/cases.hpp"
#include "estimate/estimate.hpp"
#include "gpu/occupancy.hpp"
#include "spec/launch.hpp"
#include "tune/interpolation.hpp"
#include "work/estimating.hpp"

namespace assay::work {
namespace {

constexpr uint64_t kMostBlocks = 12;      // corners, edges, and some between
constexpr uint64_t kFewestBlocks = 2;     // where a block has much to do
constexpr double kMostWork = 3e9;         // operations of all these blocks, by the specification's formula
constexpr double kMostSeconds = 20;       // for one configuration at one shape
constexpr size_t kCountedShapes = 3;      // the one with the least work, the most, and one between
constexpr size_t kFewestCounted = 3;      // counted ones that a prediction needs
constexpr double kGuessedRegisters = 32;  // where the compiler did not say

// Operations of one block, by the specification's formula; 0: not known.
double work_of_block(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape) {
  if (spec.stages.empty()) return 0;
  const auto work = check::work(spec, configuration, shape);
  const auto launch = spec::launch_geometry(spec, spec.stages.front(), configuration, shape);
  if (!work || !launch || launch->empty()) return 0;
  return *work / (double{1} * launch->grid[0] * launch->grid[1] * launch->grid[2]);
}

// As many blocks as a virtual GPU runs in a moment.
uint64_t blocks_for(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape) {
  const double work = work_of_block(spec, configuration, shape);
  if (!(work > 0)) return kMostBlocks;
  return static_cast<uint64_t>(std::clamp(kMostWork / work, double{kFewestBlocks}, double{kMostBlocks}));
}

// Of many shapes some that stand for them: none whose blocks have too much to do, unless all have.
std::vector<spec::Shape> some_of(const spec::KernelSpec& spec, const std::vector<spec::Shape>& shapes) {
  const auto usual = spec::default_configuration(spec);
  if (!usual) return {shapes.front()};
  std::vector<std::pair<double, spec::Shape>> sorted;
  for (const spec::Shape& shape : shapes) sorted.emplace_back(work_of_block(spec, *usual, shape), shape);
  std::ranges::stable_sort(sorted, {}, [](const auto& each) { return each.first; });
  while (sorted.size() > 1 && sorted.back().first * kFewestBlocks > 2 * kMostWork) sorted.pop_back();
  std::vector<spec::Shape> some;
  for (auto& [work, shape] : sorted) some.push_back(std::move(shape));
  if (some.size() <= kCountedShapes) return some;
  return {some.front(), some[some.size() / 2], some.back()};
}

BlockCounts::OfStage counts_of(gpu::LaunchWork work, const std::optional<build::ResourceUsage>& usage) {
  BlockCounts::OfStage counts;
  counts.registers = usage && usage->registers ? *usage->registers : kGuessedRegisters;
  counts.static_shared_bytes = usage ? static_cast<double>(usage->static_shared_bytes.value_or(0)) : 0;
  counts.work = std::move(work);
  counts.work.lines.clear();
  return counts;
}

// The work of a launch as a list of amounts and back: all sums, chains, multiply-adds and buffers.
class AmountList {
 public:
  void see(const gpu::LaunchWork& work) {
    for (const auto& [kind, amount] : work.tensor_multiply_adds) kinds_.insert(kind);
    buffers_ = std::max(buffers_, work.buffers.size());
  }

  std::vector<double> from(const BlockCounts::OfStage& counts) const {
    const gpu::LaunchWork& work = counts.work;
    std::vector<double> list(work.total.values.begin(), work.total.values.end());
    list.insert(list.end(),
                {work.mean_chain.with_l2, work.mean_chain.with_dram, work.longest_chain.with_l2,
                 work.longest_chain.with_dram, work.hottest_atomics, counts.registers, counts.static_shared_bytes});
    for (const std::string& kind : kinds_) {
      const auto found = work.tensor_multiply_adds.find(kind);
      list.push_back(found == work.tensor_multiply_adds.end() ? 0 : found->second);
    }
    for (size_t i = 0; i < buffers_; ++i) {
      const gpu::BufferWork buffer = i < work.buffers.size() ? work.buffers[i] : gpu::BufferWork{};
      list.insert(list.end(), {buffer.l2_read_sectors, buffer.l2_write_sectors, buffer.asked_sectors,
                               buffer.unique_read_bytes, buffer.fetched_bytes, buffer.unique_written_bytes,
                               buffer.block_fetched_bytes, buffer.read_by_all ? 1.0 : 0.0});
    }
    return list;
  }

  BlockCounts::OfStage to_counts(const std::vector<double>& list) const {
    BlockCounts::OfStage counts;
    gpu::LaunchWork& work = counts.work;
    auto next = list.begin();
    for (double& each : work.total.values) each = *next++;
    work.mean_chain.with_l2 = *next++;
    work.mean_chain.with_dram = *next++;
    work.longest_chain.with_l2 = *next++;
    work.longest_chain.with_dram = *next++;
    work.hottest_atomics = *next++;
    counts.registers = *next++;
    counts.static_shared_bytes = *next++;
    for (const std::string& kind : kinds_) work.tensor_multiply_adds[kind] = *next++;
    for (size_t i = 0; i < buffers_; ++i) {
      gpu::BufferWork& buffer = work.buffers.emplace_back();
      buffer.l2_read_sectors = *next++;
      buffer.l2_write_sectors = *next++;
      buffer.asked_sectors = *next++;
      buffer.unique_read_bytes = *next++;
      buffer.fetched_bytes = *next++;
      buffer.unique_written_bytes = *next++;
      buffer.block_fetched_bytes = *next++;
      buffer.read_by_all = *next++ > 0.5;
    }
    return counts;
  }

 private:
  std::set<std::string> kinds_;
  size_t buffers_ = 0;
};

// What a configuration that was not counted would count, kernel by kernel, from those near it.
class NeighboursCounts {
 public:
  NeighboursCounts(const tune::Features& features, const std::vector<size_t>& places,
                   const std::vector<const BlockCounts*>& known, size_t shape) {
    for (size_t stage = 0; stage < known.front()->shapes[shape].stages.size(); ++stage) {
      AmountList& list = lists_.emplace_back();
      for (const BlockCounts* each : known) list.see(each->shapes[shape].stages[stage].work);
      std::vector<std::vector<double>> amounts;
      for (const BlockCounts* each : known) amounts.push_back(list.from(each->shapes[shape].stages[stage]));
      interpolations_.emplace_back(features).learn(places, amounts);
    }
  }

  std::vector<BlockCounts::OfStage> at(size_t place) {
    std::vector<BlockCounts::OfStage> stages;
    for (size_t stage = 0; stage < lists_.size(); ++stage)
      stages.push_back(lists_[stage].to_counts(interpolations_[stage].at(place)));
    return stages;
  }

 private:
  std::vector<AmountList> lists_;
  std::vector<tune::Interpolation> interpolations_;
};

}  // namespace

TuneCounting::TuneCounting(const spec::KernelSpec& spec, const std::vector<spec::Shape>& shapes,
                           const gpu::GpuModel& model, Options options, Context context)
    : spec_(spec),
      shapes_(some_of(spec, shapes)),
      model_(model),
      options_(std::move(options)),
      rates_(model, options_.measured),
      context_(std::move(context)) {
  context_.listener = nullptr;
  options_.limits.time_s = std::min(options_.limits.time_s, kMostSeconds);
}

std::string TuneCounting::why_not(const spec::KernelSpec& spec) {
  if (!spec.launch_file.empty()) return "a function launches the kernels";
  return "";
}

BlockCounts TuneCounting::count(const build::BuildResult& built) const {
  const auto start = std::chrono::steady_clock::now();
  BlockCounts counts;
  for (const spec::Shape& shape : shapes_) {
    EstimatingRequest how{options_.device, options_.seed, blocks_for(spec_, built.configuration, shape),
                          options_.limits};
    how.several = true;
    how.measured = options_.measured;
    auto estimated = estimate_case(spec_, built.configuration, shape, how, context_);
    if (estimated && spec_.stages.size() > 1 && estimated->stages.size() != spec_.stages.size())
      estimated = Error{"some of the call's kernels have empty grids"};
    if (!estimated) {
      counts.shapes.clear();
      counts.problem = fmt::format("{}: {}", shape.text(), estimated.error().message);
      break;
    }
    BlockCounts::OfShape& own = counts.shapes.emplace_back();
    own.time_us = estimated->estimate.time_us;
    if (estimated->stages.empty()) own.stages.push_back(counts_of(std::move(estimated->work), estimated->usage));
    for (EstimatedStage& stage : estimated->stages) own.stages.push_back(counts_of(std::move(stage.work), stage.usage));
  }
  counts.seconds = seconds_since(start);
  return counts;
}

void TuneCounting::add(const std::string& configuration, BlockCounts counts) {
  seconds_ += counts.seconds;
  if (!counts.problem.empty()) {
    if (failed_++ == 0) problem_ = fmt::format("{}: {}", configuration, counts.problem);
    return;
  }
  counted_.emplace(configuration, std::move(counts));
}

std::optional<double> TuneCounting::estimated(const spec::Configuration& configuration, const spec::StageSpec& stage,
                                              size_t shape, BlockCounts::OfStage counts) const {
  const auto launch = spec::launch_geometry(spec_, stage, configuration, shapes_[shape]);
  if (!launch) return std::nullopt;
  gpu::LaunchWork& work = counts.work;
  work.grid = {launch->grid[0], launch->grid[1], launch->grid[2]};
  work.block = {launch->block[0], launch->block[1], launch->block[2]};
  work.blocks = work.grid.volume();
  work.counted_blocks = work.blocks;
  work.warps_per_block = static_cast<int>((work.block.volume() + 31) / 32);
  gpu::BlockNeeds needs;
  needs.threads = static_cast<int64_t>(work.block.volume());
  needs.registers_per_thread = std::clamp(static_cast<int>(std::lround(counts.registers)), 16, 255);
  needs.static_shared_bytes = std::lround(counts.static_shared_bytes);
  needs.dynamic_shared_bytes = launch->shared_bytes;
  const gpu::Occupancy occupancy = gpu::occupancy(model_, needs);
  // Registers that are a guess do not say that it cannot run: then one block at a time.
  const int blocks = std::max(1, occupancy.blocks_per_sm.value_or(1));
  return estimate::estimate(work, blocks, model_, rates_.get()).time_us;
}

std::optional<double> TuneCounting::estimated(const spec::Configuration& configuration, size_t shape,
                                              std::vector<BlockCounts::OfStage> stages) const {
  double all = 0;
  for (size_t i = 0; i < stages.size(); ++i) {
    const auto time = estimated(configuration, spec_.stages[i], shape, std::move(stages[i]));
    if (!time) return std::nullopt;
    all += *time;
  }
  return all;
}

std::vector<double> TuneCounting::predict(const KernelSpace& space) const {
  std::vector<size_t> places;
  std::vector<const BlockCounts*> known;
  std::vector<const BlockCounts*> own(space.space.size(), nullptr);
  for (const auto& [configuration, counts] : counted_) {
    const auto place = space.find(configuration);
    if (!place) continue;
    places.push_back(*place);
    known.push_back(&counts);
    own[*place] = &counts;
  }
  if (known.size() < kFewestCounted) return {};
  const tune::Features features = tune::describe(space.space);
  std::vector<double> logs(space.space.size(), 0);
  for (size_t shape = 0; shape < shapes_.size(); ++shape) {
    NeighboursCounts neighbours(features, places, known, shape);
    for (size_t i = 0; i < logs.size(); ++i) {
      const std::optional<double> time = own[i] != nullptr ? std::optional(own[i]->shapes[shape].time_us)
                                                           : estimated(space.configuration(i), shape, neighbours.at(i));
      logs[i] += time && *time > 0 ? std::log(*time) : std::nan("");
    }
  }
  for (double& each : logs) each = std::exp(each / static_cast<double>(shapes_.size()));
  return logs;
}

}  // namespace assay::work
