// SPDX-License-Identifier: MIT
#include "estimate/sequence.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace assay::estimate {
namespace {

// The bytes that earlier launches have touched, by buffer.
class TouchedBytes {
 public:
  void add(const gpu::LaunchWork& work) {
    for (const gpu::BufferWork& buffer : work.buffers) {
      double& bytes = bytes_[buffer.name];
      bytes = std::max({bytes, buffer.unique_read_bytes, buffer.unique_written_bytes});
    }
  }

  // The launch as DRAM sees it behind the earlier ones.
  gpu::LaunchWork behind(const gpu::LaunchWork& work, const gpu::GpuModel& model, const gpu::Rates& rates) const {
    double all = 0;
    for (const auto& [name, bytes] : bytes_) all += bytes;
    const double kept = all > 0 ? std::min(1.0, rates.l2_usable_bytes / all) : 0;
    // For the bound the whole cache may hold what this launch wants.
    double read_room = static_cast<double>(model.l2_bytes);
    double write_room = read_room;
    gpu::LaunchWork result = work;
    for (gpu::BufferWork& buffer : result.buffers) {
      const auto found = bytes_.find(buffer.name);
      if (found == bytes_.end() || found->second <= 0) continue;
      const double known = std::min(1.0, found->second / std::max(1.0, buffer.unique_read_bytes));
      buffer.fetched_bytes *= 1 - kept * known;
      take(buffer.unique_read_bytes, found->second, read_room);
      take(buffer.unique_written_bytes, found->second, write_room);
    }
    return result;
  }

 private:
  static void take(double& bytes, double touched, double& room) {
    const double there = std::min({bytes, touched, room});
    bytes -= there;
    room -= there;
  }

  std::map<std::string, double> bytes_;
};

void add_to_total(Estimate& total, const Resource& resource) {
  const auto found = std::ranges::find(total.resources, resource.name, &Resource::name);
  if (found == total.resources.end()) {
    total.resources.push_back(resource);
    return;
  }
  found->time_us += resource.time_us;
  found->amount += resource.amount;
}

Estimate sum_of_parts(const std::vector<Estimate>& parts) {
  const Estimate& longest = *std::ranges::max_element(parts, {}, &Estimate::time_us);
  Estimate total = longest;
  total.time_us = total.low_us = total.high_us = total.lower_bound_us = 0;
  total.dram_bytes = total.compulsory_bytes = total.l2_bytes = 0;
  total.resources.clear();
  for (const Estimate& part : parts) {
    total.time_us += part.time_us;
    total.low_us += part.low_us;
    total.high_us += part.high_us;
    total.lower_bound_us += part.lower_bound_us;
    total.dram_bytes += part.dram_bytes;
    total.compulsory_bytes += part.compulsory_bytes;
    total.l2_bytes += part.l2_bytes;
    for (const Resource& resource : part.resources) add_to_total(total, resource);
  }
  total.lower_bound_by = std::ranges::max_element(parts, {}, &Estimate::lower_bound_us)->lower_bound_by;
  for (Resource& resource : total.resources) resource.share = resource.time_us / total.time_us;
  std::ranges::stable_sort(total.resources, std::greater(), &Resource::time_us);
  return total;
}

}  // namespace

Estimate estimate(const gpu::LaunchWork& work, int blocks_per_sm, const gpu::GpuModel& model, const RatesInUse& rates) {
  Estimate result = estimate(work, blocks_per_sm, model, rates.time);
  if (&rates.time == &rates.bound) return result;
  const Estimate bound = estimate(work, blocks_per_sm, model, rates.bound);
  result.lower_bound_us = bound.lower_bound_us;
  result.lower_bound_by = bound.lower_bound_by;
  result.low_us = std::max(result.time_us / (1 + rates.time.spread), result.lower_bound_us);
  return result;
}

Sequence estimate_sequence(std::span<const SequencedLaunch> launches, const gpu::GpuModel& model,
                           const RatesInUse& rates) {
  Sequence sequence;
  TouchedBytes touched;
  for (const SequencedLaunch& launch : launches) {
    sequence.parts.push_back(
        estimate(touched.behind(*launch.work, model, rates.time), launch.blocks_per_sm, model, rates));
    touched.add(*launch.work);
  }
  if (!sequence.parts.empty()) sequence.total = sum_of_parts(sequence.parts);
  return sequence;
}

}  // namespace assay::estimate
