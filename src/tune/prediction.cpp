// SPDX-License-Identifier: MIT
#include "tune/prediction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace assay::tune {
namespace {

// The first row whose words all occur in the name decides. A word that begins with '!' must not occur.
struct NameRule {
  std::array<std::string_view, 4> words;
  std::optional<Quantity> quantity;  // nothing: the counter is of no use
  double scale = 1;
};

constexpr double kPerWarp = 1.0 / 32;

const std::array kNameRules{
    // ratios and rates are not amounts
    NameRule{{"pct"}, std::nullopt},
    NameRule{{"per_second"}, std::nullopt},
    NameRule{{"efficiency"}, std::nullopt},
    NameRule{{"utilization"}, std::nullopt},
    NameRule{{"hit_rate"}, std::nullopt},
    NameRule{{"bank_conflict"}, std::nullopt},
    NameRule{{"ideal"}, std::nullopt},
    NameRule{{"throughput"}, std::nullopt},
    NameRule{{"achieved_occupancy"}, std::nullopt},
    // what the compiler and the launch say
    NameRule{{"registers"}, Quantity::registers},
    NameRule{{"regs"}, Quantity::registers},
    NameRule{{"num_reg"}, Quantity::registers},
    NameRule{{"occupancy", "percent"}, Quantity::occupancy, 0.01},
    NameRule{{"occupancy"}, Quantity::occupancy},
    NameRule{{"warps_active"}, Quantity::active_warps},
    NameRule{{"active_warps"}, Quantity::active_warps},
    NameRule{{"warps_per_sm"}, Quantity::active_warps},
    NameRule{{"launch__block_size"}, Quantity::block_threads},
    NameRule{{"threads_per_block"}, Quantity::block_threads},
    NameRule{{"block_threads"}, Quantity::block_threads},
    NameRule{{"local_size"}, Quantity::block_threads},
    NameRule{{"localsize"}, Quantity::block_threads},
    NameRule{{"block_size"}, Quantity::block_threads},
    NameRule{{"blocksize"}, Quantity::block_threads},
    NameRule{{"launch__grid_size"}, Quantity::grid_blocks},
    NameRule{{"grid_blocks"}, Quantity::grid_blocks},
    NameRule{{"grid_size"}, Quantity::grid_blocks},
    NameRule{{"gridsize"}, Quantity::grid_blocks},
    NameRule{{"num_blocks"}, Quantity::grid_blocks},
    NameRule{{"global_size"}, Quantity::grid_threads},
    NameRule{{"globalsize"}, Quantity::grid_threads},
    NameRule{{"launch__thread_count"}, Quantity::grid_threads},
    // shared memory: an amount in the launch, wavefronts in the run
    NameRule{{"wavefronts", "shared"}, Quantity::shared_wavefronts},
    NameRule{{"shared", "transactions"}, Quantity::shared_wavefronts},
    NameRule{{"shared", "wavefront"}, Quantity::shared_wavefronts},
    NameRule{{"shared", "requests"}, std::nullopt},
    NameRule{{"shared", "read_bytes"}, std::nullopt},
    NameRule{{"shared", "written_bytes"}, std::nullopt},
    NameRule{{"inst", "shared"}, std::nullopt},
    NameRule{{"shared_mem"}, Quantity::shared_bytes},
    NameRule{{"sharedmem"}, Quantity::shared_bytes},
    NameRule{{"shared_bytes"}, Quantity::shared_bytes},
    NameRule{{"localmemorysize"}, Quantity::shared_bytes},
    NameRule{{"shared", "size"}, Quantity::shared_bytes},
    NameRule{{"smem"}, Quantity::shared_bytes},
    // memory
    NameRule{{"dram", "sectors"}, Quantity::dram_sectors},
    NameRule{{"dram", "transactions"}, Quantity::dram_sectors},
    NameRule{{"dram", "bytes"}, Quantity::dram_sectors, 1.0 / 32},
    NameRule{{"local", "sectors"}, Quantity::local_sectors},
    NameRule{{"local", "transactions"}, Quantity::local_sectors},
    NameRule{{"local_load"}, std::nullopt},
    NameRule{{"local_store"}, std::nullopt},
    NameRule{{"lts__t_sectors"}, Quantity::l2_sectors},
    NameRule{{"l2", "transactions"}, Quantity::l2_sectors},
    NameRule{{"l2", "sectors"}, Quantity::l2_sectors},
    NameRule{{"lts", "requests"}, std::nullopt},
    NameRule{{"global", "sectors"}, Quantity::l2_sectors},
    NameRule{{"async_copy", "sectors"}, Quantity::l2_sectors},
    NameRule{{"mem_global", "sectors"}, Quantity::l2_sectors},
    NameRule{{"global", "requests"}, Quantity::global_requests},
    NameRule{{"gld_transactions"}, Quantity::global_requests},
    NameRule{{"gst_transactions"}, Quantity::global_requests},
    NameRule{{"tex", "transactions"}, Quantity::global_requests},
    NameRule{{"gld_request"}, Quantity::global_requests},
    NameRule{{"gst_request"}, Quantity::global_requests},
    // instructions by class; those of threads count a 32nd
    NameRule{{"thread_inst", "fp64"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"thread_inst", "fp32"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"thread_inst", "fp16"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"thread_inst", "integer"}, Quantity::integer_instructions, kPerWarp},
    NameRule{{"thread_inst", "memory"}, Quantity::memory_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_"}, std::nullopt},
    NameRule{{"thread_inst"}, std::nullopt},
    NameRule{{"inst_fp_64"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"inst_fp_32"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"inst_fp_16"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"inst_integer"}, Quantity::integer_instructions, kPerWarp},
    NameRule{{"inst_compute_ld_st"}, Quantity::memory_instructions, kPerWarp},
    NameRule{{"inst_executed", "tensor"}, Quantity::tensor_instructions},
    NameRule{{"tensor_instructions"}, Quantity::tensor_instructions},
    NameRule{{"inst_executed", "xu"}, Quantity::special_instructions},
    NameRule{{"special_instructions"}, Quantity::special_instructions},
    NameRule{{"inst_executed", "fp64"}, Quantity::double_instructions},
    NameRule{{"inst_executed", "fma"}, Quantity::float_instructions},
    NameRule{{"inst_executed", "alu"}, Quantity::integer_instructions},
    NameRule{{"inst_executed", "lsu"}, Quantity::memory_instructions},
    NameRule{{"ptx_instructions.float"}, Quantity::float_instructions},
    NameRule{{"ptx_instructions.integer"}, Quantity::integer_instructions},
    NameRule{{"ptx_instructions."}, std::nullopt},
    NameRule{{"ptx_instructions"}, Quantity::instructions},
    NameRule{{"float_instructions"}, Quantity::float_instructions},
    NameRule{{"double_instructions"}, Quantity::double_instructions},
    NameRule{{"integer_instructions"}, Quantity::integer_instructions},
    NameRule{{"memory_instructions"}, Quantity::memory_instructions},
    NameRule{{"inst_executed", "!pipe", "!op_"}, Quantity::instructions},
    NameRule{{"inst_issued", "!pipe"}, std::nullopt},
    NameRule{{"warp_instructions"}, Quantity::instructions},
};

// "smsp__inst_executed.sum", "smsp__inst_executed", "Inst_Executed" are the same.
std::string lower_case(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ranges::replace(text, ' ', '_');
  return text;
}

bool follows(const NameRule& rule, std::string_view name) {
  return std::ranges::all_of(rule.words, [&](std::string_view word) {
    if (word.empty()) return true;
    return word.front() == '!' ? name.find(word.substr(1)) == std::string_view::npos
                               : name.find(word) != std::string_view::npos;
  });
}

// Everything that the formula takes of one configuration; NaN: not known.
struct Amounts {
  std::array<double, 19> values;
  Amounts() { values.fill(kNotCounted); }
  double& operator[](Quantity quantity) { return values[static_cast<size_t>(quantity)]; }
  double operator[](Quantity quantity) const { return values[static_cast<size_t>(quantity)]; }
  double or_else(Quantity quantity, double otherwise) const {
    const double value = (*this)[quantity];
    return std::isfinite(value) ? value : otherwise;
  }
};

// Loads and stores of one kind come under two names and add up; what a launch has once does not.
bool adds_up(Quantity quantity) {
  switch (quantity) {
    case Quantity::registers:
    case Quantity::block_threads:
    case Quantity::grid_blocks:
    case Quantity::grid_threads:
    case Quantity::occupancy:
    case Quantity::active_warps:
    case Quantity::instructions:
      return false;
    default:
      return true;
  }
}

Amounts amounts_of(const CounterTable& table, size_t row, const std::vector<std::optional<KnownCounter>>& known) {
  Amounts amounts;
  for (size_t column = 0; column < known.size(); ++column) {
    const double raw = table.at(row, column);
    if (!known[column] || !std::isfinite(raw) || raw < 0) continue;
    double& amount = amounts[known[column]->quantity];
    const double value = raw * known[column]->scale;
    if (!std::isfinite(amount)) {
      amount = value;
    } else {
      amount = adds_up(known[column]->quantity) ? amount + value : std::max(amount, value);
    }
  }
  return amounts;
}

// Cycles of the busiest pipe, the grid spread over all SMs; 0 if no work was counted.
double busiest_pipe(const Amounts& amounts, const PipeRates& rates) {
  const auto amount = [&](Quantity quantity) { return amounts.or_else(quantity, 0); };
  const double classes = amount(Quantity::float_instructions) + amount(Quantity::double_instructions) +
                         amount(Quantity::integer_instructions) + amount(Quantity::special_instructions) +
                         amount(Quantity::tensor_instructions) + amount(Quantity::memory_instructions);
  const double cycles[] = {
      std::max(classes, amount(Quantity::instructions)) / 4,
      amount(Quantity::float_instructions) * 32 / rates.float_lanes,
      amount(Quantity::double_instructions) * 32 / rates.double_lanes,
      amount(Quantity::integer_instructions) * 32 / rates.integer_lanes,
      amount(Quantity::special_instructions) * 32 / rates.special_lanes,
      amount(Quantity::tensor_instructions) / rates.tensor_instructions,
      amount(Quantity::memory_instructions) + amount(Quantity::local_sectors) / 4,
      amount(Quantity::shared_wavefronts) + amount(Quantity::local_sectors) / 4,
      amount(Quantity::global_requests) + amount(Quantity::shared_wavefronts),
      (amount(Quantity::l2_sectors) + amount(Quantity::local_sectors)) * 32 / rates.l2_bytes,
      amount(Quantity::dram_sectors) * 32 / rates.dram_bytes,
  };
  return *std::max_element(std::begin(cycles), std::end(cycles)) / rates.sms;
}

double blocks_per_sm(const Amounts& amounts, double warps_per_block, const PipeRates& rates) {
  double blocks = std::min(rates.max_blocks, std::floor(rates.max_warps / std::max(warps_per_block, 1.0)));
  if (const double registers = amounts[Quantity::registers]; std::isfinite(registers) && registers > 0)
    blocks = std::min(blocks, std::floor(rates.registers / (std::ceil(registers / 8) * 8 * 32 * warps_per_block)));
  if (const double shared = amounts[Quantity::shared_bytes]; std::isfinite(shared) && shared > 0)
    blocks = std::min(blocks, std::floor(rates.shared_bytes / (shared + 1024)));
  return std::max(blocks, 1.0);
}

double predicted(const Amounts& amounts, const PipeRates& rates) {
  const double work = busiest_pipe(amounts, rates);
  if (!(work > 0)) return kNotCounted;
  const double threads = amounts.or_else(Quantity::block_threads, kNotCounted);
  double blocks = amounts.or_else(Quantity::grid_blocks, kNotCounted);
  if (!std::isfinite(blocks) && std::isfinite(threads) && threads > 0)
    blocks = amounts.or_else(Quantity::grid_threads, kNotCounted) / threads;
  double warps = amounts.or_else(Quantity::active_warps, kNotCounted);
  if (!std::isfinite(warps)) warps = amounts.or_else(Quantity::occupancy, kNotCounted) * rates.max_warps;
  double tail = 1;
  if (std::isfinite(threads) && threads > 0) {
    const double per_block = std::ceil(threads / 32);
    const double resident = blocks_per_sm(amounts, per_block, rates);
    if (!std::isfinite(warps)) warps = resident * per_block;
    if (std::isfinite(blocks) && blocks > 0) {
      const double waves = blocks / (resident * rates.sms);
      if (waves < 1) warps = std::max(1.0, std::min(warps, std::ceil(blocks / rates.sms) * per_block));
      // A last wave that is not full costs as much as a full one; with many waves SMs drift apart and it matters less.
      tail = waves < 1 ? std::ceil(blocks / rates.sms) * rates.sms / blocks : std::ceil(waves) / waves;
    }
  }
  const double hidden = std::isfinite(warps) ? 1 - std::exp(-std::max(warps, 1.0) / 4 / 2) : 1;
  return work * tail / hidden;
}

}  // namespace

std::optional<KnownCounter> recognise_counter(std::string_view name) {
  if (name.size() > 200) return std::nullopt;
  const std::string text = lower_case(name);
  for (const NameRule& rule : kNameRules) {
    if (!follows(rule, text)) continue;
    if (!rule.quantity) return std::nullopt;
    return KnownCounter{*rule.quantity, rule.scale};
  }
  if (text == "block" || text == "threads") return KnownCounter{Quantity::block_threads};
  if (text == "grid" || text == "blocks") return KnownCounter{Quantity::grid_blocks};
  if (text == "shared" || text == "shared_memory") return KnownCounter{Quantity::shared_bytes};
  if (text == "instructions" || text == "inst") return KnownCounter{Quantity::instructions};
  return std::nullopt;
}

double predict_row(const CounterTable& table, size_t row, const PipeRates& rates) {
  std::vector<std::optional<KnownCounter>> known;
  for (const std::string& name : table.names) known.push_back(recognise_counter(name));
  return predicted(amounts_of(table, row, known), rates);
}

std::vector<double> predict_cycles(const CounterTable& table, const PipeRates& rates) {
  std::vector<std::optional<KnownCounter>> known;
  for (const std::string& name : table.names) known.push_back(recognise_counter(name));
  std::vector<double> cycles(table.rows(), kNotCounted);
  size_t usable = 0;
  for (size_t row = 0; row < cycles.size(); ++row) {
    cycles[row] = predicted(amounts_of(table, row, known), rates);
    usable += std::isfinite(cycles[row]) ? 1 : 0;
  }
  if (usable < 2) return {};
  return cycles;
}

}  // namespace assay::tune
