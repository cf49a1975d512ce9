// SPDX-License-Identifier: MIT
// Every row of the catalogue on small kernels: it adds and removes exactly what it says, the text is PTX, it runs clean
// under the memory check, and ptxas takes it where there is one.
#include "invert/mutation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "base/file.hpp"
#include "base/process.hpp"
#include "build/toolkit.hpp"
#include "device/virtual/virtual_device.hpp"
#include "invert/proof.hpp"
#include "ptx/parser.hpp"
#include "support/temporary_folder.hpp"

namespace assay::invert {
namespace {

constexpr uint32_t kBlocks = 528;  // four for each SM, so that whole waves exist
constexpr uint32_t kThreads = 128;
constexpr uint32_t kWarps = kThreads / 32;

struct Launched {
  std::string problem;  // empty: clean
  std::vector<gpu::InstructionCount> instructions;
};

Launched run(const std::string& ptx, const std::string& entry, const gpu::LaunchChange& change, bool sampled = true) {
  device::VirtualDevice gpu(*gpu::find_model("h200"));
  auto module = gpu.load(ptx, "mutant.ptx");
  if (!module) return {module.error().message, {}};
  const uint64_t bytes = uint64_t{kBlocks} * kThreads * 16;
  const uint64_t input = *gpu.allocate(bytes + change.pointer_offset, "input");
  const uint64_t output = *gpu.allocate(bytes + change.pointer_offset, "output");
  device::LaunchRequest request;
  request.module = module->get();
  request.entry = entry;
  request.grid = change.grid.value_or(gpu::Dim3{kBlocks, 1, 1});
  request.block = change.block.value_or(gpu::Dim3{kThreads, 1, 1});
  request.shared_bytes = change.more_shared_bytes;
  request.checks = {gpu::kMemcheck};
  const auto bytes_of = [](auto value) {
    std::vector<std::byte> all(sizeof value);
    std::memcpy(all.data(), &value, sizeof value);
    return all;
  };
  request.arguments = {bytes_of(input + change.pointer_offset), bytes_of(output + change.pointer_offset),
                       bytes_of(uint32_t{kBlocks * kThreads})};
  gpu.trace_launches(2, sampled);
  Launched result;
  const auto outcome = gpu.launch(request);
  if (!outcome) return {outcome.error().message, {}};
  if (outcome->fault) return {outcome->fault->message, {}};
  if (!outcome->findings.empty()) return {outcome->findings.front().message, {}};
  result.instructions = gpu.instructions();
  if (change.second) {
    gpu::LaunchChange second;
    second.grid = change.second->grid;
    result.problem = run(ptx, change.second->entry, second).problem;
  }
  return result;
}

struct Kernel {
  KernelText prepared;
  KernelText::Printed printed;
  Facts facts;
};

std::string kernel_file(const std::string& name) {
  const auto text = read_file(ASSAY_SOURCE_DIR "/tests/invert/" + name + ".ptx");
  EXPECT_TRUE(text.ok());
  return *text;
}

Kernel kernel(const std::string& name, const std::string& text) {
  auto prepared = prepare(text, name, name);
  EXPECT_TRUE(prepared.ok()) << (prepared.ok() ? "" : prepared.error().message);
  Kernel result{std::move(*prepared), {}, {}};
  result.printed = result.prepared.print();
  Facts& facts = result.facts;
  facts.grid = {kBlocks, 1, 1};
  facts.block = {kThreads, 1, 1};
  facts.model = gpu::find_model("h200");
  facts.blocks_per_sm = 4;
  facts.static_shared_bytes = name == "bulk" ? 520 : name == "roles" ? 1024 : 4096;
  facts.registers = 64;
  facts.spill_bytes = 0;
  facts.largest_buffer = facts.all_buffers = uint64_t{kBlocks} * kThreads * 16;
  const Launched counted = run(result.printed.text, name, {});
  EXPECT_EQ(counted.problem, "");
  facts.counts = by_line(counted.instructions, result.prepared, result.printed);
  return result;
}

Kernel kernel(const std::string& name) {
  return kernel(name, kernel_file(name));
}

uint64_t total(const std::vector<gpu::InstructionCount>& counts, const std::string& opcode) {
  uint64_t sum = 0;
  for (const gpu::InstructionCount& each : counts) sum += each.opcode.starts_with(opcode) ? each.issued : 0;
  return sum;
}

// What ptxas says; "" if it takes the text or is not here.
std::string refused_by_ptxas(const std::string& text, const std::string& target) {
  const auto toolkit = build::find_toolkit();
  if (!toolkit) return "";
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "mutant.ptx").string();
  EXPECT_TRUE(write_file_atomically(file, text).ok());
  Command command;
  command.arguments = {(toolkit->root() / "bin" / "ptxas").string(), "-arch=" + target, "-c", file, "-o",
                       (folder.path() / "mutant.cubin").string()};
  const auto outcome = assay::run(command);
  if (!outcome) return outcome.error().message;
  return outcome->succeeded() ? "" : outcome->errors + outcome->output;
}

struct Case {
  const Row* row;
  int dose;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Row& row : catalogue()) {
    if (row.mutate == nullptr) continue;
    for (const int dose : row.doses) all.push_back({&row, dose});
  }
  return all;
}

