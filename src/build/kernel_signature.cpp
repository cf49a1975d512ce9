// SPDX-License-Identifier: MIT
#include "build/kernel_signature.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "build/debug_signature.hpp"
#include "build/entry_name.hpp"
#include "build/entry_points.hpp"
#include "build/pointer_flow.hpp"
#include "build/source_declaration.hpp"
#include "build/structure_members.hpp"
#include "ptx/debug_info.hpp"
#include "ptx/demangle.hpp"
#include "ptx/parser.hpp"
#include "ptx/type.hpp"
#include "spec/expression.hpp"

namespace assay::build {
namespace {

// The types in the parameter list of "void f<float>(float const*, int)", if the name tells them.
std::vector<std::string> demangled_types(const std::string& entry) {
  const std::string plain = ptx::demangle(entry);
  if (plain == entry || !plain.ends_with(')')) return {};
  int depth = 0;
  for (size_t i = plain.size(); i-- > 0;) {
    if (plain[i] == ')') ++depth;
    if (plain[i] == '(' && --depth == 0) return split_list(std::string_view(plain).substr(i + 1, plain.size() - i - 2));
  }
  return {};
}

SignatureParameter parameter_of(const ptx::Variable& variable, size_t index, const std::string& declaration,
                                const std::string& type, const std::string& source) {
  SignatureParameter parameter;
  parameter.bytes = declared_bytes(variable);
  SignatureValue value = declaration.empty() ? SignatureValue() : declared(declaration, true);
  const std::string name = value.name.empty() ? fmt::format("p{}", index) : value.name;
  if (!type.empty()) {  // what the compiler made of it goes before what the source calls it
    value = declared(type, false);
    value.name = name;
  }
  value.name = parameter.name = name;
  const bool scalar = !value.pointer && !value.dtype.empty() && value.vector == 1;
  if ((value.pointer && parameter.bytes == 8) || (scalar && value.bytes == parameter.bytes)) {
    parameter.values.push_back(value);
    return parameter;
  }
  if (value.type.empty() && variable.dimensions.empty() &&
      parameter.bytes < 8) {  // a number, of which PTX tells the type
    static const std::map<std::string, std::string> kNumbers{{"f32", "f32"}, {"u32", "i32"}, {"s32", "i32"},
                                                             {"b32", "i32"}, {"u16", "u16"}, {"s16", "i16"},
                                                             {"u8", "u8"},   {"s8", "i8"}};
    const auto number = kNumbers.find(variable.type);
    if (number != kNumbers.end()) {
      value.dtype = number->second;
      value.bytes = parameter.bytes;
      parameter.values.push_back(value);
      return parameter;
    }
  }
  if (value.type.empty() && parameter.bytes == 8) {  // nobody tells; most parameters of 8 bytes are pointers
    value.pointer = true;
    value.bytes = 8;
    parameter.values.push_back(value);
    return parameter;
  }
  std::vector<std::string> words = words_of(value.type);
  const bool enumeration = std::ranges::any_of(words, [&](const std::string& word) {
    const size_t last = word.rfind("::");
    const std::string plain = last == std::string::npos ? word : word.substr(last + 2);
    return source.find("enum " + plain) != std::string::npos || source.find("enum class " + plain) != std::string::npos;
  });
  if (enumeration && (parameter.bytes == 1 || parameter.bytes == 2 || parameter.bytes == 4)) {
    value.dtype = fmt::format("i{}", 8 * parameter.bytes);
    value.bytes = parameter.bytes;
    value.pointer = false;
    value.enumeration = true;
    value.vector = 1;
    parameter.values.push_back(value);
    return parameter;
  }
  parameter.structure = true;
  if (!value.pointer && value.vector > 1 && value.bytes == parameter.bytes) {
    parameter.values = parts_of_vector(value);
  } else {
    parameter.values = members_of(source, value.type, parameter.bytes);
  }
  return parameter;
}

// "Ts... rest" stands for as many parameters as are left.
void expand_pack(std::vector<std::string>& declarations, size_t parameters) {
  if (declarations.empty() || declarations.size() > parameters + 1) return;
  std::string pack = declarations.back();
  const size_t dots = pack.find("...");
  if (dots == std::string::npos) return;
  pack.replace(dots, 3, " ");
  declarations.pop_back();
  for (size_t i = 0; declarations.size() < parameters; ++i) declarations.push_back(fmt::format("{}_{}", pack, i));
}

// The rank of a thread in a group is computed of all three axes, whichever of them the kernel was written for.
void forget_axes_of_groups(const std::string& source, KernelSignature& signature) {
  if (source.find("cooperative_groups") == std::string::npos || !signature.thread_index[2]) return;
  for (size_t axis = 1; axis < 3; ++axis) {
    if (source.find(fmt::format("threadIdx.{}", "xyz"[axis])) != std::string::npos ||
        source.find(fmt::format("thread_index().{}", "xyz"[axis])) != std::string::npos)
      return;
  }
  for (size_t axis = 1; axis < 3; ++axis) {
    signature.thread_index[axis] = false;
    if (source.find(fmt::format("blockIdx.{}", "xyz"[axis])) == std::string::npos &&
        source.find(fmt::format("group_index().{}", "xyz"[axis])) == std::string::npos)
      signature.block_index[axis] = false;
  }
  signature.block_size = true;
}

// Its type is that of its declaration in the source: of arrays PTX tells bytes alone.
SignatureConstant constant_of(const ptx::Variable& variable, const std::string& source) {
  SignatureConstant constant;
  constant.name = variable.name;
  constant.plain = readable_entry(variable.name);
  if (const size_t last = constant.plain.rfind("::"); last != std::string::npos)
    constant.plain = constant.plain.substr(last + 2);
  constant.bytes = declared_bytes(variable);
  for (size_t at = source.find("__constant__"); at != std::string::npos; at = source.find("__constant__", at + 1)) {
    const std::string line = source.substr(at, source.find_first_of(";=", at) - at);
    std::vector<std::string> words = words_of(line.substr(std::string_view("__constant__").size()));
    const auto name = std::ranges::find(words, constant.plain);
    if (name == words.end()) continue;
    words.erase(name, words.end());
    std::erase_if(words,
                  [](const std::string& word) { return word == "static" || word == "extern" || word == "__device__"; });
    const auto type = element_type(words);
    if (!type || constant.bytes % (type->bytes / type->vector) != 0) continue;
    constant.dtype = type->dtype;
    constant.element_bytes = type->bytes / type->vector;
    return constant;
  }
  return constant;
}

// Two structures may have members of one name: those get their structure's before it.
void make_names_differ(KernelSignature& signature) {
  std::map<std::string, int> uses;
  for (const SignatureParameter& parameter : signature.parameters) {
    for (const SignatureValue& value : parameter.values) ++uses[value.name];
  }
  for (SignatureParameter& parameter : signature.parameters) {
    for (SignatureValue& value : parameter.values) {
      if (parameter.structure && uses[value.name] > 1) value.name = parameter.name + "_" + value.name;
    }
  }
}

// Debug information, if there is any that can be read.
class Described {
 public:
  Described(const ptx::Module& module, std::string_view debug_ptx, const std::string& file_name) {
    auto read = debug_ptx.empty() ? ptx::DebugInfo::read(module) : read_text(debug_ptx, file_name);
    if (!read) {
      why_ = "the debug information cannot be read: " + read.error().message;
      return;
    }
    if (read->entries().empty()) return;
    info_ = *std::move(read);
    signatures_.emplace(*info_);
  }

  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  // Replaces what was read from the text.
  void take(const ptx::Function& function, KernelSignature& signature) const {
    if (!signatures_) {
      signature.missing = {why_};
      return;
    }
    std::vector<size_t> bytes;
    for (const ptx::Variable& parameter : function.parameters) bytes.push_back(declared_bytes(parameter));
    auto parameters = signatures_->parameters(function.name, bytes, signature.missing);
    if (!parameters) return;
    signature.from_debug_information = signature.missing.empty();
    for (size_t i = 0; i < bytes.size(); ++i) {
      SignatureParameter& parameter = (*parameters)[i];
      const bool described = !parameter.structure || !parameter.values.empty() || parameter.bytes == 1;
      if (described) {
        signature.parameters[i] = std::move(parameter);
      } else if (signature.parameters[i].values.empty()) {
        signature.parameters[i].name = parameter.name;
        signature.parameters[i].notes = std::move(parameter.notes);
      }
    }
  }

