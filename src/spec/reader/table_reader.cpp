// SPDX-License-Identifier: MIT
#include "spec/reader/table_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {
namespace {

bool is_scalar(const Node& value) {
  using enum Node::Kind;
  return value.kind == string || value.kind == integer || value.kind == real || value.kind == boolean;
}

// A scalar as a file holds it; empty if it is too long or too odd to be repeated.
std::string written(const Node& value) {
  constexpr size_t kLongest = 60;
  switch (value.kind) {
    case Node::Kind::string: {
      const bool plain = std::ranges::all_of(
          value.text, [](char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; });
      return plain && value.text.size() <= kLongest ? fmt::format("\"{}\"", value.text) : "";
    }
    case Node::Kind::integer:
      return std::to_string(value.integer);
    case Node::Kind::real:
      return fmt::format("{}", value.real);
    case Node::Kind::boolean:
      return value.boolean ? "true" : "false";
    default:
      return {};
  }
}

bool reads_as(const std::string& text, Node::Kind kind) {
  const char* const end = text.data() + text.size();
  const auto whole = [&](auto number) {
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    return !text.empty() && failure == std::errc() && stop == end;
  };
  switch (kind) {
    case Node::Kind::boolean:
      return text == "true" || text == "false";
    case Node::Kind::integer:
      return whole(int64_t{0});
    case Node::Kind::real:
      return whole(0.0);
    default:
      return false;
  }
}

// What was probably meant: a list of one for its item, the item for a list of one, a number for a number in quotes.
std::string kind_hint(const Node& value, Node::Kind kind) {
  std::string meant;
  if (kind == Node::Kind::array && is_scalar(value)) {
    if (const std::string item = written(value); !item.empty()) meant = fmt::format("[{}]", item);
  } else if (value.kind == Node::Kind::array && value.items.size() == 1 && value.items[0].kind == kind) {
    meant = written(value.items[0]);
  } else if (value.kind == Node::Kind::string && reads_as(value.text, kind)) {
    meant = value.text;
  } else if (kind == Node::Kind::string && is_scalar(value)) {
    meant = fmt::format("\"{}\"", written(value));
  }
  if (meant.empty()) return {};
  return value.key.empty() ? "write " + meant : fmt::format("write {} = {}", value.key, meant);
}

}  // namespace

bool expect_kind(const Node& value, Node::Kind kind, const std::string& what, Mistakes& mistakes) {
  if (value.kind == kind) return true;
  mistakes.add(value.place, fmt::format("{} is {}; expected {}", what, kind_name(value.kind), kind_name(kind)),
               kind_hint(value, kind));
  return false;
}

Expression read_expression(const Node& value, const std::string& what, Mistakes& mistakes) {
  Expression one = Expression::constant(Value(1), value.place);
  switch (value.kind) {
    case Node::Kind::string:
      return mistakes.take(Expression::parse(value.text, value.text_place)).value_or(one);
    case Node::Kind::integer:
      return Expression::constant(Value(value.integer), value.place);
    case Node::Kind::boolean:
      return Expression::constant(Value(value.boolean), value.place);
    case Node::Kind::real:
      if (std::isfinite(value.real)) return Expression::constant(Value(value.real), value.place);
      mistakes.add(value.place, fmt::format("{} is not a finite number", what));
      return one;
    default:
      break;
  }
  const bool wrapped = value.kind == Node::Kind::array && value.items.size() == 1 && is_scalar(value.items[0]);
  mistakes.add(value.place,
               fmt::format("{} is {}; expected an expression in quotes or a number", what, kind_name(value.kind)),
               wrapped ? kind_hint(value, value.items[0].kind) : "");
  return one;
}

Options read_options(const Node& table, const std::vector<std::string>& skip, const std::string& title,
                     Mistakes& mistakes) {
  Options options;
  for (const Node& item : table.items) {
    if (std::find(skip.begin(), skip.end(), item.key) != skip.end()) continue;
    switch (item.kind) {
      case Node::Kind::string:
        options[item.key] = item.text;
        break;
      case Node::Kind::integer:
        options[item.key] = item.integer;
        break;
      case Node::Kind::real:
        options[item.key] = item.real;
        break;
      case Node::Kind::boolean:
        options[item.key] = item.boolean;
        break;
      default:
        mistakes.add(item.place, fmt::format("\"{}\" in {} is {}; expected a string, a number or a boolean", item.key,
                                             title, kind_name(item.kind)));
    }
  }
  return options;
}

bool expect_one_of(const std::string& word, const std::vector<std::string>& known, const Place& place,
                   const std::string& what, Mistakes& mistakes) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return true;
  mistakes.add(place, fmt::format("{} is \"{}\"; expected one of {}", what, word, join(known, ", ")),
               nearest(word, known).empty() ? "" : suggestion(word, known, ""));
  return false;
}