class MutationTest : public testing::TestWithParam<Case> {};

// Rows that need what the first kernel does not have.
std::string kernel_for(const Row& row) {
  return row.name == "smaller_copies" ? "bulk" : "everything";
}
// These need a kernel or a GPU of their own, and have tests of their own below.
bool is_elsewhere(const Row& row) {
  return row.name == "smaller_blocks" || row.name == "more_blocks";
}

TEST_P(MutationTest, IsWhatItsRowSays) {
  const auto& [row, dose] = GetParam();
  if (is_elsewhere(*row)) GTEST_SKIP() << "see below";
  if (row->name == "uncoalesced" && dose > 2) GTEST_SKIP() << "a block of four warps has no larger groups";
  if (row->name == "lower_occupancy" && dose >= 4) GTEST_SKIP() << "four blocks fit on an SM";
  const Kernel base = kernel(kernel_for(*row));
  const Outcome outcome = row->mutate(base.prepared, base.facts, dose);
  ASSERT_TRUE(outcome.mutant.has_value()) << outcome.why_not;
  const Mutant& mutant = *outcome.mutant;
  const KernelText::Printed printed = mutant.text.print();
  const auto parsed = ptx::parse(printed.text, "mutant.ptx");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message << "\n" << printed.text;
  const Launched mutated = run(printed.text, mutant.text.entry(), mutant.launch);
  ASSERT_EQ(mutated.problem, "") << printed.text;
  const auto counts = by_line(mutated.instructions, mutant.text, printed);
  const CountedChange change = counted_change(base.facts.counts, mutant, counts);
  if (mutant.foretold) {
    EXPECT_TRUE(change.exact) << change.why_not << "\n" << printed.text;
  }
  if (!mutant.needs_dead_code_gone && row->kind == Kind::ablation) {
    EXPECT_EQ(newly_dead(base.prepared, base.facts.counts, mutant), 0U)
        << "ptxas would take more away than the row says";
  }
  EXPECT_EQ(refused_by_ptxas(printed.text, "sm_90"), "") << printed.text;
  if (mutant.control) {
    const KernelText::Printed control = mutant.control->print();
    EXPECT_EQ(run(control.text, mutant.control->entry(), mutant.control_launch).problem, "") << control.text;
    EXPECT_EQ(refused_by_ptxas(control.text, "sm_90"), "") << control.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, MutationTest, testing::ValuesIn(cases()), [](const auto& tested) {
  return fmt::format("{}_{}", tested.param.row->name, tested.param.dose);
});

TEST(Mutation, PtxasIsAsked) {
  if (!build::find_toolkit()) GTEST_SKIP() << "there is no ptxas here";
  EXPECT_NE(refused_by_ptxas(".version 8.0\n.target sm_90\n.address_size 64\nrubbish\n", "sm_90"), "");
}

// How many of an instruction there are more or fewer, for each warp; dose 1 and, per further dose, as many again.
struct Change {
  const char* row;
  const char* opcode;
  int per_warp;  // with dose 1
  bool doses = true;
};

TEST(Mutation, AddsAndRemovesExactlyTheseInstructions) {
  const Kernel base = kernel("everything");
  const auto& before = base.facts.counts;
  const uint64_t warps = total(before, "ld.const.b64");
  ASSERT_EQ(warps, 2 * kWarps) << "two blocks are run";
  const std::vector<Change> changes = {
      {"extra_special_functions", "ex2", 4},  // beside each of the four
      {"extra_fma", "fma.rn.f32", 1},         // beside the product
      {"extra_alu", "lop3", 1},
      {"extra_products", "mma", 1},
      {"extra_shared_reads", "ld.volatile.shared", 4},
      {"extra_shared_reads", "ldmatrix", 1},
      {"extra_shared_writes", "st.volatile.shared", 1},
      {"extra_l2_reads", "ld.volatile.global", 1},
      {"extra_dram_reads", "ld.volatile.global", 1},
      {"extra_writes", "st.volatile.global", 1},
      {"extra_barriers", "bar.sync", 5},
      {"narrow_accesses", "ld.global.v2", 2, false},
      {"narrow_accesses", "ld.global.v4", -1, false},
      {"not_staged", "ld.global.f32", 4, false},
      {"not_staged", "ld.shared", -4, false},
      {"no_overlap", "cp.async.wait_group", 1, false},
      {"no_special_functions", "ex2", -4, false},
      {"no_products", "mma", -1, false},
      {"no_shared_reads", "ld.shared", -4, false},
      {"no_shared_reads", "ldmatrix", -1, false},
      {"no_global_reads", "ld.global", -1, false},
      {"no_copies", "cp.async.cg", -1, false},
      {"no_copies", "cp.async.commit_group", 0, false},
      {"no_barriers", "bar.sync", -5, false},
      {"no_shuffles", "shfl", -1, false},
      {"no_conversions", "max", -1, false},
      {"no_divisions", "div.s32", -1, false},
      {"no_divisions", "rem.s32", -1, false},
      {"no_atomics", "red", -1, false},
      {"no_atomics", "atom", -1, false},
      {"no_local_memory", "ld.local", -1, false},
      {"no_bounds_checks", "setp.ge", -1, false},
      {"no_addresses", "mul.wide.s32", -1, false},  // of the store; cp.async needs that of the load
      {"f64_as_f32", "fma.rn.f64", -1, false},
      {"half_the_loop", "ex2", -2, false},
      {"nothing_left", "bar.sync", -5, false},
      {"larger_code", "ex2", 0, false},
      {"diverged", "ex2", 4, false},
      {"through_f64", "fma.rn.f64", 4, false},  // an eighth of seven places: the first
  };
  for (const Change& expected : changes) {
    const Row* row = find_row(expected.row);
    ASSERT_NE(row, nullptr) << expected.row;
    for (const int dose : row->doses) {
      if (dose != 1 && !expected.doses) continue;
      const Outcome outcome = row->mutate(base.prepared, base.facts, dose);
      ASSERT_TRUE(outcome.mutant.has_value()) << expected.row << ": " << outcome.why_not;
      const KernelText::Printed printed = outcome.mutant->text.print();
      const Launched mutated = run(printed.text, "everything", outcome.mutant->launch);
      ASSERT_EQ(mutated.problem, "") << expected.row;
      const auto more = static_cast<int64_t>(total(mutated.instructions, expected.opcode)) -
                        static_cast<int64_t>(total(before, expected.opcode));
      EXPECT_EQ(more, int64_t{expected.per_warp} * dose * static_cast<int64_t>(warps))
          << expected.row << " dose " << dose << ": " << expected.opcode;
    }
  }
}

// The guarded store is issued and stores nothing.
TEST(Mutation, StoresAreThereAndDoNothing) {
  const Kernel base = kernel("everything");
  const Outcome outcome = find_row("no_stores")->mutate(base.prepared, base.facts, 1);
  ASSERT_TRUE(outcome.mutant.has_value());
  const auto counts = run(outcome.mutant->text.print().text, "everything", {}).instructions;
  for (const gpu::InstructionCount& each : counts) {
    if (each.opcode.starts_with("st.global")) {
      EXPECT_EQ(each.lanes, 0U) << each.opcode;
    }
  }
  EXPECT_EQ(total(counts, "st.global.v4.f32"), total(base.facts.counts, "st.global.v4.f32"));
}

// A kernel that has nothing to change is told so, and why.
// The policy comes last: what stands before it has its place.
TEST(Mutation, AccessesWithACachePolicyAreChangedAsThoseWithout) {
  const Kernel plain = kernel("everything");
  std::string text = kernel_file("everything");
  const std::pair<const char*, const char*> hints[] = {
      {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];",
       "createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;\n"
       "\tld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4], %policy;"},
      {"[%rd4], 16;", "[%rd4], 16, %policy;"},
      {"cp.async.cg.shared.global ", "cp.async.cg.shared.global.L2::cache_hint "},
      {"st.global.v4.f32 [%rd9], {%f16, %f9, %f15, %f10};",
       "st.global.L2::cache_hint.v4.f32 [%rd9], {%f16, %f9, %f15, %f10}, %policy;"},
      {"red.global.add.f32 [%rd2], %f16;", "red.global.add.L2::cache_hint.f32 [%rd2], %f16, %policy;"},
      {".reg .pred %p<8>;", ".reg .pred %p<8>;\n\t.reg .b64 %policy;"},
  };
  for (const auto& [from, to] : hints) {
    ASSERT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), std::string_view(from).size(), to);
  }
  const Kernel hinted = kernel("everything", text);
  ASSERT_EQ(refused_by_ptxas(hinted.printed.text, "sm_80"), "");
  for (const char* name :
       {"extra_l2_reads", "extra_dram_reads", "extra_writes", "narrow_accesses", "not_staged", "no_overlap",
        "contended_atomics", "no_global_reads", "no_copies", "no_stores", "no_addresses", "no_atomics"}) {
    const Row* const row = find_row(name);
    ASSERT_NE(row, nullptr) << name;
    const Outcome with = row->mutate(hinted.prepared, hinted.facts, row->doses.front());
    const Outcome without = row->mutate(plain.prepared, plain.facts, row->doses.front());
    ASSERT_TRUE(with.mutant && without.mutant) << name << ": " << with.why_not << without.why_not;
    EXPECT_EQ(with.mutant->sites.size(), without.mutant->sites.size()) << name;
    const std::string printed = with.mutant->text.print().text;
    EXPECT_EQ(run(printed, "everything", with.mutant->launch).problem, "") << name << "\n" << printed;
    EXPECT_EQ(refused_by_ptxas(printed, "sm_80"), "") << name;
  }
}

