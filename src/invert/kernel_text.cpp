// SPDX-License-Identifier: MIT
#include "invert/kernel_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace assay::invert {
namespace {

using ptx::Statement;

// Files by number, and the line that a .loc belongs to: that of the user's own code where a header was inlined.
class Places {
 public:
  explicit Places(const ptx::Module& module) {
    for (const ptx::ModuleItem& item : module.items) {
      if (const auto* file = std::get_if<ptx::SourceFile>(&item)) files_[file->index] = file->name;
    }
  }
  SourcePlace of(const ptx::Location& location) const {
    if (location.inlined_at && is_header(location.file))
      return {name(location.inlined_at->file), location.inlined_at->line};
    return {name(location.file), location.line};
  }

 private:
  std::string name(int file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? "" : found->second;
  }
  bool is_header(int file) const { return name(file).starts_with("cuda/"); }

  std::map<int, std::string> files_;
};

void flatten(const ptx::CompoundStatement& compound, const Places& places, SourcePlace& place,
             std::vector<Line>& lines) {
  for (const Statement& statement : compound.statements) {
    if (const auto* inner = std::get_if<ptx::CompoundStatement>(&statement.value)) {
      lines.push_back({Line::Kind::open, {}, -1, -1, place});
      flatten(*inner, places, place, lines);
      lines.push_back({Line::Kind::close, {}, -1, -1, place});
      continue;
    }
    if (const auto* location = std::get_if<ptx::Location>(&statement.value)) place = places.of(*location);
    lines.push_back({Line::Kind::statement, statement, -1, -1, place});
  }
}

ptx::CompoundStatement nested(const std::vector<Line>& lines, size_t& at) {
  ptx::CompoundStatement compound;
  while (at < lines.size()) {
    const Line& line = lines[at++];
    if (line.kind == Line::Kind::close) return compound;
    if (line.kind == Line::Kind::open) {
      compound.statements.push_back({nested(lines, at)});
    } else {
      compound.statements.push_back(line.statement);
    }
  }
  return compound;
}

// "%r" and 12 of "%r12"; nothing if it does not end in digits.
std::optional<std::pair<std::string, int>> numbered(const std::string& name) {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  if (digits == name.size()) return std::nullopt;
  int number = 0;
  const auto [end, failed] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (failed != std::errc()) return std::nullopt;
  return std::pair(name.substr(0, digits), number);
}

// Without other kernels: ptxas would assemble them for each mutant again.
std::string item_text(const ptx::ModuleItem& item) {
  const auto* function = std::get_if<ptx::Function>(&item);
  if (function != nullptr && function->is_entry) return "";
  ptx::Module one;
  one.items.push_back(item);
  const std::string text = ptx::print(one);  // with a head of its own, which is cut off: three lines
  size_t cut = 0;
  for (int line = 0; line < 3; ++line) cut = text.find('\n', cut) + 1;
  return text.substr(cut);
}

}  // namespace

Result<KernelText> KernelText::parse(std::string_view ptx, const std::string& file_name, const std::string& entry) {
  KernelText text;
  ASSAY_TRY(text.module_, ptx::parse(ptx, file_name));
  bool found = false;
  for (size_t i = 0; i < text.module_.items.size(); ++i) {
    const auto* function = std::get_if<ptx::Function>(&text.module_.items[i]);
    if (function == nullptr || !function->is_entry || !function->body || function->name != entry) continue;
    text.function_ = i;
    found = true;
  }
  if (!found) return Error{fmt::format("there is no kernel '{}' in {}", entry, file_name), {}, "", ExitCode::internal};
  SourcePlace place;
  flatten(*text.function().body, Places(text.module_), place, text.lines);
  for (const Line& line : text.lines) {
    if (const auto* declaration = std::get_if<ptx::RegisterDeclaration>(&line.statement.value))
      text.registers_.push_back(*declaration);
  }
  return text;
}

std::pair<std::string, int64_t> KernelText::shared_variable() const {
  std::pair<std::string, int64_t> best;
  const auto consider = [&](const ptx::Variable& variable) {
    if (variable.space != "shared") return;
    int64_t bytes = 1;
    for (const int64_t extent : variable.dimensions) bytes = extent < 0 || bytes < 0 ? -1 : bytes * extent;
    size_t digits = 0;
    while (digits < variable.type.size() && std::isdigit(static_cast<unsigned char>(variable.type[digits])) == 0)
      ++digits;
    int width = 0;
    std::from_chars(variable.type.data() + digits, variable.type.data() + variable.type.size(), width);
    if (bytes > 0) bytes *= std::max(1, width / 8);
    if (best.first.empty() || bytes < 0 || (best.second >= 0 && bytes > best.second)) best = {variable.name, bytes};
  };
  for (const Line& line : lines) {
    if (const auto* variable = std::get_if<ptx::Variable>(&line.statement.value)) consider(*variable);
  }
  for (const ptx::ModuleItem& item : module_.items) {
    if (const auto* variable = std::get_if<ptx::Variable>(&item)) consider(*variable);
  }
  return best;
}

