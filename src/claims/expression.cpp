// SPDX-License-Identifier: MIT
#include "claims/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <vector>

#include "base/text.hpp"

namespace assay::claims {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;  // parentheses
constexpr const char* kFunctions[] = {"min", "max", "median", "mean", "sum", "count"};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// As it would be written in a selection: texts without their quotes.
bool has_value(const json& value, const std::string& wanted) {
  if (value.is_string()) return value.get_ref<const std::string&>() == wanted;
  if (!value.is_number()) return value.dump() == wanted;
  double number = 0;
  const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  return problem == std::errc() && end == wanted.data() + wanted.size() && number == value.get<double>();
}

class Evaluator {
 public:
  Evaluator(std::string_view text, const json& document) : text_(text), document_(document) {}

  Result<double> whole() {
    ASSAY_TRY(const double value, sum());
    skip_blanks();
    if (at_ != text_.size())
      return Error{fmt::format("'{}' is left over behind the expression", std::string(text_.substr(at_)))};
    return value;
  }

  Result<std::vector<double>> list() {
    std::vector<double> all;
    do {
      skip_blanks();
      ASSAY_TRY(const std::vector<double> values, numbers());
      all.insert(all.end(), values.begin(), values.end());
    } while (take(','));
    skip_blanks();
    if (at_ != text_.size())
      return Error{fmt::format("'{}' is left over behind the path", std::string(text_.substr(at_)))};
    return all;
  }

 private:
  using Found = std::vector<const json*>;

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<double> sum() {
    ASSAY_TRY(double value, product());
    while (true) {
      const bool plus = take('+');
      if (!plus && !take('-')) return value;
      ASSAY_TRY(const double next, product());
      value += plus ? next : -next;
    }
  }

  Result<double> product() {
    ASSAY_TRY(double value, factor());
    while (true) {
      const bool times = take('*');
      if (!times && !take('/')) return value;
      ASSAY_TRY(const double next, factor());
      value = times ? value * next : value / next;
    }
  }

  Result<double> factor() {
    if (++depth_ > kDeepest) return Error{"the expression has too many parentheses"};
    skip_blanks();
    auto value = [&]() -> Result<double> {
      if (take('(')) {
        ASSAY_TRY(const double inner, sum());
        if (!take(')')) return Error{"a ')' is missing"};
        return inner;
      }
      if (at_ < text_.size() && ((text_[at_] >= '0' && text_[at_] <= '9') || text_[at_] == '.')) return number();
      const size_t start = at_;
      if (const std::string name = function(); !name.empty()) return call(name);
      ASSAY_TRY(const std::vector<double> values, numbers());
      if (values.size() != 1)
        return Error{fmt::format("'{}' stands for {} numbers, not for one",
                                 std::string(trim(text_.substr(start, at_ - start))), values.size())};
      return values[0];
    }();
    --depth_;
    return value;
  }

