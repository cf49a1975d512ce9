// SPDX-License-Identifier: MIT
// Typed access to the tables of a specification. Every function that fails says what was found and what was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/expression.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/reader/document.hpp"
#include "spec/template_text.hpp"

namespace assay::spec {

class TableReader {
 public:
  // `title` is how messages call the table: "[kernel]", "argument \"q\"".
  TableReader(const Node& table, std::string title) : table_(table), title_(std::move(title)) {}

  // Fails at the first key that is not one of `known`. Called first: a misspelt key is a better message than a missing
  // one.
  Result<void> check_keys(const std::vector<std::string>& known, std::string_view noun = "key") const;

  // `example` completes "expected source = "FILE.cu"".
  Result<const Node*> require(std::string_view key, Node::Kind kind, std::string_view example) const;
  Result<const Node*> find(std::string_view key, Node::Kind kind) const;  // null if it is not there

  Result<std::string> text(std::string_view key, std::string_view fallback = {}) const;
  Result<bool> flag(std::string_view key) const;  // false if it is not there
  Result<std::optional<int64_t>> integer(std::string_view key) const;
  Result<std::optional<double>> number(std::string_view key) const;  // integer or real
  Result<std::vector<std::string>> texts(std::string_view key) const;
  Result<std::optional<Expression>> expression(std::string_view key) const;
  Result<std::vector<Expression>> expressions(std::string_view key) const;

  const Node& node() const { return table_; }
  const std::string& title() const { return title_; }

 private:
  const Node& table_;
  const std::string title_;
};

// A section that every specification has; `kind` is an array for [[name]].
Result<const Node*> require_section(const Node& root, std::string_view name, Node::Kind kind);

// `value` must be of `kind`; `what` names it in the message.
Result<void> expect_kind(const Node& value, Node::Kind kind, const std::string& what);
// An expression is a string, or simply a number or a boolean.
Result<Expression> read_expression(const Node& value, const std::string& what);
Result<Options> read_options(const Node& table, const std::vector<std::string>& skip, const std::string& title);
Result<void> expect_one_of(const std::string& word, const std::vector<std::string>& known, const Place& place,
                           const std::string& what);
// The value of a dimension: an integer of at least 1, a boolean or an element type.
Result<Value> read_dimension(const Node& value, const std::string& dimension);
// A name for a tunable, dimension, derived value or argument.
Result<void> expect_name(const std::string& name, const Place& place, const std::string& what);

}  // namespace assay::spec
