// SPDX-License-Identifier: MIT
#include "formats/bencher.hpp"

#include <fmt/format.h>
#include <set>

#include "formats/result_name.hpp"

namespace assay::formats {
namespace {

constexpr size_t kMostName = 1024;

}  // namespace

Written write_bencher(const std::vector<ForeignResult>& results) {
  using nlohmann::ordered_json;
  Written written;
  nlohmann::json top = nlohmann::json::object();
  std::set<std::string> seen;
  for (const ForeignResult& result : results) {
    std::string key = result_name(result, ' ');
    if (key.size() > kMostName) {
      written.lost.push_back({key.substr(0, 60) + "...", "a name has at most 1024 characters: the rest is cut off"});
      key.resize(kMostName);
      while (!key.empty() && (static_cast<unsigned char>(key.back()) & 0x80) != 0) key.pop_back();
    }
    const std::optional<double> value = result.time.median ? result.time.median : result.time.mean;
    if (!value) {
      written.lost.push_back({key, fmt::format("it has no time ({})", name(result.status))});
      continue;
    }
    if (!seen.insert(key).second)
      written.lost.push_back({key, "there are several of this name; the last one is written"});
    nlohmann::json metric = {{"value", *value * 1000}};
    const auto low = result.other.find("median_low_us"), high = result.other.find("median_high_us");
    if (low != result.other.end() && high != result.other.end()) {
      metric["lower_value"] = low->second * 1000;
      metric["upper_value"] = high->second * 1000;
    }
    top[key] = {{"latency", metric}};
    if (!result.time.samples.empty())
      written.lost.push_back({key, "the samples: the format holds one value and its bounds"});
    if (!result.time.median) written.lost.push_back({key, "there is no median: the value is a mean"});
  }
  written.text = top.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  return written;
}

}  // namespace assay::formats
