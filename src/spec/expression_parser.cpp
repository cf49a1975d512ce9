// SPDX-License-Identifier: MIT
// Text to tree, by precedence climbing. Both nesting and size are limited: specifications come from anywhere.
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "spec/expression.hpp"
#include "spec/expression_node.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxLength = 2'000;
constexpr int kMaxNesting = 64;
constexpr int kMaxDepth = 400;
constexpr size_t kMaxNameLength = 64;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

using NodeKind = ExpressionNode::Kind;

struct OperatorRow {
  std::string_view text;
  int precedence;
  NodeKind kind;
  BinaryOperator op;
};

constexpr int kComparison = 3;

// Longer spellings first, so that "<=" is not read as "<".
constexpr std::array kOperators{
    OperatorRow{"||", 1, NodeKind::logical_or, {}},
    OperatorRow{"&&", 2, NodeKind::logical_and, {}},
    OperatorRow{"==", kComparison, NodeKind::binary, BinaryOperator::equal},
    OperatorRow{"!=", kComparison, NodeKind::binary, BinaryOperator::not_equal},
    OperatorRow{"<=", kComparison, NodeKind::binary, BinaryOperator::less_equal},
    OperatorRow{">=", kComparison, NodeKind::binary, BinaryOperator::greater_equal},
    OperatorRow{"<", kComparison, NodeKind::binary, BinaryOperator::less},
    OperatorRow{">", kComparison, NodeKind::binary, BinaryOperator::greater},
    OperatorRow{"+", 4, NodeKind::binary, BinaryOperator::add},
    OperatorRow{"-", 4, NodeKind::binary, BinaryOperator::subtract},
    OperatorRow{"*", 5, NodeKind::binary, BinaryOperator::multiply},
    OperatorRow{"/", 5, NodeKind::binary, BinaryOperator::divide},
    OperatorRow{"%", 5, NodeKind::binary, BinaryOperator::remainder},
};

// What people write out of habit from other languages, and what it is called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kForeign{{
    {"**", "write pow(a, b)"},
    {"//", "write floor(a/b) or ceil_div(a, b)"},
    {"^", "write pow(a, b)"},
    {"=", "write == to compare"},
    {"&", "write && for a logical and"},
    {"|", "write || for a logical or"},
    {"and ", "write && for a logical and"},
    {"or ", "write || for a logical or"},
    {".", "write the name of a dimension; tensors have no members here"},
    {"[", "write the name of a dimension; tensors have no elements here"},
}};

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || text.size() > kMaxNameLength || !is_letter(text[0])) return false;
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c)) return false;
  }
  return true;
}

