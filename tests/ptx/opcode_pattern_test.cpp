// SPDX-License-Identifier: MIT
#include "ptx/opcode_pattern.hpp"

#include <gtest/gtest.h>
#include <memory>

#include "ptx/parser.hpp"

namespace assay::ptx {
namespace {

OpcodePattern compiled(std::string_view syntax) {
  static std::vector<std::unique_ptr<OpcodeRow>> rows;  // a pattern points to its row
  rows.push_back(std::make_unique<OpcodeRow>(OpcodeRow{"test", syntax, ""}));
  auto pattern = compile_row(*rows.back());
  EXPECT_TRUE(pattern.ok()) << pattern.error().message;
  return pattern ? *pattern : OpcodePattern{};
}

std::string mistake(std::string_view syntax) {
  const OpcodeRow row{"test", syntax, ""};
  const auto pattern = compile_row(row);
  return pattern ? "no mistake" : pattern.error().message;
}

Instruction instruction(const std::string& text) {
  const auto module =
      parse(".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n" + text + "\n}\n", "test.ptx");
  EXPECT_TRUE(module.ok()) << to_string(module.error());
  if (!module) return {};
  const auto& function = std::get<Function>(module->items.back());
  return std::get<Instruction>(function.body->statements.back().value);
}

// The name of the row, or the message.
std::string matched(const std::string& text) {
  const auto match = OpcodeMatcher::instance().match(instruction(text));
  return match ? std::string(match->pattern->row->name) : match.error().message;
}

TEST(OpcodePattern, ReadsModifiersThatMustAndThatMayBeThere) {
  const OpcodePattern pattern = compiled("op.x{.y}.(a|b){.(c|d)} d, a");
  EXPECT_EQ(pattern.opcode, "op");
  ASSERT_EQ(pattern.slots.size(), 4u);
  EXPECT_EQ(pattern.slots[0].alternatives, std::vector<std::string>{"x"});
  EXPECT_FALSE(pattern.slots[0].optional);
  EXPECT_TRUE(pattern.slots[1].optional);
  EXPECT_EQ(pattern.slots[2].alternatives, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(pattern.slots[2].optional);
  EXPECT_TRUE(pattern.slots[3].optional);
}

TEST(OpcodePattern, ReadsClassesAndClassesInsideLists) {
  const OpcodePattern pattern = compiled("op.$rnd.($irnd|x) d");
  ASSERT_EQ(pattern.slots.size(), 2u);
  EXPECT_EQ(pattern.slots[0].alternatives, (std::vector<std::string>{"rn", "rz", "rm", "rp"}));
  EXPECT_EQ(pattern.slots[1].alternatives, (std::vector<std::string>{"rni", "rzi", "rmi", "rpi", "x"}));
}

TEST(OpcodePattern, KeepsModifiersWithColonsWhole) {
  const OpcodePattern pattern = compiled("op.shared::cta.(L1::no_allocate|x) d");
  ASSERT_EQ(pattern.slots.size(), 2u);
  EXPECT_EQ(pattern.slots[0].alternatives, std::vector<std::string>{"shared::cta"});
  EXPECT_EQ(pattern.slots[1].alternatives[0], "L1::no_allocate");
}

TEST(OpcodePattern, ReadsOperandsOfEveryForm) {
  const OpcodePattern pattern = compiled("op.u32.b64 d, a:wide, b:t1, c:u16, e:any, {f}:t0+, [g], h|p:pred");
  ASSERT_EQ(pattern.operands.size(), 8u);
  using Form = OperandPattern::Form;
  using From = OperandType::From;
  EXPECT_EQ(pattern.operands[0].form, Form::value);
  EXPECT_EQ(pattern.operands[0].type.from, From::type_modifier);
  EXPECT_EQ(pattern.operands[0].type.index, 0);
  EXPECT_EQ(pattern.operands[1].type.from, From::wide);
  EXPECT_EQ(pattern.operands[2].type.index, 1);
  EXPECT_EQ(pattern.operands[3].type.from, From::fixed);
  EXPECT_EQ(pattern.operands[3].type.fixed, Type::u16);
  EXPECT_EQ(pattern.operands[4].type.from, From::any);
  EXPECT_EQ(pattern.operands[5].form, Form::vector);
  EXPECT_TRUE(pattern.operands[5].type.or_wider);
  EXPECT_EQ(pattern.operands[6].form, Form::address);
  EXPECT_EQ(pattern.operands[7].form, Form::pair);
  EXPECT_EQ(pattern.operands[7].second_type.fixed, Type::pred);
}

TEST(OpcodePattern, ReadsAnOptionalTail) {
  const OpcodePattern pattern = compiled("op.u32 d, a{, b:u32, c:pred}");
  ASSERT_EQ(pattern.operands.size(), 4u);
  EXPECT_FALSE(pattern.operands[1].optional);
  EXPECT_TRUE(pattern.operands[2].optional);
  EXPECT_TRUE(pattern.operands[3].optional);
}

TEST(OpcodePattern, ReadsAPolicyBehindAnOptionalTail) {
  const OpcodePattern pattern = compiled("op{.$hint}.u32 d, a{, b:u32}{, hint}");
  ASSERT_EQ(pattern.operands.size(), 4u);
  EXPECT_TRUE(pattern.operands[2].optional);
  EXPECT_EQ(pattern.operands[3].name, "hint");
  EXPECT_EQ(pattern.operands[3].type.fixed, Type::b64);
}

TEST(OpcodePattern, ReadsRowsWithoutOperandsAndWithOperandsOfTheirOwn) {
  EXPECT_TRUE(compiled("exit").operands.empty());
  EXPECT_FALSE(compiled("exit").raw_operands);
  EXPECT_TRUE(compiled("call{.uni} *").raw_operands);
}

TEST(OpcodePattern, SaysWhatIsWrongWithARow) {
  EXPECT_NE(mistake("op.$nonsense d").find("unknown class of modifiers"), std::string::npos);
  EXPECT_NE(mistake("op.u32 d:nonsense").find("unknown operand type"), std::string::npos);
  EXPECT_NE(mistake("op.u32 {d").find("unclosed vector"), std::string::npos);
  EXPECT_NE(mistake("op.u32 d{, a").find("unclosed optional operands"), std::string::npos);
}

TEST(OpcodePattern, EveryRowOfTheTableCompiles) {
  for (const OpcodeFamily& family : opcode_families()) {
    for (const OpcodeRow& row : family.rows) {
      const auto pattern = compile_row(row);
      EXPECT_TRUE(pattern.ok()) << pattern.error().message;
      EXPECT_FALSE(row.meaning.empty()) << row.name;
    }
  }
}

TEST(OpcodeMatcher, FindsTheRow) {
  EXPECT_EQ(matched("add.u32 %r, %r, %r;"), "add.int");
  EXPECT_EQ(matched("add.cc.u32 %r, %r, %r;"), "add.cc");
  EXPECT_EQ(matched("add.sat.s32 %r, %r, %r;"), "add.sat.s32");
  EXPECT_EQ(matched("mov.b64 %d, {%r, %r};"), "mov.pack");
  EXPECT_EQ(matched("mov.b64 {%r, %r}, %d;"), "mov.unpack");
  EXPECT_EQ(matched("mov.b64 %d, %e;"), "mov");
  EXPECT_EQ(matched("bar.sync 0;"), "bar.sync");
  EXPECT_EQ(matched("exit;"), "exit");
}

TEST(OpcodeMatcher, APolicyComesWithItsHintAlone) {
  EXPECT_EQ(matched("ld.global.L2::cache_hint.u32 %r, [%d], %e;"), "ld");
  EXPECT_EQ(matched("cp.async.cg.shared.global.L2::cache_hint [%r], [%d], 16, %e;"), "cp.async");
  EXPECT_EQ(matched("cp.async.cg.shared.global.L2::cache_hint [%r], [%d], 16, %r, %e;"), "cp.async");
  EXPECT_NE(matched("ld.global.L2::cache_hint.u32 %r, [%d];").find("the operands do not fit"), std::string::npos);
  EXPECT_NE(matched("ld.global.u32 %r, [%d], %e;").find("the operands do not fit"), std::string::npos);
  EXPECT_NE(matched("ld.global.L2::cache_hint.u32 %r, [%d], [%e];").find("do not fit"), std::string::npos);
  EXPECT_NE(matched("cp.async.cg.shared.global [%r], [%d], 16, %r, %e;").find("do not fit"), std::string::npos);
  EXPECT_NE(matched("atom.global.cas.L2::cache_hint.b32 %r, [%d], %r, %r, %e;").find("not supported"),
            std::string::npos);
}

TEST(OpcodeMatcher, TakesModifiersInAnyOrder) {
  EXPECT_EQ(matched("vote.ballot.sync.b32 %r, %p, -1;"), "vote.sync.ballot");
  EXPECT_EQ(matched("vote.sync.ballot.b32 %r, %p, -1;"), "vote.sync.ballot");
  EXPECT_EQ(matched("atom.add.acquire.gpu.global.u32 %r, [%d], 1;"), "atom.add.int");
  EXPECT_EQ(matched("min.s32.relu %r, %r, %r;"), "min.relu");
}

TEST(OpcodeMatcher, KeepsTheOrderOfTypes) {
  const auto match = OpcodeMatcher::instance().match(instruction("dp4a.u32.s32 %r, %r, %r, %r;"));
  ASSERT_TRUE(match.ok());
  EXPECT_EQ(match->modifiers.type(0), Type::u32);
  EXPECT_EQ(match->modifiers.type(1), Type::s32);
  EXPECT_TRUE(match->modifiers.has("s32"));
  EXPECT_FALSE(match->modifiers.has("lo"));
  EXPECT_EQ(match->modifiers.one_of({"x", "u32"}), "u32");
  EXPECT_EQ(match->modifiers.one_of({"x", "y"}), "");
}

TEST(OpcodeMatcher, AModifierMayNotStandTwice) {
  EXPECT_NE(matched("add.u32.u32 %r, %r, %r;").find("not supported"), std::string::npos);
}

TEST(OpcodeMatcher, SaysWhyNothingFits) {
  EXPECT_EQ(matched("frobnicate.u32 %r;"), "frobnicate.u32: this instruction is not supported");
  EXPECT_EQ(matched("add.rn.u32 %r, %r, %r;"), "add.rn.u32: this form of the instruction is not supported");
  EXPECT_EQ(matched("popc.b32 %r, %r, %r;"), "popc.b32: the operands do not fit; expected 'popc.(b32|b64) d:u32, a'");
  EXPECT_NE(matched("popc.b32 %r, [%d];").find("the operands do not fit"), std::string::npos);
}

TEST(OpcodeMatcher, RowsKeepTheirPlaceInTheTable) {
  std::vector<bool> seen(OpcodeMatcher::instance().patterns().size());
  for (const OpcodePattern& pattern : OpcodeMatcher::instance().patterns()) {
    ASSERT_LT(static_cast<size_t>(pattern.row_index), seen.size());
    EXPECT_FALSE(seen[static_cast<size_t>(pattern.row_index)]);
    seen[static_cast<size_t>(pattern.row_index)] = true;
  }
}

}  // namespace
}  // namespace assay::ptx
