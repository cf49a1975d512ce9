// SPDX-License-Identifier: MIT
#include "measure/protocol.hpp"

namespace assay::measure {

std::string_view name(Launch launch) {
  return launch == Launch::graph ? "graph" : "event";
}

std::string_view name(Cache cache) {
  return cache == Cache::warm ? "warm" : "cold";
}

std::optional<Launch> launch_from_name(std::string_view text) {
  for (const Launch launch : {Launch::graph, Launch::event}) {
    if (name(launch) == text) return launch;
  }
  return std::nullopt;
}

std::optional<Cache> cache_from_name(std::string_view text) {
  for (const Cache cache : {Cache::warm, Cache::cold}) {
    if (name(cache) == text) return cache;
  }
  return std::nullopt;
}

}  // namespace assay::measure
