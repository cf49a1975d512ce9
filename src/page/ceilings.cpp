// SPDX-License-Identifier: MIT
#include "page/ceilings.hpp"

#include <algorithm>
#include <map>

#include "page/content.hpp"

namespace assay::page {
namespace {

// mma.sync reaches 2,688 of the 4,096 FLOP per clock and SM of Hopper's tensor cores (f16, measured on an H200); only
// wgmma reaches them all.
constexpr double kMmaSyncOnHopper = 2688.0 / 4096.0;
constexpr double kSectorBytes = 32;
constexpr double kWavefrontBytes = 128;

double sum_of(const CounterValues& counters, std::initializer_list<const char*> names) {
  double sum = 0;
  for (const char* name : names) {
    const auto found = counters.find(name);
    if (found != counters.end()) sum += found->second;
  }
  return sum;
}

const ProfiledCase* profile_of(const Content& content, const ledger::Attempt& attempt) {
  for (const ProfiledCase& each : content.profiled) {
    if (each.attempt.kernel == attempt.kernel && each.attempt.configuration == attempt.configuration &&
        each.attempt.shape == attempt.shape)
      return &each;
  }
  return nullptr;
}

}  // namespace

Ceilings ceilings_of(const gpu::GpuModel& model) {
  Ceilings ceilings;
  const bool hopper = model.tensor_arch == gpu::TensorArch::hopper;
  if (hopper) ceilings.compute.push_back({"wgmma f16", model.tensor_f16_tflops});
  ceilings.compute.push_back({"mma.sync f16", model.tensor_f16_tflops * (hopper ? kMmaSyncOnHopper : 1)});
  ceilings.compute.push_back({"FMA f32", model.f32_tflops});
  ceilings.compute.push_back({"special functions", model.sfu_per_clock_per_sm * static_cast<double>(model.sm_count) *
                                                       model.boost_clock_mhz * 1e-6});
  ceilings.memory.push_back({"DRAM", model.memory_bandwidth_gb_per_s});
  return ceilings;
}

std::vector<Roofline> rooflines_of(const Content& content) {
  std::map<std::string_view, Roofline> by_model;
  const auto roofline = [&](const gpu::GpuModel& model) -> Roofline& {
    Roofline& found = by_model[model.id];
    if (found.gpu.empty()) found = {std::string(model.name), ceilings_of(model), {}};
    return found;
  };
  for (const MeasuredCase& each : content.measured) {
    const gpu::GpuModel* model = model_of(each.attempt.device, each.gpu);
    if (model == nullptr || each.flops <= 0 || each.bytes <= 0) continue;
    for (size_t i = 0; i < each.contenders.size(); ++i) {
      const MeasuredContender& contender = each.contenders[i];
      if (!contender.p50_us || !contender.good) continue;
      RooflinePoint point{contender.name,
                          each.attempt.shape,
                          "bytes that must move",
                          each.flops / each.bytes,
                          each.flops / *contender.p50_us * 1e-6,
                          true,
                          static_cast<int>(i % 7),
                          each.attempt.id};
      roofline(*model).points.push_back(point);
      const ProfiledCase* profile = i == 0 ? profile_of(content, each.attempt) : nullptr;
      if (profile == nullptr) continue;
      const double sectors =
          sum_of(profile->counters, {"global_load_sectors", "global_store_sectors", "async_copy_sectors",
                                     "global_atomic_sectors", "global_reduction_sectors"});
      const double wavefronts = sum_of(profile->counters, {"shared_load_wavefronts", "shared_store_wavefronts",
                                                           "shared_copy_wavefronts", "shared_atomic_wavefronts"});
      if (sectors > 0) {
        point.level = "sectors at L1 (counted)";
        point.intensity = each.flops / (sectors * kSectorBytes);
        roofline(*model).points.push_back(point);
      }
      if (wavefronts > 0) {
        point.level = "shared memory wavefronts (counted)";
        point.intensity = each.flops / (wavefronts * kWavefrontBytes);
        roofline(*model).points.push_back(point);
      }
    }
  }
  for (const EstimatedCase& each : content.estimated) {
    const gpu::GpuModel* model = model_of(each.attempt.device, "");
    if (model == nullptr || each.flops <= 0) continue;
    RooflinePoint point{"estimate", each.attempt.shape, "DRAM", 0, each.flops / each.time_us * 1e-6, false,
                        7,          each.attempt.id};
    if (each.dram_bytes > 0) {
      point.intensity = each.flops / each.dram_bytes;
      roofline(*model).points.push_back(point);
    }
    if (each.l2_bytes > 0) {
      point.level = "L2";
      point.intensity = each.flops / each.l2_bytes;
      roofline(*model).points.push_back(point);
    }
  }
  std::vector<Roofline> list;
  for (auto& [id, found] : by_model) {
    if (!found.points.empty()) list.push_back(std::move(found));
  }
  return list;
}

}  // namespace assay::page
