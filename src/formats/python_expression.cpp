// SPDX-License-Identifier: MIT
#include "formats/python_expression.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::formats {
namespace {

using Kind = PythonNode::Kind;

constexpr int kMostPythonDepth = 60;
constexpr size_t kMostText = 100'000;
constexpr size_t kMostOperations = 1000;  // a long chain is a deep tree

bool is_plain(const PythonNode& node) {
  return node.is(Kind::name) || node.is(Kind::integer) || node.is(Kind::real);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Parser {
 public:
  Parser(std::string_view text, bool comprehensions) : text_(text), comprehensions_(comprehensions) {}

  Result<PythonNode> whole() {
    if (text_.size() > kMostText) return Error{"the expression is too long"};
    PythonNode node = choice();
    skip();
    if (good_ && at_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_[at_]));
    if (good_) return node;
    return Error{fmt::format("{} (in '{}')", error_, escape_terminal(text_.substr(0, 80)))};
  }

 private:
  void fail(const std::string& what) {
    if (good_) error_ = what;
    good_ = false;
  }

  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
        at_ += 2;
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        break;
      }
    }
  }
  bool sign(std::string_view wanted) {
    skip();
    if (!good_ || text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  // The operator, unless it is the beginning of a longer one.
  bool operation(std::string_view wanted, std::string_view not_before) {
    skip();
    if (!good_ || text_.substr(at_, wanted.size()) != wanted) return false;
    const size_t after = at_ + wanted.size();
    if (after < text_.size() && not_before.find(text_[after]) != std::string_view::npos) return false;
    at_ = after;
    return true;
  }
  std::string_view peek_word() {
    skip();
    size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return at_ < text_.size() && is_letter(text_[at_]) ? text_.substr(at_, end - at_) : std::string_view();
  }
  bool word(std::string_view wanted) {
    if (!good_ || peek_word() != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  PythonNode binary(const std::string& operation, PythonNode left, PythonNode right) {
    if (++operations_ > kMostOperations) fail("it has too many operations");
    PythonNode node;
    node.kind = Kind::binary;
    node.word = operation;
    node.parts.push_back(std::move(left));
    node.parts.push_back(std::move(right));
    return node;
  }

  // Every way down passes here.
  PythonNode choice() {
    if (++depth_ > kMostPythonDepth) fail("it is nested too deeply");
    PythonNode value;
    if (good_) {
      value = either();
      if (word("if")) {
        PythonNode node;
        node.kind = Kind::choice;
        PythonNode condition = either();
        if (!word("else")) fail("'else' is missing");
        PythonNode otherwise = choice();
        node.parts = {std::move(condition), std::move(value), std::move(otherwise)};
        value = std::move(node);
      }
    }
    --depth_;
    return value;
  }
  PythonNode either() {
    PythonNode left = both();
    while (word("or")) left = binary("||", std::move(left), both());
    return left;
  }
  PythonNode both() {
    PythonNode left = negated();
    while (word("and")) left = binary("&&", std::move(left), negated());
    return left;
  }
  PythonNode negated() {
    int times = 0;
    while (word("not")) ++times;
    PythonNode node = comparison();
    for (int i = 0; i < times % 2; ++i) node = unary("!", std::move(node));
    return node;
  }
  static PythonNode unary(const std::string& operation, PythonNode of) {
    PythonNode node;
    node.kind = Kind::unary;
    node.word = operation;
    node.parts.push_back(std::move(of));
    return node;
  }
  std::string comparison_sign() {
    for (const std::string_view each : {"==", "!=", "<=", ">="}) {
      if (sign(each)) return std::string(each);
    }
    if (operation("<", "<=")) return "<";
    if (operation(">", ">=")) return ">";
    if (word("in")) return "in";
    return "";
  }
  PythonNode comparison() {
    PythonNode left = sum();
    std::optional<PythonNode> all;
    for (std::string found = comparison_sign(); good_ && !found.empty(); found = comparison_sign()) {
      // It stands on both sides of the middle one, and again in what that is a part of.
      if (all && !is_plain(left)) fail("a chain of comparisons has an expression in the middle");
      PythonNode right = sum();
      PythonNode part = binary(found, left, right);
      all = all ? binary("&&", std::move(*all), std::move(part)) : std::move(part);
      left = std::move(right);
    }
    return all ? std::move(*all) : left;
  }
  PythonNode sum() {
    PythonNode left = product();
    while (good_) {
      if (operation("+", "=")) {
        left = binary("+", std::move(left), product());
      } else if (operation("-", "=")) {
        left = binary("-", std::move(left), product());
      } else {
        break;
      }
    }
    return left;
  }
  PythonNode product() {
    PythonNode left = signed_value();
    while (good_) {
      if (operation("//", "=")) {
        left = binary("//", std::move(left), signed_value());
      } else if (operation("*", "*=")) {
        left = binary("*", std::move(left), signed_value());
      } else if (operation("/", "/=")) {
        left = binary("/", std::move(left), signed_value());
      } else if (operation("%", "=")) {
        left = binary("%", std::move(left), signed_value());
      } else {
        break;
      }
    }
    return left;
  }
  PythonNode signed_value() {
    int minus = 0;
    while (good_) {
      if (operation("-", "=")) {
        ++minus;
      } else if (!operation("+", "=")) {
        break;
      }
    }
    PythonNode node = power();
    if (minus % 2 == 1) node = unary("-", std::move(node));
    return node;
  }
  PythonNode power() {
    PythonNode base = postfix();
    if (!operation("**", "=")) return base;
    if (++depth_ > kMostPythonDepth) fail("it is nested too deeply");
    PythonNode node = good_ ? binary("**", std::move(base), signed_value()) : PythonNode();
    --depth_;
    return node;
  }
  // A name with dots, calls behind it.
  PythonNode postfix() {
    PythonNode node = atom();
    while (good_) {
      if (node.is(Kind::name) && operation(".", "0123456789")) {
        const std::string_view next = peek_word();
        if (next.empty()) fail("a name is missing behind the dot");
        node.word += "." + std::string(next);
        at_ += next.size();
      } else if (node.is(Kind::call) && operation(".", "0123456789")) {  // a method of what a call gives
        const std::string_view next = peek_word();
        if (next.empty()) fail("a name is missing behind the dot");
        PythonNode method;
        method.kind = Kind::call;
        method.word = "." + std::string(next);
        at_ += next.size();
        method.parts.push_back(std::move(node));
        if (!sign("(")) fail("only methods of a call are understood");
        arguments(method);
        node = std::move(method);
      } else if (node.is(Kind::name) && sign("(")) {
        node.kind = Kind::call;
        arguments(node);
      } else {
        break;
      }
    }
    return node;
  }
  void arguments(PythonNode& call) {
    while (good_ && !sign(")")) {
      skip();
      const size_t before = at_;
      const std::string_view keyword = peek_word();
      if (!keyword.empty()) {
        at_ += keyword.size();
        if (operation("=", "=")) {
          call.keywords.emplace_back(std::string(keyword), choice());
          if (!separator(')')) return;
          continue;
        }
        at_ = before;
      }
      if (operation("*", "*")) {
        call.parts.push_back(unary("*", choice()));
      } else {
        call.parts.push_back(choice());
      }
      if (!separator(')')) return;
    }
  }
  // [32 * i for i in range(1, 9)] is a call of "for" with the name as its keyword.
  PythonNode comprehension(PythonNode element) {
    PythonNode node;
    node.kind = Kind::call;
    node.word = "for";
    node.parts.push_back(std::move(element));
    const std::string name(peek_word());
    if (name.empty() || !word(name) || !word("in")) fail("expected a name and 'in' behind 'for'");
    if (good_) node.keywords.emplace_back(name, either());
    if (good_ && !sign("]")) fail("a list has one 'for' and no condition here");
    return node;
  }
  // A comma, or the closing sign, which stays.
  bool separator(char closing) {
    skip();
    if (!good_) return false;
    if (sign(",")) return true;
    if (at_ < text_.size() && text_[at_] == closing) return true;
    fail(fmt::format("',' or '{}' is missing", closing));
    return false;
  }
  PythonNode list(char closing) {
    PythonNode node;
    node.kind = Kind::list;
    const std::string end(1, closing);
    bool comma = false;
    while (good_ && !sign(end)) {
      node.parts.push_back(operation("*", "*") ? unary("*", choice()) : choice());
      if (comprehensions_ && closing == ']' && node.parts.size() == 1 && word("for"))
        return comprehension(std::move(node.parts[0]));
      skip();
      comma = at_ < text_.size() && text_[at_] == ',';
      if (!separator(closing)) break;
    }
    if (closing == ')' && node.parts.size() == 1 && !comma) {
      PythonNode inner = std::move(node.parts.front());
      return inner;
    }
    return node;
  }
  PythonNode string_literal(char quote) {
    PythonNode node;
    node.kind = Kind::text;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      node.word += text_[at_++];
    }
    if (at_ >= text_.size() || text_[at_] != quote) fail("a string is not closed");
    ++at_;
    return node;
  }
  PythonNode number() {
    size_t end = at_;
    bool real = false;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool exponent = (c == 'e' || c == 'E') && end > at_;
      if (c == '.' || exponent) real = true;
      if (exponent && end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-')) ++end;
      if (!is_digit(c) && c != '.' && c != '_' && !exponent) break;
      ++end;
    }
    end = std::min(end, text_.size());
    std::string digits;
    for (const char c : text_.substr(at_, end - at_)) {
      if (c != '_') digits += c;
    }
    PythonNode node;
    if (real) {
      node.kind = Kind::real;
      const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), node.real);
      if (problem != std::errc() || stop != digits.data() + digits.size()) fail("a number is not understood");
    } else {
      node.kind = Kind::integer;
      const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), node.integer);
      if (problem != std::errc() || stop != digits.data() + digits.size()) fail("a number is too large");
    }
    at_ = end;
    return node;
  }
  PythonNode atom() {
    skip();
    if (!good_) return {};
    if (at_ >= text_.size()) {
      fail("it ends too early");
      return {};
    }
    const char c = text_[at_];
    if (c == '(' || c == '[') {
      ++at_;
      return list(c == '(' ? ')' : ']');
    }
    if (c == '"' || c == '\'') {
      ++at_;
      return string_literal(c);
    }
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    const std::string_view found = peek_word();
    static const std::set<std::string_view> kReserved{"if", "else", "and", "or", "not", "in", "lambda", "for"};
    if (found.empty() || kReserved.contains(found)) {
      fail(found.empty() ? fmt::format("'{}' is not expected here", escape_terminal(std::string(1, c)))
                         : fmt::format("'{}' is not expected here", found));
      return {};
    }
    at_ += found.size();
    PythonNode node;
    if (found == "True" || found == "False") {
      node.kind = Kind::truth;
      node.integer = found == "True" ? 1 : 0;
    } else if (found == "None") {
      node.kind = Kind::none;
    } else {
      node.kind = Kind::name;
      node.word = std::string(found);
    }
    return node;
  }

  std::string_view text_;
  bool comprehensions_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t operations_ = 0;
  bool good_ = true;
  std::string error_;
};

