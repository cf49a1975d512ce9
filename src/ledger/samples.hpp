// SPDX-License-Identifier: MIT
// The raw samples of one contender at one shape, and how they lie in a file: little-endian arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::ledger {

enum class Role { candidate, baseline };

std::string_view to_string(Role role);
std::optional<Role> role_from_name(std::string_view name);

struct Samples {
  std::string contender;  // the kernel's name, or the baseline's
  Role role = Role::candidate;
  std::string configuration;
  std::string shape;
  std::string dtype;
  std::string protocol;            // "cold", "warm", ...: what one sample is
  std::vector<double> times_us;    // in the order in which they were taken
  std::vector<double> clocks_mhz;  // beside them; empty: not read
  std::vector<uint32_t> throttle;  // beside them: reasons why the clock was held back, as NVML numbers them; or empty
  std::optional<double> p50_us{};  // empty: the ledger computes the median of times_us

  bool operator==(const Samples&) const = default;
};

inline constexpr size_t kMaxSamples = 10'000'000;  // of one contender

Result<void> validate(const Samples& samples);

struct SamplesSummary {
  size_t count = 0;
  size_t throttled = 0;  // samples with any reason set
  double min_us = 0;
  double p50_us = 0;
  double p90_us = 0;
  double p99_us = 0;
  double max_us = 0;
  double mean_us = 0;
};
SamplesSummary summarize(const Samples& samples);  // needs at least one sample

std::string encode(const std::vector<double>& values);
std::string encode(const std::vector<uint32_t>& values);
// Empty if the length is no multiple of the element's.
std::optional<std::vector<double>> decode_doubles(std::string_view bytes);
std::optional<std::vector<uint32_t>> decode_words(std::string_view bytes);

}  // namespace assay::ledger
