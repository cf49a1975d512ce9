// SPDX-License-Identifier: MIT
#include "formats/python_module.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace assay::formats {
namespace {

using Kind = PythonNode::Kind;
using Names = std::map<std::string, PythonNode>;

constexpr size_t kMostStatements = 20'000;

// Behind a string that begins at `at`; the text's end if it is not closed.
size_t string_end(std::string_view text, size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  if (text.substr(at, 3) == triple) {
    for (size_t i = at + 3; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text.substr(i, 3) == triple) {
        return i + 3;
      }
    }
    return text.size();
  }
  for (size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return text.size();
}

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Where a single '=' stands outside of brackets and strings.
size_t assignment_sign(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = string_end(text, i) - 1;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == '=' && depth == 0) {
      const bool other = (i + 1 < text.size() && text[i + 1] == '=') ||
                         (i > 0 && std::string_view("=!<>+-*/%&|^@:").find(text[i - 1]) != std::string_view::npos);
      return other ? std::string_view::npos : i;
    }
  }
  return std::string_view::npos;
}

PythonNames lookup(const Names& names) {
  return [&names](const std::string& word) -> const PythonNode* {
    const auto found = names.find(word);
    return found == names.end() ? nullptr : &found->second;
  };
}

PythonNode integer_node(int64_t value) {
  PythonNode node;
  node.kind = Kind::integer;
  node.integer = value;
  return node;
}

// An integer or a tuple of integers, as a constant.
std::optional<PythonNode> constant(const PythonNode& node, const Names& names) {
  if (node.is(Kind::list)) {
    const auto values = python_integers(node.parts, lookup(names));
    if (!values) return std::nullopt;
    PythonNode list;
    list.kind = Kind::list;
    for (const int64_t value : *values) list.parts.push_back(integer_node(value));
    return list;
  }
  const auto value = python_integer(node, lookup(names));
  return value ? std::optional(integer_node(*value)) : std::nullopt;
}

struct Assignment {
  std::vector<std::string> names;
  std::vector<PythonNode> values;  // as many, or one for the one name
};

std::optional<Assignment> assignment_of(std::string_view text) {
  const size_t at = assignment_sign(text);
  if (at == std::string_view::npos) return std::nullopt;
  Assignment result;
  for (const std::string_view part : split(text.substr(0, at), ',')) {
    const std::string_view name = trim(part.substr(0, part.find(':')));  // without an annotation
    if (!is_name(name)) return std::nullopt;
    result.names.emplace_back(name);
  }
  const std::string_view right = trim(text.substr(at + 1));
  auto value = parse_python(right);
  if (!value) value = parse_python("(" + std::string(right) + ",)");
  if (!value) return std::nullopt;
  if (result.names.size() == 1) {
    result.values.push_back(std::move(*value));
    return result;
  }
  if (!value->is(Kind::list)) {
    value = parse_python("(" + std::string(right) + ",)");
    if (!value || !value->is(Kind::list)) return std::nullopt;
  }
  if (value->parts.size() != result.names.size()) return std::nullopt;
  result.values = std::move(value->parts);
  return result;
}

bool names_function(std::string_view statement, std::string_view keyword, const std::string& name) {
  if (!statement.starts_with(keyword)) return false;
  const std::string_view rest = trim(statement.substr(keyword.size()));
  if (!rest.starts_with(name)) return false;
  return rest.size() == name.size() || std::string_view("(: ").find(rest[name.size()]) != std::string_view::npos;
}

}  // namespace

