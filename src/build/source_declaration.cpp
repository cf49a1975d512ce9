// SPDX-License-Identifier: MIT
#include "build/source_declaration.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.hpp"

namespace assay::build {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

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
                                                         {"dim3", {"u32", 3, 12}},
                                                         {"double4", {"f64", 4, 32}},
                                                         {"longlong2", {"i64", 2, 16}},
                                                         {"float1", {"f32", 1, 4}},
                                                         {"cuFloatComplex", {"c64", 1, 8}},
                                                         {"cuComplex", {"c64", 1, 8}},
                                                         {"cuDoubleComplex", {"c128", 1, 16}},
                                                         {"cudaTextureObject_t", {"u64", 1, 8}},
                                                         {"cudaSurfaceObject_t", {"u64", 1, 8}},
                                                         {"CUtexObject", {"u64", 1, 8}},
                                                         {"CUsurfObject", {"u64", 1, 8}},
                                                         {"void", {"u8", 1, 1}}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

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

std::vector<std::string> declaration_of(const std::string& source, const std::string& name, bool marked) {
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

}  // namespace assay::build
