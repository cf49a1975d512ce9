// SPDX-License-Identifier: MIT
#include "describe/product.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace assay::describe {
namespace {

constexpr size_t kMostFactors = 5;
constexpr int64_t kLargestConstant = 4096;

int complexity(const Factor& factor) {
  switch (factor.kind) {
    case Factor::Kind::size:
      return 1;
    case Factor::Kind::minus_one:
    case Factor::Kind::plus_one:
      return 3;
    case Factor::Kind::halo:
    case Factor::Kind::shrunk:
    case Factor::Kind::blocks:
      return 4;
    case Factor::Kind::sum:
      return 5;
  }
  return 5;
}

int complexity(const Product& product) {
  int sum = product.constant == 1 ? 0 : 2;
  for (const Factor& factor : product.factors) sum += complexity(factor);
  return sum;
}

// The simple ones first.
std::vector<Factor> all_factors(size_t sizes) {
  std::vector<Factor> factors;
  for (size_t i = 0; i < sizes; ++i) factors.push_back({Factor::Kind::size, i});
  for (size_t i = 0; i < sizes; ++i) {
    factors.push_back({Factor::Kind::minus_one, i});
    factors.push_back({Factor::Kind::plus_one, i});
  }
  for (size_t i = 0; i < sizes; ++i) {
    for (size_t j = 0; j < sizes; ++j) {
      if (i == j) continue;
      factors.push_back({Factor::Kind::shrunk, i, j});
      if (i < j) factors.push_back({Factor::Kind::halo, i, j});
      if (i < j) factors.push_back({Factor::Kind::sum, i, j});
    }
    for (int64_t divisor = 2; divisor <= 1024; divisor *= 2) factors.push_back({Factor::Kind::blocks, i, 0, divisor});
  }
  return factors;
}

// Depth first over factors in the order of their list, each as often as it divides what is left.
class Search {
 public:
  Search(std::span<const int64_t> values, std::span<const Sizes> sizes)
      : left_(values.begin(), values.end()), factors_(all_factors(sizes.front().size())) {
    for (const Factor& factor : factors_) {
      std::vector<int64_t> each;
      for (const Sizes& choice : sizes) each.push_back(factor.value(choice));
      values_.push_back(std::move(each));
    }
  }

  std::optional<Product> run() {
    descend(0);
    return best_;
  }

 private:
  void descend(size_t first) {
    const bool constant = std::ranges::all_of(left_, [&](int64_t each) { return each == left_.front(); });
    if (constant && left_.front() >= 1 && left_.front() <= kLargestConstant) {
      Product found = current_;
      found.constant = left_.front();
      if (!best_ || complexity(found) < complexity(*best_)) best_ = found;
    }
    if (current_.factors.size() == kMostFactors) return;
    for (size_t i = first; i < factors_.size(); ++i) {
      if (best_ && complexity(current_) + complexity(factors_[i]) >= complexity(*best_)) continue;
      if (!divides(values_[i])) continue;
      const std::vector<int64_t> before = left_;
      for (size_t k = 0; k < left_.size(); ++k) left_[k] /= values_[i][k];
      current_.factors.push_back(factors_[i]);
      descend(i);
      current_.factors.pop_back();
      left_ = before;
    }
  }

  bool divides(const std::vector<int64_t>& factor) const {
    for (size_t k = 0; k < left_.size(); ++k) {
      if (factor[k] <= 1 || left_[k] % factor[k] != 0) return false;
    }
    return true;
  }

  std::vector<int64_t> left_;
  std::vector<Factor> factors_;
  std::vector<std::vector<int64_t>> values_;  // of each factor, for each choice
  Product current_;
  std::optional<Product> best_;
};

}  // namespace

int64_t Factor::value(const Sizes& sizes) const {
  switch (kind) {
    case Kind::size:
      return sizes[first];
    case Kind::minus_one:
      return sizes[first] - 1;
    case Kind::plus_one:
      return sizes[first] + 1;
    case Kind::halo:
      return sizes[first] + sizes[second] - 1;
    case Kind::shrunk:
      return sizes[first] - sizes[second] + 1;
    case Kind::sum:
      return sizes[first] + sizes[second];
    case Kind::blocks:
      return (sizes[first] + divisor - 1) / divisor;
  }
  return 0;
}

std::string Factor::text(std::span<const std::string> names) const {
  switch (kind) {
    case Kind::size:
      return names[first];
    case Kind::minus_one:
      return fmt::format("{} - 1", names[first]);
    case Kind::plus_one:
      return fmt::format("{} + 1", names[first]);
    case Kind::halo:
      return fmt::format("{} + {} - 1", names[first], names[second]);
    case Kind::shrunk:
      return fmt::format("{} - {} + 1", names[first], names[second]);
    case Kind::sum:
      return fmt::format("{} + {}", names[first], names[second]);
    case Kind::blocks:
      return fmt::format("ceil_div({}, {})", names[first], divisor);
  }
  return "";
}

int64_t Product::value(const Sizes& sizes) const {
  int64_t product = constant;
  for (const Factor& factor : factors) product *= factor.value(sizes);
  return product;
}

std::vector<std::string> Product::list(std::span<const std::string> names, size_t constant_place) const {
  std::vector<std::string> texts;
  for (const Factor& factor : factors) texts.push_back(factor.text(names));
  const size_t place = std::min(constant_place, texts.size());
  if (constant != 1 || texts.empty())
    texts.insert(texts.begin() + static_cast<std::ptrdiff_t>(place), std::to_string(constant));
  return texts;
}

std::string Product::text(std::span<const std::string> names) const {
  if (factors.size() == 1 && constant == 1) return factors.front().text(names);
  std::string text = constant != 1 || factors.empty() ? std::to_string(constant) : "";
  for (const Factor& factor : factors) {
    const bool simple = factor.kind == Factor::Kind::size || factor.kind == Factor::Kind::blocks;
    text += fmt::format("{}{}", text.empty() ? "" : "*", simple ? factor.text(names) : "(" + factor.text(names) + ")");
  }
  return text;
}

std::optional<Product> quotient(const Product& a, const Product& b) {
  if (b.constant == 0 || a.constant % b.constant != 0) return std::nullopt;
  Product result = a;
  result.constant = a.constant / b.constant;
  for (const Factor& factor : b.factors) {
    const auto place = std::ranges::find(result.factors, factor);
    if (place == result.factors.end()) return std::nullopt;
    result.factors.erase(place);
  }
  return result;
}

std::optional<Product> fit_product(std::span<const int64_t> values, std::span<const Sizes> sizes) {
  if (values.size() < 2 || values.size() != sizes.size()) return std::nullopt;
  if (std::ranges::any_of(values, [](int64_t value) { return value <= 0; })) return std::nullopt;
  return Search(values, sizes).run();
}

}  // namespace assay::describe