  Result<double> number() {
    double value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (problem != std::errc()) return Error{"this number cannot be read"};
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  // "min(" and the others; nothing is taken if none stands here.
  std::string function() {
    for (const char* name : kFunctions) {
      const std::string opening = fmt::format("{}(", name);
      if (text_.substr(at_).starts_with(opening)) {
        at_ += opening.size();
        return name;
      }
    }
    return "";
  }

  Result<double> call(const std::string& name) {
    std::vector<double> all;
    do {
      skip_blanks();
      const bool is_path = at_ < text_.size() && (is_letter_or_path(text_[at_])) && !is_function_here();
      if (is_path) {
        ASSAY_TRY(const std::vector<double> values, numbers());
        all.insert(all.end(), values.begin(), values.end());
        continue;
      }
      ASSAY_TRY(const double value, sum());
      all.push_back(value);
    } while (take(','));
    if (!take(')')) return Error{fmt::format("behind {}( a ')' is missing", name)};
    if (name == "count") return static_cast<double>(all.size());
    if (all.empty()) return Error{fmt::format("{}() of nothing", name)};
    std::sort(all.begin(), all.end());
    if (name == "min") return all.front();
    if (name == "max") return all.back();
    const double total = std::accumulate(all.begin(), all.end(), 0.0);
    if (name == "sum") return total;
    if (name == "mean") return total / static_cast<double>(all.size());
    const size_t half = all.size() / 2;
    return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
  }

  static bool is_letter_or_path(char c) {
    return (is_name(c) && !(c >= '0' && c <= '9')) || c == '[' || c == '"' || c == '*';
  }
  bool is_function_here() const {
    return std::ranges::any_of(
        kFunctions, [&](const char* name) { return text_.substr(at_).starts_with(fmt::format("{}(", name)); });
  }

  Result<std::string> name() {
    if (at_ < text_.size() && text_[at_] == '"') {
      const size_t end = text_.find('"', at_ + 1);
      if (end == text_.npos) return Error{"a quote is missing"};
      std::string quoted(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return quoted;
    }
    const size_t start = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == start) return Error{fmt::format("a name was expected at '{}'", std::string(text_.substr(start, 20)))};
    return std::string(text_.substr(start, at_ - start));
  }

  Result<std::vector<double>> numbers() {
    const size_t start = at_;
    ASSAY_TRY(const Found found, path());
    std::vector<double> values;
    for (const json* each : found) {
      if (each->is_array()) {
        for (const json& element : *each) {
          if (!element.is_number()) return not_a_number(start);
          values.push_back(element.get<double>());
        }
        continue;
      }
      if (!each->is_number()) return not_a_number(start);
      values.push_back(each->get<double>());
    }
    return values;
  }

  Error not_a_number(size_t start) const {
    return Error{fmt::format("'{}' is no number", std::string(trim(text_.substr(start, at_ - start))))};
  }

  Result<Found> path() {
    Found found = {&document_};
    while (true) {
      if (at_ < text_.size() && text_[at_] == '[') {
        ++at_;
        ASSAY_TRY(found, selected(found));
      } else if (at_ < text_.size() && text_[at_] == '*') {
        ++at_;
        Found members;
        for (const json* each : found) {
          if (each->is_structured()) {
            for (const json& member : *each) members.push_back(&member);
          }
        }
        found = std::move(members);
      } else {
        ASSAY_TRY(const std::string key, name());
        Found members;
        for (const json* each : found) {
          if (each->is_object() && each->contains(key)) members.push_back(&(*each)[key]);
        }
        if (members.empty()) return Error{fmt::format("there is no '{}'", key)};
        found = std::move(members);
      }
      if (at_ < text_.size() && text_[at_] == '[') continue;
      if (at_ >= text_.size() || text_[at_] != '.') return found;
      ++at_;
    }
  }

  // Behind '[': a number, which counts from 0, or NAME=value,... that entries of a list must have.
  Result<Found> selected(const Found& found) {
    std::vector<std::pair<std::string, std::string>> conditions;
    size_t index = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), index);
    const size_t behind = static_cast<size_t>(end - text_.data());
    if (problem == std::errc() && behind < text_.size() && text_[behind] == ']') {
      at_ = behind + 1;
      Found entries;
      for (const json* each : found) {
        if (each->is_array() && index < each->size()) entries.push_back(&(*each)[index]);
      }
      if (entries.empty()) return Error{fmt::format("there is no entry {}", index)};
      return entries;
    }
    do {
      skip_blanks();
      ASSAY_TRY(std::string key, name());
      if (!take('=')) return Error{fmt::format("'{}' in a selection has no value: [NAME=value]", key)};
      skip_blanks();
      std::string value;
      if (at_ < text_.size() && text_[at_] == '"') {
        ASSAY_TRY(value, name());
      } else {
        const size_t start = at_;
        while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']') ++at_;
        value = trim(text_.substr(start, at_ - start));
      }
      conditions.emplace_back(std::move(key), std::move(value));
    } while (take(','));
    if (!take(']')) return Error{"a ']' is missing"};
    Found entries;
    for (const json* each : found) {
      if (!each->is_array()) continue;
      for (const json& entry : *each) {
        const bool like_that =
            entry.is_object() && std::ranges::all_of(conditions, [&](const auto& condition) {
              return entry.contains(condition.first) && has_value(entry[condition.first], condition.second);
            });
        if (like_that) entries.push_back(&entry);
      }
    }
    return entries;
  }

  std::string_view text_;
  const json& document_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::vector<double>> numbers_at(std::string_view paths, const json& document) {
  return Evaluator(trim(paths), document).list();
}

Result<double> evaluate(std::string_view expression, const json& document) {
  return Evaluator(trim(expression), document).whole();
}

}  // namespace assay::claims
