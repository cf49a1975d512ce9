// SPDX-License-Identifier: MIT
// The syntax tree of an expression: parser and evaluator share it, nobody else sees it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spec/arithmetic.hpp"
#include "spec/value.hpp"

namespace assay::spec {

struct ExpressionNode {
  enum class Kind { literal, name, negate, logical_not, binary, logical_and, logical_or, conditional, call };

  Kind kind = Kind::literal;
  size_t offset = 0;   // in the text, of what an error about this node should point to
  int depth = 1;       // of the tree below; bounded, because evaluation recurses
  Value value{};       // literal
  std::string name{};  // name
  BinaryOperator op = BinaryOperator::add;
  const Function* function = nullptr;
  std::vector<size_t> children{};  // indices of earlier nodes
};

}  // namespace assay::spec
