// SPDX-License-Identifier: MIT
#include "profiling/ncu_difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace assay::profiling {
namespace {

constexpr std::string_view kTimeOfLaunch = "gpu__time_duration.sum";

// `rules`: of `diagnose`, blanks between and around them.
struct ComparedMetric {
  std::string_view metric;
  std::string_view name;
  bool percent = false;
  std::string_view rules{};
};

constexpr std::array kCompared = {
    ComparedMetric{"launch__grid_size", "blocks", false, " not_enough_blocks starting_blocks "},
    ComparedMetric{"launch__waves_per_multiprocessor", "waves of blocks", false, " not_enough_blocks "},
    ComparedMetric{"launch__registers_per_thread", "registers in a thread", false, " latency local_memory "},
    ComparedMetric{"smsp__inst_executed.sum", "machine instructions", false,
                   " address_arithmetic integer_work shuffles divergence double_precision latency "},
    ComparedMetric{"sm__inst_executed_pipe_xu.sum", "instructions of special functions", false, " special_functions "},
    ComparedMetric{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts of shared loads", false,
                   " bank_conflicts shared_bandwidth "},
    ComparedMetric{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts of shared stores", false,
                   " bank_conflicts shared_bandwidth "},
    ComparedMetric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "bank conflicts of shared loads", false,
                   " bank_conflicts "},
    ComparedMetric{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "bank conflicts of shared stores", false,
                   " bank_conflicts "},
    ComparedMetric{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of global loads", false,
                   " uncoalesced same_sector_twice above_compulsory "},
    ComparedMetric{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors of global stores", false,
                   " uncoalesced silent_stores overwritten_stores "},
    ComparedMetric{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sectors of atomics", false, " atomics "},
    ComparedMetric{"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sectors of reductions", false, " atomics "},
    ComparedMetric{"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "loads of local memory", false, " local_memory "},
    ComparedMetric{"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "stores to local memory", false, " local_memory "},
    ComparedMetric{"lts__t_sectors.sum", "sectors at the L2", false,
                   " uncoalesced same_sector_twice above_compulsory "},
    ComparedMetric{"dram__bytes.sum", "bytes to and from DRAM", false, " dram_bound above_compulsory "},
    ComparedMetric{"sm__instruction_throughput.avg.pct_of_peak_sustained_active", "SM busy", true,
                   " latency not_enough_blocks uneven_blocks launch barriers "},
    ComparedMetric{"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy", true, " latency barriers "},
    ComparedMetric{"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "tensor pipe busy", true,
                   " tensor_idle "},
};

constexpr std::array<std::string_view, 5> kFurtherMetrics = {"launch__grid_size", "launch__waves_per_multiprocessor",
                                                             "launch__registers_per_thread",
                                                             "sm__inst_executed_pipe_xu.sum", "lts__t_sectors.sum"};

std::string amount(double value) {
  if (value >= 1e9) return fmt::format("{:.3g} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.3g} M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.3g} k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

std::string sentence_of(const ComparedMetric& compared, double own, double other, const std::string& name) {
  if (compared.percent) return fmt::format("{}: {} {:.0f} %, here {:.0f} %", compared.name, name, other, own);
  const std::string both = fmt::format("({}, here {})", amount(other), amount(own));
  if (own <= 0) return fmt::format("{} has {} {}, and this kernel none", name, amount(other), compared.name);
  if (other <= 0) return fmt::format("{} has no {}, and this kernel {}", name, compared.name, amount(own));
  return other < own ? fmt::format("{} has {:.1f} times fewer {} {}", name, own / other, compared.name, both)
                     : fmt::format("{} has {:.1f} times more {} {}", name, other / own, compared.name, both);
}

// How far apart, as a logarithm; 0: not worth a word.
double distance(const ComparedMetric& compared, double own, double other) {
  constexpr double kPoints = 10;
  constexpr double kRatio = 1.25;
  constexpr double kOneIsNone = 8;  // of logarithms: before all others
  if (compared.percent) return std::abs(own - other) < kPoints ? 0 : std::abs(own - other) / 100;
  if (own <= 0 && other <= 0) return 0;
  if (own <= 0 || other <= 0) return kOneIsNone;
  const double apart = std::abs(std::log(own / other));
  return apart < std::log(kRatio) ? 0 : apart;
}

}  // namespace

std::span<const std::string_view> comparison_metrics() {
  return kFurtherMetrics;
}

std::vector<NcuDifference> differences(const NcuLaunch& own, const NcuLaunch& other, const std::string& other_name) {
  std::vector<std::pair<double, NcuDifference>> found;
  for (const ComparedMetric& compared : kCompared) {
    const auto here = own.value(compared.metric);
    const auto there = other.value(compared.metric);
    if (!here || !there) continue;
    const double apart = distance(compared, *here, *there);
    if (apart <= 0) continue;
    found.push_back({apart,
                     {std::string(compared.metric), std::string(compared.name), *here, *there,
                      sentence_of(compared, *here, *there, other_name)}});
  }
  std::ranges::stable_sort(found, std::greater(), [](const auto& each) { return each.first; });
  std::vector<NcuDifference> result;
  for (auto& [apart, difference] : found) result.push_back(std::move(difference));
  return result;
}

std::vector<std::string> differences_for_rule(std::string_view rule, const std::vector<NcuDifference>& differences,
                                              size_t most) {
  std::vector<std::string> sentences;
  const std::string word = fmt::format(" {} ", rule);
  for (const NcuDifference& difference : differences) {
    const auto compared = std::ranges::find(kCompared, std::string_view(difference.metric), &ComparedMetric::metric);
    if (sentences.size() == most) break;
    if (compared != kCompared.end() && compared->rules.find(word) != std::string_view::npos)
      sentences.push_back(difference.sentence);
  }
  return sentences;
}

const NcuLaunch* longest_kernel(const std::vector<NcuLaunch>& launches, std::string_view without) {
  std::map<std::string, double> total;
  for (const NcuLaunch& launch : launches) {
    if (!without.empty() && launch.kernel.starts_with(without)) continue;
    total[launch.kernel] += launch.value(kTimeOfLaunch).value_or(0);
  }
  if (total.empty()) return nullptr;
  const auto longest = std::ranges::max_element(total, {}, [](const auto& each) { return each.second; });
  // The last one: nothing is cold any more.
  const auto last = std::find_if(launches.rbegin(), launches.rend(),
                                 [&](const NcuLaunch& launch) { return launch.kernel == longest->first; });
  return &*last;
}

}  // namespace assay::profiling
