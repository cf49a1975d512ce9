// SPDX-License-Identifier: MIT
#include "page/data.hpp"

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "page/ceilings.hpp"

namespace assay::page {
namespace {

using nlohmann::json;

std::string base64_bytes(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

json rooflines(const Content& content) {
  json object = json::object();
  const std::vector<Roofline> list = rooflines_of(content);
  for (size_t i = 0; i < list.size(); ++i) {
    json compute = json::array();
    for (const ComputeRoof& roof : list[i].ceilings.compute)
      compute.push_back({{"name", roof.name}, {"tflops", roof.tflops}});
    json memory = json::array();
    for (const MemoryRoof& roof : list[i].ceilings.memory)
      memory.push_back({{"name", roof.name}, {"gb", roof.gb_per_s}});
    json points = json::array();
    for (const RooflinePoint& point : list[i].points)
      points.push_back({{"contender", point.contender},
                        {"shape", point.shape},
                        {"level", point.level},
                        {"x", point.intensity},
                        {"y", point.tflops},
                        {"measured", point.measured},
                        {"colour", point.colour},
                        {"attempt", point.attempt}});
    object[fmt::format("roofline{}", i)] = {
        {"gpu", list[i].gpu}, {"compute", compute}, {"memory", memory}, {"points", points}};
  }
  return object;
}

json samples(const Content& content) {
  json object = json::object();
  size_t number = 0;
  for (const MeasuredCase& each : content.measured) {
    if (each.samples.empty()) continue;
    json contenders = json::array();
    for (size_t i = 0; i < each.samples.size(); ++i) {
      const ledger::Samples& of = each.samples[i];
      json throttled = json::array();
      for (size_t k = 0; k < of.throttle.size(); ++k) {
        if (of.throttle[k] != 0) throttled.push_back(k);
      }
      const bool clocked = std::ranges::any_of(of.clocks_mhz, [](double clock) { return clock > 0; });
      contenders.push_back({{"name", of.contender},
                            {"times", base64(of.times_us)},
                            {"clocks", clocked ? base64(of.clocks_mhz) : ""},
                            {"interval", i < each.contenders.size()
                                             ? json{each.contenders[i].median_us.low, each.contenders[i].median_us.high}
                                             : json{0, 0}},
                            {"throttled", std::move(throttled)}});
    }
    object[fmt::format("samples{}", number++)] = {{"contenders", std::move(contenders)}};
  }
  return object;
}

// By file and line, in the order of the list of counters.
json source(const Listings& listings) {
  json files = json::object();
  for (const ListedFile& file : listings.files) {
    json lines = json::object();
    for (const auto& [line, counters] : file.counters) {
      json values = json::array();
      for (const std::string& name : listings.counters) {
        const auto found = counters.find(name);
        values.push_back(found == counters.end() ? 0 : found->second);
      }
      lines[std::to_string(line)] = std::move(values);
    }
    files[file.listing.id] = std::move(lines);
  }
  return {{"counters", listings.counters}, {"files", std::move(files)}};
}

}  // namespace

std::string base64(const std::vector<double>& values) {
  std::string bytes;
  bytes.reserve(values.size() * 4);
  for (const double value : values) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return base64_bytes(bytes);
}

std::string script_data(const Content& content, const Listings& listings) {
  const json data = {{"rooflines", rooflines(content)}, {"samples", samples(content)}, {"source", source(listings)}};
  // "</script" and "<!--" would end or change the element that it stands in.
  return replace_all(data.dump(-1, ' ', true, json::error_handler_t::replace), "<", "\\u003c");
}

}  // namespace assay::page
