// SPDX-License-Identifier: MIT
#include "spec/reader/table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

Result<void> expect_kind(const Node& value, Node::Kind kind, const std::string& what) {
  if (value.kind == kind) return {};
  return mistake(value.place, fmt::format("{} is {}; expected {}", what, kind_name(value.kind), kind_name(kind)));
}

Result<Expression> read_expression(const Node& value, const std::string& what) {
  switch (value.kind) {
    case Node::Kind::string:
      return Expression::parse(value.text, value.text_place);
    case Node::Kind::integer:
      return Expression::constant(Value(value.integer), value.place);
    case Node::Kind::boolean:
      return Expression::constant(Value(value.boolean), value.place);
    case Node::Kind::real:
      if (std::isfinite(value.real)) return Expression::constant(Value(value.real), value.place);
      return mistake(value.place, fmt::format("{} is not a finite number", what));
    default:
      break;
  }
  return mistake(value.place,
                 fmt::format("{} is {}; expected an expression in quotes or a number", what, kind_name(value.kind)));
}

Result<Options> read_options(const Node& table, const std::vector<std::string>& skip, const std::string& title) {
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
        return mistake(item.place, fmt::format("\"{}\" in {} is {}; expected a string, a number or a boolean", item.key,
                                               title, kind_name(item.kind)));
    }
  }
  return options;
}

Result<void> expect_one_of(const std::string& word, const std::vector<std::string>& known, const Place& place,
                           const std::string& what) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return {};
  return mistake(place, fmt::format("{} is \"{}\"; expected one of {}", what, word, join(known, ", ")),
                 nearest(word, known).empty() ? "" : suggestion(word, known, ""));
}

Result<Value> read_dimension(const Node& value, const std::string& dimension) {
  if (value.kind == Node::Kind::boolean) return Value(value.boolean);
  if (value.kind == Node::Kind::integer) {
    if (value.integer >= 1) return Value(value.integer);
    return mistake(value.place, fmt::format("dimension \"{}\" is {}; expected at least 1", dimension, value.integer));
  }
  const auto dtype = value.kind == Node::Kind::string ? dtype_from_name(value.text) : std::nullopt;
  if (dtype) return Value(*dtype);
  const std::string found =
      value.kind == Node::Kind::string ? fmt::format("\"{}\"", value.text) : std::string(kind_name(value.kind));
  return mistake(
      value.place,
      fmt::format("dimension \"{}\" is {}; expected an integer, a boolean or an element type", dimension, found),
      value.kind == Node::Kind::string ? suggestion(value.text, dtype_names(), "element types") : "");
}

Result<void> expect_name(const std::string& name, const Place& place, const std::string& what) {
  if (!is_identifier(name)) {
    return mistake(place, fmt::format("\"{}\" cannot name {}; expected at most 64 letters, digits and underscores, no "
                                      "digit first",
                                      name, what));
  }
  if (is_reserved_name(name)) {
    return mistake(place, fmt::format("\"{}\" cannot name {}: it already has a meaning in expressions", name, what));
  }
  return {};
}

Result<const Node*> require_section(const Node& root, std::string_view name, Node::Kind kind) {
  const std::string title = kind == Node::Kind::array ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
  const Node* const found = root.find(name);
  if (found == nullptr) return mistake(root.place, fmt::format("the file has no {} section", title));
  if (found->kind == kind) return found;
  return mistake(found->key_place, fmt::format("\"{}\" is {}; expected {}", name, kind_name(found->kind), title));
}

Result<void> TableReader::check_keys(const std::vector<std::string>& known, std::string_view noun) const {
  for (const Node& item : table_.items) {
    if (std::find(known.begin(), known.end(), item.key) != known.end()) continue;
    return mistake(item.key_place, fmt::format("unknown {} \"{}\" in {}", noun, item.key, title_),
                   suggestion(item.key, known, fmt::format("known {}s", noun)));
  }
  return {};
}

Result<const Node*> TableReader::require(std::string_view key, Node::Kind kind, std::string_view example) const {
  ASSAY_TRY(const Node* const found, find(key, kind));
  if (found == nullptr) {
    return mistake(table_.place, fmt::format("{} has no \"{}\"; expected {} = {}", title_, key, key, example));
  }
  return found;
}

Result<const Node*> TableReader::find(std::string_view key, Node::Kind kind) const {
  const Node* const found = table_.find(key);
  if (found != nullptr) ASSAY_CHECK(expect_kind(*found, kind, fmt::format("\"{}\" in {}", key, title_)));
  return found;
}

Result<std::string> TableReader::text(std::string_view key, std::string_view fallback) const {
  ASSAY_TRY(const Node* const found, find(key, Node::Kind::string));
  return found == nullptr ? std::string(fallback) : found->text;
}

Result<bool> TableReader::flag(std::string_view key) const {
  ASSAY_TRY(const Node* const found, find(key, Node::Kind::boolean));
  return found != nullptr && found->boolean;
}

Result<std::optional<int64_t>> TableReader::integer(std::string_view key) const {
  ASSAY_TRY(const Node* const found, find(key, Node::Kind::integer));
  return found == nullptr ? std::nullopt : std::optional<int64_t>(found->integer);
}

Result<std::optional<double>> TableReader::number(std::string_view key) const {
  const Node* const found = table_.find(key);
  if (found == nullptr) return std::optional<double>();
  if (found->kind == Node::Kind::integer) return std::optional<double>(static_cast<double>(found->integer));
  if (found->kind != Node::Kind::real || !std::isfinite(found->real)) {
    const auto what = found->kind == Node::Kind::real ? std::string_view("not finite") : kind_name(found->kind);
    return mistake(found->place, fmt::format("\"{}\" in {} is {}; expected a number", key, title_, what));
  }
  return std::optional<double>(found->real);
}

Result<std::vector<std::string>> TableReader::texts(std::string_view key) const {
  std::vector<std::string> result;
  ASSAY_TRY(const Node* const found, find(key, Node::Kind::array));
  if (found == nullptr) return result;
  for (const Node& item : found->items) {
    ASSAY_CHECK(expect_kind(item, Node::Kind::string, fmt::format("an item of \"{}\" in {}", key, title_)));
    result.push_back(item.text);
  }
  return result;
}

Result<std::optional<Expression>> TableReader::expression(std::string_view key) const {
  const Node* const found = table_.find(key);
  if (found == nullptr) return std::optional<Expression>();
  ASSAY_TRY(Expression expression, read_expression(*found, fmt::format("\"{}\" in {}", key, title_)));
  return std::optional<Expression>(std::move(expression));
}

Result<std::vector<Expression>> TableReader::expressions(std::string_view key) const {
  std::vector<Expression> result;
  ASSAY_TRY(const Node* const found, find(key, Node::Kind::array));
  if (found == nullptr) return result;
  for (const Node& item : found->items) {
    ASSAY_TRY(result.emplace_back(), read_expression(item, fmt::format("an item of \"{}\" in {}", key, title_)));
  }
  return result;
}

}  // namespace assay::spec
