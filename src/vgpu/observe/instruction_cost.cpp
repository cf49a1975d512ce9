// SPDX-License-Identifier: MIT
#include "vgpu/observe/instruction_cost.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "ptx/opcode_table.hpp"
#include "vgpu/observe/branch_shape.hpp"
#include "vgpu/observe/opcode_word.hpp"

namespace assay::vgpu {
namespace {

enum class Pipe : uint8_t { none, fma, fma_half, alu, add, xu, fp64, lsu };

// How many instructions of which pipe one row of the opcode table becomes, and the latency class of its result.
struct PipeRow {
  std::string_view name;  // of the row, or its beginning if it ends in '*'
  Pipe pipe;
  float slots;         // issue slots, all of that pipe unless xu_slots says otherwise
  float xu_slots = 0;  // of them on the XU
  float flushed = 0;   // slots with .ftz, where subnormals need no care; 0: as many
};

// From the throughput table of the CUDA programming guide and the machine code that nvcc 13.0 makes for sm_90.
constexpr std::array kPipeRows = {
    PipeRow{"add.f64", Pipe::fp64, 1},
    PipeRow{"sub.f64", Pipe::fp64, 1},
    PipeRow{"mul.f64", Pipe::fp64, 1},
    PipeRow{"fma.f64", Pipe::fp64, 1},
    PipeRow{"mad.f64", Pipe::fp64, 1},
    PipeRow{"min.f64", Pipe::fp64, 3},
    PipeRow{"max.f64", Pipe::fp64, 3},
    PipeRow{"div.f64", Pipe::fp64, 14, 1},
    PipeRow{"rcp.f64", Pipe::fp64, 9, 1},
    PipeRow{"sqrt.f64", Pipe::fp64, 12, 1},
    PipeRow{"rcp.approx.f64", Pipe::xu, 1, 1},
    PipeRow{"rsqrt.approx.f64", Pipe::xu, 1, 1},
    PipeRow{"div.approx", Pipe::fma, 6, 1, 2},
    PipeRow{"div.full", Pipe::fma, 9, 1, 6},
    PipeRow{"div.f32", Pipe::fma, 9, 1},
    PipeRow{"rcp.approx", Pipe::fma, 7, 1, 1},
    PipeRow{"rcp.f32", Pipe::fma, 6, 1},
    PipeRow{"sqrt.approx", Pipe::fma, 4, 1, 1},
    PipeRow{"sqrt.f32", Pipe::fma, 8, 1},
    PipeRow{"rsqrt.approx", Pipe::fma, 4, 1, 1},
    PipeRow{"sin", Pipe::fma, 2, 1},
    PipeRow{"cos", Pipe::fma, 2, 1},
    PipeRow{"lg2", Pipe::fma, 4, 1, 1},
    PipeRow{"ex2", Pipe::fma, 4, 1, 1},
    PipeRow{"tanh", Pipe::xu, 1, 1},
    PipeRow{"ex2.f16", Pipe::xu, 1, 1},
    PipeRow{"ex2.bf16", Pipe::xu, 1, 1},
    PipeRow{"tanh.half", Pipe::xu, 1, 1},
    PipeRow{"add.f32", Pipe::fma, 1},
    PipeRow{"sub.f32", Pipe::fma, 1},
    PipeRow{"mul.f32", Pipe::fma, 1},
    PipeRow{"fma.*", Pipe::fma, 1},
    PipeRow{"mad.f32", Pipe::fma, 1},
    PipeRow{"add.f16", Pipe::fma, 1},
    PipeRow{"add.bf16", Pipe::fma, 1},
    PipeRow{"sub.*f16", Pipe::fma, 1},
    PipeRow{"mul.f16", Pipe::fma, 1},
    PipeRow{"mul.bf16", Pipe::fma, 1},
    PipeRow{"neg.*", Pipe::fma, 0.5F},  // mostly a modifier of the next instruction
    PipeRow{"abs.f*", Pipe::fma, 0.5F},
    PipeRow{"mul.lo", Pipe::fma_half, 1},
    PipeRow{"mul.hi", Pipe::fma_half, 2},
    PipeRow{"mul.wide", Pipe::fma_half, 1},
    PipeRow{"mad.*", Pipe::fma_half, 1},
    PipeRow{"mul24", Pipe::fma_half, 1},
    PipeRow{"dp4a", Pipe::fma_half, 1},
    PipeRow{"dp2a", Pipe::fma_half, 1},
    PipeRow{"div.int", Pipe::alu, 18, 2},
    PipeRow{"rem", Pipe::alu, 20, 2},
    PipeRow{"add.int", Pipe::add, 1},
    PipeRow{"sub.int", Pipe::add, 1},
    PipeRow{"cvt.float_to_int", Pipe::xu, 1, 1},
    PipeRow{"cvt.integral", Pipe::xu, 1, 1},
    PipeRow{"cvt.f64.f32", Pipe::xu, 1, 1},
    PipeRow{"cvt.narrow.f64", Pipe::xu, 1, 1},
    PipeRow{"cvt.widen", Pipe::fma_half, 1},
    PipeRow{"cvt.fp8.f32", Pipe::alu, 2},
    PipeRow{"cvt.int", Pipe::alu, 0.5F},  // often a register as it is
    PipeRow{"popc", Pipe::xu, 1, 1},
    PipeRow{"clz", Pipe::xu, 1, 1},
    PipeRow{"bfind", Pipe::xu, 1, 1},
    PipeRow{"brev", Pipe::xu, 1, 1},
};

bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  return name.starts_with(pattern.substr(0, star)) && name.ends_with(pattern.substr(star + 1));
}

void put(InstructionCost& cost, const PipeRow& row, const gpu::Rates& rates) {
  const float rest = row.slots - row.xu_slots;
  cost.issue = row.slots;
  cost.alu = 0;
  cost.xu = row.xu_slots;
  switch (row.pipe) {
    case Pipe::fma:
      cost.fma = rest;
      cost.latency = static_cast<float>(rates.latency_fma);
      break;
    case Pipe::fma_half:  // only one of the two halves of the pipe multiplies integers
      cost.fma = 2 * rest;
      cost.latency = static_cast<float>(rates.latency_fma);
      break;
    case Pipe::add:  // ptxas deals them to both pipes
      cost.alu = rest / 2;
      cost.fma = rest / 2;
      cost.latency = static_cast<float>(rates.latency_alu);
      break;
    case Pipe::fp64:
      cost.fp64 = rest;
      cost.latency = static_cast<float>(rates.latency_fp64);
      break;
    case Pipe::lsu:
      cost.lsu = rest;
      break;
    case Pipe::alu:
    case Pipe::xu:
    case Pipe::none:
      cost.alu = rest;
      cost.latency = static_cast<float>(rates.latency_alu);
      break;
  }
  // A sequence depends on itself all along.
  if (rest > 1) cost.latency *= rest;
  if (row.xu_slots > 0) cost.latency += static_cast<float>(rates.latency_xu) * row.xu_slots;
}

// f64 and 64-bit integers take two instructions where 32 bits take one.
bool is_wide_integer(std::string_view opcode) {
  return has_word(opcode, "s64") || has_word(opcode, "u64") || has_word(opcode, "b64");
}

std::string tensor_kind(std::string_view opcode, bool group) {
  const std::string prefix = group ? "wgmma." : "mma.";
  for (const std::string_view word : {"e4m3", "e5m2"}) {
    if (has_word(opcode, word)) return prefix + "fp8";
  }
  for (const std::string_view word : {"s8", "u8"}) {
    if (has_word(opcode, word)) return prefix + "s8";
  }
  for (const std::string_view word : {"s4", "u4", "b1"}) {
    if (has_word(opcode, word)) return prefix + "s4";
  }
  if (has_word(opcode, "tf32")) return prefix + "tf32";
  if (has_word(opcode, "f64")) return prefix + "f64";
  return prefix + "f16";
}

// The number that the text gives: "cp.async.wait_group 1;".
uint32_t last_number(std::string_view text) {
  const size_t end = text.find_last_of("0123456789");
  if (end == std::string_view::npos) return 0;
  size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  uint32_t value = 0;
  std::from_chars(text.data() + begin, text.data() + end + 1, value);
  return value;
}

ClockRule memory_rule(ptx::Operation operation) {
  switch (operation) {
    case ptx::Operation::load:
    case ptx::Operation::matrix_load:
    case ptx::Operation::atomic:
      return ClockRule::load;
    case ptx::Operation::store:
    case ptx::Operation::matrix_store:
    case ptx::Operation::reduction:
      return ClockRule::store;
    case ptx::Operation::copy:
      return ClockRule::async_copy;
    case ptx::Operation::bulk_load:
      return ClockRule::bulk_copy;
    case ptx::Operation::bulk_store:
      return ClockRule::bulk_other;
    default:
      break;
  }
  return ClockRule::other;
}

ClockRule control_rule(ptx::Operation operation, std::string_view family, std::string_view row) {
  if (operation == ptx::Operation::block_barrier) return ClockRule::barrier;
  if (row == "cp.async.commit_group") return ClockRule::async_commit;
  if (row == "cp.async.wait_group" || row == "cp.async.wait_all") return ClockRule::async_wait;
  if (row == "wgmma.commit_group") return ClockRule::group_commit;
  if (row == "wgmma.wait_group") return ClockRule::group_wait;
  if (row == "bra" || row == "brx.idx" || row == "call") return ClockRule::branch;
  if (row == "ret" || row == "exit") return ClockRule::leave;
  if (family == "mbarrier") return ClockRule::mbarrier;
  if (family == "warp" || row == "movmatrix") return ClockRule::collective;
  return ClockRule::other;
}

OrderedIn order_of(std::string_view opcode) {
  if (has_word(opcode, "shared")) return OrderedIn::shared;
  if (has_word(opcode, "local")) return OrderedIn::local;
  const bool constant = has_word(opcode, "nc") || has_word(opcode, "const") || has_word(opcode, "param");
  return constant ? OrderedIn::nothing : OrderedIn::global;
}

// What a load from shared memory counts for among the twelve that are in flight: ptxas makes vectors of neighbouring
// words, so that twelve single words are three vectors, and it keeps three or four of these.
uint8_t registers_in_flight(std::string_view opcode) {
  constexpr std::array<std::pair<std::string_view, int>, 5> kSizes = {
      {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}}};
  int bytes = 4;
  for (const auto& [bits, size] : kSizes) {
    if (opcode.ends_with(bits)) bytes = size;
  }
  if (has_word(opcode, "v4")) bytes *= 4;
  if (has_word(opcode, "v2")) bytes *= 2;
  return bytes >= 16 ? 4 : bytes >= 8 ? 3 : 1;
}