  SignatureConstant constant(SignatureConstant constant) const {
    const auto type = signatures_ ? signatures_->variable(constant.name) : std::nullopt;
    if (!type || constant.bytes % (type->bytes / type->vector) != 0) return constant;
    constant.dtype = type->dtype;
    constant.element_bytes = type->bytes / type->vector;
    return constant;
  }

 private:
  static Result<ptx::DebugInfo> read_text(std::string_view text, const std::string& file_name) {
    ASSAY_TRY(const ptx::Module module, ptx::parse(text, file_name));
    return ptx::DebugInfo::read(module);
  }

  std::string why_ = "there is no debug information";
  std::optional<ptx::DebugInfo> info_;
  std::optional<DebugSignatures> signatures_;
};

// Without a source parameters have no names; the only integer among them is most likely the number of elements.
void name_the_size(KernelSignature& signature) {
  SignatureValue* only = nullptr;
  size_t integers = 0;
  for (SignatureParameter& parameter : signature.parameters) {
    for (SignatureValue& value : parameter.values) {
      if (value.pointer || value.dtype != "i32") continue;
      ++integers;
      only = &value;
    }
  }
  if (integers == 1) only->name = "n";
}

}  // namespace

Result<std::vector<KernelSignature>> kernel_signatures(std::string_view ptx, const std::string& file_name,
                                                       std::string_view source, std::string_view debug_ptx) {
  ASSAY_TRY(const ptx::Module module, ptx::parse(ptx, file_name));
  const Described described(module, debug_ptx, file_name);
  const std::string text = without_comments(source);
  std::vector<KernelSignature> signatures;
  std::set<std::string> dynamic_shared;
  std::map<std::string, SignatureConstant> constants;
  for (const ptx::ModuleItem& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable != nullptr && variable->space == "shared" && !variable->dimensions.empty() &&
        variable->dimensions[0] < 0)
      dynamic_shared.insert(variable->name);
    if (variable != nullptr && variable->space == "const" && !variable->initializer)
      constants.emplace(variable->name, described.constant(constant_of(*variable, text)));
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->is_entry || !function->body) continue;
    KernelSignature signature;
    signature.entry = function->name;
    signature.readable = readable_entry(function->name);
    std::string plain = signature.readable.substr(0, signature.readable.find('<'));
    if (const size_t last = plain.rfind("::"); last != std::string::npos) plain = plain.substr(last + 2);
    std::vector<std::string> declarations = declaration_of(text, plain);
    if (declarations.size() != function->parameters.size())  // __global__ may stand in a macro
      declarations = declaration_of(text, plain, false);
    expand_pack(declarations, function->parameters.size());
    const std::vector<std::string> types = demangled_types(function->name);
    const bool same = declarations.size() == function->parameters.size();
    const bool typed = types.size() == function->parameters.size();
    for (size_t i = 0; i < function->parameters.size(); ++i)
      signature.parameters.push_back(
          parameter_of(function->parameters[i], i, same ? declarations[i] : "", typed ? types[i] : "", text));
    described.take(*function, signature);
    for (const ptx::FunctionAttribute& attribute : function->attributes) {
      if (attribute.name == "maxntid") {
        signature.max_threads = 1;
        for (const int64_t value : attribute.values) signature.max_threads *= static_cast<int>(value);
      }
      if (attribute.name == "reqntid") signature.required_threads = attribute.values;
      if (attribute.name == "reqnctapercluster") signature.cluster = attribute.values;
    }
    follow_pointers(*function, dynamic_shared, constants, signature);
    if (source.empty() && !signature.from_debug_information) name_the_size(signature);
    forget_axes_of_groups(text, signature);
    signatures.push_back(std::move(signature));
  }
  for (KernelSignature& signature : signatures) make_names_differ(signature);
  // What is const is not written, whatever a callee that was not followed might do.
  for (KernelSignature& signature : signatures) {
    for (SignatureParameter& parameter : signature.parameters) {
      for (SignatureValue& value : parameter.values) {
        if (value.pointer && value.constant) value.written = false;
      }
    }
  }
  return signatures;
}

