// SPDX-License-Identifier: MIT
#include "tune/features.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "tune/parameter_role.hpp"

namespace assay::tune {
namespace {

// The values of a feature over the space to [0, 1]; nothing if they are all the same.
bool add_feature(Features& features, std::string name, bool derived, const std::vector<double>& raw) {
  const auto [least, most] = std::minmax_element(raw.begin(), raw.end());
  if (!(*most > *least) || !std::isfinite(*most - *least)) return false;
  Feature feature{std::move(name), derived, {}};
  feature.values.reserve(raw.size());
  for (const double value : raw) feature.values.push_back(static_cast<float>((value - *least) / (*most - *least)));
  features.list.push_back(std::move(feature));
  return true;
}

double log2_of_divisor(double value) {  // of the largest power of two that divides it, at most 2^6
  const double whole = std::fabs(value);
  if (whole < 1 || whole != std::floor(whole) || whole > 1e15) return 0;
  auto bits = static_cast<uint64_t>(whole);
  double count = 0;
  while (bits % 2 == 0 && count < 6) {
    bits /= 2;
    ++count;
  }
  return count;
}

// Half the value's logarithm, half its rank: 16, 32, 48 ... 256 neither crowd at the upper end nor at the lower one.
std::vector<double> positions(const Parameter& parameter) {
  std::vector<double> sorted;
  for (const ParameterValue& value : parameter.values) sorted.push_back(*value.number);
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const double span = static_cast<double>(std::max<size_t>(sorted.size() - 1, 1));
  const bool logarithmic = sorted.front() >= 0;
  const auto scale = [&](double value) {
    return logarithmic ? std::log2(value + (sorted.front() == 0 ? 1 : 0)) : value;
  };
  const double low = scale(sorted.front()), high = scale(sorted.back());
  std::vector<double> result;
  for (const ParameterValue& value : parameter.values) {
    const double rank = static_cast<double>(std::ranges::lower_bound(sorted, *value.number) - sorted.begin()) / span;
    const double place = high > low ? (scale(*value.number) - low) / (high - low) : 0;
    result.push_back((rank + place) / 2);
  }
  return result;
}

std::vector<double> column(const Space& space, size_t parameter, const std::vector<double>& of_value) {
  std::vector<double> raw(space.size());
  for (size_t i = 0; i < raw.size(); ++i) raw[i] = of_value[space.row(i)[parameter]];
  return raw;
}

void add_own_features(Features& features, const Space& space, size_t p) {
  const Parameter& parameter = space.parameters()[p];
  if (parameter.values.size() < 2) return;
  if (!parameter.numeric()) {
    const bool two = parameter.values.size() == 2;
    for (size_t v = two ? 1 : 0; v < parameter.values.size() && v < 16; ++v) {
      std::vector<double> is(parameter.values.size(), 0);
      is[v] = 1;
      const bool added =
          add_feature(features, parameter.name + "=" + parameter.values[v].text, false, column(space, p, is));
      // Two words differ in two of these: together they are as far apart as the ends of a range.
      if (added && !two) {
        for (float& value : features.list.back().values) value *= 0.70710678f;
      }
    }
    return;
  }
  add_feature(features, parameter.name, false, column(space, p, positions(parameter)));
  // Powers of two alone have nothing that their logarithm does not say.
  std::vector<double> divisors;
  bool all_powers = true;
  for (const ParameterValue& value : parameter.values) {
    divisors.push_back(log2_of_divisor(*value.number));
    all_powers = all_powers && (*value.number == 0 || std::exp2(divisors.back()) == std::fabs(*value.number));
  }
  if (!all_powers && parameter.values.size() > 2)
    add_feature(features, "twos in " + parameter.name, false, column(space, p, divisors));
}

bool is_size(const Parameter& parameter) {  // positive numbers, more than a switch
  return parameter.numeric() && parameter.values.size() > 2 &&
         std::ranges::all_of(parameter.values, [](const ParameterValue& value) { return *value.number > 0; });
}

// "block_size_x" -> "block_size_?"; the letter or digit that names an axis.
struct AxisName {
  std::string stem;
  char axis = 0;
};
std::vector<AxisName> axis_names(const std::string& name) {
  static constexpr std::string_view axes = "xyzmnkijhw012";
  std::vector<AxisName> found;
  for (size_t i = 0; i < name.size(); ++i) {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    if (axes.find(letter) == std::string_view::npos) continue;
    std::string stem = name;
    stem[i] = '?';
    found.push_back({stem, letter});
  }
  return found;
}

// Sizes whose names differ in one axis alone.
std::vector<std::vector<size_t>> axis_groups(const Space& space) {
  std::map<std::string, std::vector<size_t>> by_stem;
  for (size_t p = 0; p < space.width(); ++p) {
    if (!is_size(space.parameters()[p])) continue;
    for (const AxisName& each : axis_names(space.parameters()[p].name)) by_stem[each.stem].push_back(p);
  }
  std::set<std::vector<size_t>> groups;
  for (const auto& [stem, members] : by_stem) {
    if (members.size() > 1 && members.size() <= 3) groups.insert(members);
  }
  return {groups.begin(), groups.end()};
}

double number(const Space& space, size_t configuration, size_t parameter) {
  return *space.value(configuration, parameter).number;
}

std::vector<double> product(const Space& space, const std::vector<size_t>& members) {
  std::vector<double> raw(space.size(), 1);
  for (size_t i = 0; i < raw.size(); ++i) {
    for (const size_t p : members) raw[i] *= number(space, i, p);
  }
  return raw;
}

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log2(value);
  return values;
}

void add_product(Features& features, const Space& space, const std::vector<size_t>& members) {
  std::string name;
  for (const size_t p : members) name += (name.empty() ? "" : "*") + space.parameters()[p].name;
  const std::vector<double> raw = product(space, members);
  add_feature(features, name, true, logarithms(raw));
}

// One always divides the other in the space, and not in the product of their values: a ratio that the kernel uses.
bool always_divides(const Space& space, size_t whole, size_t part) {
  bool somewhere_not = false;
  for (const ParameterValue& a : space.parameters()[whole].values) {
    for (const ParameterValue& b : space.parameters()[part].values)
      somewhere_not = somewhere_not || std::fmod(*a.number, *b.number) != 0;
  }
  if (!somewhere_not) return false;
  for (size_t i = 0; i < space.size(); ++i) {
    if (std::fmod(number(space, i, whole), number(space, i, part)) != 0) return false;
  }
  return true;
}

constexpr size_t kMostDerived = 12, kMostSizes = 8;
constexpr size_t kMostMultiplied = 200'000;  // configurations; each product takes memory and time

}  // namespace

