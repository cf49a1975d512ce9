// SPDX-License-Identifier: MIT
// The launch: its blocks, their size, order and number, registers and occupancy, where tensors begin.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>

#include "invert/editor.hpp"
#include "invert/families.hpp"
#include "invert/operands.hpp"
#include "invert/steering.hpp"

namespace assay::invert {
namespace {

constexpr uint32_t kMostBlocks = 0x7fff'ffff;

bool is_one_dimensional(const gpu::Dim3& size) {
  return size.y == 1 && size.z == 1;
}

bool uses(const KernelText& text, std::initializer_list<std::string_view> opcodes) {
  return std::ranges::any_of(text.lines, [&](const Line& line) {
    return line.instruction() != nullptr && std::ranges::find(opcodes, line.instruction()->opcode) != opcodes.end();
  });
}

// The kernel goes on as if the grid were as before: block numbers come from %assay_c.
void keep_grid(Editor& editor, const Facts& facts) {
  KernelText& text = editor.text();
  text.declare("b32", "%assay_c");
  text.declare("b32", "%assay_n");
  editor.replace_special("%ctaid.x", "%assay_c");
  const size_t sites = editor.mutant().sites.size();
  editor.replace_special("%nctaid.x", "%assay_n");
  editor.mutant().sites.resize(sites);
  editor.begin_with(fmt::format("mov.u32 %assay_n, {};", facts.grid.x));
}

}  // namespace

// Neighbouring lanes take places that are 32 threads apart, in groups of 2, 4, 8 and 16 warps.
Outcome transposed_threads(const KernelText& prepared, const Facts& facts, int dose) {
  const auto group = static_cast<uint32_t>(2 * dose);
  if (!is_one_dimensional(facts.block) || facts.block.x % (32 * group) != 0)
    return fmt::format("it needs a one-dimensional block of a multiple of {} threads", 32 * group);
  if (Steering(prepared.lines).warps_have_roles())
    return "warps of a block have roles (bar.arrive, setmaxnreg): threads cannot change places";
  Editor editor(prepared);
  KernelText& text = editor.text();
  for (const char* name : {"%assay_tid", "%assay_s0", "%assay_s1"}) text.declare("b32", name);
  editor.replace_special("%tid.x", "%assay_tid");
  if (editor.mutant().sites.empty()) return "the kernel does not ask for %tid.x";
  const int log_group = std::countr_zero(group);
  editor.begin_with(
      fmt::format("mov.u32 %assay_tid, %tid.x;\nand.b32 %assay_s0, %assay_tid, {};\nand.b32 %assay_s1, %assay_s0, {};\n"
                  "xor.b32 %assay_tid, %assay_tid, %assay_s0;\nshr.u32 %assay_s0, %assay_s0, {};\n"
                  "shl.b32 %assay_s1, %assay_s1, 5;\nadd.u32 %assay_s0, %assay_s0, %assay_s1;\n"
                  "add.u32 %assay_tid, %assay_tid, %assay_s0;",
                  32 * group - 1, group - 1, log_group));
  return editor.finish("");
}

Outcome misaligned(const KernelText& prepared, const Facts&, int) {
  int widest = 4;
  Mutant mutant;
  mutant.text = prepared;
  for (const Line& line : prepared.lines) {
    const ptx::Instruction* instruction = line.instruction();
    if (instruction == nullptr || is_prepared_line(line)) continue;
    if (instruction->opcode == "cp" && has(*instruction, "bulk")) return "bulk copies need aligned tensors";
    if (instruction->opcode == "cp" && has(*instruction, "async")) widest = std::max(widest, 16);
    if (!is_load(*instruction, "global") && !is_store(*instruction, "global")) continue;
    widest = std::max(widest, access_bytes(*instruction));
    mutant.sites.push_back(line.place);
  }
  if (widest >= 32) return "accesses of 32 bytes need aligned tensors";
  if (mutant.sites.empty()) return "the kernel has no accesses to global memory";
  mutant.launch.pointer_offset = static_cast<uint32_t>(widest);
  return mutant;
}

Outcome fewer_registers(const KernelText& prepared, const Facts& facts, int dose) {
  if (!facts.registers) return "the registers are not known: there is no ptxas here";
  const int limit = (dose == 1 ? *facts.registers * 3 / 4 : *facts.registers / 2) / 8 * 8;
  constexpr int kLeast = 16;
  if (limit < kLeast) return fmt::format("{} registers are few already", *facts.registers);
  Mutant mutant;
  mutant.text = prepared;
  auto& attributes = mutant.text.attributes();
  std::erase_if(attributes, [](const ptx::FunctionAttribute& attribute) {
    return attribute.name == "maxnreg" || attribute.name == "minnctapersm";
  });
  attributes.push_back({"maxnreg", {limit}});
  return mutant;
}

// So much more shared memory that `dose` blocks fewer fit on an SM.
Outcome fewer_blocks_per_sm(const KernelText& prepared, const Facts& facts, int dose) {
  const int wanted = facts.blocks_per_sm - dose;
  if (wanted < 1) return fmt::format("{} blocks fit on an SM", facts.blocks_per_sm);
  const gpu::GpuModel& model = *facts.model;
  constexpr int64_t kGranule = 1024;
  const int64_t room = model.shared_bytes_per_sm / wanted / kGranule * kGranule - model.shared_bytes_reserved_per_block;
  const int64_t most = std::min<int64_t>(room, model.shared_bytes_per_block_optin);
  const int64_t more = most - facts.static_shared_bytes - facts.dynamic_shared_bytes;
  if (more <= 0) return "shared memory allows no more blocks anyway";
  Mutant mutant;
  mutant.text = prepared;
  mutant.launch.more_shared_bytes = static_cast<uint32_t>(more / 16 * 16);
  return mutant;
}

Outcome half_blocks(const KernelText& prepared, const Facts& facts, int dose) {
  const auto parts = static_cast<uint32_t>(dose == 1 ? 2 : 4);
  if (!is_one_dimensional(facts.block) || facts.block.x % (32 * parts) != 0)
    return fmt::format("it needs a one-dimensional block of a multiple of {} threads", 32 * parts);
  if (facts.cluster || facts.dynamic_shared_bytes + facts.static_shared_bytes > 0 || uses(prepared, {"bar", "barrier"}))
    return "threads of a block work together: only a tunable could make it smaller";
  bool asks = false;
  for (const Line& line : prepared.lines) {
    if (line.instruction() == nullptr) continue;
    std::vector<std::string> names;
    for (const ptx::Operand& operand : line.instruction()->operands) add_names(operand, names);
    asks = asks || std::ranges::find(names, "%ntid.x") != names.end();
  }
  if (!asks) return "the kernel does not ask for the size of its block";
  if (uint64_t{facts.grid.x} * parts > kMostBlocks) return "the grid would have too many blocks";
  Mutant mutant;
  mutant.text = prepared;
  std::erase_if(mutant.text.attributes(), [](const auto& attribute) { return attribute.name == "minnctapersm"; });
  mutant.for_each_warp = true;  // of a sample, as many smaller blocks are run as larger ones before
  mutant.launch.block = gpu::Dim3{facts.block.x / parts, 1, 1};
  mutant.launch.grid = gpu::Dim3{facts.grid.x * parts, facts.grid.y, facts.grid.z};
  return mutant;
}

// Whole waves, and whole waves with one block more. Blocks behind the last do what the last does.
Outcome one_block_more(const KernelText& prepared, const Facts& facts, int) {
  if (!is_one_dimensional(facts.grid) || facts.cluster) return "it needs a one-dimensional grid without clusters";
  const auto wave = static_cast<uint64_t>(facts.model->sm_count) * static_cast<uint64_t>(facts.blocks_per_sm);
  if (facts.grid.x < wave) return "there are fewer blocks than one wave has";
  const uint64_t whole = (facts.grid.x + wave - 1) / wave * wave;
  if (whole + 1 > kMostBlocks) return "the grid would have too many blocks";
  Editor editor(prepared);
  keep_grid(editor, facts);
  if (editor.mutant().sites.empty()) return "the kernel does not ask for %ctaid.x";
  editor.begin_with(fmt::format("mov.u32 %assay_c, %ctaid.x;\nmin.u32 %assay_c, %assay_c, {};", facts.grid.x - 1));
  Mutant& mutant = editor.mutant();
  mutant.foretold = false;
  mutant.launch.grid = gpu::Dim3{static_cast<uint32_t>(whole + 1), 1, 1};
  mutant.control = mutant.text;
  mutant.control_launch.grid = gpu::Dim3{static_cast<uint32_t>(whole), 1, 1};
  return editor.finish("");
}

// Blocks that follow each other are far apart.
Outcome other_block_order(const KernelText& prepared, const Facts& facts, int) {
  const uint64_t blocks = facts.grid.x;
  if (blocks < 4 || facts.cluster) return "it needs four blocks along x, and no clusters";
  auto stride = static_cast<uint64_t>(static_cast<double>(blocks) * 0.6180339887);
  while (std::gcd(stride, blocks) != 1) ++stride;
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("b32", "%assay_c");
  text.declare("b64", "%assay_t");
  editor.replace_special("%ctaid.x", "%assay_c");
  if (editor.mutant().sites.empty()) return "the kernel does not ask for %ctaid.x";
  editor.begin_with(
      fmt::format("mov.u32 %assay_c, %ctaid.x;\nmul.wide.u32 %assay_t, %assay_c, {};\n"
                  "rem.u64 %assay_t, %assay_t, {};\ncvt.u32.u64 %assay_c, %assay_t;",
                  stride, blocks));
  editor.mutant().foretold = false;  // other blocks are among those that are run
  return editor.finish("");
}

Outcome cold_caches(const KernelText& prepared, const Facts&, int) {
  Mutant mutant;
  mutant.text = prepared;
  mutant.launch.cold_caches = true;
  return mutant;
}

// Along the longest axis. The second half is a kernel of its own, whose blocks are numbered from where the first ends.
Outcome split_launch(const KernelText& prepared, const Facts& facts, int) {
  if (facts.cluster) return "blocks of a cluster stay together";
  const uint32_t longest = std::max({facts.grid.x, facts.grid.y, facts.grid.z});
  if (longest < 2) return "there is one block";
  const char axis = facts.grid.x == longest ? 'x' : facts.grid.y == longest ? 'y' : 'z';
  const uint32_t first = (longest + 1) / 2;
  const auto half = [&](uint32_t from) {
    Editor editor(prepared);
    KernelText& text = editor.text();
    text.declare("b32", "%assay_c");
    text.declare("b32", "%assay_n");
    editor.replace_special(fmt::format("%ctaid.{}", axis), "%assay_c");
    editor.replace_special(fmt::format("%nctaid.{}", axis), "%assay_n");
    editor.begin_with(fmt::format(
        "mov.u32 %assay_c, %ctaid.{};\nadd.u32 %assay_c, %assay_c, {};\nmov.u32 %assay_n, {};", axis, from, longest));
    return editor;
  };
  const auto grid = [&](uint32_t extent) {
    gpu::Dim3 size = facts.grid;
    (axis == 'x' ? size.x : axis == 'y' ? size.y : size.z) = extent;
    return size;
  };
  Editor editor = half(0);
  if (editor.mutant().sites.empty()) return fmt::format("the kernel does not ask for %ctaid.{}", axis);
  Editor second = half(first);
  const std::string name = editor.text().entry() + "_assay_second";
  editor.text().add_copy_of_kernel(name, second.text());
  Mutant& mutant = editor.mutant();
  mutant.foretold = false;
  mutant.launch.grid = grid(first);
  mutant.launch.second = LaunchChange::Second{name, grid(longest - first)};
  return editor.finish("");
}

// The whole grid again, behind the first: what it costs shows how much of the GPU the grid leaves idle.
Outcome more_blocks(const KernelText& prepared, const Facts& facts, int dose) {
  const auto sms = static_cast<uint64_t>(facts.model->sm_count);
  const uint64_t most = (facts.grid.volume() + sms - 1) / sms;  // blocks of the busiest SM
  constexpr double kEven = 0.95;
  if (static_cast<double>(facts.grid.volume()) >= kEven * static_cast<double>(most * sms))
    return fmt::format("every SM has as many blocks as any other: {} blocks on {} SMs", facts.grid.volume(), sms);
  const uint64_t blocks = uint64_t{facts.grid.x} * (1 + static_cast<uint64_t>(dose));
  if (blocks > kMostBlocks) return "the grid would have too many blocks";
  Editor editor(prepared);
  keep_grid(editor, facts);
  if (editor.mutant().sites.empty()) return "the kernel does not ask for %ctaid.x";
  editor.begin_with(fmt::format("mov.u32 %assay_c, %ctaid.x;\nrem.u32 %assay_c, %assay_c, {};", facts.grid.x));
  editor.mutant().foretold = false;
  editor.mutant().launch.grid = gpu::Dim3{static_cast<uint32_t>(blocks), facts.grid.y, facts.grid.z};
  return editor.finish("");
}

}  // namespace assay::invert
