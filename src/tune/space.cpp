// SPDX-License-Identifier: MIT
#include "tune/space.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/random.hpp"

namespace assay::tune {

ParameterValue number_value(double number) {
  const bool whole = std::floor(number) == number && std::fabs(number) < 1e15;
  return {number, whole ? fmt::format("{}", static_cast<int64_t>(number)) : fmt::format("{}", number)};
}

ParameterValue word_value(std::string_view word) {
  return {std::nullopt, std::string(word)};
}

bool Parameter::numeric() const {
  return std::all_of(values.begin(), values.end(),
                     [](const ParameterValue& value) { return value.number.has_value(); });
}

Result<Space> Space::make(std::vector<Parameter> parameters, std::vector<uint16_t> rows) {
  if (parameters.empty()) return Error{"the space has no parameters"};
  if (parameters.size() > kMaxSpaceParameters)
    return Error{
        fmt::format("the space has {} parameters; at most {} are supported", parameters.size(), kMaxSpaceParameters)};
  for (const Parameter& parameter : parameters) {
    if (parameter.values.empty()) return Error{fmt::format("parameter '{}' has no values", parameter.name)};
    if (parameter.values.size() > kMaxSpaceValues)
      return Error{fmt::format("parameter '{}' has {} values; at most {} are supported", parameter.name,
                               parameter.values.size(), kMaxSpaceValues)};
  }
  const size_t width = parameters.size();
  if (rows.empty()) return Error{"the space has no configurations"};
  if (rows.size() % width != 0) return Error{"a configuration lacks values"};
  Space space;
  space.size_ = rows.size() / width;
  if (space.size_ > kMaxSpaceSize)
    return Error{fmt::format("the space has {} configurations; at most {} are supported", space.size_, kMaxSpaceSize)};
  Random random(0x7e5a);
  for (const Parameter& parameter : parameters) {
    std::vector<uint64_t>& marks = space.marks_.emplace_back(parameter.values.size());
    for (uint64_t& mark : marks) mark = random.next();
    space.put_in_order(parameter);
  }
  space.parameters_ = std::move(parameters);
  space.rows_ = std::move(rows);
  space.index_.reserve(space.size_);
  for (size_t configuration = 0; configuration < space.size_; ++configuration) {
    const auto row = space.row(configuration);
    for (size_t p = 0; p < width; ++p) {
      if (row[p] >= space.parameters_[p].values.size())
        return Error{fmt::format("configuration {} names value {} of parameter '{}', which has {}", configuration,
                                 row[p], space.parameters_[p].name, space.parameters_[p].values.size())};
    }
    if (!space.index_.emplace(space.key(row), static_cast<uint32_t>(configuration)).second)
      return Error{fmt::format("configuration {} ({}) is there twice", configuration, space.id(configuration))};
  }
  return space;
}

void Space::put_in_order(const Parameter& parameter) {
  std::vector<uint16_t>& ordered = ordered_.emplace_back(parameter.values.size());
  std::iota(ordered.begin(), ordered.end(), uint16_t{0});
  if (parameter.numeric()) {
    std::ranges::stable_sort(
        ordered, [&](uint16_t a, uint16_t b) { return *parameter.values[a].number < *parameter.values[b].number; });
  }
  std::vector<uint16_t>& places = places_.emplace_back(ordered.size());
  for (size_t place = 0; place < ordered.size(); ++place) places[ordered[place]] = static_cast<uint16_t>(place);
}

std::string Space::id(size_t configuration) const {
  std::string text;
  for (size_t p = 0; p < width(); ++p) {
    if (p > 0) text += ',';
    text += parameters_[p].name + "=" + value(configuration, p).text;
  }
  return text;
}

uint64_t Space::key(std::span<const uint16_t> row) const {
  uint64_t sum = 0;
  for (size_t p = 0; p < row.size(); ++p) sum += marks_[p][row[p]];
  return sum;
}

std::optional<size_t> Space::find_key(uint64_t key, std::span<const uint16_t> wanted) const {
  const auto found = index_.find(key);
  if (found == index_.end() || !std::ranges::equal(row(found->second), wanted)) return std::nullopt;
  return found->second;
}

std::optional<size_t> Space::find(std::span<const uint16_t> wanted) const {
  if (wanted.size() != width()) return std::nullopt;
  for (size_t p = 0; p < width(); ++p) {
    if (wanted[p] >= parameters_[p].values.size()) return std::nullopt;
  }
  return find_key(key(wanted), wanted);
}

std::vector<size_t> Space::neighbours(size_t configuration) const {
  std::vector<size_t> found;
  const auto here = row(configuration);
  std::vector<uint16_t> there(here.begin(), here.end());
  const uint64_t base = key(here);
  for (size_t p = 0; p < width(); ++p) {
    for (size_t v = 0; v < parameters_[p].values.size(); ++v) {
      if (v == here[p]) continue;
      there[p] = static_cast<uint16_t>(v);
      if (const auto other = find_key(base - marks_[p][here[p]] + marks_[p][v], there)) found.push_back(*other);
    }
    there[p] = here[p];
  }
  return found;
}

std::vector<size_t> Space::adjacent(size_t configuration) const {
  std::vector<size_t> found;
  const auto here = row(configuration);
  std::vector<uint16_t> there(here.begin(), here.end());
  const uint64_t base = key(here);
  for (size_t p = 0; p < width(); ++p) {
    const auto step = [&](int direction) {
      const std::vector<uint16_t>& ordered = ordered_[p];
      for (int place = places_[p][here[p]] + direction; place >= 0 && place < static_cast<int>(ordered.size());
           place += direction) {
        there[p] = ordered[static_cast<size_t>(place)];
        if (const auto other = find_key(base - marks_[p][here[p]] + marks_[p][there[p]], there)) {
          found.push_back(*other);
          return;
        }
      }
    };
    step(-1);
    step(+1);
    there[p] = here[p];
  }
  return found;
}

size_t Space::distance(size_t a, size_t b) const {
  const auto first = row(a);
  const auto second = row(b);
  size_t different = 0;
  for (size_t p = 0; p < first.size(); ++p) different += first[p] != second[p] ? 1 : 0;
  return different;
}

}  // namespace assay::tune