void cost_memory(InstructionCost& cost, std::string_view opcode) {
  cost.rule = memory_rule(cost.memory);
  cost.lsu = 1;
  cost.order = order_of(opcode);
  cost.in_flight = registers_in_flight(opcode);
  cost.bypasses_l1 = has_word(opcode, "cg") || has_word(opcode, "cv") || has_word(opcode, "volatile") ||
                     has_word(opcode, "relaxed") || has_word(opcode, "acquire");
  if (has_word(opcode, "param")) {  // an operand from the constant bank
    cost.issue = 0;
    cost.lsu = 0;
    cost.rule = ClockRule::free;
    cost.memory = ptx::Operation::other;
  }
}

void cost_product(InstructionCost& cost, std::string_view opcode, bool group, const gpu::Rates& rates) {
  constexpr double kPartitions = 4;
  cost.tensor_kind = tensor_kind(opcode, group);
  cost.rule = group ? ClockRule::group_product : ClockRule::product;
  double rate = rates.tensor_rate(cost.tensor_kind);
  if (rate == 0) rate = rates.tensor_rate("mma.f16");
  // What the warp's own tensor core needs for it. A product on sums that the one before it wrote follows it at this
  // pace; who uses the result waits for the latency.
  const double cycles = 2.0 * static_cast<double>(cost.multiply_adds) / (rate / kPartitions);
  cost.latency = static_cast<float>(group ? cycles : std::max(cycles, rates.latency_mma));
}