namespace {

std::optional<int64_t> constant_value(const std::string& text, const std::string& words, int depth);

// What the source defines a name as: #define NAME 8 * 32, constexpr int NAME = 256. Other words behind a name (a
// comparison, an operand) are no definition.
std::optional<int64_t> defined_value(const std::string& text, const std::string& name, int depth) {
  for (size_t found = text.find(name); found != std::string::npos; found = text.find(name, found + 1)) {
    const size_t end = found + name.size();
    if (found == 0 || is_word(text[found - 1]) || end >= text.size() || is_word(text[end])) continue;
    const size_t line = text.find_last_of('\n', found) + 1;  // 0 in the first line
    const std::string before(trim(text.substr(line, found - line)));
    const size_t behind = text.find_first_not_of(" \t", end);
    if (behind == std::string::npos) continue;
    std::string words;
    if (before.starts_with("#") && before.ends_with("define")) {
      words = text.substr(behind, text.find('\n', behind) - behind);
    } else if (text[behind] == '=' && text.compare(behind, 2, "==") != 0) {
      const size_t begin = text.find_last_of(";{}\n", found) + 1;
      const std::string declaration = text.substr(begin, found - begin);
      const bool constant =
          declaration.find("const") != std::string::npos || declaration.find("enum") != std::string::npos;
      if (!constant) continue;
      words = text.substr(behind + 1, text.find_first_of(";,}\n", behind) - behind - 1);
    } else {
      continue;
    }
    return constant_value(text, words, depth + 1);
  }
  return std::nullopt;
}

// A number, a name that the source defines as one, or arithmetic over both: (BM * BN) / TM.
std::optional<int64_t> constant_value(const std::string& text, const std::string& words, int depth) {
  constexpr int kDeepest = 8;  // of definitions that name one another
  if (depth > kDeepest) return std::nullopt;
  std::string plain;
  for (size_t i = 0; i < words.size(); ++i) {  // 128u is 128
    const bool suffix = std::string_view("uUlL").find(words[i]) != std::string_view::npos;
    const bool behind_digit = !plain.empty() && std::isdigit(static_cast<unsigned char>(plain.back())) != 0;
    if (!suffix || !behind_digit) plain += words[i];
  }
  const auto expression = spec::Expression::parse(trim(plain), Place());
  if (!expression) return std::nullopt;
  spec::Bindings scope;
  for (const std::string& name : expression->names()) {
    const auto value = defined_value(text, name, depth);
    if (!value) return std::nullopt;
    scope.emplace(name, *value);
  }
  const auto value = expression->evaluate_integer(scope);
  return value ? std::optional(*value) : std::nullopt;
}

// Threads along one axis of a block.
std::optional<int64_t> constant_number(const std::string& text, const std::string& words) {
  const auto number = constant_value(text, words, 0);
  return number && *number >= 1 && *number <= 1024 ? number : std::nullopt;
}

// The words of "dim3(32, 8)" or of a variable "dim3 threads(32, 8)"; the word itself if it is neither.
std::vector<std::string> extents_of(const std::string& text, const std::string& word) {
  const auto listed = [](const std::string& all, size_t open) {
    const size_t end = behind_bracket(all, open);
    return split_list(std::string_view(all).substr(open + 1, end - open - 2));
  };
  if (word.starts_with("dim3")) {
    const size_t open = word.find_first_of("({");
    return open == std::string::npos ? std::vector<std::string>() : listed(word, open);
  }
  if (word.empty() || !std::ranges::all_of(word, is_word)) return {word};
  for (size_t at = text.find("dim3"); at != std::string::npos; at = text.find("dim3", at + 4)) {
    const std::string line = text.substr(at, text.find(';', at) - at);
    for (size_t found = line.find(word); found != std::string::npos; found = line.find(word, found + 1)) {
      const size_t open = line.find_first_not_of(" =", found + word.size());
      const bool whole = found > 0 && !is_word(line[found - 1]) && open != std::string::npos;
      if (!whole) continue;
      if (line[open] == '(' || line[open] == '{') return listed(line, open);
      if (line.compare(open, 4, "dim3") == 0 && line.find('(', open) != std::string::npos)
        return listed(line, line.find('(', open));
    }
  }
  return {word};
}

// The name before "<<<", without template arguments and namespaces.
std::string_view launched_kernel(std::string_view text, size_t at) {
  std::string_view before = trim(text.substr(0, at));
  if (before.ends_with('>')) {
    size_t open = before.size();
    int depth = 0;
    while (open > 0) {
      const char c = before[--open];
      depth += c == '>' ? 1 : c == '<' ? -1 : 0;
      if (depth == 0) break;
    }
    before = trim(before.substr(0, open));
  }
  size_t begin = before.size();
  while (begin > 0 && is_word(before[begin - 1])) --begin;
  return before.substr(begin);
}

}  // namespace

std::vector<int64_t> launched_block(std::string_view source, std::string_view kernel) {
  const std::string text = without_comments(source);
  if (const size_t last = kernel.rfind("::"); last != std::string_view::npos) kernel.remove_prefix(last + 2);
  for (size_t at = text.find("<<<"); at != std::string::npos; at = text.find("<<<", at + 3)) {
    const size_t end = text.find(">>>", at);
    if (end == std::string::npos) return {};
    if (launched_kernel(text, at) != kernel) continue;
    const std::vector<std::string> arguments = split_list(std::string_view(text).substr(at + 3, end - at - 3));
    if (arguments.size() < 2) continue;
    std::vector<int64_t> block;
    int64_t threads = 1;
    for (const std::string& extent : extents_of(text, std::string(trim(arguments[1])))) {
      const auto number = constant_number(text, extent);
      if (!number) break;
      block.push_back(*number);
      threads *= *number;
    }
    if (!block.empty() && block.size() <= 3 && threads <= 1024 &&
        block.size() == extents_of(text, std::string(trim(arguments[1]))).size())
      return block;
  }
  return {};
}

}  // namespace assay::build
