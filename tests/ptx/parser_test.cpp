// SPDX-License-Identifier: MIT
// The module scope and the errors; statements, operands and variables have files of their own.
#include "ptx/parser.hpp"

#include <gtest/gtest.h>

#include "ptx/printer.hpp"

namespace assay::ptx {
namespace {

const std::string kHeader = ".version 9.0\n.target sm_90a\n.address_size 64\n";

Module parsed(const std::string& text) {
  auto module = parse(text, "test.ptx");
  EXPECT_TRUE(module.ok()) << to_string(module.error());
  return module ? *module : Module{};
}

// "line:column: message" of the text after the header.
std::string error_of(const std::string& text) {
  const auto module = parse(kHeader + text, "test.ptx");
  if (module) return "no error: " + print(*module);
  EXPECT_EQ(module.error().place.file, "test.ptx");
  EXPECT_EQ(module.error().exit_code, ExitCode::usage);
  return std::to_string(module.error().place.line - 3) + ":" + std::to_string(module.error().place.column) + ": " +
         module.error().message;
}

TEST(Parser, ReadsTheHeader) {
  const Module module = parsed("// comment\n.version 8.10\n.target sm_90a, debug\n.address_size 32\n");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 10);
  EXPECT_EQ(module.targets, (std::vector<std::string>{"sm_90a", "debug"}));
  EXPECT_EQ(module.address_size, 32);
}

TEST(Parser, IgnoresZeroBytesAtTheEnd) {
  EXPECT_TRUE(parsed(kHeader + std::string(7, '\0')).items.empty());
}

TEST(Parser, WantsAHeader) {
  auto message = [](const std::string& text) { return to_string(parse(text, "a.ptx").error()); };
  EXPECT_EQ(message(""), "a.ptx:1:1: expected '.version' at the start of a module, found the end of the text");
  EXPECT_EQ(message("int main() {}"), "a.ptx:1:1: expected '.version' at the start of a module, found 'int'");
  EXPECT_EQ(message(".version x"), "a.ptx:1:10: expected a version such as 9.0, found 'x'");
  EXPECT_EQ(message(".version 9"), "a.ptx:1:10: expected a version such as 9.0, found '9'");
  EXPECT_EQ(message(".version 1e5"), "a.ptx:1:10: expected a version such as 9.0, found '1e5'");
  EXPECT_EQ(message(".version 9.0\n.func"), "a.ptx:2:1: expected '.target' after the version, found '.func'");
  EXPECT_EQ(message(".version 9.0 .target 9"), "a.ptx:1:22: expected a target such as sm_90, found '9'");
  EXPECT_EQ(message(".version 9.0 .target sm_80 .address_size 16"), "a.ptx:1:42: the address size must be 32 or 64");
}

TEST(Parser, ReadsAnEntry) {
  const Module module =
      parsed(kHeader +
             ".visible .entry add(\n\t.param .u64 add_param_0,\n\t.param .align 8 .b8 add_param_1[24]\n)\n"
             ".maxntid 256, 1, 1\n.minnctapersm 2\n.explicitcluster\n{\n\tret;\n}\n");
  ASSERT_EQ(module.items.size(), 1u);
  const auto& function = std::get<Function>(module.items[0]);
  EXPECT_TRUE(function.is_entry);
  EXPECT_EQ(function.name, "add");
  EXPECT_EQ(function.linkage, std::vector<std::string>{"visible"});
  EXPECT_EQ(function.position.line, 4);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_EQ(function.parameters[0].type, "u64");
  EXPECT_EQ(function.parameters[1].alignment, 8);
  EXPECT_EQ(function.parameters[1].dimensions, std::vector<int64_t>{24});
  const std::vector<FunctionAttribute> attributes = {
      {"maxntid", {256, 1, 1}}, {"minnctapersm", {2}}, {"explicitcluster", {}}};
  EXPECT_EQ(function.attributes, attributes);
  ASSERT_TRUE(function.body.has_value());
  EXPECT_EQ(function.body->statements.size(), 1u);
}

TEST(Parser, RefusesABlockOfNoThreadsAsPtxasDoes) {
  const auto refusal = [](const std::string& attribute) {
    return error_of(".entry k()\n" + attribute + "\n{\n\tret;\n}\n");
  };
  EXPECT_EQ(refusal(".maxntid 0, 0, 0"), "2:10: '.maxntid' takes numbers of 32 bits from 1 on, found 0");
  EXPECT_EQ(refusal(".reqntid 32, 0"), "2:14: '.reqntid' takes numbers of 32 bits from 1 on, found 0");
  EXPECT_EQ(refusal(".maxntid 4294967296"), "2:10: '.maxntid' takes numbers of 32 bits from 1 on, found 4294967296");
  EXPECT_EQ(refusal(".maxnreg 0"), "2:10: '.maxnreg' takes numbers of 32 bits from 1 on, found 0");
  EXPECT_EQ(refusal(".minnctapersm 0"), "2:15: '.minnctapersm' takes numbers of 32 bits from 1 on, found 0");
  for (const char* accepted : {".maxntid 1025", ".maxntid 1024, 1024, 64", ".maxclusterrank 0"})
    EXPECT_TRUE(parse(kHeader + ".entry k()\n" + accepted + "\n{ ret; }\n", "a.ptx").ok()) << accepted;
}

TEST(Parser, ReadsFunctionsAndDeclarations) {
  const Module module = parsed(kHeader +
                               ".func (.param .b32 r) f (.param .b32 a);\n.extern .func g\n()\n;\n.func h { }\n"
                               ".weak .func (.reg .pred p) old (.reg .u32 x) .noreturn {}\n"
                               ".func .attribute(.unified(1,2)) u ();\n");
  ASSERT_EQ(module.items.size(), 5u);
  EXPECT_FALSE(std::get<Function>(module.items[0]).body.has_value());
  EXPECT_EQ(std::get<Function>(module.items[0]).returns.at(0).name, "r");
  EXPECT_EQ(std::get<Function>(module.items[1]).linkage, std::vector<std::string>{"extern"});
  EXPECT_TRUE(std::get<Function>(module.items[2]).body.has_value());
  EXPECT_EQ(std::get<Function>(module.items[3]).returns.at(0).space, "reg");
  EXPECT_EQ(std::get<Function>(module.items[3]).attributes.at(0).name, "noreturn");
  EXPECT_EQ(std::get<Function>(module.items[4]).declared_attributes, std::vector<std::string>{"unified(1, 2)"});
}

TEST(Parser, ReadsFilesSectionsAliasesAndPragmas) {
  const Module module =
      parsed(kHeader +
             ".file 1 \"a.cu\"\n.file 2 \"b.cu\", 1700000000, 12\n.alias f, g;\n.pragma \"x\", \"y\";\n"
             ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90 // name\n\t}\n");
  const std::vector<ModuleItem> expected = {SourceFile{1, "a.cu", {}}, SourceFile{2, "b.cu", {1700000000, 12}},
                                            Alias{"f", "g"}, Pragma{{"x", "y"}},
                                            DebugSection{".debug_str", "$L__info_string0:\n.b8 95,90"}};
  EXPECT_EQ(module.items, expected);
}

TEST(Parser, MovesFilesOutOfBodies) {
  const Module module = parsed(kHeader + ".func f() { .file 3 \"c.cu\" ret; }");
  ASSERT_EQ(module.items.size(), 2u);
  EXPECT_EQ(std::get<SourceFile>(module.items[0]).name, "c.cu");
}

TEST(Parser, PutsThePragmaOfAHeadIntoTheBody) {
  const Module module = parsed(kHeader + ".entry f() .pragma \"nounroll\"; { ret; }");
  const auto& statements = std::get<Function>(module.items.at(0)).body->statements;
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(std::get<Pragma>(statements[0].value).strings, std::vector<std::string>{"nounroll"});
}

TEST(Parser, ExplainsErrorsOfTheModule) {
  EXPECT_EQ(error_of("\n  foo"), "2:3: expected a directive that can stand here, found 'foo'");
  EXPECT_EQ(error_of(".visible foo"), "1:10: expected a function or a variable, found 'foo'");
  EXPECT_EQ(error_of(".bad x;"), "1:1: expected a directive that can stand here, found '.bad'");
  EXPECT_EQ(error_of(".entry"), "1:7: expected the name of the entry, found the end of the text");
  EXPECT_EQ(error_of(".func (.param .b32 r) ;"), "1:23: expected the name of the function, found ';'");
  EXPECT_EQ(error_of(".func f(.param .b32 a"),
            "1:22: expected ')' or ',' after a parameter, found the end of the text");
  EXPECT_EQ(error_of(".func f(int a)"), "1:9: expected '.param', found 'int'");
  EXPECT_EQ(error_of(".func f()\n.visible .func g();"),
            "2:1: expected '{' or ';' after the head of f, found '.visible'");
  EXPECT_EQ(error_of(".func f() {"), "1:12: expected '}' at the end of a block, found the end of the text");
  EXPECT_EQ(error_of(".file x"), "1:7: expected the index of a source file, found 'x'");
  EXPECT_EQ(error_of(".file 1 x"), "1:9: expected the name of a source file, in quotes, found 'x'");
  EXPECT_EQ(error_of(".file 1 \"a\", b"), "1:14: expected the time or the size of the source file, found 'b'");
  EXPECT_EQ(error_of(".file 4294967296 \"a\""),
            "1:7: '4294967296' is not a number below 2^31, as the index of a source file must be");
  EXPECT_EQ(error_of(".section 5"), "1:10: expected the name of a section, found '5'");
  EXPECT_EQ(error_of(".section .a ("), "1:13: expected '{' after the name of a section, found '('");
  EXPECT_EQ(error_of(".section .a { b"), "1:16: the section does not end: '}' is missing");
  EXPECT_EQ(error_of(".alias f g;"), "1:10: expected ',' after the name of the alias, found 'g'");
  EXPECT_EQ(error_of(".pragma x;"), "1:9: expected the text of a pragma, in quotes, found 'x'");
  EXPECT_EQ(error_of("/* x"), "1:1: this comment does not end");
  EXPECT_EQ(error_of(".func f() { add ` }"), "1:17: '`' cannot stand here");
}

TEST(Parser, CutsLongTokensInMessages) {
  EXPECT_EQ(error_of(std::string(5000, 'x')),
            "1:1: expected a directive that can stand here, found '" + std::string(60, 'x') + "...'");
}

TEST(Parser, LimitsNesting) {
  auto repeated = [](const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
  };
  const std::string deep = "nested deeper than 200 levels";
  EXPECT_EQ(error_of(".func f() " + repeated("{", 100) + repeated("}", 100)).substr(0, 8), "no error");
  EXPECT_NE(error_of(".func f() " + repeated("{", 100'000)).find(deep), std::string::npos);
  EXPECT_NE(error_of(".global .b8 x[] = " + repeated("{", 100'000)).find(deep), std::string::npos);
  EXPECT_NE(error_of(".func f() { a " + repeated("{", 100'000)).find(deep), std::string::npos);
  EXPECT_NE(error_of(".func f() { a " + repeated("(", 100'000)).find(deep), std::string::npos);
  EXPECT_NE(error_of(".func f() { a " + repeated("-", 100'000)).find(deep), std::string::npos);
  EXPECT_NE(error_of(".func f() { a " + repeated("1?1:", 100'000)).find(deep), std::string::npos);
  EXPECT_NE(error_of(".func f() { a " + repeated("[a,", 100'000)).find(deep), std::string::npos);
}

}  // namespace
}  // namespace assay::ptx