InstructionCost cost_of(const Program& program, const Function& function, size_t at, const gpu::Rates& rates) {
  const InstructionOrigin& origin = function.origins[at];
  InstructionCost cost;
  if (origin.table_row == kNoTableRow) {
    cost.issue = 0;
    cost.rule = ClockRule::free;
    return cost;
  }
  const std::string_view family = ptx::row_family(origin.table_row);
  const std::string_view row = ptx::row_name(origin.table_row);
  const std::string& opcode = program.opcodes[static_cast<size_t>(origin.opcode)];
  const InstructionClass kind = classify(program, origin);
  if (ptx::is_access(kind.operation)) cost.memory = kind.operation;
  cost.multiply_adds = kind.multiply_adds;
  if (kind.multiply_adds > 0) {
    cost_product(cost, opcode, family == "warpgroup", rates);
    return cost;
  }
  if (cost.memory != ptx::Operation::other) {
    cost_memory(cost, opcode);
    return cost;
  }
  if (family == "data" || row == "activemask" || row == "stacksave" || row == "stackrestore" || row == "wgmma.fence") {
    cost.issue = 0;
    cost.latency = 0;
    cost.rule = ClockRule::free;
    return cost;
  }
  cost.rule = control_rule(kind.operation, family, row);
  if (cost.rule == ClockRule::async_wait || cost.rule == ClockRule::group_wait) {
    const auto line = static_cast<size_t>(origin.ptx_line);
    const bool known = line > 0 && line <= program.source_lines.size() && row != "cp.async.wait_all";
    cost.wait_groups = known ? last_number(program.source_lines[line - 1]) : 0;
  }
  if (cost.rule == ClockRule::collective) {
    cost.lsu = row == "redux.int" || row == "redux.bits" ? 2 : 1;
    cost.latency = static_cast<float>(rates.latency_shuffle);
    return cost;
  }
  if (cost.rule == ClockRule::mbarrier) {
    cost.lsu = 1;
    cost.latency = static_cast<float>(rates.latency_shared);
    return cost;
  }
  if (cost.rule != ClockRule::other) return cost;
  const bool arithmetic = family == "float" || family == "half" || family == "integer" || family == "bits" ||
                          family == "video" || family == "compare" || family == "convert";
  if (!arithmetic) return cost;
  cost.rule = ClockRule::compute;
  const bool between_integers = row == "cvt.int" || row.starts_with("cvt.pack");
  cost.arithmetic = family == "float" || family == "half"      ? Arithmetic::floating
                    : family == "convert" && !between_integers ? Arithmetic::conversion
                                                               : Arithmetic::integer;
  cost.alu = 1;
  cost.latency = static_cast<float>(rates.latency_alu);
  const auto found = std::ranges::find_if(kPipeRows, [&](const PipeRow& each) { return matches(each.name, row); });
  if (found != kPipeRows.end()) {
    PipeRow chosen = *found;
    if (chosen.flushed > 0 && has_word(opcode, "ftz")) chosen.slots = chosen.flushed;
    put(cost, chosen, rates);
    cost.of_float64 = cost.xu > 0 && has_word(opcode, "f64");
  }
  if (is_wide_integer(opcode) &&
      (family == "bits" || row == "mul.lo" || row == "mul.hi" || row == "div.int" || row == "rem")) {
    const float times = row == "div.int" || row == "rem" ? 4.0F : family == "bits" ? 1.5F : 3.0F;
    cost.issue *= times;
    cost.alu *= times;
    cost.fma *= times;
  }
  return cost;
}