TEST(Mutation, SaysWhyThereIsNothingToChange) {
  const Kernel base = kernel("bulk");
  for (const char* name : {"extra_special_functions", "no_products", "no_shuffles", "no_atomics", "f64_as_f32",
                           "no_local_memory", "no_overlap", "narrow_accesses", "half_the_loop"}) {
    const Outcome outcome = find_row(name)->mutate(base.prepared, base.facts, 1);
    EXPECT_FALSE(outcome.mutant.has_value()) << name;
    EXPECT_FALSE(outcome.why_not.empty()) << name;
  }
}

// A producer warp and three consumer warps, mbarriers between them: no experiment may leave them waiting for ever.
// Whatever there is to change is changed beside the protocol; the rest says why not.
TEST(Mutation, WarpsWithRolesKeepTheirProtocol) {
  const Kernel base = kernel("roles");
  for (const Row& row : catalogue()) {
    if (row.mutate == nullptr) continue;
    const Outcome outcome = row.mutate(base.prepared, base.facts, 1);
    if (!outcome.mutant) {
      EXPECT_FALSE(outcome.why_not.empty()) << row.name;
      continue;
    }
    const KernelText::Printed printed = outcome.mutant->text.print();
    const Launched mutated = run(printed.text, outcome.mutant->text.entry(), outcome.mutant->launch);
    EXPECT_EQ(mutated.problem, "") << row.name << "\n" << printed.text;
    if (!outcome.mutant->control) continue;
    const KernelText::Printed control = outcome.mutant->control->print();
    EXPECT_EQ(run(control.text, outcome.mutant->control->entry(), outcome.mutant->control_launch).problem, "")
        << row.name << ", the control\n"
        << control.text;
  }
}

