// SPDX-License-Identifier: MIT
#include "tune/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace assay::tune {
namespace {

// Everything that the formula takes of one configuration; NaN: not known.
struct Amounts {
  std::array<double, kQuantities> values;
  Amounts() { values.fill(kNotCounted); }
  double& operator[](Quantity quantity) { return values[static_cast<size_t>(quantity)]; }
  double operator[](Quantity quantity) const { return values[static_cast<size_t>(quantity)]; }
  double or_else(Quantity quantity, double otherwise) const {
    const double value = (*this)[quantity];
    return std::isfinite(value) ? value : otherwise;
  }
  void at_least(Quantity quantity, double value) {
    double& amount = (*this)[quantity];
    amount = std::isfinite(amount) ? std::max(amount, value) : value;
  }
};

// How the columns of a table become amounts. Loads and stores of one family add up; a total that is there as well, or
// another tool's count of the same, does not.
class Reading {
 public:
  explicit Reading(const CounterTable& table) : table_(table) {
    std::map<std::pair<Quantity, std::string>, size_t> places;
    std::optional<size_t> block, global;
    for (size_t column = 0; column < table.names.size(); ++column) {
      const auto known = recognise_counter(table.names[column]);
      if (!known) continue;
      if (known->quantity == Quantity::block_threads) block = column;
      if (known->quantity == Quantity::grid_threads) global = columns_.size();
      const CounterFamily family = counter_family(table.names[column]);
      const auto [place, added] = places.try_emplace({known->quantity, family.name}, places.size());
      columns_.push_back({column, *known, family.part, place->second});
    }
    families_ = places.size();
    if (block && global) blocks_or_threads(*block, columns_[*global]);
  }

  Amounts amounts(size_t row) const {
    Amounts amounts;
    std::vector<double> parts(families_, 0);
    for (const Column& each : columns_) {
      const double raw = table_.at(row, each.column);
      if (!std::isfinite(raw) || raw < 0) continue;
      const double value = raw * each.known.scale;
      if (each.part) parts[each.family] += value;
      amounts.at_least(each.known.quantity, each.part ? parts[each.family] : value);
    }
    return amounts;
  }

 private:
  struct Column {
    size_t column;
    KnownCounter known;
    bool part;
    size_t family;
  };

  // A "global size" is the number of threads for OpenCL and of blocks for CUDA: threads are multiples of the block's.
  void blocks_or_threads(size_t block, Column& global) const {
    for (size_t row = 0; row < table_.rows(); ++row) {
      const double threads = table_.at(row, global.column), of_block = table_.at(row, block);
      if (!std::isfinite(threads) || !std::isfinite(of_block) || of_block <= 0) continue;
      if (std::fmod(threads, of_block) == 0) continue;
      global.known.quantity = Quantity::grid_blocks;
      return;
    }
  }

