// SPDX-License-Identifier: MIT
// Statements in the body of a function.
#include <gtest/gtest.h>

#include "named_operand.hpp"
#include "ptx/parser.hpp"

namespace assay::ptx {
namespace {

Result<Module> parse_body(const std::string& body) {
  return parse(".version 9.0 .target sm_90\n.func f() {\n" + body + "\n}", "test.ptx");
}

std::vector<Statement> statements(const std::string& body) {
  auto module = parse_body(body);
  EXPECT_TRUE(module.ok()) << body << "\n" << to_string(module.error());
  return module ? std::get<Function>(module->items.at(0)).body->statements : std::vector<Statement>{};
}

std::string statement_error(const std::string& body) {
  const auto module = parse_body(body);
  if (module) return "no error";
  return std::to_string(module.error().place.line - 2) + ":" + std::to_string(module.error().place.column) + ": " +
         module.error().message;
}

TEST(ParserStatement, ReadsAnInstruction) {
  const auto list = statements("\t@!%p1 ld.global.L1::no_allocate.v2.f32 \t{%f1, %f2}, [%rd1+8];");
  ASSERT_EQ(list.size(), 1u);
  Instruction expected;
  expected.guard = Guard{"%p1", true};
  expected.opcode = "ld";
  expected.modifiers = {"global", "L1::no_allocate", "v2", "f32"};
  expected.operands = {{VectorOperand{{named("%f1"), named("%f2")}}}, {AddressOperand{{named("%rd1")}, 8, {}}}};
  EXPECT_EQ(std::get<Instruction>(list[0].value), expected);
  EXPECT_EQ(std::get<Instruction>(list[0].value).position.line, 3);
  EXPECT_EQ(std::get<Instruction>(list[0].value).position.column, 2);
}

TEST(ParserStatement, ReadsInstructionsWithoutOperandsAndEmptyStatements) {
  const auto list = statements("ret;; bar.warp.sync 0xffffffff; ;exit;");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(std::get<Instruction>(list[2].value).opcode, "exit");
}

TEST(ParserStatement, ReadsScopesAndLabels) {
  const auto list = statements("$L__BB0_1: { .reg .pred p; LAB: bra LAB; } LE:");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(std::get<Label>(list[0].value).name, "$L__BB0_1");
  const auto& inner = std::get<CompoundStatement>(list[1].value).statements;
  ASSERT_EQ(inner.size(), 3u);
  EXPECT_EQ(std::get<Label>(inner[1].value).name, "LAB");
  EXPECT_EQ(std::get<Label>(list[2].value).name, "LE");
}

TEST(ParserStatement, ReadsRegisters) {
  const auto list = statements(".reg .b32 %r<6>; .reg .v2 .f32 a, %b<0>;");
  RegisterDeclaration first;
  first.type = "b32";
  first.names = {{"%r", 6}};
  RegisterDeclaration second;
  second.vector_width = 2;
  second.type = "f32";
  second.names = {{"a", std::nullopt}, {"%b", 0}};
  EXPECT_EQ(list, (std::vector<Statement>{{first}, {second}}));
}

TEST(ParserStatement, ReadsLocations) {
  const auto list = statements(
      ".loc 1 11 73\n.loc 2 0 5, function_name $L__info_string3, inlined_at 1 11 178\n"
      ".loc 3 4 5, function_name $L__info_string0+12, inlined_at 6 7 8 ret;");
  const std::vector<Statement> expected = {{Location{1, 11, 73, {}}},
                                           {Location{2, 0, 5, Location::Inlined{"$L__info_string3", 0, 1, 11, 178}}},
                                           {Location{3, 4, 5, Location::Inlined{"$L__info_string0", 12, 6, 7, 8}}}};
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(std::vector<Statement>(list.begin(), list.end() - 1), expected);
}

TEST(ParserStatement, ReadsCalls) {
  const auto list = statements(
      "{ .param .b32 param0; st.param.f32 [param0+0], %f1; .param .align 8 .b8 retval0[24];\n"
      "call.uni (retval0), \nfn, \n(\nparam0, \n4\n); }\ncall (r), %rd1, (a), prototype_0; call fn; call.uni fn, ();");
  ASSERT_EQ(list.size(), 4u);
  const auto& compound = std::get<CompoundStatement>(list[0].value).statements;
  const std::vector<Operand> direct = {
      {ListOperand{{named("retval0")}}}, named("fn"), {ListOperand{{named("param0"), {IntegerLiteral{4, false}}}}}};
  EXPECT_EQ(std::get<Instruction>(compound.at(3).value).operands, direct);
  EXPECT_EQ(std::get<Instruction>(list[1].value).operands.at(3), named("prototype_0"));
  EXPECT_EQ(std::get<Instruction>(list[2].value).operands, std::vector<Operand>{named("fn")});
  EXPECT_EQ(std::get<Instruction>(list[3].value).operands.at(1), Operand{ListOperand{}});
}

TEST(ParserStatement, ReadsPrototypesAndTargets) {
  const auto list = statements(
      "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 _[16]);\n"
      "p1: .callprototype _ () .noreturn;\nts: .branchtargets LA, LB;\ncs: .calltargets f, g;");
  ASSERT_EQ(list.size(), 4u);
  const auto& first = std::get<CallPrototype>(list[0].value);
  EXPECT_EQ(first.label, "prototype_0");
  EXPECT_EQ(first.returns.size(), 1u);
  ASSERT_EQ(first.parameters.size(), 2u);
  EXPECT_EQ(first.parameters[1].dimensions, std::vector<int64_t>{16});
  EXPECT_TRUE(std::get<CallPrototype>(list[1].value).noreturn);
  EXPECT_EQ(std::get<TargetList>(list[2].value), (TargetList{"ts", false, {"LA", "LB"}}));
  EXPECT_EQ(std::get<TargetList>(list[3].value), (TargetList{"cs", true, {"f", "g"}}));
}

TEST(ParserStatement, ReadsVariablesAndPragmas) {
  const auto list = statements(".shared .align 16 .b8 tile[1024]; .local .b32 a, b; .pragma \"nounroll\";");
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(std::get<Variable>(list[0].value).alignment, 16);
  EXPECT_EQ(std::get<Variable>(list[2].value).name, "b");
  EXPECT_EQ(std::get<Variable>(list[2].value).space, "local");
  EXPECT_EQ(std::get<Pragma>(list[3].value).strings, std::vector<std::string>{"nounroll"});
}

TEST(ParserStatement, ExplainsErrors) {
  EXPECT_EQ(statement_error("add.s32 %r1, %r2"), "2:1: expected ',' or ';' after an operand of add, found '}'");
  EXPECT_EQ(statement_error("add.s32 %r1 %r2;"), "1:13: expected ',' or ';' after an operand of add, found '%r2'");
  EXPECT_EQ(statement_error("  add.s32 ,"), "1:11: expected an operand, found ','");
  EXPECT_EQ(statement_error("@%p1;"), "1:5: expected an instruction after the guard, found ';'");
  EXPECT_EQ(statement_error("@!5 add;"), "1:3: expected a predicate after '@', found '5'");
  EXPECT_EQ(statement_error("5;"), "1:1: expected an instruction, a directive, a label or '}', found '5'");
  EXPECT_EQ(statement_error(".reg %r1;"), "1:6: expected the type of a register, found '%r1'");
  EXPECT_EQ(statement_error(".reg .x32 %r1;"), "1:6: expected the type of a register, found '.x32'");
  EXPECT_EQ(statement_error(".reg .b32 ;"), "1:11: expected the name of a register, found ';'");
  EXPECT_EQ(statement_error(".reg .b32 %r<;"), "1:14: expected the number of registers, found ';'");
  EXPECT_EQ(statement_error(".reg .b32 %r<4;"), "1:15: expected '>' after the number of registers, found ';'");
  EXPECT_EQ(statement_error(".reg .b32 %r"), "2:1: expected ';' or ',' after the name of a register, found '}'");
  EXPECT_EQ(statement_error(".loc 1 2"), "2:1: expected a column number, found '}'");
  EXPECT_EQ(statement_error(".loc 1 2 3, inlined_at"), "1:13: expected 'function_name' after ',', found 'inlined_at'");
  EXPECT_EQ(statement_error(".loc 1 2 3, function_name a, b"), "1:30: expected 'inlined_at', found 'b'");
  EXPECT_EQ(statement_error("p: .callprototype 5;"), "1:19: expected '_' in a call prototype, found '5'");
  EXPECT_EQ(statement_error("p: .callprototype _ () .weak;"),
            "1:24: expected '.noreturn' or ';' after a call prototype, found '.weak'");
  EXPECT_EQ(statement_error("t: .branchtargets ;"), "1:19: expected a label, found ';'");
  EXPECT_EQ(statement_error(".maxntid 4"), "1:1: expected a directive that can stand here, found '.maxntid'");
}

TEST(ParserStatement, LimitsRegisters) {
  EXPECT_EQ(statement_error(".reg .b32 %r<1000000>;"), "no error");
  EXPECT_EQ(statement_error(".reg .b32 %r<1000001>;"), "1:11: more than 1000000 registers in one range");
  std::string many;
  for (int i = 0; i < 17; ++i) many += ".reg .b32 %r<1000000>;\n";
  EXPECT_EQ(statement_error(many), "17:11: more than 16000000 registers in one module");
}

}  // namespace
}  // namespace assay::ptx