TEST(Mutation, SitesThatSteerWarpsAreLeftAlone) {
  const Kernel base = kernel("roles");
  const auto sites = [&](const char* name) {
    const Outcome outcome = find_row(name)->mutate(base.prepared, base.facts, 1);
    return outcome.mutant ? static_cast<int>(outcome.mutant->sites.size()) : 0;
  };
  EXPECT_EQ(sites("extra_barriers"), 1) << "bar.sync 0, and not the one that a producer arrives at";
  EXPECT_EQ(sites("no_shared_reads"), 1) << "the data, and not whether there is more";
  EXPECT_EQ(sites("not_staged"), 1);
  EXPECT_EQ(sites("bank_conflicts"), 1) << "nor the store of that word";
  EXPECT_EQ(sites("no_bank_conflicts"), 1);
  EXPECT_EQ(sites("no_shuffles"), 1) << "the sum, and not the number of the warp";
  for (const auto& [name, reason] :
       std::map<const char*, const char*>{{"uncoalesced", "have roles"}, {"converged", "protocol"}}) {
    const Outcome outcome = find_row(name)->mutate(base.prepared, base.facts, 1);
    EXPECT_FALSE(outcome.mutant.has_value()) << name;
    EXPECT_NE(outcome.why_not.find(reason), std::string::npos) << name << ": " << outcome.why_not;
  }
  // A kernel without mbarriers has no protocol: all of its loads are sites.
  const Kernel plain = kernel("everything");
  EXPECT_TRUE(find_row("uncoalesced")->mutate(plain.prepared, plain.facts, 1).mutant.has_value());
}

