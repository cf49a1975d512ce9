// SPDX-License-Identifier: MIT
#include "measure/protocol.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace assay::measure {

std::string_view name(Launch launch) {
  return launch == Launch::graph ? "graph" : "event";
}

std::string_view name(Cache cache) {
  switch (cache) {
    case Cache::warm:
      return "warm";
    case Cache::cold:
      return "cold";
    case Cache::rotating:
      return "rotating";
  }
  return "warm";
}

std::optional<Launch> launch_from_name(std::string_view text) {
  for (const Launch launch : {Launch::graph, Launch::event}) {
    if (name(launch) == text) return launch;
  }
  return std::nullopt;
}

std::optional<Cache> cache_from_name(std::string_view text) {
  for (const Cache cache : {Cache::warm, Cache::cold, Cache::rotating}) {
    if (name(cache) == text) return cache;
  }
  return std::nullopt;
}

Gate gate_for(const Protocol& protocol) {
  constexpr size_t kUsual = 32;
  Gate gate = protocol.gate;
  gate.calls = protocol.launch == Launch::event && protocol.cache != Cache::cold ? kUsual : 1;
  return gate;
}

Sampling sampling_for(size_t least, size_t most, double width, double budget_s) {
  Sampling sampling;
  judge::Replication& plan = sampling.plan;
  const size_t wanted = (least + plan.first * plan.batch - 1) / (plan.first * plan.batch);
  plan.batches = std::max(plan.batches, wanted + wanted % 2);  // even: ABBA
  plan.most = std::max(plan.first, most / sampling.samples_per_process());
  plan.width = width;
  sampling.budget_s = budget_s;
  return sampling;
}

Result<size_t> sets_for(const Protocol& protocol, uint64_t case_bytes, uint64_t l2_bytes) {
  if (protocol.cache != Cache::rotating) return protocol.sets;
  const uint64_t needed = 2 * l2_bytes / std::max<uint64_t>(1, case_bytes) + 1;
  if (l2_bytes > 0 && needed <= kMostSets) return std::max<size_t>(protocol.sets, needed);
  return Error{fmt::format("{} sets of {:.1f} MiB do not exceed twice the cache of {:.1f} MiB", kMostSets,
                           static_cast<double>(case_bytes) / 0x1p20, static_cast<double>(l2_bytes) / 0x1p20),
               {},
               "measure this shape with --cache cold"};
}

Protocol rotating_or_warm(Protocol protocol, uint64_t case_bytes, uint64_t l2_bytes) {
  protocol.cache = Cache::rotating;
  const auto sets = sets_for(protocol, case_bytes, l2_bytes);
  if (sets)
    protocol.sets = *sets;
  else
    protocol.cache = Cache::warm;
  return protocol;
}

}  // namespace assay::measure
