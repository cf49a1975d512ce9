// SPDX-License-Identifier: MIT
// Variables, parameters and initialisers.
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace assay::ptx {
namespace {

Result<Module> parse_items(const std::string& text) {
  return parse(".version 9.0 .target sm_90\n" + text, "test.ptx");
}

Variable variable(const std::string& text) {
  auto module = parse_items(text);
  EXPECT_TRUE(module.ok()) << text << ": " << to_string(module.error());
  return module ? std::get<Variable>(module->items.at(0)) : Variable{};
}

Variable parameter(const std::string& text) {
  auto module = parse_items(".entry f(" + text + ") {}");
  EXPECT_TRUE(module.ok()) << text << ": " << to_string(module.error());
  return module ? std::get<Function>(module->items.at(0)).parameters.at(0) : Variable{};
}

std::string variable_error(const std::string& text) {
  const auto module = parse_items(text);
  if (module) return "no error: " + print(*module);
  return std::to_string(module.error().place.column) + ": " + module.error().message;
}

Initializer number(uint64_t bits) {
  return {IntegerLiteral{bits, false}};
}

TEST(ParserVariable, ReadsTheShape) {
  const Variable dynamic = variable(".extern .shared .align 16 .b8 dyn[];");
  EXPECT_EQ(dynamic.linkage, std::vector<std::string>{"extern"});
  EXPECT_EQ(dynamic.space, "shared");
  EXPECT_EQ(dynamic.alignment, 16);
  EXPECT_EQ(dynamic.type, "b8");
  EXPECT_EQ(dynamic.dimensions, std::vector<int64_t>{-1});
  EXPECT_EQ(variable(".global .v4 .f32 a[2][3*4];").dimensions, (std::vector<int64_t>{2, 12}));
  EXPECT_EQ(variable(".global .v4 .f32 a[2][3*4];").vector_width, 4);
  EXPECT_EQ(variable(".global .texref t;").type, "texref");
  EXPECT_EQ(variable(".visible .global .attribute(.managed) .b32 m;").attributes, std::vector<std::string>{"managed"});
  EXPECT_EQ(variable(".global .attribute(.managed, .unified(0xA,11)) .b32 m;").attributes,
            (std::vector<std::string>{"managed", "unified(10, 11)"}));
}

TEST(ParserVariable, ReadsPointersAmongParameters) {
  const Variable pointer = parameter(".param .u64 .ptr .global .align 4 p");
  EXPECT_TRUE(pointer.is_pointer);
  EXPECT_EQ(pointer.pointer_space, "global");
  EXPECT_EQ(pointer.pointer_alignment, 4);
  EXPECT_EQ(pointer.alignment, 0);
  const Variable plain = parameter(".param .u64 .ptr .align 1 p");
  EXPECT_EQ(plain.pointer_space, "");
  EXPECT_EQ(plain.pointer_alignment, 1);
  EXPECT_EQ(parameter(".param .align 64 .b8 map[128]").alignment, 64);
}

TEST(ParserVariable, ReadsInitialisers) {
  EXPECT_EQ(variable(".global .b32 a = 7;").initializer, number(7));
  EXPECT_EQ(variable(".global .f32 a = 0f3F800000;").initializer, (Initializer{FloatLiteral{0x3F800000, 32}}));
  EXPECT_EQ(variable(".const .b8 a[2][2] = {{1, 2}, {}};").initializer,
            (Initializer{InitializerList{{InitializerList{number(1), number(2)}}, {InitializerList{}}}}));
  EXPECT_EQ(variable(".global .s32 a[1] = {-3};").initializer,
            (Initializer{InitializerList{{IntegerLiteral{static_cast<uint64_t>(-3), true}}}}));
}

TEST(ParserVariable, ReadsAddressesInInitialisers) {
  EXPECT_EQ(variable(".global .u64 p = generic(x);").initializer, (Initializer{SymbolAddress{"x", 0, true, {}}}));
  EXPECT_EQ(variable(".global .u64 p = generic(x)+8;").initializer, (Initializer{SymbolAddress{"x", 8, true, {}}}));
  EXPECT_EQ(variable(".global .u64 p = x-8;").initializer, (Initializer{SymbolAddress{"x", -8, false, {}}}));
  EXPECT_EQ(variable(".global .u64 t[2] = {f, generic(x), 417681375232};").initializer,
            (Initializer{InitializerList{
                {SymbolAddress{"f", 0, false, {}}}, {SymbolAddress{"x", 0, true, {}}}, number(417681375232)}}));
  EXPECT_EQ(
      variable(".global .b8 p[2] = {0xFF(x), 0xFF00(generic(y)+4)};").initializer,
      (Initializer{InitializerList{{SymbolAddress{"x", 0, false, 0xFF}}, {SymbolAddress{"y", 4, true, 0xFF00}}}}));
}

TEST(ParserVariable, ExplainsErrors) {
  EXPECT_EQ(variable_error(".global x;"), "9: expected a type after '.global', found 'x'");
  EXPECT_EQ(variable_error(".global .q32 x;"), "9: expected a type, found '.q32'");
  EXPECT_EQ(variable_error(".global .pred x;"), "9: expected a type, found '.pred'");
  EXPECT_EQ(variable_error(".global .b32 .b32 x;"), "14: expected a name, found '.b32'");
  EXPECT_EQ(variable_error(".global .b32 5;"), "14: expected a name, found '5'");
  EXPECT_EQ(variable_error(".global .b32 x"), "15: expected ';' after a variable, found the end of the text");
  EXPECT_EQ(variable_error(".global .align 3 .b32 x;"), "16: an alignment must be a power of two up to 1048576, not 3");
  EXPECT_EQ(variable_error(".global .align 0 .b32 x;"), "16: an alignment must be a power of two up to 1048576, not 0");
  EXPECT_EQ(variable_error(".global .b32 x[-1];"), "16: x does not have between 0 and 1099511627776 elements");
  EXPECT_EQ(variable_error(".global .b32 x[1048577][1048577];"),
            "25: x does not have between 0 and 1099511627776 elements");
  EXPECT_EQ(variable_error(".global .b32 x[2"),
            "17: expected ']' after the extent of an array, found the end of the text");
  EXPECT_EQ(variable_error(".global .b32 x = ;"), "18: expected an initialiser, found ';'");
  EXPECT_EQ(variable_error(".global .b32 x = {1;"), "20: expected '}' or ',' after an initialiser, found ';'");
  EXPECT_EQ(variable_error(".global .b32 x = generic(1);"), "26: expected a symbol in generic(), found '1'");
  EXPECT_EQ(variable_error(".global .b32 x = 0xff(1);"), "23: expected a symbol, found '1'");
  EXPECT_EQ(variable_error(".global .attribute(managed) .b32 x;"),
            "20: expected an attribute such as '.managed', found 'managed'");
}

}  // namespace
}  // namespace assay::ptx
