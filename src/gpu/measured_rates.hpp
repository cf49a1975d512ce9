// SPDX-License-Identifier: MIT
// Rates that were measured on a GPU of this machine, beside those of its model, and in their place.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/rates.hpp"

namespace assay::gpu {

struct MeasuredRate {
  std::string name;  // of a RateKind
  double value = 0;

  bool operator==(const MeasuredRate&) const = default;
};

struct RateKind {
  std::string_view name;
  std::string_view unit;
};

// Names of the rates that can be measured.
inline constexpr std::string_view kDramCopy = "DRAM copy";
inline constexpr std::string_view kL2Read = "L2 read";
inline constexpr std::string_view kFmaRate = "FMA";
inline constexpr std::string_view kSpecialRate = "special functions";
inline constexpr std::string_view kSharedRate = "shared memory";
inline constexpr std::string_view kMmaRate = "mma.sync f16";
inline constexpr std::string_view kOneAddress = "atomics on one address";
inline constexpr std::string_view kEmptyLaunch = "empty launch";
inline constexpr std::string_view kClock = "clock";
inline constexpr std::string_view kTensorClock = "clock of tensor cores";

std::span<const RateKind> rate_kinds();
std::string_view unit_of(std::string_view name);  // "" for a name that is none

// What a model says of it; 0 for a name that is none.
double figure(const Rates& rates, std::string_view name);

// Why a value cannot be right, beside the model's: no rate at all, or ten times more or less. "" if it can.
std::string why_implausible(double value, double of_model);

// The model's rates with the measured ones in their place. An empty launch is a part of what a launch costs, which
// moves as much.
std::shared_ptr<const Rates> with_measured(const Rates& model, std::span<const MeasuredRate> measured);

// For a lower bound: the better one of the two.
std::shared_ptr<const Rates> best_of_both(const Rates& model, std::span<const MeasuredRate> measured);

}  // namespace assay::gpu