std::optional<Value> read_dimension(const Node& value, const std::string& dimension, Mistakes& mistakes) {
  if (value.kind == Node::Kind::boolean) return Value(value.boolean);
  if (value.kind == Node::Kind::integer) {
    if (value.integer >= 0) return Value(value.integer);
    mistakes.add(value.place, fmt::format("dimension \"{}\" is {}; expected at least 0", dimension, value.integer));
    return std::nullopt;
  }
  const auto dtype = value.kind == Node::Kind::string ? dtype_from_name(value.text) : std::nullopt;
  if (dtype) return Value(*dtype);
  const bool number = value.kind == Node::Kind::string && reads_as(value.text, Node::Kind::integer);
  const std::string found =
      value.kind == Node::Kind::string ? fmt::format("\"{}\"", value.text) : std::string(kind_name(value.kind));
  mistakes.add(
      value.place,
      fmt::format("dimension \"{}\" is {}; expected an integer, a boolean or an element type", dimension, found),
      number                             ? kind_hint(value, Node::Kind::integer)
      : value.kind == Node::Kind::string ? suggestion(value.text, dtype_names(), "element types")
                                         : "");
  return std::nullopt;
}

bool expect_name(const std::string& name, const Place& place, const std::string& what, Mistakes& mistakes) {
  if (!is_identifier(name)) {
    mistakes.add(place, fmt::format("\"{}\" cannot name {}; expected at most 64 letters, digits and underscores, no "
                                    "digit first",
                                    name, what));
    return false;
  }
  if (is_reserved_name(name)) {
    mistakes.add(place, fmt::format("\"{}\" cannot name {}: it already has a meaning in expressions", name, what));
    return false;
  }
  return true;
}

const Node* TableReader::require_section(std::string_view name, Node::Kind kind) const {
  const std::string title = kind == Node::Kind::array ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
  const Node* const found = table_.find(name);
  if (found == nullptr) {
    if (!misspelt(name)) mistakes_.add(table_.place, fmt::format("the file has no {} section", title));
    return nullptr;
  }
  if (found->kind == kind) return found;
  mistakes_.add(found->key_place, fmt::format("\"{}\" is {}; expected {}", name, kind_name(found->kind), title));
  return nullptr;
}

void TableReader::check_keys(const std::vector<std::string>& known, std::string_view noun) {
  for (const Node& item : table_.items) {
    if (std::find(known.begin(), known.end(), item.key) != known.end()) continue;
    mistakes_.add(item.key_place, fmt::format("unknown {} \"{}\" in {}", noun, item.key, title_),
                  suggestion(item.key, known, fmt::format("known {}s", noun)));
    any_unknown_key_ = true;
    misspelt_.insert(nearest(item.key, known));
  }
}

const Node* TableReader::require(std::string_view key, Node::Kind kind, std::string_view example) const {
  if (table_.find(key) == nullptr && !misspelt(key)) {
    mistakes_.add(table_.place, fmt::format("{} has no \"{}\"; expected {} = {}", title_, key, key, example));
  }
  return find(key, kind);
}

const Node* TableReader::find(std::string_view key, Node::Kind kind) const {
  const Node* const found = table_.find(key);
  if (found == nullptr) return nullptr;
  return expect_kind(*found, kind, fmt::format("\"{}\" in {}", key, title_), mistakes_) ? found : nullptr;
}

std::string TableReader::text(std::string_view key, std::string_view fallback) const {
  const Node* const found = find(key, Node::Kind::string);
  return found == nullptr ? std::string(fallback) : found->text;
}

bool TableReader::flag(std::string_view key) const {
  const Node* const found = find(key, Node::Kind::boolean);
  return found != nullptr && found->boolean;
}

std::optional<int64_t> TableReader::integer(std::string_view key) const {
  const Node* const found = find(key, Node::Kind::integer);
  return found == nullptr ? std::nullopt : std::optional<int64_t>(found->integer);
}

std::optional<double> TableReader::number(std::string_view key) const {
  const Node* const found = table_.find(key);
  if (found == nullptr) return std::nullopt;
  if (found->kind == Node::Kind::integer) return static_cast<double>(found->integer);
  if (found->kind == Node::Kind::real && std::isfinite(found->real)) return found->real;
  const auto what = found->kind == Node::Kind::real ? std::string_view("not finite") : kind_name(found->kind);
  mistakes_.add(found->place, fmt::format("\"{}\" in {} is {}; expected a number", key, title_, what),
                kind_hint(*found, Node::Kind::real));
  return std::nullopt;
}

std::vector<const Node*> TableReader::texts(std::string_view key) const {
  std::vector<const Node*> result;
  const Node* const found = find(key, Node::Kind::array);
  if (found == nullptr) return result;
  for (const Node& item : found->items) {
    if (expect_kind(item, Node::Kind::string, fmt::format("an item of \"{}\" in {}", key, title_), mistakes_))
      result.push_back(&item);
  }
  return result;
}

std::optional<Expression> TableReader::expression(std::string_view key) const {
  const Node* const found = table_.find(key);
  if (found == nullptr) return std::nullopt;
  return read_expression(*found, fmt::format("\"{}\" in {}", key, title_), mistakes_);
}

std::vector<Expression> TableReader::expressions(std::string_view key) const {
  std::vector<Expression> result;
  const Node* const found = find(key, Node::Kind::array);
  if (found == nullptr) return result;
  for (const Node& item : found->items) {
    result.push_back(read_expression(item, fmt::format("an item of \"{}\" in {}", key, title_), mistakes_));
  }
  return result;
}

}  // namespace assay::spec
