// SPDX-License-Identifier: MIT
#include "tune/counter_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

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
    NameRule{{".ratio"}, std::nullopt},
    NameRule{{".max"}, std::nullopt},
    NameRule{{".min"}, std::nullopt},
    NameRule{{"_per_inst"}, std::nullopt},
    NameRule{{"per_cycle"}, std::nullopt},
    NameRule{{"per_request"}, std::nullopt},
    NameRule{{"per_warp"}, std::nullopt},
    NameRule{{"overhead"}, std::nullopt},
    NameRule{{"cycles"}, std::nullopt},
    NameRule{{"duration"}, std::nullopt},
    NameRule{{"stall"}, std::nullopt},
    NameRule{{"replay"}, std::nullopt},
    NameRule{{"per_second"}, std::nullopt},
    NameRule{{"efficiency"}, std::nullopt},
    NameRule{{"utilization"}, std::nullopt},
    NameRule{{"hit_rate"}, std::nullopt},
    NameRule{{"bank_conflict"}, std::nullopt},
    NameRule{{"ideal"}, std::nullopt},
    NameRule{{"throughput"}, std::nullopt},
    NameRule{{"achieved_occupancy"}, std::nullopt},
    // limits and settings that sound like what the compiler and the launch say
    NameRule{{"occupancy_limit"}, std::nullopt},
    NameRule{{"config_size"}, std::nullopt},
    NameRule{{"max", "threads"}, std::nullopt},
    NameRule{{"local", "size", "bytes"}, std::nullopt},
    NameRule{{"sysmem"}, std::nullopt},
    // what the compiler and the launch say
    NameRule{{"registers"}, Quantity::registers},
    NameRule{{"regs"}, Quantity::registers},
    NameRule{{"num_reg"}, Quantity::registers},
    NameRule{{"occupancy", "percent"}, Quantity::occupancy, 0.01},
    NameRule{{"occupancy"}, Quantity::occupancy},
    NameRule{{"warps_active"}, Quantity::active_warps},
    NameRule{{"active_warps"}, Quantity::active_warps},
    NameRule{{"warps_per_sm"}, Quantity::active_warps},
    NameRule{{"max", "work", "group"}, std::nullopt},
    NameRule{{"private_mem"}, std::nullopt},
    NameRule{{"privatemem"}, std::nullopt},
    NameRule{{"const", "mem", "size"}, std::nullopt},
    NameRule{{"launch__block_size"}, Quantity::block_threads},
    NameRule{{"threads_per_block"}, Quantity::block_threads},
    NameRule{{"block_threads"}, Quantity::block_threads},
    NameRule{{"work_group_size"}, Quantity::block_threads},
    NameRule{{"work-group_size"}, Quantity::block_threads},
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
    NameRule{{"local_memory_size"}, Quantity::shared_bytes},
    NameRule{{"static_shared", "!inst"}, Quantity::shared_bytes},
    NameRule{{"dynamic_shared", "!inst"}, Quantity::shared_bytes},
    NameRule{{"shared", "size"}, Quantity::shared_bytes},
    NameRule{{"smem"}, Quantity::shared_bytes},
    // memory
    NameRule{{"dram", "sectors"}, Quantity::dram_sectors},
    NameRule{{"dram", "transactions"}, Quantity::dram_sectors},
    NameRule{{"dram", "bytes"}, Quantity::dram_sectors, 1.0 / 32},
    NameRule{{"lmem", "sectors"}, Quantity::local_sectors},
    NameRule{{"local", "requests"}, std::nullopt},
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
    NameRule{{"gld_transactions"}, Quantity::l1_transactions},
    NameRule{{"gst_transactions"}, Quantity::l1_transactions},
    NameRule{{"tex", "transactions"}, Quantity::l1_transactions},
    NameRule{{"gld_request"}, Quantity::global_requests},
    NameRule{{"gst_request"}, Quantity::global_requests},
    // instructions by class; those of threads count a 32nd
    NameRule{{"thread_inst", "fp64"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"thread_inst", "fp32"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"thread_inst", "fp16"}, Quantity::half_instructions, kPerWarp},
    NameRule{{"thread_inst", "integer"}, Quantity::integer_instructions, kPerWarp},
    NameRule{{"thread_inst", "memory"}, Quantity::memory_instructions, kPerWarp},
    NameRule{{"thread_inst", "conversion"}, Quantity::conversion_instructions, kPerWarp},
    NameRule{{"thread_inst", "control"}, Quantity::control_instructions, kPerWarp},
    NameRule{{"thread_inst", "misc"}, Quantity::other_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_dfma"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_dadd"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_dmul"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_ffma"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_fadd"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_fmul"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"thread_inst", "op_"}, std::nullopt},
    NameRule{{"thread_inst"}, std::nullopt},
    NameRule{{"inst_fp_64"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"inst_fp_32"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"inst_fp_16"}, Quantity::half_instructions, kPerWarp},
    NameRule{{"inst_integer"}, Quantity::integer_instructions, kPerWarp},
    NameRule{{"inst_compute_ld_st"}, Quantity::memory_instructions, kPerWarp},
    NameRule{{"inst_bit_convert"}, Quantity::conversion_instructions, kPerWarp},
    NameRule{{"inst_control"}, Quantity::control_instructions, kPerWarp},
    NameRule{{"inst_misc"}, Quantity::other_instructions, kPerWarp},
    NameRule{{"flop_count_dp"}, Quantity::double_instructions, kPerWarp},
    NameRule{{"flop_count_sp_special"}, Quantity::special_instructions, kPerWarp},
    NameRule{{"flop_count_sp"}, Quantity::float_instructions, kPerWarp},
    NameRule{{"flop_count_hp"}, Quantity::half_instructions, kPerWarp},
    NameRule{{"inst_executed", "tensor"}, Quantity::tensor_instructions},
    NameRule{{"tensor_instructions"}, Quantity::tensor_instructions},
    NameRule{{"inst_executed", "xu"}, Quantity::special_instructions},
    NameRule{{"special_instructions"}, Quantity::special_instructions},
    NameRule{{"inst_executed", "fp64"}, Quantity::double_instructions},
    NameRule{{"inst_executed", "fma"}, Quantity::float_instructions},
    NameRule{{"inst_executed", "fp16"}, Quantity::half_instructions},
    NameRule{{"inst_executed", "alu"}, Quantity::integer_instructions},
    NameRule{{"inst_executed", "lsu"}, Quantity::memory_instructions},
    NameRule{{"ptx_instructions.float"}, Quantity::float_instructions},
    NameRule{{"ptx_instructions.integer"}, Quantity::integer_instructions},
    NameRule{{"ptx_instructions."}, std::nullopt},
    NameRule{{"ptx_instructions"}, Quantity::instructions},
    NameRule{{"conversion_instructions"}, Quantity::conversion_instructions},
    NameRule{{"control_instructions"}, Quantity::control_instructions},
    NameRule{{"float_instructions"}, Quantity::float_instructions},
    NameRule{{"double_instructions"}, Quantity::double_instructions},
    NameRule{{"integer_instructions"}, Quantity::integer_instructions},
    NameRule{{"memory_instructions"}, Quantity::memory_instructions},
    NameRule{{"inst_executed", "!pipe", "!op_", "!inst_executed_"}, Quantity::instructions},
    NameRule{{"inst_issued", "!pipe"}, std::nullopt},
    NameRule{{"warp_instructions"}, Quantity::instructions},
};

