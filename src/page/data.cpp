// SPDX-License-Identifier: MIT
#include "page/data.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "page/ceilings.hpp"
#include "page/landscape.hpp"

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

// Values as numbers of a column's list, so that 5,000 configurations are short.
json tuning(const TunedCase& tuned) {
  const Landscape landscape = landscape_of(tuned);
  const MapChoice choice = choose_map(landscape);
  if (!choice.across) return nullptr;
  json columns = json::array();
  for (const TunableColumn& column : landscape.columns)
    columns.push_back({{"name", column.name}, {"values", column.values}, {"numbers", column.numbers}});
  json rows = json::array();
  json ratios = json::array();
  json tied = json::array();
  json outcomes = json::array();
  std::map<std::string, size_t> known;
  json failures = json::object();  // which of the outcomes a row has that failed
  for (size_t i = 0; i < landscape.rows.size(); ++i) {
    const LandscapeRow& row = landscape.rows[i];
    rows.push_back(row.values);
    ratios.push_back(row.ratio ? json(std::round(*row.ratio * 1e5) / 1e5) : json(nullptr));
    if (row.tied) tied.push_back(i);
    if (row.ratio) continue;
    const std::string outcome = outcome_text(tuned.points[i].failure);
    const auto [found, added] = known.emplace(outcome, known.size());
    if (added) outcomes.push_back(outcome);
    failures[std::to_string(i)] = found->second;
  }
  return {{"columns", std::move(columns)},
          {"across", *choice.across},
          {"down", choice.down ? json(*choice.down) : json(nullptr)},
          {"best", landscape.best},
          {"rows", std::move(rows)},
          {"ratios", std::move(ratios)},
          {"tied", std::move(tied)},
          {"outcomes", std::move(outcomes)},
          {"failures", std::move(failures)}};
}

json tunings(const Content& content) {
  json object = json::object();
  for (const TunedCase& each : content.tuned) {
    if (json shown = tuning(each); !shown.is_null())
      object[fmt::format("tuning{}", each.attempt.id)] = std::move(shown);
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
  const json data = {{"rooflines", rooflines(content)},
                     {"samples", samples(content)},
                     {"tunings", tunings(content)},
                     {"source", source(listings)}};
  // "</script" and "<!--" would end or change the element that it stands in.
  return replace_all(data.dump(-1, ' ', true, json::error_handler_t::replace), "<", "\\u003c");
}

}  // namespace assay::page
