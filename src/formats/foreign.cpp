// SPDX-License-Identifier: MIT
#include "formats/foreign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::formats {
namespace {

constexpr std::array kStatusNames = {
    std::pair{Status::passed, std::string_view("passed")},
    std::pair{Status::unverified, std::string_view("unverified")},
    std::pair{Status::incorrect, std::string_view("incorrect")},
    std::pair{Status::compile_error, std::string_view("compile_error")},
    std::pair{Status::runtime_error, std::string_view("runtime_error")},
    std::pair{Status::timeout, std::string_view("timeout")},
    std::pair{Status::cheating, std::string_view("cheating")},
    std::pair{Status::skipped, std::string_view("skipped")},
};

// Linear between the neighbours, as NumPy's default and NVBench's.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::string_view name(Status status) {
  const auto found = std::ranges::find(kStatusNames, status, [](const auto& entry) { return entry.first; });
  return found == kStatusNames.end() ? "unverified" : found->second;
}

std::optional<Status> status_from_name(std::string_view text) {
  const auto found = std::ranges::find(kStatusNames, text, [](const auto& entry) { return entry.second; });
  return found == kStatusNames.end() ? std::nullopt : std::optional(found->first);
}

Statistics describe(std::vector<double> samples) {
  Statistics result;
  result.samples = std::move(samples);
  if (result.samples.empty()) return result;
  std::vector<double> sorted = result.samples;
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  double sum = 0;
  for (const double value : sorted) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  result.mean = mean;
  result.median = quantile(sorted, 0.5);
  result.lower = quantile(sorted, 0.25);
  result.upper = quantile(sorted, 0.75);
  result.least = sorted.front();
  result.most = sorted.back();
  if (sorted.size() > 1) result.deviation = std::sqrt(squares / (count - 1));
  result.count = static_cast<int64_t>(sorted.size());
  return result;
}

std::string to_text(const std::vector<std::pair<std::string, int64_t>>& dimensions) {
  std::string text;
  for (const auto& [name, value] : dimensions) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

std::vector<std::pair<std::string, std::string>> named_values(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string_view part : split(text, ',')) {
    const size_t at = part.find('=');
    if (at == std::string_view::npos) continue;
    values.emplace_back(trim(part.substr(0, at)), trim(part.substr(at + 1)));
  }
  return values;
}

}  // namespace assay::formats