void add_feature(Features& features, const std::string& name, const std::vector<double>& values) {
  add_feature(features, name, true, values);
}

void add_size_products(Features& features, const Space& space) {
  std::vector<size_t> sizes;
  for (size_t p = 0; p < space.width(); ++p) {
    if (is_size(space.parameters()[p])) sizes.push_back(p);
  }
  if (sizes.size() < 2 || sizes.size() > kMostSizes || space.size() > kMostMultiplied) return;
  if (sizes.size() > 2) add_product(features, space, sizes);
  for (size_t a = 0; a < sizes.size(); ++a) {
    for (size_t b = a + 1; b < sizes.size(); ++b) add_product(features, space, {sizes[a], sizes[b]});
  }
}

Features describe(const Space& space) {
  Features features;
  for (size_t p = 0; p < space.width(); ++p) add_own_features(features, space, p);
  std::vector<size_t> threads;
  for (size_t p = 0; p < space.width(); ++p) {
    if (is_size(space.parameters()[p]) && role_of(space.parameters()[p]) == ParameterRole::threads)
      threads.push_back(p);
  }
  if (threads.size() > 1 && threads.size() <= 3) {
    add_product(features, space, threads);
    std::vector<double> twos;
    for (const double count : product(space, threads)) twos.push_back(log2_of_divisor(count));
    add_feature(features, "twos in threads", true, twos);
  }
  size_t derived = 0;
  for (const std::vector<size_t>& group : axis_groups(space)) {
    if (group == threads || derived >= kMostDerived) continue;
    add_product(features, space, group);
    ++derived;
  }
  // Extents of a block's tile: sizes of the same axis of different groups.
  for (size_t a = 0; a < space.width(); ++a) {
    for (size_t b = 0; b < space.width(); ++b) {
      if (a == b || derived >= kMostDerived) continue;
      const Parameter& first = space.parameters()[a];
      const Parameter& second = space.parameters()[b];
      if (!is_size(first) || !is_size(second)) continue;
      if (always_divides(space, a, b)) {
        std::vector<double> ratio(space.size());
        for (size_t i = 0; i < ratio.size(); ++i) ratio[i] = std::log2(number(space, i, a) / number(space, i, b));
        derived += add_feature(features, first.name + "/" + second.name, true, ratio) ? 1 : 0;
      } else if (a < b && first.name.size() > 2 && second.name.size() > 2 && first.name[first.name.size() - 2] == '_' &&
                 second.name[second.name.size() - 2] == '_' && first.name.back() == second.name.back()) {
        add_product(features, space, {a, b});
        ++derived;
      }
    }
  }
  return features;
}

}  // namespace assay::tune
