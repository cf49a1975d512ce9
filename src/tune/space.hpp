// SPDX-License-Identifier: MIT
// An enumerated search space: parameters with their values, and the valid configurations as rows of value indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace assay::tune {

inline constexpr size_t kMaxSpaceParameters = 64;
inline constexpr size_t kMaxSpaceValues = 4096;  // of one parameter
inline constexpr size_t kMaxSpaceSize = 2'000'000;

// A number, or a word such as "row_major".
struct ParameterValue {
  std::optional<double> number;
  std::string text;  // as it was written

  bool operator==(const ParameterValue&) const = default;
};

ParameterValue number_value(double number);
ParameterValue word_value(std::string_view word);

struct Parameter {
  std::string name;
  std::vector<ParameterValue> values;

  bool numeric() const;  // every value is a number
};

class Space {
 public:
  // `rows` holds one value index per parameter for each configuration. Refused: none at all, too many, an index that
  // no value has, the same configuration twice.
  static Result<Space> make(std::vector<Parameter> parameters, std::vector<uint16_t> rows);

  size_t size() const { return size_; }
  size_t width() const { return parameters_.size(); }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::span<const uint16_t> row(size_t configuration) const {
    return {rows_.data() + configuration * parameters_.size(), parameters_.size()};
  }
  const ParameterValue& value(size_t configuration, size_t parameter) const {
    return parameters_[parameter].values[row(configuration)[parameter]];
  }
  std::string id(size_t configuration) const;  // "BLOCK_M=64,STAGES=2"

  std::optional<size_t> find(std::span<const uint16_t> row) const;
  // Valid configurations that differ in exactly one parameter, in the order of parameters and values.
  std::vector<size_t> neighbours(size_t configuration) const;
  // The same, but only to the next value up or down that exists: of numbers the next larger or smaller one, of words
  // the next one in their list.
  std::vector<size_t> adjacent(size_t configuration) const;
  size_t distance(size_t a, size_t b) const;  // how many parameters differ

 private:
  Space() = default;
  void put_in_order(const Parameter& parameter);
  uint64_t key(std::span<const uint16_t> row) const;
  std::optional<size_t> find_key(uint64_t key, std::span<const uint16_t> row) const;

  std::vector<Parameter> parameters_;
  std::vector<uint16_t> rows_;
  size_t size_ = 0;
  std::vector<std::vector<uint16_t>> ordered_;  // the values of each parameter, the smallest number first
  std::vector<std::vector<uint16_t>> places_;   // of each value there
  std::vector<std::vector<uint64_t>> marks_;    // a row's key is the sum of the marks of its values
  std::unordered_map<uint64_t, uint32_t> index_;
};

}  // namespace assay::tune
