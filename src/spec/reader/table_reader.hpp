// SPDX-License-Identifier: MIT
// Typed access to the tables of a specification. What is wrong is noted, with what was found and what was expected, and
// reads as if it were not there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expression.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/reader/document.hpp"
#include "spec/reader/mistakes.hpp"

namespace assay::spec {

class TableReader {
 public:
  // `title` is how messages call the table: "[kernel]", "argument \"q\"".
  TableReader(const Node& table, std::string title, Mistakes& mistakes)
      : table_(table), title_(std::move(title)), mistakes_(mistakes) {}

  // Notes every key that is not one of `known`. Called first: a key that was misspelt is not called missing as well.
  void check_keys(const std::vector<std::string>& known, std::string_view noun = "key");

  // --- null, nothing or the fallback if the key is not there or its value is of another kind
  // `example` completes "expected source = "FILE.cu"".
  const Node* require(std::string_view key, Node::Kind kind, std::string_view example) const;
  const Node* find(std::string_view key, Node::Kind kind) const;
  std::string text(std::string_view key, std::string_view fallback = {}) const;
  bool flag(std::string_view key) const;
  std::optional<int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  // integer or real
  std::vector<const Node*> texts(std::string_view key) const;
  std::optional<Expression> expression(std::string_view key) const;
  std::vector<Expression> expressions(std::string_view key) const;  // as many as there are items

  // A section that every file of the kind has; `kind` is an array for [[name]].
  const Node* require_section(std::string_view name, Node::Kind kind) const;

  const Node& node() const { return table_; }
  const std::string& title() const { return title_; }
  Mistakes& mistakes() const { return mistakes_; }
  bool misspelt(std::string_view key) const { return misspelt_.contains(std::string(key)); }
  bool any_unknown_key() const { return any_unknown_key_; }

 private:
  const Node& table_;
  const std::string title_;
  Mistakes& mistakes_;
  std::set<std::string> misspelt_;  // known keys that an unknown one was probably meant to be
  bool any_unknown_key_ = false;
};

// `value` must be of `kind`; `what` names it in the message.
bool expect_kind(const Node& value, Node::Kind kind, const std::string& what, Mistakes& mistakes);
// An expression is a string, or simply a number or a boolean. What is wrong reads as 1.
Expression read_expression(const Node& value, const std::string& what, Mistakes& mistakes);
Options read_options(const Node& table, const std::vector<std::string>& skip, const std::string& title,
                     Mistakes& mistakes);
bool expect_one_of(const std::string& word, const std::vector<std::string>& known, const Place& place,
                   const std::string& what, Mistakes& mistakes);
// The value of a dimension: an integer of at least 0, a boolean or an element type.
std::optional<Value> read_dimension(const Node& value, const std::string& dimension, Mistakes& mistakes);
// A name for a tunable, dimension, derived value or argument.
bool expect_name(const std::string& name, const Place& place, const std::string& what, Mistakes& mistakes);

}  // namespace assay::spec
