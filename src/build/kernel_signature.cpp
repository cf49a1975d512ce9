// SPDX-License-Identifier: MIT
#include "build/kernel_signature.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "build/entry_name.hpp"
#include "build/entry_points.hpp"
#include "ptx/demangle.hpp"
#include "ptx/parser.hpp"
#include "ptx/type.hpp"

namespace assay::build {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Comments become blanks, so that positions stay.
std::string without_comments(std::string_view source) {
  std::string text(source);
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (text[i] == '/' && (text[i + 1] == '/' || text[i + 1] == '*')) {
      const bool line = text[i + 1] == '/';
      const size_t found = text.find(line ? "\n" : "*/", i + 2);
      const size_t end = found == std::string::npos ? text.size() : line ? found : found + 2;
      for (; i < end; ++i) {
        if (text[i] != '\n') text[i] = ' ';
      }
      --i;
    }
  }
  return text;
}

// The position behind the bracket that closes the one at `open`.
size_t behind_bracket(std::string_view text, size_t open) {
  const char opening = text[open];
  const char closing = opening == '(' ? ')' : opening == '<' ? '>' : opening == '[' ? ']' : '}';
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i + 1;
  }
  return text.size();
}

// At commas that no bracket encloses.
std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("(<[{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")>]}").find(text[i]) != std::string_view::npos) --depth;
    if (text[i] != ',' || depth > 0) continue;
    parts.emplace_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (!trim(text.substr(begin)).empty()) parts.emplace_back(trim(text.substr(begin)));
  return parts;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (is_word(text[i])) {
      size_t end = i;
      while (end < text.size() &&
             (is_word(text[end]) || (text[end] == ':' && end + 2 < text.size() && text[end + 1] == ':')))
        end += text[end] == ':' ? 2 : 1;
      words.emplace_back(text.substr(i, end - i));
      i = end;
    } else if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
      ++i;
    } else {
      words.emplace_back(1, text[i++]);
    }
  }
  return words;
}

struct ElementType {
  std::string dtype;
  size_t vector = 1;
  size_t bytes = 0;
};

