// SPDX-License-Identifier: MIT
#include "gpu/measured_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace assay::gpu {
namespace {

constexpr std::string_view kMmaKind = "mma.f16";

struct RateRow {
  RateKind kind;
  double Rates::* member;  // null: the rate of mma.sync, which is in the table of tensor rates
};

constexpr std::array kRateRows = {
    RateRow{{kDramCopy, "GB/s"}, &Rates::dram_reached},
    RateRow{{kL2Read, "GB/s"}, &Rates::l2_reached},
    RateRow{{kFmaRate, "warp instructions/clock/SM"}, &Rates::fma},
    RateRow{{kSpecialRate, "warp instructions/clock/SM"}, &Rates::xu},
    RateRow{{kSharedRate, "wavefronts/clock/SM"}, &Rates::l1_wavefronts},
    RateRow{{kMmaRate, "FLOP/clock/SM"}, nullptr},
    RateRow{{kOneAddress, "per ns"}, &Rates::atomics_one_address},
    RateRow{{kEmptyLaunch, "us"}, &Rates::launch_floor_us},
    RateRow{{kClock, "MHz"}, &Rates::clock_mhz},
    RateRow{{kTensorClock, "MHz"}, &Rates::tensor_clock_mhz},
};

constexpr auto kRateKinds = [] {
  std::array<RateKind, kRateRows.size()> kinds;
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = kRateRows[i].kind;
  return kinds;
}();

const RateRow* rate_row(std::string_view name) {
  const auto found = std::ranges::find(kRateRows, name, [](const RateRow& row) { return row.kind.name; });
  return found == kRateRows.end() ? nullptr : &*found;
}

// Rates with a table of tensor rates of their own.
struct OwnRates : Rates {
  explicit OwnRates(const Rates& model) : Rates(model), own(model.tensor.begin(), model.tensor.end()) { tensor = own; }
  OwnRates(const OwnRates&) = delete;
  OwnRates& operator=(const OwnRates&) = delete;

  double* place(const RateRow& row) {
    if (row.member != nullptr) return &(this->*row.member);
    const auto found = std::ranges::find(own, kMmaKind, &TensorRate::kind);
    return found == own.end() ? nullptr : &found->flop_per_clock;
  }

  std::vector<TensorRate> own;
};

}  // namespace

std::span<const RateKind> rate_kinds() {
  return kRateKinds;
}

std::string_view unit_of(std::string_view name) {
  const RateRow* row = rate_row(name);
  return row == nullptr ? std::string_view() : row->kind.unit;
}

double figure(const Rates& rates, std::string_view name) {
  const RateRow* row = rate_row(name);
  if (row == nullptr) return 0;
  return row->member == nullptr ? rates.tensor_rate(kMmaKind) : rates.*row->member;
}

std::string why_implausible(double value, double of_model) {
  constexpr double kMost = 10;
  if (!std::isfinite(value) || value <= 0) return fmt::format("{:.4g} is no rate", value);
  if (value > kMost * of_model) return fmt::format("{:.4g} times the model's", value / of_model);
  if (value < of_model / kMost) return fmt::format("a {:.4g}th of the model's", of_model / value);
  return "";
}

std::shared_ptr<const Rates> with_measured(const Rates& model, std::span<const MeasuredRate> measured) {
  const auto rates = std::make_shared<OwnRates>(model);
  for (const MeasuredRate& rate : measured) {
    const RateRow* row = rate_row(rate.name);
    double* const place = row == nullptr ? nullptr : rates->place(*row);
    if (place != nullptr) *place = rate.value;
  }
  rates->launch_us += rates->launch_floor_us - model.launch_floor_us;
  return rates;
}

std::shared_ptr<const Rates> best_of_both(const Rates& model, std::span<const MeasuredRate> measured) {
  const auto rates = std::make_shared<OwnRates>(model);
  for (const MeasuredRate& rate : measured) {
    const RateRow* row = rate_row(rate.name);
    double* const place = row == nullptr ? nullptr : rates->place(*row);
    if (place == nullptr) continue;
    *place = rate.name == kEmptyLaunch ? std::min(*place, rate.value) : std::max(*place, rate.value);
  }
  return rates;
}

}  // namespace assay::gpu
