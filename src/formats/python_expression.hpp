// SPDX-License-Identifier: MIT
// Expressions of Python as task files hold them (sizes, launch geometry, conditions): read by a grammar of our own,
// never evaluated by Python. Names, numbers, True and False, + - * / // % **, comparisons (also chained), and, or, not,
// `a if c else b`, `x in [...]`, min, max, abs, ceil, floor, round_up, ceil_div, math.*; tuples and lists as values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::formats {

struct PythonNode {
  enum class Kind { integer, real, truth, text, name, unary, binary, choice, call, list, none };
  Kind kind = Kind::none;
  std::string word{};  // of a name, text, operator or function
  int64_t integer = 0;
  double real = 0;
  std::vector<PythonNode> parts{};
  std::vector<std::pair<std::string, PythonNode>> keywords{};  // of a call

  bool is(Kind wanted) const { return kind == wanted; }
};

// The whole text must be one expression.
Result<PythonNode> parse_python(std::string_view text);
// The same, where [... for NAME in ...] may stand, for python_listed().
Result<PythonNode> parse_python_list(std::string_view text);

// In the grammar of kernel.toml; an error names what it lacks (strings, lists, functions of others).
Result<std::string> to_expression(const PythonNode& node);
// Both at once.
Result<std::string> python_to_expression(std::string_view text);

// What a constant expression comes to; `names` gives the values of names, which are constants themselves. Empty: it has
// none (a name that is not known, division by zero, an overflow, something that is no integer).
using PythonNames = std::function<const PythonNode*(const std::string&)>;
std::optional<int64_t> python_integer(const PythonNode& node, const PythonNames& names);
// A tuple, a list, or a name of one, flattened; a starred one in a list is taken apart.
std::optional<std::vector<int64_t>> python_integers(const std::vector<PythonNode>& nodes, const PythonNames& names);

}  // namespace assay::formats
