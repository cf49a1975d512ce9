// SPDX-License-Identifier: MIT
// One kernel of a PTX module as a list of lines that mutations change. A line knows which line of the prepared kernel
// it was, or beside which one it was added, so that counts of the virtual GPU can prove what a mutation did.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "ptx/syntax.hpp"

namespace assay::invert {

struct SourcePlace {
  std::string file;  // as the PTX names it; "" without line information
  int line = 0;
  auto operator<=>(const SourcePlace&) const = default;
};

struct Line {
  enum class Kind { statement, open, close };  // braces of nested scopes are lines of their own
  Kind kind = Kind::statement;
  ptx::Statement statement{};
  int origin = -1;  // its number in the prepared kernel; -1: it was added
  int site = -1;    // of an added one: the line that is executed as often; -1: nothing is foretold
  SourcePlace place{};

  ptx::Instruction* instruction() { return std::get_if<ptx::Instruction>(&statement.value); }
  const ptx::Instruction* instruction() const { return std::get_if<ptx::Instruction>(&statement.value); }
  const ptx::Label* label() const { return std::get_if<ptx::Label>(&statement.value); }
};

class KernelText {
 public:
  // The kernel `entry` of the module. Functions that it calls stay as they are.
  static Result<KernelText> parse(std::string_view ptx, const std::string& file_name, const std::string& entry);

  std::vector<Line> lines;
  std::vector<ptx::FunctionAttribute>& attributes() { return function().attributes; }
  const std::string& entry() const { return function().name; }
  // The largest variable in shared memory, and its bytes; -1: as many as the launch gives. "" if there is none.
  std::pair<std::string, int64_t> shared_variable() const;

  // The width in bits and the declared type ("f32") of a register; 0 and "" for what is none. Predicates have width 1.
  int width_of(const std::string& name) const;
  std::string type_of(const std::string& name) const;

  // Registers, variables of the module and labels of our own. Asking again for the same name is the same thing.
  void declare(const std::string& type, const std::string& name);
  void declare_variable(const std::string& declaration);  // "global .align 16 .b32 sink[4]"
  std::string fresh_label();
  void add_copy_of_kernel(const std::string& name, const KernelText& other);  // a second kernel of the module

  struct Printed {
    std::string text;
    std::map<int, size_t> by_line;  // line of the text -> index into `lines`
  };
  Printed print() const;
  void number();  // what stands here is the prepared kernel: every line gets its own number as origin

 private:
  ptx::Function& function() { return std::get<ptx::Function>(module_.items[function_]); }
  const ptx::Function& function() const { return std::get<ptx::Function>(module_.items[function_]); }
  ptx::Function rebuilt() const;

  ptx::Module module_;
  size_t function_ = 0;
  std::vector<ptx::RegisterDeclaration> registers_;  // of the kernel itself
  std::map<std::string, std::string> declared_;      // those of our own -> type
  std::vector<ptx::Statement> declarations_;
  std::vector<std::string> variables_;
  std::vector<ptx::Function> copies_;
  int labels_ = 0;
};

// Statements of PTX text, each added beside `site`.
std::vector<Line> lines_of(std::string_view text, int site, const SourcePlace& place = {});
ptx::Instruction instruction_of(std::string_view text);

bool has(const ptx::Instruction& instruction, std::string_view modifier);
// The instruction with its guard as text: "@%p1 ", "@!%p1 " or "".
std::string guard_text(const ptx::Instruction& instruction);

}  // namespace assay::invert
