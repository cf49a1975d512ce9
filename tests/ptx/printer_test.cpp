// SPDX-License-Identifier: MIT
#include "ptx/printer.hpp"

#include <gtest/gtest.h>
#include <random>

#include "ptx/parser.hpp"

namespace assay::ptx {
namespace {

// Every construct of the grammar once, as the printer writes it.
const std::string kEverything =
    ".version 9.0\n"
    ".target sm_90a, debug\n"
    ".address_size 64\n"
    ".file 1 \"a.cu\", 1700000000, 12\n"
    ".alias f, g;\n"
    ".pragma \"x\", \"y\";\n"
    ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90\n}\n"
    ".visible .global .align 4 .attribute(.managed, .unified(1, 2)) .v2 .b32 a[2][3] = {1, {-2, 0f3F800000}};\n"
    ".extern .shared .align 16 .b8 dyn[];\n"
    ".global .u64 p = generic(a)+8;\n"
    ".global .b8 bytes[2] = {0xff(a), 0xff00(generic(a)-4)};\n"
    ".extern .func .attribute(.unified(1, 2)) (.param .b32 r) g(.reg .b32 x);\n"
    ".visible .entry k(.param .u64 .ptr .global .align 16 k_0, .param .align 8 .b8 k_1[24])\n"
    ".maxntid 256, 1, 1\n"
    ".explicitcluster \n"
    "{\n"
    "\t.reg .v2 .f32 %f<4>, %g;\n"
    "\t.pragma \"nounroll\";\n"
    "\t.loc 1 2 3, function_name $L__info_string0+12, inlined_at 1 11 178\n"
    "\t.loc 1 2 3\n"
    "\t.shared .align 4 .b8 s[16];\n"
    "\tts: .branchtargets LA, LB;\n"
    "\tcs: .calltargets f, g;\n"
    "\tp0: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n"
    "\tLA:\n"
    "\t{\n"
    "\t\t@!%p1 ld.global.L1::no_allocate.v2.f32 {%f1, _}, [%rd1+-8];\n"
    "\t\tcall.uni (r), g, (a, 4), p0;\n"
    "\t}\n"
    "\tshfl.sync %r1|%p1, %tid.x, !%p2, -1, 18446744073709551615, 0d3FF0000000000000;\n"
    "\tcp.async [%r1], [%rd1, {%r2, %r3}], [16], [%rd2].unified;\n"
    "\tmov.u64 %rd1, a+16;\n"
    "\tret;\n"
    "}\n";

TEST(Printer, WritesWhatItReadBack) {
  const auto module = parse(kEverything, "test.ptx");
  ASSERT_TRUE(module.ok()) << to_string(module.error());
  EXPECT_EQ(print(*module), kEverything);
}

TEST(Printer, PrintsParts) {
  Instruction instruction;
  instruction.guard = Guard{"%p1", false};
  instruction.opcode = "add";
  instruction.modifiers = {"s32"};
  instruction.operands = {{Identifier{"%r1"}}, {IntegerLiteral{static_cast<uint64_t>(-7), true}}};
  EXPECT_EQ(print(instruction), "@%p1 add.s32 %r1, -7;");
  EXPECT_EQ(print(Operand{OffsetSymbol{"a", INT64_MIN}}), "a-9223372036854775808");
  Function function;
  function.name = "f";
  EXPECT_EQ(print(function), ".func f();");
}

// Damaged text gives an error or a tree that survives printing; it never does harm.
TEST(Printer, SurvivesDamagedText) {
  const uint64_t seed = 20261115;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::string alphabet = kEverything + "\"'\\/*<>()[]{}|&^~?:;,.@!%_$-+0123456789\n\t";
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = kEverything;
    for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      const size_t at = random() % text.size();
      const char letter = alphabet[random() % alphabet.size()];
      switch (random() % 4) {
        case 0:
          text[at] = letter;
          break;
        case 1:
          text.insert(at, 1, letter);
          break;
        case 2:
          text.erase(at, 1 + random() % 8);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
      }
    }
    const auto module = parse(text, "damaged.ptx");
    if (!module) {
      ASSERT_GE(module.error().place.line, 1) << text;
      continue;
    }
    ++accepted;
    const std::string printed = print(*module);
    const auto again = parse(printed, "printed.ptx");
    ASSERT_TRUE(again.ok()) << text << "\n--- printed\n" << printed << "\n" << to_string(again.error());
    ASSERT_EQ(*again, *module) << text << "\n--- printed\n" << printed;
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace assay::ptx