  const CounterTable& table_;
  std::vector<Column> columns_;
  size_t families_ = 0;
};

// Cycles of each pipe, the grid spread over all SMs.
std::array<double, kPipes> pipe_cycles(const Amounts& amounts, const PipeRates& rates) {
  const auto amount = [&](Quantity quantity) { return amounts.or_else(quantity, 0); };
  const double special = std::max(amount(Quantity::special_instructions), amount(Quantity::conversion_instructions));
  const double floats = amount(Quantity::float_instructions) + amount(Quantity::half_instructions) / 2;
  const double classes = amount(Quantity::float_instructions) + amount(Quantity::half_instructions) +
                         amount(Quantity::double_instructions) + amount(Quantity::integer_instructions) + special +
                         amount(Quantity::tensor_instructions) + amount(Quantity::memory_instructions) +
                         amount(Quantity::control_instructions) + amount(Quantity::other_instructions);
  const double requests = std::max(amount(Quantity::global_requests), amount(Quantity::l1_transactions));
  return {
      std::max(classes, amount(Quantity::instructions)) / 4,
      floats * 32 / rates.float_lanes,
      amount(Quantity::double_instructions) * 32 / rates.double_lanes,
      amount(Quantity::integer_instructions) * 32 / rates.integer_lanes,
      special * 32 / rates.special_lanes,
      amount(Quantity::tensor_instructions) / rates.tensor_instructions,
      amount(Quantity::memory_instructions) + amount(Quantity::local_sectors) / 4,
      amount(Quantity::shared_wavefronts) + amount(Quantity::local_sectors) / 4,
      requests + amount(Quantity::shared_wavefronts),
      (amount(Quantity::l2_sectors) + amount(Quantity::local_sectors)) * 32 / rates.l2_bytes,
      amount(Quantity::dram_sectors) * 32 / rates.dram_bytes,
  };
}

// Warps on an SM, as counted or as a share of what it holds; NaN: not known, or no number of warps.
double counted_warps(const Amounts& amounts, const PipeRates& rates) {
  constexpr double kMostWarps = 64;
  const double active = amounts.or_else(Quantity::active_warps, kNotCounted);
  if (active <= kMostWarps) return active;
  const double occupancy = amounts.or_else(Quantity::occupancy, kNotCounted);
  return (occupancy > 1 ? occupancy / 100 : occupancy) * rates.max_warps;  // some write per cent
}

double blocks_per_sm(const Amounts& amounts, double warps_per_block, const PipeRates& rates) {
  double blocks = std::min(rates.max_blocks, std::floor(rates.max_warps / std::max(warps_per_block, 1.0)));
  if (const double registers = amounts[Quantity::registers]; std::isfinite(registers) && registers > 0)
    blocks = std::min(blocks, std::floor(rates.registers / (std::ceil(registers / 8) * 8 * 32 * warps_per_block)));
  if (const double shared = amounts[Quantity::shared_bytes]; std::isfinite(shared) && shared > 0)
    blocks = std::min(blocks, std::floor(rates.shared_bytes / (shared + 1024)));
  return std::max(blocks, 1.0);
}

bool fits_any_gpu(const Amounts& amounts) {
  const double threads = amounts.or_else(Quantity::block_threads, 0);
  const double registers = std::ceil(amounts.or_else(Quantity::registers, 0) / 8) * 8;
  return threads <= 1024 && registers * std::ceil(threads / 32) * 32 <= 65536 &&
         amounts.or_else(Quantity::shared_bytes, 0) <= 227 * 1024;
}

Demand demand_of(const Amounts& amounts, const PipeRates& rates) {
  Demand demand;
  demand.fits = fits_any_gpu(amounts);
  demand.registers = static_cast<float>(amounts.or_else(Quantity::registers, 0));
  demand.shared_bytes = static_cast<float>(amounts.or_else(Quantity::shared_bytes, 0));
  demand.threads = static_cast<float>(amounts.or_else(Quantity::block_threads, 0));
  const std::array<double, kPipes> cycles = pipe_cycles(amounts, rates);
  for (size_t pipe = 0; pipe < kPipes; ++pipe)
    demand.log_cycles[pipe] = cycles[pipe] > 0 ? static_cast<float>(std::log(cycles[pipe] / rates.sms)) : kNoWork;
  const double threads = amounts.or_else(Quantity::block_threads, kNotCounted);
  double blocks = amounts.or_else(Quantity::grid_blocks, kNotCounted);
  if (!std::isfinite(blocks) && std::isfinite(threads) && threads > 0)
    blocks = amounts.or_else(Quantity::grid_threads, kNotCounted) / threads;
  double warps = counted_warps(amounts, rates);
  if (std::isfinite(threads) && threads > 0) {
    const double per_block = std::ceil(threads / 32);
    const double resident = blocks_per_sm(amounts, per_block, rates);
    if (!std::isfinite(warps)) warps = resident * per_block;
    if (std::isfinite(blocks) && blocks > 0) {
      const double waves = blocks / (resident * rates.sms);
      if (waves < 1) warps = std::max(1.0, std::min(warps, std::ceil(blocks / rates.sms) * per_block));
      // A last wave that is not full costs as much as a full one.
      const double tail = waves < 1 ? std::ceil(blocks / rates.sms) * rates.sms / blocks : std::ceil(waves) / waves;
      demand.log_tail = static_cast<float>(std::log(tail));
    }
  }
  if (std::isfinite(warps)) demand.warps = static_cast<float>(std::max(warps, 1.0) / 4);
  return demand;
}

}  // namespace

const std::array<PipeRates, 3>& kinds_of_gpus() {
  static const std::array<PipeRates, 3> kinds = [] {
    std::array<PipeRates, 3> list;  // the middling one first
    list[1].max_warps = 32;
    list[1].max_blocks = 16;
    list[1].shared_bytes = 64 * 1024;
    list[1].sms = 68;
    list[2].max_warps = 64;
    list[2].max_blocks = 32;
    list[2].shared_bytes = 200 * 1024;
    list[2].sms = 120;
    return list;
  }();
  return kinds;
}

bool Demand::known() const {
  return std::ranges::any_of(log_cycles, [](float each) { return each > kNoWork; });
}

std::vector<Demand> demands(const CounterTable& table, const PipeRates& rates) {
  const Reading reading(table);
  std::vector<Demand> rows;
  size_t usable = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    rows.push_back(demand_of(reading.amounts(row), rates));
    usable += rows.back().known() ? 1 : 0;
  }
  if (usable < 2) return {};
  return rows;
}

std::vector<std::vector<Demand>> demands_by_kind(const CounterTable& table) {
  std::vector<std::vector<Demand>> kinds;
  for (const PipeRates& rates : kinds_of_gpus()) {
    kinds.push_back(demands(table, rates));
    if (kinds.back().empty()) return {};
  }
  return kinds;
}

double log_cycles(const Demand& demand) {
  if (!demand.known()) return kNotCounted;
  const double work = *std::ranges::max_element(demand.log_cycles);
  const double hidden = demand.warps < 0 ? 1 : 1 - std::exp(-demand.warps / 2);
  return work + demand.log_tail - std::log(hidden);
}

double predict_row(const CounterTable& table, size_t row, const PipeRates& rates) {
  return std::exp(log_cycles(demand_of(Reading(table).amounts(row), rates)));
}

std::vector<double> predict_cycles(const CounterTable& table, const PipeRates& rates) {
  std::vector<double> cycles;
  for (const Demand& each : demands(table, rates)) cycles.push_back(std::exp(log_cycles(each)));
  return cycles;
}

}  // namespace assay::tune