// "smsp__inst_executed.sum", "smsp__inst_executed", "Inst_Executed" are the same.
std::string plain(std::string_view name) {
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

// Of a block or a grid: one axis is not the whole.
bool names_an_axis(std::string_view name) {
  return name.ends_with("_x") || name.ends_with("_y") || name.ends_with("_z");
}

// ".avg" is a mean over the units that count; the formula wants the sum of all.
double of_all_units(std::string_view name) {
  if (name.find(".avg") == std::string_view::npos) return 1;
  return name.starts_with("smsp__") ? 320 : name.starts_with("sm__") || name.starts_with("l1tex__") ? 80 : 40;
}

}  // namespace

std::optional<KnownCounter> recognise_counter(std::string_view name) {
  if (name.size() > 200) return std::nullopt;
  const std::string text = plain(name);
  for (const NameRule& rule : kNameRules) {
    if (!follows(rule, text)) continue;
    if (!rule.quantity || names_an_axis(text)) return std::nullopt;
    return KnownCounter{*rule.quantity, rule.scale * of_all_units(text)};
  }
  if (text == "block" || text == "threads") return KnownCounter{Quantity::block_threads};
  if (text == "grid" || text == "blocks") return KnownCounter{Quantity::grid_blocks};
  if (text == "shared" || text == "shared_memory") return KnownCounter{Quantity::shared_bytes};
  if (text == "instructions" || text == "inst") return KnownCounter{Quantity::instructions};
  return std::nullopt;
}

CounterFamily counter_family(std::string_view name) {
  static constexpr std::array<std::string_view, 23> kParts{
      "ld",  "st",  "load", "store", "read", "write", "written", "atom", "atomic", "red",    "reduction", "copy",
      "gld", "gst", "op",   "ffma",  "fadd", "fmul",  "dfma",    "dadd", "dmul",   "static", "dynamic"};
  const std::string text = plain(name);
  CounterFamily family;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of("_.", begin), text.size());
    const std::string_view word = std::string_view(text).substr(begin, end - begin);
    if (std::ranges::find(kParts, word) != kParts.end()) {
      family.part = true;
    } else if (!word.empty()) {
      family.name += (family.name.empty() ? "" : "_") + std::string(word);
    }
    begin = end + 1;
  }
  return family;
}

}  // namespace assay::tune