bool is_reserved_name(std::string_view name) {
  return name == "true" || name == "false" || find_function(name) != nullptr || dtype_from_name(name).has_value();
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Place& place) : text_(text) {
    expression_.text_ = text;
    expression_.place_ = place;
  }

  Result<Expression> parse() {
    if (text_.size() > kMaxLength) {
      return error(0, fmt::format("the expression has {} characters; expected at most {}", text_.size(), kMaxLength));
    }
    skip_space();
    if (at_ == text_.size()) return error(0, "the expression is empty");
    ASSAY_TRY([[maybe_unused]] const size_t root, conditional());
    if (at_ != text_.size()) return unexpected("an operator or the end of the expression");
    expression_.nodes_ = std::make_shared<const std::vector<ExpressionNode>>(std::move(nodes_));
    return std::move(expression_);
  }

 private:
  Error error(size_t offset, const std::string& message, std::string hint = {}) const {
    Place place = expression_.place_;
    if (place.column > 0) place.column += static_cast<int>(offset);
    return mistake(place, message, std::move(hint));
  }

  Error unexpected(std::string_view expected) const {
    if (at_ >= text_.size()) {
      return error(at_, fmt::format("the expression \"{}\" ends too early; expected {}", text_, expected));
    }
    std::string hint;
    for (const auto& [spelling, advice] : kForeign) {
      // "a**b" is noticed at its second character, after the first was read as an operator.
      const bool from_before = spelling.size() == 2 && at_ > 0 && text_.substr(at_ - 1, 2) == spelling;
      if (hint.empty() && (from_before || text_.substr(at_).starts_with(spelling))) hint = advice;
    }
    return error(at_, fmt::format("unexpected {} in \"{}\"; expected {}", found(), text_, expected), hint);
  }

  std::string found() const {
    const char c = text_[at_];
    return c >= 0x20 && c < 0x7f ? fmt::format("'{}'", c)
                                 : fmt::format("character 0x{:02x}", static_cast<unsigned char>(c));
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  Result<size_t> add(ExpressionNode node) {
    for (const size_t child : node.children) node.depth = std::max(node.depth, nodes_[child].depth + 1);
    if (node.depth > kMaxDepth) {
      return error(node.offset, fmt::format("the expression has more than {} operations in a row", kMaxDepth));
    }
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  // Runs a rule one level deeper.
  template <class Rule>
  Result<size_t> nested(Rule rule) {
    if (++nesting_ > kMaxNesting) {
      return error(at_, fmt::format("the expression is nested more than {} levels deep", kMaxNesting));
    }
    Result<size_t> result = rule();
    --nesting_;
    return result;
  }

  Result<size_t> conditional() {
    ASSAY_TRY(const size_t condition, binary(1));
    const size_t offset = at_;
    if (!accept('?')) return condition;
    ASSAY_TRY(const size_t if_true, nested([this] { return conditional(); }));
    if (!accept(':')) return unexpected("':' of a ?: choice");
    ASSAY_TRY(const size_t if_false, nested([this] { return conditional(); }));
    return add({.kind = NodeKind::conditional, .offset = offset, .children = {condition, if_true, if_false}});
  }

  const OperatorRow* peek_operator() const {
    const std::string_view rest = text_.substr(at_);
    for (const OperatorRow& row : kOperators) {
      if (rest.starts_with(row.text)) return &row;
    }
    return nullptr;
  }

  Result<size_t> binary(int lowest) {
    ASSAY_TRY(size_t left, unary());
    bool compared = false;
    while (const OperatorRow* row = peek_operator()) {
      if (row->precedence < lowest) break;
      const size_t offset = at_;
      if (row->precedence == kComparison) {
        if (compared) return error(offset, "comparisons do not chain", "write a < b && b < c, or use parentheses");
        compared = true;
      }
      at_ += row->text.size();
      skip_space();
      ASSAY_TRY(const size_t right, nested([&] { return binary(row->precedence + 1); }));
      ASSAY_TRY(left, add({.kind = row->kind, .offset = offset, .op = row->op, .children = {left, right}}));
      if (row->precedence < kComparison) compared = false;
    }
    return left;
  }

  Result<size_t> unary() {
    const size_t offset = at_;
    if (accept('+')) return nested([this] { return unary(); });
    const bool minus = accept('-');
    if (!minus && !accept('!')) return primary();
    ASSAY_TRY(const size_t operand, nested([this] { return unary(); }));
    return add({.kind = minus ? NodeKind::negate : NodeKind::logical_not, .offset = offset, .children = {operand}});
  }

  Result<size_t> primary() {
    if (accept('(')) {
      ASSAY_TRY(const size_t inner, nested([this] { return conditional(); }));
      if (!accept(')')) return unexpected("')'");
      return inner;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && is_letter(text_[at_])) return word();
    if (at_ < text_.size() && text_[at_] == '\'') return quoted();
    return unexpected("a number, a name or '('");
  }

  Result<size_t> number() {
    const size_t start = at_;
    bool real = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent_sign = (c == '+' || c == '-') && at_ > start && (text_[at_ - 1] | 0x20) == 'e';
      if (!is_digit(c) && !is_letter(c) && c != '.' && !exponent_sign) break;
      real = real || c == '.' || (c | 0x20) == 'e';
      ++at_;
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    const char* const end = digits.data() + digits.size();
    Value value;
    std::from_chars_result parsed{};
    if (real) {
      double number = 0;
      parsed = std::from_chars(digits.data(), end, number);
      if (parsed.ec == std::errc() && !std::isfinite(number)) parsed.ec = std::errc::result_out_of_range;
      value = number;
    } else {
      int64_t number = 0;
      parsed = std::from_chars(digits.data(), end, number);
      value = number;
    }
    if (parsed.ec == std::errc::result_out_of_range) {
      return error(start, fmt::format("the number {} does not fit into 64 bits", digits));
    }
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      return error(start, fmt::format("\"{}\" is not a number", digits),
                   "numbers are written 64, 0.5 or 1e-3; names begin with a letter");
    }
    skip_space();
    return add({.kind = NodeKind::literal, .offset = start, .value = value});
  }

  // 'row_major': a word, as a tunable can have for a value.
  Result<size_t> quoted() {
    const size_t start = at_;
    const size_t end = text_.find('\'', start + 1);
    if (end == std::string_view::npos) {
      return error(start, fmt::format("the word that begins here in \"{}\" does not end", text_), "write 'word'");
    }
    at_ = end + 1;
    skip_space();
    return add({.kind = NodeKind::literal,
                .offset = start,
                .value = Value::word(std::string(text_.substr(start + 1, end - start - 1)))});
  }

  Result<size_t> word() {
    const size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    skip_space();
    if (accept('(')) return call(name, start);
    if (find_function(name) != nullptr) {
      return error(start, fmt::format("\"{}\" is a function; expected {}(...)", name, name));
    }
    if (name == "true" || name == "false") {
      return add({.kind = NodeKind::literal, .offset = start, .value = Value(name == "true")});
    }
    if (const auto dtype = dtype_from_name(name)) {
      return add({.kind = NodeKind::literal, .offset = start, .value = Value(*dtype)});
    }
    if (!is_identifier(name)) {
      return error(start, fmt::format("the name has {} characters; expected at most {}", name.size(), kMaxNameLength));
    }
    expression_.names_.emplace(name);
    return add({.kind = NodeKind::name, .offset = start, .name = std::string(name)});
  }

  Result<size_t> call(std::string_view name, size_t start) {
    const Function* function = find_function(name);
    if (function == nullptr) {
      std::vector<std::string> known;
      for (const Function& candidate : functions()) known.emplace_back(candidate.name);
      return error(start, fmt::format("unknown function \"{}\"", name),
                   suggestion(std::string(name), known, "known functions"));
    }
    ExpressionNode node{.kind = NodeKind::call, .offset = start, .function = function};
    if (!accept(')')) {
      do {
        ASSAY_TRY(const size_t argument, nested([this] { return conditional(); }));
        node.children.push_back(argument);
      } while (accept(','));
      if (!accept(')')) return unexpected("',' or ')'");
    }
    const size_t count = node.children.size();
    if (count < function->min_arguments || count > function->max_arguments) {
      const bool exact = function->min_arguments == function->max_arguments;
      return error(start, fmt::format("{} has {} argument{}; expected {}{}", name, count, count == 1 ? "" : "s",
                                      exact ? "" : "at least ", function->min_arguments));
    }
    return add(std::move(node));
  }

  const std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
  std::vector<ExpressionNode> nodes_;
  Expression expression_;
};

Result<Expression> Expression::parse(std::string_view text, const Place& place) {
  return ExpressionParser(text, place).parse();
}

}  // namespace assay::spec
