// SPDX-License-Identifier: MIT
// Evaluation of a parsed expression.
#include "spec/expression.hpp"

#include <fmt/format.h>
#include <utility>

#include "spec/expression_node.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

using NodeKind = ExpressionNode::Kind;

class Evaluator {
 public:
  Evaluator(const Expression& expression, const std::vector<ExpressionNode>& nodes, const Bindings& scope)
      : expression_(expression), nodes_(nodes), scope_(scope) {}

  Result<Value> evaluate(size_t index) const {
    const ExpressionNode& node = nodes_[index];
    switch (node.kind) {
      case NodeKind::literal:
        return node.value;
      case NodeKind::name:
        return lookup(node);
      case NodeKind::negate: {
        ASSAY_TRY(const Value operand, evaluate(node.children[0]));
        return placed(node, negate(operand));
      }
      case NodeKind::logical_not: {
        ASSAY_TRY(const bool operand, condition(node.children[0]));
        return Value(!operand);
      }
      case NodeKind::binary: {
        ASSAY_TRY(const Value left, evaluate(node.children[0]));
        ASSAY_TRY(const Value right, evaluate(node.children[1]));
        return placed(node, apply(node.op, left, right));
      }
      case NodeKind::logical_and:
      case NodeKind::logical_or: {
        ASSAY_TRY(const bool left, condition(node.children[0]));
        if (left == (node.kind == NodeKind::logical_or)) return Value(left);
        ASSAY_TRY(const bool right, condition(node.children[1]));
        return Value(right);
      }
      case NodeKind::conditional: {
        ASSAY_TRY(const bool choice, condition(node.children[0]));
        return evaluate(node.children[choice ? 1 : 2]);
      }
      case NodeKind::call:
        return call(node);
    }
    return Value();
  }

 private:
  Result<bool> condition(size_t index) const {
    ASSAY_TRY(const Value value, evaluate(index));
    return placed(nodes_[index], to_condition(value));
  }

  Result<Value> call(const ExpressionNode& node) const {
    std::vector<Value> arguments;
    arguments.reserve(node.children.size());
    for (const size_t child : node.children) {
      ASSAY_TRY(arguments.emplace_back(), evaluate(child));
    }
    return placed(node, node.function->apply(arguments));
  }

  Result<Value> lookup(const ExpressionNode& node) const {
    const auto found = scope_.find(node.name);
    if (found != scope_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, value] : scope_) known.push_back(name);
    return mistake(place_of(node), fmt::format("undefined name \"{}\" in \"{}\"", node.name, expression_.text()),
                   suggestion(node.name, known, "known names"));
  }

  Place place_of(const ExpressionNode& node) const {
    Place place = expression_.place();
    if (place.column > 0) place.column += static_cast<int>(node.offset);
    return place;
  }

  // Says where and with which values.
  template <class T>
  Result<T> placed(const ExpressionNode& node, Result<T> result) const {
    if (result.ok()) return result;
    Error error = std::move(result).error();
    error.place = place_of(node);
    error.message += fmt::format(", in \"{}\"", expression_.text());
    Bindings used;
    for (const std::string& name : expression_.names()) {
      if (const auto found = scope_.find(name); found != scope_.end()) used.insert(*found);
    }
    if (!used.empty()) error.message += fmt::format(" with {}", to_string(used));
    return error;
  }

  const Expression& expression_;
  const std::vector<ExpressionNode>& nodes_;
  const Bindings& scope_;
};

std::shared_ptr<const std::vector<ExpressionNode>> single(const Value& value) {
  return std::make_shared<const std::vector<ExpressionNode>>(1, ExpressionNode{.value = value});
}

// The conversion's error gets the expression as its place and context.
template <class T>
Result<T> in_context(const Expression& expression, const Bindings& scope, Result<T> result) {
  if (result.ok()) return result;
  Error error = std::move(result).error();
  error.place = expression.place();
  Bindings used;
  for (const std::string& name : expression.names()) {
    if (const auto found = scope.find(name); found != scope.end()) used.insert(*found);
  }
  error.message = fmt::format("\"{}\": {}", expression.text(), error.message);
  if (!used.empty()) error.message += fmt::format(", with {}", to_string(used));
  return error;
}

}  // namespace

Expression::Expression() : text_("0"), nodes_(single(Value(0))) {}

Expression Expression::constant(const Value& value, const Place& place) {
  Expression expression;
  expression.text_ = to_string(value);
  expression.place_ = place;
  expression.nodes_ = single(value);
  return expression;
}

Place Expression::place_of(const std::string& name) const {
  Place place = place_;
  size_t first = text_.size();
  for (const ExpressionNode& node : *nodes_) {
    if (node.kind == NodeKind::name && node.name == name) first = std::min(first, node.offset);
  }
  if (place.column > 0 && first < text_.size()) place.column += static_cast<int>(first);
  return place;
}

Result<Value> Expression::evaluate(const Bindings& scope) const {
  return Evaluator(*this, *nodes_, scope).evaluate(nodes_->size() - 1);
}

Result<int64_t> Expression::evaluate_integer(const Bindings& scope) const {
  ASSAY_TRY(const Value value, evaluate(scope));
  return in_context(*this, scope, to_whole(value));
}

Result<double> Expression::evaluate_real(const Bindings& scope) const {
  ASSAY_TRY(const Value value, evaluate(scope));
  return in_context(*this, scope, to_real(value));
}

Result<bool> Expression::evaluate_condition(const Bindings& scope) const {
  ASSAY_TRY(const Value value, evaluate(scope));
  return in_context(*this, scope, to_condition(value));
}

}  // namespace assay::spec