// What a C++ type of one element is to us.
std::optional<ElementType> element_type(std::vector<std::string> words) {
  static const std::set<std::string> kIgnored{"const",  "volatile", "__restrict__",      "__restrict", "restrict",
                                              "struct", "&",        "__grid_constant__", "typename"};
  std::erase_if(words, [](const std::string& word) { return kIgnored.contains(word); });
  std::string name;
  for (std::string& word : words) {
    if (word.starts_with("std::")) word = word.substr(5);
    name += (name.empty() ? "" : " ") + word;
  }
  static const std::map<std::string, ElementType> kTypes{{"float", {"f32", 1, 4}},
                                                         {"double", {"f64", 1, 8}},
                                                         {"__half", {"f16", 1, 2}},
                                                         {"half", {"f16", 1, 2}},
                                                         {"__nv_bfloat16", {"bf16", 1, 2}},
                                                         {"nv_bfloat16", {"bf16", 1, 2}},
                                                         {"__nv_fp8_e4m3", {"e4m3", 1, 1}},
                                                         {"__nv_fp8_e5m2", {"e5m2", 1, 1}},
                                                         {"__half2", {"f16", 2, 4}},
                                                         {"half2", {"f16", 2, 4}},
                                                         {"__nv_bfloat162", {"bf16", 2, 4}},
                                                         {"bool", {"bool", 1, 1}},
                                                         {"char", {"i8", 1, 1}},
                                                         {"signed char", {"i8", 1, 1}},
                                                         {"unsigned char", {"u8", 1, 1}},
                                                         {"short", {"i16", 1, 2}},
                                                         {"unsigned short", {"u16", 1, 2}},
                                                         {"int", {"i32", 1, 4}},
                                                         {"signed", {"i32", 1, 4}},
                                                         {"unsigned", {"u32", 1, 4}},
                                                         {"unsigned int", {"u32", 1, 4}},
                                                         {"uint", {"u32", 1, 4}},
                                                         {"long", {"i64", 1, 8}},
                                                         {"long int", {"i64", 1, 8}},
                                                         {"long long", {"i64", 1, 8}},
                                                         {"long long int", {"i64", 1, 8}},
                                                         {"unsigned long", {"u64", 1, 8}},
                                                         {"unsigned long int", {"u64", 1, 8}},
                                                         {"unsigned long long", {"u64", 1, 8}},
                                                         {"unsigned long long int", {"u64", 1, 8}},
                                                         {"size_t", {"u64", 1, 8}},
                                                         {"ptrdiff_t", {"i64", 1, 8}},
                                                         {"int8_t", {"i8", 1, 1}},
                                                         {"uint8_t", {"u8", 1, 1}},
                                                         {"int16_t", {"i16", 1, 2}},
                                                         {"uint16_t", {"u16", 1, 2}},
                                                         {"int32_t", {"i32", 1, 4}},
                                                         {"uint32_t", {"u32", 1, 4}},
                                                         {"int64_t", {"i64", 1, 8}},
                                                         {"uint64_t", {"u64", 1, 8}},
                                                         {"float2", {"f32", 2, 8}},
                                                         {"float4", {"f32", 4, 16}},
                                                         {"double2", {"f64", 2, 16}},
                                                         {"int2", {"i32", 2, 8}},
                                                         {"int4", {"i32", 4, 16}},
                                                         {"uint2", {"u32", 2, 8}},
                                                         {"uint4", {"u32", 4, 16}},
                                                         {"char2", {"i8", 2, 2}},
                                                         {"char4", {"i8", 4, 4}},
                                                         {"uchar2", {"u8", 2, 2}},
                                                         {"uchar4", {"u8", 4, 4}},
                                                         {"short2", {"i16", 2, 4}},
                                                         {"short4", {"i16", 4, 8}},
                                                         {"ushort2", {"u16", 2, 4}},
                                                         {"ushort4", {"u16", 4, 8}},
                                                         {"float3", {"f32", 3, 12}},
                                                         {"int3", {"i32", 3, 12}},
                                                         {"uint3", {"u32", 3, 12}},
                                                         {"double4", {"f64", 4, 32}},
                                                         {"longlong2", {"i64", 2, 16}},
                                                         {"float1", {"f32", 1, 4}},
                                                         {"cuFloatComplex", {"c64", 1, 8}},
                                                         {"cuComplex", {"c64", 1, 8}},
                                                         {"cudaTextureObject_t", {"u64", 1, 8}},
                                                         {"cudaSurfaceObject_t", {"u64", 1, 8}},
                                                         {"CUtexObject", {"u64", 1, 8}},
                                                         {"CUsurfObject", {"u64", 1, 8}},
                                                         {"void", {"u8", 1, 1}}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

// A declaration such as "const float* __restrict__ x" or, without a name, "float const*".
SignatureValue declared(std::string text, bool named) {
  SignatureValue value;
  if (const size_t inner = text.find("(*"); inner != std::string::npos) {  // float (*rows)[64]: rows of an array
    const size_t end = text.find(')', inner);
    text = text.substr(0, inner) + "*" + text.substr(inner + 2, end == std::string::npos ? end : end - inner - 2);
  }
  std::vector<std::string> words = words_of(text.substr(0, text.find('=')));
  while (!words.empty() && words.back() == "]") {  // x[]
    while (!words.empty() && words.back() != "[") words.pop_back();
    if (!words.empty()) words.pop_back();
    value.pointer = true;
  }
  if (named && words.size() > 1 && is_word(words.back()[0]) && words.back() != "__restrict__" &&
      words.back() != "const") {
    value.name = words.back();
    words.pop_back();
  }
  for (const std::string& word : words) value.type += (value.type.empty() || word == "*" ? "" : " ") + word;
  const auto star = std::ranges::find(words, "*");
  if (star != words.end()) {
    value.pointer = true;
    value.constant = std::find(words.begin(), star, "const") != star;
  }
  if (const auto type = element_type({words.begin(), star}); type && std::count(words.begin(), words.end(), "*") <= 1) {
    value.dtype = type->dtype;
    value.vector = type->vector;
    value.bytes = value.pointer ? 8 : type->bytes;
  }
  if (value.pointer) value.bytes = 8;
  return value;
}

// "(...)" of the kernel's declaration in the source, the one with a body if there are several.
std::vector<std::string> declaration_of(const std::string& source, const std::string& name, bool marked = true) {
  for (size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
    const bool whole = (at == 0 || !is_word(source[at - 1])) && at + name.size() < source.size();
    size_t open = at + name.size();
    while (open < source.size() && std::isspace(static_cast<unsigned char>(source[open])) != 0) ++open;
    if (!whole || open >= source.size() || source[open] != '(') continue;
    const size_t global = source.rfind("__global__", at);
    const bool is_marked =
        global != std::string::npos && source.substr(global, at - global).find_first_of(";{}") == std::string::npos;
    if (marked && !is_marked) continue;
    const size_t close = behind_bracket(source, open);
    size_t next = close;
    while (next < source.size() && std::isspace(static_cast<unsigned char>(source[next])) != 0) ++next;
    if (next < source.size() && source[next] == '{') return split_list(source.substr(open + 1, close - open - 2));
  }
  return {};
}

// Of "[4]"; 0 if it is anything else, or more than a person would want to see one by one.
size_t array_count(const std::string& brackets) {
  constexpr int kMost = 16;
  const std::vector<std::string> words = words_of(brackets);
  if (words.size() != 3 || words[2] != "]" || words[1].find_first_not_of("0123456789") != std::string::npos) return 0;
  const int count = std::atoi(words[1].c_str());
  return count >= 1 && count <= kMost ? static_cast<size_t>(count) : 0;
}

// The members of a structure that the source defines, laid out as C++ does; empty if one of them is not understood.
std::vector<SignatureValue> members_of(const std::string& source, const std::string& type) {
  std::vector<SignatureValue> members;
  for (size_t at = source.find(type); at != std::string::npos; at = source.find(type, at + 1)) {
    const size_t open = source.find_first_not_of(" \n\t\r", at + type.size());
    const bool whole = at > 0 && !is_word(source[at - 1]) && open != std::string::npos && source[open] == '{';
    if (!whole) continue;
    const std::string body = source.substr(open + 1, behind_bracket(source, open) - open - 2);
    size_t end = 0;
    for (const std::string_view line : split(body, ';')) {
      if (trim(line).empty()) continue;
      const std::vector<std::string> names = split_list(line);
      SignatureValue first = declared(names.front().substr(0, names.front().find('[')), true);
      for (size_t i = 0; i < names.size(); ++i) {
        SignatureValue member = first;
        const size_t bracket = names[i].find('[');
        if (i > 0) member.name = std::string(trim(std::string_view(names[i]).substr(0, bracket)));
        const size_t count = bracket == std::string::npos ? 1 : array_count(names[i].substr(bracket));
        const bool understood = member.bytes > 0 && !member.name.empty() && count > 0 &&
                                names[i].find_first_of("({:") == std::string::npos &&
                                std::ranges::all_of(member.name, is_word) && (member.pointer || member.vector == 1);
        if (!understood) return {};
        for (size_t element = 0; element < count; ++element) {
          SignatureValue one = member;
          if (bracket != std::string::npos) one.name += fmt::format("_{}", element);
          one.offset = (end + one.bytes - 1) / one.bytes * one.bytes;
          end = one.offset + one.bytes;
          members.push_back(std::move(one));
        }
      }
    }
    return members;
  }
  return members;
}

// Which parameters, and at which offset in them, a register's value comes from.
using Origins = std::set<std::pair<size_t, int64_t>>;

// Follows pointers from the parameters to loads and stores.
class Flow {
 public:
  Flow(const ptx::Function& function, const std::set<std::string>& dynamic_shared,
       const std::map<std::string, SignatureConstant>& constants, KernelSignature& signature)
      : function_(function), dynamic_shared_(dynamic_shared), constants_(constants), signature_(signature) {
    for (size_t i = 0; i < function.parameters.size(); ++i) parameters_[function.parameters[i].name] = i;
  }

  void run() {
    for (int round = 0; round < 3; ++round) visit(*function_.body);  // loops carry values back
  }

 private:
  void visit(const ptx::Block& block) {
    for (const ptx::Statement& statement : block.statements) {
      if (const auto* inner = std::get_if<ptx::Block>(&statement.value)) visit(*inner);
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.value)) visit(*instruction);
    }
  }

  static bool has(const ptx::Instruction& instruction, std::string_view modifier) {
    return std::ranges::any_of(instruction.modifiers,
                               [&](const std::string& each) { return each.starts_with(modifier); });
  }

  void note(const std::string& name) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const char suffix = "xyz"[axis];
      if (name == fmt::format("%ctaid.{}", suffix)) signature_.block_index[axis] = true;
      if (name == fmt::format("%tid.{}", suffix)) signature_.thread_index[axis] = true;
    }
    if (dynamic_shared_.contains(name)) signature_.dynamic_shared = true;
    const auto constant = constants_.find(name);
    const bool new_one =
        constant != constants_.end() &&
        std::ranges::find(signature_.constants, name, &SignatureConstant::name) == signature_.constants.end();
    if (new_one) signature_.constants.push_back(constant->second);
    if (name == "%ntid.x") signature_.block_size = true;
    if (name.starts_with("%nctaid")) signature_.grid_size = true;
    if (name == "%envreg1" || name == "%envreg2") signature_.grid_barrier = true;
  }

  Origins origins_of(const ptx::Operand& operand) {
    Origins origins;
    const auto take = [&](const std::string& name) {
      note(name);
      if (const auto found = registers_.find(name); found != registers_.end())
        origins.insert(found->second.begin(), found->second.end());
      if (const auto found = parameters_.find(name); found != parameters_.end()) origins.insert({found->second, 0});
    };
    if (const auto* identifier = std::get_if<ptx::Identifier>(&operand.value)) take(identifier->name);
    if (const auto* symbol = std::get_if<ptx::OffsetSymbol>(&operand.value)) note(symbol->name);
    if (const auto* address = std::get_if<ptx::AddressOperand>(&operand.value)) {
      for (const ptx::Operand& base : address->base) {
        const auto* identifier = std::get_if<ptx::Identifier>(&base.value);
        if (identifier == nullptr) continue;
        if (const auto found = parameters_.find(identifier->name); found != parameters_.end()) {
          origins.insert({found->second, address->offset});
        } else {
          take(identifier->name);
        }
      }
    }
    if (const auto* vector = std::get_if<ptx::VectorOperand>(&operand.value)) {
      for (const ptx::Operand& element : vector->elements) origins.merge(origins_of(element));
    }
    return origins;
  }

  // The element that an access moves, as its last modifier has it: what neither name nor source tell is taken from
  // here.
  static std::string moved_type(const ptx::Instruction& instruction) {
    static const std::map<std::string, std::string> kTypes{
        {"f16", "f16"}, {"b16", "f16"}, {"f32", "f32"}, {"b32", "f32"},  {"f64", "f64"}, {"b64", "f64"},
        {"u8", "u8"},   {"b8", "u8"},   {"s8", "i8"},   {"u16", "u16"},  {"s16", "i16"}, {"u32", "u32"},
        {"s32", "i32"}, {"u64", "u64"}, {"s64", "i64"}, {"bf16", "bf16"}};
    const auto found = instruction.modifiers.empty() ? kTypes.end() : kTypes.find(instruction.modifiers.back());
    return found == kTypes.end() ? "" : found->second;
  }

  void mark(const ptx::Instruction& instruction, const Origins& origins, bool read, bool written, bool atomic) {
    for (const auto& [parameter, offset] : origins) {
      for (SignatureValue& value : signature_.parameters[parameter].values) {
        if (!value.pointer || static_cast<int64_t>(value.offset) != offset) continue;
        value.read = value.read || read;
        value.written = value.written || written;
        value.atomic = value.atomic || atomic;
        if (value.type.empty() && value.dtype.empty()) value.dtype = moved_type(instruction);
      }
    }
  }

  // A texture or surface object is a number, and only the instructions that take it tell what it is.
  void mark_object(const ptx::Instruction& instruction, const Origins& origins) {
    const bool surface = instruction.opcode.starts_with("su");
    const bool load = instruction.opcode != "sust";
    std::string geometry;
    for (const std::string& modifier : instruction.modifiers) {
      static const std::set<std::string> kGeometries{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
      if (kGeometries.contains(modifier)) geometry = modifier;
    }
    if (!surface && geometry == "1d" && instruction.modifiers.back() == "s32") geometry = "linear";
    for (const auto& [parameter, offset] : origins) {
      for (SignatureValue& value : signature_.parameters[parameter].values) {
        if (static_cast<int64_t>(value.offset) != offset || value.bytes != 8) continue;
        value.object = surface ? "surface" : "texture";
        if (!geometry.empty()) value.geometry = geometry;
        value.pointer = false;
        if (geometry.empty()) continue;  // a question about its size
        value.read = value.read || load;
        value.written = value.written || (surface && instruction.opcode != "suld");
        value.dtype = texel_type(instruction, surface);
        if (surface) value.vector = has(instruction, "v4") ? 4 : has(instruction, "v2") ? 2 : 1;
      }
    }
  }

  // The last modifiers of a fetch are the types of its result and of its coordinates.
  static std::string texel_type(const ptx::Instruction& instruction, bool surface) {
    const std::vector<std::string>& names = instruction.modifiers;
    const std::string result = names.size() > 1 ? names[names.size() - 2] : "";
    if (!surface) return result == "u32" ? "u32" : result == "s32" ? "i32" : "f32";
    return has(instruction, "b8") ? "u8" : has(instruction, "b16") ? "u16" : has(instruction, "u32") ? "u32" : "f32";
  }

  void give(const ptx::Operand& to, const Origins& origins) {
    if (const auto* identifier = std::get_if<ptx::Identifier>(&to.value))
      registers_[identifier->name].insert(origins.begin(), origins.end());
    if (const auto* vector = std::get_if<ptx::VectorOperand>(&to.value)) {
      for (const ptx::Operand& element : vector->elements) give(element, origins);
    }
  }

  // Registers may hold the address of a parameter, which is not what the parameter holds:
  //   mov.b64 %rd2, kernel_param_0; add.s64 %rd1, %rd2, 32; ld.param.u64 %rd3, [%rd1+-24];
  void follow_place(const ptx::Instruction& instruction) {
    const std::vector<ptx::Operand>& operands = instruction.operands;
    const auto* const to = operands.size() > 1 ? std::get_if<ptx::Identifier>(&operands[0].value) : nullptr;
    const auto* const from = operands.size() > 1 ? std::get_if<ptx::Identifier>(&operands[1].value) : nullptr;
    if (to == nullptr || from == nullptr) return;
    const auto known = places_.find(from->name);
    if (instruction.opcode == "mov" && parameters_.contains(from->name)) {
      places_[to->name] = {parameters_.at(from->name), 0};
    } else if ((instruction.opcode == "mov" || instruction.opcode == "cvta") && known != places_.end()) {
      places_[to->name] = known->second;
    } else if (instruction.opcode == "add" && known != places_.end() && operands.size() > 2) {
      if (const auto* const by = std::get_if<ptx::IntegerLiteral>(&operands[2].value))
        places_[to->name] = {known->second.first, known->second.second + static_cast<int64_t>(by->bits)};
    }
  }

  std::optional<std::pair<size_t, int64_t>> place_of(const ptx::Operand& operand) const {
    const auto* const address = std::get_if<ptx::AddressOperand>(&operand.value);
    if (address == nullptr || address->base.empty()) return std::nullopt;
    const auto* const base = std::get_if<ptx::Identifier>(&address->base.front().value);
    const auto found = base == nullptr ? places_.end() : places_.find(base->name);
    if (found == places_.end()) return std::nullopt;
    return std::pair(found->second.first, found->second.second + address->offset);
  }

  void visit(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const std::vector<ptx::Operand>& operands = instruction.operands;
    std::vector<Origins> origins;
    for (const ptx::Operand& operand : operands) origins.push_back(origins_of(operand));
    if (operands.empty()) return;
    follow_place(instruction);
    if (opcode == "ld" && operands.size() > 1) {
      if (const auto place = place_of(operands[1])) {
        give(operands[0], {*place});
      } else if (has(instruction, "param")) {
        give(operands[0], origins[1]);
      } else {
        mark(instruction, origins[1], true, false, false);
      }
    } else if (opcode == "st") {
      if (has(instruction, "param") || has(instruction, "local")) {
        // An argument of a call: what the callee does with it is not followed, so it may do either.
        if (operands.size() > 1 && has(instruction, "param")) mark(instruction, origins[1], true, true, false);
      } else {
        mark(instruction, origins[0], false, true, false);
      }
    } else if (opcode == "tex" || opcode == "tld4" || opcode == "txq" || opcode == "suld" || opcode == "sust" ||
               opcode == "sured" || opcode == "suq") {
      for (size_t i = 0; i < operands.size(); ++i) {
        if (std::holds_alternative<ptx::AddressOperand>(operands[i].value)) mark_object(instruction, origins[i]);
      }
    } else if (opcode == "atom" || opcode == "red") {
      mark(instruction, origins[opcode == "atom" && operands.size() > 1 ? 1 : 0], true, true, true);
    } else if (opcode.starts_with("cp") || opcode == "ldmatrix" || opcode == "wmma" || opcode == "prefetch") {
      const bool stores =
          has(instruction, "store") || (has(instruction, "global") && opcode == "cp" && has(instruction, "bulk") &&
                                        !instruction.modifiers.empty() && instruction.modifiers[0] == "reduce");
      for (const Origins& each : origins) mark(instruction, each, !stores, stores, false);
    } else {
      Origins all;
      for (size_t i = 1; i < origins.size(); ++i) all.insert(origins[i].begin(), origins[i].end());
      give(operands[0], all);
    }
  }

  const ptx::Function& function_;
  const std::set<std::string>& dynamic_shared_;
  const std::map<std::string, SignatureConstant>& constants_;
  KernelSignature& signature_;
  std::map<std::string, size_t> parameters_;
  std::map<std::string, Origins> registers_;
  std::map<std::string, std::pair<size_t, int64_t>>
      places_;  // registers that hold a parameter's address, and where in it
};

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
    value.vector = 1;
    parameter.values.push_back(value);
    return parameter;
  }
  parameter.structure = true;
  for (const std::string& word : words) {
    if (word == "const" || word == "__grid_constant__" || !is_word(word[0])) continue;
    const size_t last = word.rfind("::");
    parameter.values = members_of(source, last == std::string::npos ? word : word.substr(last + 2));
    if (!parameter.values.empty()) break;
  }
  return parameter;
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
                                                       std::string_view source) {
  ASSAY_TRY(const ptx::Module module, ptx::parse(ptx, file_name));
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
      constants.emplace(variable->name, constant_of(*variable, text));
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
    const std::vector<std::string> types = demangled_types(function->name);
    const bool same = declarations.size() == function->parameters.size();
    const bool typed = types.size() == function->parameters.size();
    for (size_t i = 0; i < function->parameters.size(); ++i)
      signature.parameters.push_back(
          parameter_of(function->parameters[i], i, same ? declarations[i] : "", typed ? types[i] : "", text));
    for (const ptx::FunctionAttribute& attribute : function->attributes) {
      if (attribute.name == "maxntid") {
        signature.max_threads = 1;
        for (const int64_t value : attribute.values) signature.max_threads *= static_cast<int>(value);
      }
      if (attribute.name == "reqntid") signature.required_threads = attribute.values;
      if (attribute.name == "reqnctapercluster") signature.cluster = attribute.values;
    }
    Flow(*function, dynamic_shared, constants, signature).run();
    if (source.empty()) name_the_size(signature);
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

std::optional<int64_t> launched_threads(std::string_view source, std::string_view kernel) {
  const std::string text = without_comments(source);
  for (size_t at = text.find("<<<"); at != std::string::npos; at = text.find("<<<", at + 3)) {
    const size_t end = text.find(">>>", at);
    if (end == std::string::npos) return std::nullopt;
    size_t begin = at;
    while (begin > 0 && std::string_view(" \n\t;{}").find(text[begin - 1]) == std::string_view::npos) --begin;
    if (text.substr(begin, at - begin).find(kernel) == std::string::npos) continue;
    const std::vector<std::string> arguments = split_list(std::string_view(text).substr(at + 3, end - at - 3));
    if (arguments.size() < 2) continue;
    std::string value = arguments[1];
    if (!value.empty() && std::isdigit(static_cast<unsigned char>(value[0])) == 0) {
      // #define NAME 256, constexpr int NAME = 256, const int NAME = 256
      for (size_t found = text.find(value); found != std::string::npos; found = text.find(value, found + 1)) {
        size_t digits = found + value.size();
        while (digits < text.size() && (text[digits] == ' ' || text[digits] == '=')) ++digits;
        if (digits == found + value.size() || digits >= text.size() ||
            std::isdigit(static_cast<unsigned char>(text[digits])) == 0)
          continue;
        value = text.substr(digits, 8);
        break;
      }
    }
    int64_t threads = 0;
    for (const char digit : value) {
      if (std::isdigit(static_cast<unsigned char>(digit)) == 0) break;
      threads = 10 * threads + (digit - '0');
    }
    if (threads >= 1 && threads <= 1024) return threads;
  }
  return std::nullopt;
}

}  // namespace assay::build