// Functions that kernel.toml has too, by their names in Python.
const std::map<std::string, std::string>& functions() {
  static const std::map<std::string, std::string> names{
      {"min", "min"},     {"max", "max"},           {"abs", "abs"},          {"ceil", "ceil"},
      {"floor", "floor"}, {"math.ceil", "ceil"},    {"math.floor", "floor"}, {"math.sqrt", "sqrt"},
      {"sqrt", "sqrt"},   {"math.log2", "log2"},    {"log2", "log2"},        {"pow", "pow"},
      {"int", "floor"},   {"ceil_div", "ceil_div"}, {"round_up", "round_up"}};
  return names;
}

Result<std::string> membership(const PythonNode& node) {
  const PythonNode& list = node.parts[1];
  if (!list.is(Kind::list) || list.parts.empty()) return Error{"'in' needs a list of values"};
  if (!is_plain(node.parts[0])) return Error{"'in' needs a name on its left"};
  ASSAY_TRY(const std::string left, to_expression(node.parts[0]));
  std::string text;
  for (const PythonNode& each : list.parts) {
    ASSAY_TRY(const std::string value, to_expression(each));
    text += fmt::format("{}{} == {}", text.empty() ? "" : " || ", left, value);
  }
  return "(" + text + ")";
}

std::optional<int64_t> floor_divide(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> integer_of(const PythonNode& node, const PythonNames& names, int depth) {
  if (depth > kMostPythonDepth) return std::nullopt;
  switch (node.kind) {
    case Kind::integer:
    case Kind::truth:
      return node.integer;
    case Kind::name: {
      const PythonNode* const bound = names ? names(node.word) : nullptr;
      return bound == nullptr ? std::nullopt : integer_of(*bound, names, depth + 1);
    }
    case Kind::unary: {
      const auto value = integer_of(node.parts[0], names, depth + 1);
      int64_t negative = 0;
      if (!value || node.word != "-" || __builtin_sub_overflow(int64_t{0}, *value, &negative)) return std::nullopt;
      return negative;
    }
    case Kind::binary: {
      const auto a = integer_of(node.parts[0], names, depth + 1);
      const auto b = integer_of(node.parts[1], names, depth + 1);
      if (!a || !b) return std::nullopt;
      int64_t result = 0;
      if (node.word == "+") return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
      if (node.word == "-") return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
      if (node.word == "*") return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
      if (node.word == "//") return floor_divide(*a, *b);
      if (node.word == "%") {
        const auto quotient = floor_divide(*a, *b);
        return quotient ? std::optional(*a - *quotient * *b) : std::nullopt;
      }
      if (node.word != "**" || *b < 0 || *b > 63) return std::nullopt;
      result = 1;
      for (int64_t i = 0; i < *b; ++i) {
        if (__builtin_mul_overflow(result, *a, &result)) return std::nullopt;
      }
      return result;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<PythonNode> parse_python(std::string_view text) {
  return Parser(text, false).whole();
}

Result<PythonNode> parse_python_list(std::string_view text) {
  return Parser(text, true).whole();
}

Result<std::string> to_expression(const PythonNode& node) {
  switch (node.kind) {
    case Kind::integer:
      return std::to_string(node.integer);
    case Kind::real:
      return fmt::format("{}", node.real);
    case Kind::truth:
      return std::string(node.integer != 0 ? "true" : "false");
    case Kind::name:
      if (node.word.find('.') == std::string::npos) return node.word;
      return Error{fmt::format("'{}' is not a dimension", node.word)};
    case Kind::unary: {
      if (node.word == "*") return Error{"a starred value stands outside of a list"};
      ASSAY_TRY(const std::string of, to_expression(node.parts[0]));
      return node.word + of;
    }
    case Kind::binary: {
      if (node.word == "in") return membership(node);
      ASSAY_TRY(const std::string left, to_expression(node.parts[0]));
      ASSAY_TRY(const std::string right, to_expression(node.parts[1]));
      if (node.word == "//") return fmt::format("floor({}/{})", left, right);
      if (node.word == "**") return fmt::format("pow({}, {})", left, right);
      return fmt::format("({} {} {})", left, node.word, right);
    }
    case Kind::choice: {
      ASSAY_TRY(const std::string condition, to_expression(node.parts[0]));
      ASSAY_TRY(const std::string yes, to_expression(node.parts[1]));
      ASSAY_TRY(const std::string no, to_expression(node.parts[2]));
      return fmt::format("({} ? {} : {})", condition, yes, no);
    }
    case Kind::call: {
      const auto known = functions().find(node.word);
      if (known == functions().end()) return Error{fmt::format("there is no function '{}'", node.word)};
      if (!node.keywords.empty()) return Error{fmt::format("'{}' has arguments by name", node.word)};
      std::vector<std::string> arguments;
      for (const PythonNode& each : node.parts) {
        ASSAY_TRY(std::string argument, to_expression(each));
        arguments.push_back(std::move(argument));
      }
      return fmt::format("{}({})", known->second, join(arguments, ", "));
    }
    case Kind::text:
      return Error{fmt::format("a string ('{}') is no number", escape_terminal(node.word))};
    case Kind::list:
      return Error{"a list is no number"};
    case Kind::none:
      break;
  }
  return Error{"None is no number"};
}

Result<std::string> python_to_expression(std::string_view text) {
  ASSAY_TRY(const PythonNode node, parse_python(text));
  ASSAY_TRY(std::string expression, to_expression(node));
  // The outermost parentheses say nothing.
  if (node.is(Kind::binary) && expression.starts_with('(') && expression.ends_with(')') && node.word != "in")
    expression = expression.substr(1, expression.size() - 2);
  return expression;
}

std::optional<int64_t> python_integer(const PythonNode& node, const PythonNames& names) {
  return integer_of(node, names, 0);
}

std::optional<std::vector<int64_t>> python_integers(const std::vector<PythonNode>& nodes, const PythonNames& names) {
  constexpr size_t kMost = 1000;
  std::vector<int64_t> values;
  for (const PythonNode& each : nodes) {
    const PythonNode* node = &each;
    if (node->is(Kind::unary) && node->word == "*") node = &node->parts[0];
    for (int step = 0; step < kMostPythonDepth && node->is(Kind::name); ++step) {
      const PythonNode* const bound = names ? names(node->word) : nullptr;
      if (bound == nullptr) return std::nullopt;
      node = bound;
    }
    if (node->is(Kind::list)) {
      for (const PythonNode& part : node->parts) {
        const auto value = python_integer(part, names);
        if (!value || values.size() == kMost) return std::nullopt;
        values.push_back(*value);
      }
      continue;
    }
    const auto value = python_integer(*node, names);
    if (!value || values.size() == kMost) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace assay::formats
