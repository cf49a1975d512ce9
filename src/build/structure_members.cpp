// SPDX-License-Identifier: MIT
#include "build/structure_members.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "build/source_declaration.hpp"

namespace assay::build {
namespace {

constexpr int kDeepest = 4;           // structures inside structures
constexpr size_t kMostElements = 16;  // of an array: more than a person would want to see one by one
constexpr std::string_view kBlank = " \n\t\r";

struct Layout {
  std::vector<SignatureValue> values;
  size_t bytes = 0;
  size_t alignment = 1;
};

struct Definition {
  std::string body;
  std::map<std::string, std::string> arguments;  // of a template, by the names of its parameters
};

size_t rounded_up(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Of a vector type: int3 like an int, float4 like itself, and no more than 16 bytes.
size_t alignment_of(size_t bytes, size_t parts) {
  return parts == 3 ? bytes / 3 : std::min<size_t>(bytes, 16);
}

std::optional<size_t> number_in(std::string_view text) {
  text = trim(text);
  size_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The names in the "template <...>" that ends right before `at`; empty if none does.
std::vector<std::string> template_parameters(const std::string& source, size_t at) {
  const size_t close = at == 0 ? std::string::npos : source.find_last_not_of(kBlank, at - 1);
  if (close == std::string::npos || source[close] != '>') return {};
  size_t open = close + 1;
  for (int depth = 0; open-- > 0;) {
    if (source[open] == '>') ++depth;
    if (source[open] == '<' && --depth == 0) break;
  }
  if (open > source.size()) return {};
  std::vector<std::string> names;
  for (const std::string& parameter : split_list(std::string_view(source).substr(open + 1, close - open - 1))) {
    const std::vector<std::string> words = words_of(parameter.substr(0, parameter.find('=')));
    names.push_back(words.empty() ? "" : words.back());
  }
  return names;
}

std::optional<Definition> definition_of(const std::string& source, const std::string& type) {
  const size_t angle = type.find('<');
  std::string name(trim(std::string_view(type).substr(0, angle)));
  if (const size_t last = name.rfind("::"); last != std::string::npos) name = name.substr(last + 2);
  if (name.empty() || !std::ranges::all_of(name, is_word)) return std::nullopt;
  for (size_t at = source.find(name); at != std::string::npos; at = source.find(name, at + 1)) {
    const bool whole = at > 0 && !is_word(source[at - 1]);
    const size_t next = source.find_first_not_of(kBlank, at + name.size());
    if (!whole || next == std::string::npos) continue;
    Definition found;
    if (source[next] == '{') {
      found.body = source.substr(next + 1, behind_bracket(source, next) - next - 2);
      const size_t keyword = std::max(source.rfind("struct", at) + 1, source.rfind("class", at) + 1);
      if (angle == std::string::npos || keyword == 0) return found;
      const size_t end = type.rfind('>');
      const std::vector<std::string> names = template_parameters(source, keyword - 1);
      const std::vector<std::string> given =
          split_list(std::string_view(type).substr(angle + 1, end == std::string::npos ? end : end - angle - 1));
      for (size_t i = 0; i < std::min(names.size(), given.size()); ++i) found.arguments[names[i]] = given[i];
      return found;
    }
    const size_t before = source.find_last_not_of(kBlank, at - 1);
    if (source[next] != ';' || before == std::string::npos || source[before] != '}') continue;
    // typedef struct { ... } NAME;
    size_t open = before + 1;
    for (int depth = 0; open-- > 0;) {
      if (source[open] == '}') ++depth;
      if (source[open] == '{' && --depth == 0) break;
    }
    if (open > source.size()) continue;
    found.body = source.substr(open + 1, before - open - 1);
    return found;
  }
  return std::nullopt;
}

// What stands between semicolons and bodies of functions. A structure inside stays one piece.
std::vector<std::string> declarations_in(const std::string& body) {
  std::vector<std::string> all;
  size_t begin = 0;
  bool function = false;
  for (size_t i = 0; i < body.size();) {
    if (body[i] == '(') {
      const std::string before(trim(std::string_view(body).substr(begin, i - begin)));
      function = function || !(before.ends_with("alignas") || before.ends_with("__align__"));
      i = behind_bracket(body, i);
    } else if (body[i] == '{') {
      i = behind_bracket(body, i);
      if (function) begin = i;  // its body: nothing of it is a member
      if (function && i < body.size() && body[i] == ';') begin = ++i;
      function = false;
    } else if (body[i] == ';') {
      if (!function || body.substr(begin, i - begin).find("(*") != std::string::npos)
        all.push_back(body.substr(begin, i - begin));
      begin = ++i;
      function = false;
    } else {
      ++i;
    }
  }
  return all;
}

class Reader {
 public:
  explicit Reader(const std::string& source) : source_(source) {}

  std::optional<Layout> read(const std::string& type, int depth) const {
    const auto definition = depth < kDeepest ? definition_of(source_, type) : std::nullopt;
    if (!definition) return std::nullopt;
    Layout layout;
    for (const std::string& line : declarations_in(definition->body)) {
      if (!add(line, definition->arguments, depth, layout)) return std::nullopt;
    }
    layout.bytes = rounded_up(layout.bytes, layout.alignment);
    return layout;
  }

 private:
  // "public: alignas(16) T x[N], y": the words with the template's arguments in the place of its parameters.
  static std::string substituted(const std::string& line, const std::map<std::string, std::string>& arguments,
                                 size_t& alignment) {
    std::string text;
    const std::vector<std::string> words = words_of(line);
    for (size_t i = 0; i < words.size(); ++i) {
      const bool access = words[i] == "public" || words[i] == "private" || words[i] == "protected";
      if (access && i + 1 < words.size() && words[i + 1] == ":") {
        ++i;
      } else if ((words[i] == "alignas" || words[i] == "__align__") && i + 3 < words.size()) {
        alignment = number_in(words[i + 2]).value_or(0);
        i += 3;
      } else {
        const auto argument = arguments.find(words[i]);
        text += (text.empty() ? "" : " ") + (argument == arguments.end() ? words[i] : argument->second);
      }
    }
    return text;
  }

  static bool is_no_member(const std::string& text) {
    static const std::vector<std::string> kOthers{"using ", "typedef ", "friend ", "static ", "enum ", "static_assert"};
    return text.empty() ||
           std::ranges::any_of(kOthers, [&](const std::string& word) { return text.starts_with(word); });
  }

  bool add(const std::string& line, const std::map<std::string, std::string>& arguments, int depth,
           Layout& layout) const {
    size_t asked = 1;
    const std::string text = substituted(line, arguments, asked);
    if (is_no_member(text)) return true;
    const bool unnamed =
        text.find('{') != std::string::npos && (text.starts_with("struct") || text.starts_with("union"));
    if (asked == 0 || unnamed || text.find_first_of("(:") != text.find("::")) return false;
    std::vector<std::string> names = split_list(text);
    for (std::string& name : names) name = name.substr(0, name.find_first_of("={"));  // what it is initialised with
    const SignatureValue first = declared(names.front().substr(0, names.front().find('[')), true);
    for (size_t i = 0; i < names.size(); ++i) {
      SignatureValue member = first;
      const size_t bracket = names[i].find('[');
      if (i > 0) member.name = std::string(trim(std::string_view(names[i]).substr(0, bracket)));
      const size_t close = bracket == std::string::npos ? bracket : names[i].find(']');
      const bool array = bracket != std::string::npos;
      const auto count =
          array ? number_in(names[i].substr(bracket + 1, close - bracket - 1)) : std::optional<size_t>(1);
      const bool understood = count && *count >= 1 && *count <= kMostElements && !member.name.empty() &&
                              std::ranges::all_of(member.name, is_word) &&
                              (!array || names[i].find('[', close) == std::string::npos);
      if (!understood) return false;
      for (size_t element = 0; element < *count; ++element) {
        SignatureValue one = member;
        if (array) one.name += fmt::format("_{}", element);
        if (!place(one, asked, depth, layout)) return false;
      }
    }
    return true;
  }

  bool place(const SignatureValue& member, size_t asked, int depth, Layout& layout) const {
    Layout inner;
    if (member.pointer || (!member.dtype.empty() && member.vector == 1)) {
      inner = {{member}, member.bytes, member.bytes};
    } else if (!member.dtype.empty()) {
      inner = {parts_of_vector(member), member.bytes, alignment_of(member.bytes, member.vector)};
    } else if (auto nested = read(member.type, depth + 1)) {
      inner = *std::move(nested);
      for (SignatureValue& value : inner.values) value.name = member.name + "_" + value.name;
    } else {
      return false;
    }
    inner.alignment = std::max(inner.alignment, asked);
    const size_t at = rounded_up(layout.bytes, inner.alignment);
    for (SignatureValue& value : inner.values) {
      value.offset += at;
      layout.values.push_back(std::move(value));
    }
    layout.bytes = at + inner.bytes;
    layout.alignment = std::max(layout.alignment, inner.alignment);
    return true;
  }

  const std::string& source_;
};

}  // namespace

std::vector<SignatureValue> parts_of_vector(const SignatureValue& value) {
  std::vector<SignatureValue> parts;
  for (size_t i = 0; i < value.vector; ++i) {
    SignatureValue part = value;
    part.name += fmt::format("_{}", "xyzw"[i]);
    part.bytes = value.bytes / value.vector;
    part.offset = i * part.bytes;
    part.vector = 1;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<SignatureValue> members_of(const std::string& source, const std::string& type, size_t bytes) {
  std::string plain;
  for (const std::string& word : words_of(type)) {
    if (word == "const" && plain.find('<') == std::string::npos) continue;
    if (word == "__grid_constant__" || word == "struct" || word == "class" || word == "typename") continue;
    if (word == "(" || word == ")" || word == "anonymous" || word.starts_with("namespace")) continue;
    plain += (plain.empty() ? "" : " ") + word;
  }
  const auto layout = Reader(source).read(plain, 0);
  return layout && layout->bytes <= bytes ? layout->values : std::vector<SignatureValue>();
}

}  // namespace assay::build
