// SPDX-License-Identifier: MIT
// The recursive-descent parser: one member function per phrase of the grammar. Private to the parser_*.cpp files.
//
// Every function returns false after the first error, which fail() has kept; nobody looks at the output then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "ptx/lexer.hpp"
#include "ptx/literal.hpp"
#include "ptx/syntax.hpp"

namespace assay::ptx {

// Deeper nesting of braces, initialisers or parentheses than any compiler writes: the parser's own stack is the limit.
inline constexpr int kMaximumDepth = 200;
inline constexpr int kMaximumRegisterRange = 1'000'000;
inline constexpr int64_t kMaximumRegisters = 16'000'000;  // of a module
inline constexpr int64_t kMaximumVariableElements = int64_t{1} << 40;
inline constexpr int kMaximumAlignment = 1 << 20;

// Of "*" among the operators of constant expressions; a sum in an address is made of products.
inline constexpr int kProductPrecedence = 10;

class Parser {
 public:
  Parser(std::string_view text, const std::string& file_name) : lexer_(text), file_name_(file_name) { advance(); }

  bool parse_module(Module& module);
  Error take_error() { return std::move(*error_); }

 private:
  // Tokens.
  void advance() { token_ = lexer_.next(); }
  Token peek() const { return Lexer(lexer_).next(); }  // the token after the current one
  bool accept(char symbol);
  bool accept_directive(std::string_view name);
  bool expect(char symbol, std::string_view where);
  bool expect_name(std::string& name, std::string_view what);
  bool expect_string(std::string& text, std::string_view what);
  bool expect_int(int& value, std::string_view what);  // 0 ... 2^31 - 1
  bool fail_expected(std::string_view what);           // "expected <what>, found <the current token>"
  bool fail(const Token& at, const std::string& message);
  TextPosition position() const { return {token_.line, token_.column}; }

  // Limits the nesting of phrases while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    bool too_deep() const { return parser_.depth_ > kMaximumDepth; }

   private:
    Parser& parser_;
  };
  bool fail_too_deep();

  // Module (parser_module.cpp).
  bool module_header(Module& module);
  bool module_item(Module& module);
  bool linkage(std::vector<std::string>& words);
  bool function(Module& module, std::vector<std::string> words, TextPosition start);
  bool function_attribute(Function& function, std::vector<Statement>& body);
  bool parameters(std::vector<Variable>& list);
  bool source_file(SourceFile& file);
  bool section(DebugSection& section);
  bool alias(Alias& alias);

  // Statements (parser_statement.cpp).
  bool compound_statement(CompoundStatement& compound);  // after "{", through "}"
  bool statement(std::vector<Statement>& out);
  bool directive_statement(std::vector<Statement>& out);
  bool labelled(std::vector<Statement>& out, std::string name, TextPosition start);
  bool instruction(std::vector<Statement>& out, std::optional<Guard> guard, std::string opcode, TextPosition start);
  bool guard(Guard& guard);
  bool location(Location& location);
  bool pragma(Pragma& pragma);
  bool register_declaration(RegisterDeclaration& declaration);
  bool call_prototype(CallPrototype& prototype);
  bool target_list(TargetList& targets);

  // Variables (parser_variable.cpp).
  bool variables(std::vector<Variable>& out, std::vector<std::string> words);  // after linkage, through ";"
  bool parameter(Variable& variable);                                          // one of a function's list
  bool variable_words(Variable& variable);  // ".align 4 .b8": all between the state space and the name
  bool pointer_words(Variable& variable);   // after ".ptr"
  bool name_and_shape(Variable& variable);
  bool alignment(int& value);
  bool attributes(std::vector<std::string>& list);
  bool attribute(std::string& text);
  bool initializer(Initializer& out);
  bool initializer_list(Initializer& out);
  bool symbol_address(SymbolAddress& address);

  // Operands (parser_operand.cpp).
  bool operand(Operand& out, bool lists_allowed);
  bool plain_operand(Operand& out);
  bool named_operand(Operand& out);
  bool operand_name(std::string& name);
  bool operand_list(std::vector<Operand>& list, char close, bool lists_allowed);
  bool address(Operand& out);
  bool signed_offset(int64_t& offset);  // nothing, "+8", "-8", "+-8", "+4*2"
  bool number(Operand& out, std::string_view what);

  // Constant expressions (parser_constant.cpp).
  bool starts_constant() const;
  bool constant(IntegerLiteral& out);
  bool constant_bits(int64_t& out);
  bool conditional(IntegerValue& out);
  bool binary(IntegerValue& out, int lowest_precedence);
  bool unary(IntegerValue& out);
  bool primary(IntegerValue& out);
  bool apply(const Token& symbol, IntegerValue& left, const IntegerValue& right);

  Lexer lexer_;
  std::string file_name_;
  Token token_;
  int depth_ = 0;
  int64_t registers_ = 0;
  std::vector<SourceFile> files_in_bodies_;  // ".file" lines met inside a function: they belong to the module
  std::optional<Error> error_;
};

}  // namespace assay::ptx