std::string KernelText::type_of(const std::string& name) const {
  if (const auto own = declared_.find(name); own != declared_.end()) return own->second;
  const auto parts = numbered(name);
  std::string type;
  for (const ptx::RegisterDeclaration& declaration : registers_) {
    for (const ptx::RegisterDeclaration::Name& each : declaration.names) {
      const bool same =
          each.count ? parts && parts->first == each.name && parts->second < *each.count : each.name == name;
      if (same) type = declaration.type;
    }
  }
  return type;
}

int KernelText::width_of(const std::string& name) const {
  const std::string type = type_of(name);
  if (type == "pred") return 1;
  if (type == "f16x2" || type == "bf16x2") return 32;
  if (type == "bf16") return 16;
  size_t digits = 0;
  while (digits < type.size() && std::isdigit(static_cast<unsigned char>(type[digits])) == 0) ++digits;
  int width = 0;
  std::from_chars(type.data() + digits, type.data() + type.size(), width);
  return width;
}

void KernelText::declare(const std::string& type, const std::string& name) {
  if (declared_.contains(name)) return;
  declared_[name] = type;
  ptx::RegisterDeclaration declaration;
  declaration.type = type;
  declaration.names.push_back({name, std::nullopt});
  declarations_.push_back({declaration});
}

void KernelText::declare_variable(const std::string& declaration) {
  if (std::ranges::find(variables_, declaration) == variables_.end()) variables_.push_back(declaration);
}

std::string KernelText::fresh_label() {
  return fmt::format("$L__assay_{}", labels_++);
}

ptx::Function KernelText::rebuilt() const {
  ptx::Function result = function();
  size_t at = 0;
  ptx::CompoundStatement body = nested(lines, at);
  body.statements.insert(body.statements.begin(), declarations_.begin(), declarations_.end());
  result.body = std::move(body);
  return result;
}

void KernelText::add_copy_of_kernel(const std::string& name, const KernelText& other) {
  ptx::Function copy = other.rebuilt();
  copy.name = name;
  copies_.push_back(std::move(copy));
  for (const std::string& variable : other.variables_) declare_variable(variable);
}

// The printer writes a statement a line, so the lines of the function follow from where it begins.
KernelText::Printed KernelText::print() const {
  Printed printed;
  ptx::Module module = module_;
  module.items.clear();
  std::string head = ptx::print(module);
  for (const std::string& variable : variables_) head += fmt::format(".visible .{};\n", variable);
  for (size_t i = 0; i < function_; ++i) head += item_text(module_.items[i]);
  const ptx::Function changed = rebuilt();
  const std::string body = ptx::print(changed);
  const auto newlines = [](std::string_view text) { return static_cast<int>(std::ranges::count(text, '\n')); };
  // In front of the body: the signature, one line, and one for each attribute.
  int number = newlines(head) + 1 + static_cast<int>(changed.attributes.size()) + 1;
  number += static_cast<int>(declarations_.size());
  for (size_t i = 0; i < lines.size(); ++i) printed.by_line[++number] = i;
  printed.text = head + body + "\n";
  for (const ptx::Function& copy : copies_) printed.text += ptx::print(copy) + "\n";
  for (size_t i = function_ + 1; i < module_.items.size(); ++i) printed.text += item_text(module_.items[i]);
  return printed;
}

void KernelText::number() {
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].origin = static_cast<int>(i);
    lines[i].site = -1;
  }
}

std::vector<Line> lines_of(std::string_view text, int site, const SourcePlace& place) {
  const auto module = ptx::parse(
      fmt::format(".version 8.7\n.target sm_90a\n.address_size 64\n.func f()\n{{\n{}\n}}\n", text), "added lines");
  std::vector<Line> lines;
  if (!module) throw std::logic_error(fmt::format("{}: {}", module.error().message, text));  // a mistake of our own
  const auto& function = std::get<ptx::Function>(module->items.front());
  for (const Statement& statement : function.body->statements) {
    lines.push_back({Line::Kind::statement, statement, -1, site, place});
  }
  return lines;
}

ptx::Instruction instruction_of(std::string_view text) {
  return *lines_of(text, -1).front().instruction();
}

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

std::string guard_text(const ptx::Instruction& instruction) {
  if (!instruction.guard) return "";
  return fmt::format("@{}{} ", instruction.guard->negated ? "!" : "", instruction.guard->predicate);
}

}  // namespace assay::invert