TEST(Mutation, SitesHaveTheirSourceLines) {
  const Kernel base = kernel("everything");
  const Outcome outcome = find_row("no_special_functions")->mutate(base.prepared, base.facts, 1);
  ASSERT_TRUE(outcome.mutant.has_value());
  ASSERT_EQ(outcome.mutant->sites.size(), 1U);
  EXPECT_EQ(outcome.mutant->sites.front(), (SourcePlace{"everything.cu", 9}));
}

TEST(Mutation, MoreBlocksOnlyWhereSMsAreIdle) {
  Kernel base = kernel("everything");
  const Row& row = *find_row("more_blocks");
  EXPECT_NE(row.mutate(base.prepared, base.facts, 1).why_not.find("as many blocks"), std::string::npos);
  base.facts.grid = {8, 1, 1};
  const Outcome outcome = row.mutate(base.prepared, base.facts, 2);
  ASSERT_TRUE(outcome.mutant.has_value()) << outcome.why_not;
  EXPECT_EQ(outcome.mutant->launch.grid->x, 24U);
  EXPECT_EQ(run(outcome.mutant->text.print().text, "everything", outcome.mutant->launch).problem, "");
}

TEST(Mutation, BlocksWithBarriersAreNotHalved) {
  const Kernel base = kernel("everything");
  const Row& row = *find_row("smaller_blocks");
  EXPECT_NE(row.mutate(base.prepared, base.facts, 1).why_not.find("work together"), std::string::npos);
}

// What ptxas takes away, the counts of the PTX do not show: the code must grow.
TEST(Proof, AnInjectionThatVanishedIsNotBelieved) {
  const Row& row = *find_row("extra_alu");
  Assembled control;
  control.code_bytes = 4096;
  Assembled mutant = control;
  EXPECT_EQ(judge(control, mutant, row, 64, 0).standing, Standing::vanished);
  mutant.code_bytes = 5120;
  EXPECT_EQ(judge(control, mutant, row, 64, 0).standing, Standing::proved);
}

TEST(Proof, SpillsAndOccupancyConfound) {
  const Row& row = *find_row("extra_alu");
  Assembled control{.registers = 64, .spill_bytes = 0, .code_bytes = 4096, .blocks_per_sm = 8};
  Assembled mutant = control;
  EXPECT_EQ(judge(control, mutant, row, 1, 0).standing, Standing::proved);
  mutant.spill_bytes = 52;
  EXPECT_EQ(judge(control, mutant, row, 1, 0).standing, Standing::confounded);
  mutant.spill_bytes = 0;
  mutant.registers = 72;
  mutant.blocks_per_sm = 7;
  EXPECT_EQ(judge(control, mutant, row, 1, 0).standing, Standing::confounded);
  EXPECT_EQ(judge(control, mutant, *find_row("lower_occupancy"), 0, 0).standing, Standing::proved);
}

TEST(Proof, AnAblationThatTakesMoreWithItIsNotBelieved) {
  const Row& row = *find_row("no_stores");
  Assembled control;
  control.code_bytes = 29800;
  Assembled mutant;
  mutant.code_bytes = 19500;
  EXPECT_EQ(judge(control, mutant, row, 4, 4).standing, Standing::vanished);
  mutant.code_bytes = 29700;
  EXPECT_EQ(judge(control, mutant, row, 4, 4).standing, Standing::proved);
}

TEST(Catalogue, HasTheExperimentsOfTheDocument) {
  size_t injections = 0;
  size_t ablations = 0;
  for (const Row& row : catalogue()) {
    (row.kind == Kind::injection ? injections : ablations) += 1;
    EXPECT_FALSE(row.how.empty() || row.tells.empty() || row.needs.empty() || row.doses.empty()) << row.name;
    EXPECT_EQ(find_row(row.name), &row) << "names are unique";
  }
  EXPECT_GE(injections, 30U);
  EXPECT_GE(ablations, 15U);
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/invert.md");
  ASSERT_TRUE(page.ok());
  for (const Row& row : catalogue())
    EXPECT_NE(page->find(fmt::format("`{}`", row.name)), std::string::npos) << row.name << " is not in docs/invert.md";
}

}  // namespace
}  // namespace assay::invert