// The pipe that the instruction keeps longest. A partition has a quarter of each; the LSU is the SM's own, but a
// partition hands over an instruction every other cycle at most.
PipeNeed pipe_need(const InstructionCost& cost, const gpu::Rates& rates) {
  constexpr float kPartitions = 4;
  PipeNeed need{ClockPipe::none, 0, cost.issue};
  const auto consider = [&](ClockPipe pipe, float amount, double rate) {
    const float cycles = rate > 0 ? amount * kPartitions / static_cast<float>(rate) : 0;
    if (cycles > need.cycles) need = {pipe, cycles, cost.issue};
  };
  consider(ClockPipe::fma, cost.fma, rates.fma);
  consider(ClockPipe::alu, cost.alu, rates.alu);
  consider(ClockPipe::xu, cost.xu, rates.xu);
  consider(ClockPipe::fp64, cost.fp64, rates.fp64);
  consider(ClockPipe::lsu, cost.lsu, 2 * rates.lsu);
  return need;
}

// What ptxas works out by itself: arithmetic on immediates, and on registers that nothing else writes than such
// arithmetic. A constant that is converted to float16 in a loop costs nothing there.
void fold_constants(const Function& function, std::vector<InstructionCost>& costs) {
  std::map<uint32_t, int> writers;  // of each register
  for (size_t at = 0; at < function.code.size(); ++at)
    for (uint16_t i = 0; i < function.origins[at].written; ++i) ++writers[function.code[at].rows[i]];
  std::set<uint32_t> known;
  const auto is_known = [&](const Instruction& instruction, size_t at) {
    const InstructionOrigin& origin = function.origins[at];
    // Of functions, the approximate ones are the GPU's own: ptxas does not know their values.
    const bool special = costs[at].xu > 0 && costs[at].arithmetic == Arithmetic::floating;
    const bool computes = !special && (costs[at].rule == ClockRule::compute || costs[at].rule == ClockRule::free);
    if (!computes || costs[at].memory != ptx::Operation::other || origin.table_row == kNoTableRow ||
        origin.written == 0 || instruction.guard != kNoRow || instruction.row_count <= origin.written)
      return false;
    const std::string_view row = ptx::row_name(origin.table_row);
    if (row == "activemask" || row.starts_with("stack") || row.starts_with("ld")) return false;
    for (uint16_t i = 0; i < origin.written; ++i)
      if (writers[instruction.rows[i]] != 1) return false;
    for (uint16_t i = origin.written; i < instruction.row_count; ++i) {
      const uint32_t source = instruction.rows[i];
      if (source != kNoRow && (source & kConstantRow) == 0 && !known.contains(source)) return false;
    }
    return true;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t at = 0; at < function.code.size(); ++at) {
      if (!is_known(function.code[at], at)) continue;
      for (uint16_t i = 0; i < function.origins[at].written; ++i)
        changed |= known.insert(function.code[at].rows[i]).second;
      InstructionCost free;
      free.issue = 0;
      free.latency = 0;
      free.rule = ClockRule::free;
      costs[at] = free;
    }
  }
}