std::vector<PythonStatement> python_statements(std::string_view text) {
  std::vector<PythonStatement> statements;
  size_t at = 0;
  int line = 1;
  while (at < text.size() && statements.size() < kMostStatements) {
    PythonStatement statement;
    statement.line = line;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
      statement.indent += text[at] == '\t' ? 8 : 1;
      ++at;
    }
    int depth = 0;
    bool more = true;
    while (more && at < text.size()) {
      const char c = text[at];
      if (c == '"' || c == '\'') {
        const size_t end = string_end(text, at);
        line += static_cast<int>(
            std::count(text.begin() + static_cast<ptrdiff_t>(at), text.begin() + static_cast<ptrdiff_t>(end), '\n'));
        statement.text += text.substr(at, end - at);
        at = end;
        continue;
      }
      if (c == '#') {
        while (at < text.size() && text[at] != '\n') ++at;
        continue;
      }
      if (c == '\\' && at + 1 < text.size() && text[at + 1] == '\n') {
        at += 2;
        ++line;
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (c == '\n') ++line;
      if ((c == '\n' || c == ';') && depth <= 0) more = false;
      if (more) statement.text += c == '\n' || c == '\r' ? ' ' : c;
      ++at;
    }
    statement.text = std::string(trim(statement.text));
    if (!statement.text.empty()) statements.push_back(std::move(statement));
  }
  return statements;
}

PythonModule PythonModule::read(std::string_view text) {
  PythonModule module;
  module.statements_ = python_statements(text);
  Names names;
  for (const PythonStatement& statement : module.statements_) {
    if (statement.indent > 0) continue;
    const auto assigned = assignment_of(statement.text);
    if (!assigned) continue;
    for (size_t i = 0; i < assigned->names.size(); ++i) {
      const auto value = constant(assigned->values[i], names);
      if (names.erase(assigned->names[i]) > 0)
        std::erase_if(module.constants_, [&](const auto& entry) { return entry.first == assigned->names[i]; });
      if (!value) continue;
      names[assigned->names[i]] = *value;
      module.constants_.emplace_back(assigned->names[i], *value);
    }
  }
  return module;
}

bool PythonModule::defines(const std::string& name) const {
  return std::ranges::any_of(statements_, [&](const PythonStatement& statement) {
    return statement.indent == 0 &&
           (names_function(statement.text, "def ", name) || names_function(statement.text, "class ", name));
  });
}

std::optional<PythonModule::Returned> PythonModule::returned(const std::string& function) const {
  const auto begin = std::ranges::find_if(statements_, [&](const PythonStatement& statement) {
    return statement.indent == 0 && names_function(statement.text, "def ", function);
  });
  if (begin == statements_.end()) return std::nullopt;
  Returned result;
  for (const auto& [name, value] : constants_) result.integers[name] = value;
  std::map<std::string, PythonNode> bound;
  // `def f(): return [...]` on one line is a statement of its own.
  std::vector<PythonStatement> body;
  const size_t colon = begin->text.rfind("return");
  if (colon != std::string::npos) body.push_back({1, begin->line, begin->text.substr(colon)});
  for (auto each = begin + 1; each != statements_.end() && each->indent > 0; ++each) body.push_back(*each);
  for (const PythonStatement& statement : body) {
    if (statement.text.starts_with('"') || statement.text.starts_with('\'')) continue;  // what it is for, in words
    if (statement.text.starts_with("return")) {
      auto list = parse_python(std::string_view(statement.text).substr(6));
      if (!list) return std::nullopt;
      std::vector<PythonNode> elements;
      if (list->is(Kind::list)) {
        elements = std::move(list->parts);
      } else {
        elements.push_back(std::move(*list));
      }
      for (PythonNode& element : elements) {
        const auto named = element.is(Kind::name) ? bound.find(element.word) : bound.end();
        if (named != bound.end()) {
          result.elements.emplace_back(named->first, named->second);
        } else {
          result.elements.emplace_back("", std::move(element));
        }
      }
      return result;
    }
    const auto assigned = assignment_of(statement.text);
    if (!assigned) return std::nullopt;  // it does something that is not understood
    for (size_t i = 0; i < assigned->names.size(); ++i) {
      const std::string& name = assigned->names[i];
      bound.erase(name);
      result.integers.erase(name);
      if (const auto value = constant(assigned->values[i], result.integers)) {
        result.integers[name] = *value;
      } else {
        bound[name] = assigned->values[i];
      }
    }
  }
  return std::nullopt;
}

}  // namespace assay::formats