// Integer arithmetic whose results go into addresses, or into other such arithmetic, and nowhere else.
void mark_addresses(const Function& function, std::vector<InstructionCost>& costs) {
  std::set<uint32_t> elsewhere;  // rows that something else uses
  std::set<uint32_t> addresses;
  const auto is_integer = [&](size_t at) {
    const int row = function.origins[at].table_row;
    if (row == kNoTableRow) return false;
    const std::string_view family = ptx::row_family(row);
    return family == "integer" || family == "bits" || family == "video" || family == "data" ||
           ptx::row_name(row) == "cvt.int";
  };
  const auto each_source = [&](size_t at, auto&& body) {
    const Instruction& instruction = function.code[at];
    const RowInfo* info = function.info_of(instruction);
    for (uint16_t i = function.origins[at].written; i < instruction.row_count; ++i) {
      if (instruction.rows[i] != kNoRow && (instruction.rows[i] & kConstantRow) == 0)
        body(instruction.rows[i], info[i].address);
    }
  };
  for (size_t at = 0; at < function.code.size(); ++at) {
    each_source(at, [&](uint32_t row, bool address) {
      if (address) addresses.insert(row);
      if (!address && !is_integer(at)) elsewhere.insert(row);
    });
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t at = 0; at < function.code.size(); ++at) {
      const Instruction& instruction = function.code[at];
      if (!is_integer(at) || function.origins[at].written == 0) continue;
      const uint32_t result = instruction.rows[0];
      const bool makes_address = addresses.contains(result) && !elsewhere.contains(result);
      each_source(at, [&](uint32_t row, bool) {
        if (row == result) return;  // an index that counts up
        if (makes_address) changed |= addresses.insert(row).second;
        if (elsewhere.contains(result)) changed |= elsewhere.insert(row).second;
      });
    }
  }
  for (size_t at = 0; at < function.code.size(); ++at) {
    if (!is_integer(at) || function.origins[at].written == 0 || costs[at].issue == 0) continue;
    const uint32_t result = function.code[at].rows[0];
    costs[at].address_arithmetic = addresses.contains(result) && !elsewhere.contains(result);
  }
}

}  // namespace

std::vector<InstructionCost> instruction_costs(const Program& program, const Function& function,
                                               const gpu::Rates& rates) {
  std::vector<InstructionCost> costs;
  costs.reserve(function.code.size());
  for (size_t at = 0; at < function.code.size(); ++at) costs.push_back(cost_of(program, function, at, rates));
  fold_constants(function, costs);
  for (InstructionCost& cost : costs) cost.pipe = pipe_need(cost, rates);
  mark_addresses(function, costs);
  shape_branches(program, function, costs);
  return costs;
}

}  // namespace assay::vgpu
