// SPDX-License-Identifier: MIT
#include "claims/figure.hpp"

#include <charconv>
#include <cmath>

namespace assay::claims {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Three digits and then no more: the group of a number such as 1,760.
bool group_at(std::string_view text, size_t at) {
  for (size_t i = at; i < at + 3; ++i) {
    if (i >= text.size() || !is_digit(text[i])) return false;
  }
  return at + 3 == text.size() || !is_digit(text[at + 3]);
}

}  // namespace

bool Figure::agrees(double truth) const {
  // What lies exactly between two roundings may have been rounded either way.
  return std::isfinite(truth) && std::abs(truth - value) <= half_unit + 1e-9 * (std::abs(truth) + half_unit);
}

std::optional<Figure> figure_at(std::string_view text, size_t at) {
  Figure figure;
  figure.at = at;
  size_t i = at;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  if (i >= text.size() || !is_digit(text[i])) return std::nullopt;
  std::string plain(text.substr(at, i - at) == "-" ? "-" : "");
  const size_t first = i;
  int decimals = 0, exponent = 0;
  while (i < text.size() && (is_digit(text[i]) || (text[i] == ',' && i - first <= 3 * 6 && group_at(text, i + 1)))) {
    if (text[i] != ',') plain += text[i];
    ++i;
  }
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1])) {
    plain += text[i++];
    for (; i < text.size() && is_digit(text[i]); ++i, ++decimals) plain += text[i];
  }
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const size_t sign = i + 1 < text.size() && (text[i + 1] == '-' || text[i + 1] == '+') ? 1 : 0;
    if (i + 1 + sign < text.size() && is_digit(text[i + 1 + sign])) {
      std::string digits(text[i + 1] == '-' ? "-" : "");
      size_t end = i + 1 + sign;
      while (end < text.size() && is_digit(text[end])) digits += text[end++];
      if (digits.size() > 4) return std::nullopt;
      std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
      i = end;
    }
  }
  const auto [end, problem] = std::from_chars(plain.data(), plain.data() + plain.size(), figure.value);
  if (problem != std::errc() || end != plain.data() + plain.size()) return std::nullopt;
  figure.value *= std::pow(10, exponent);
  figure.half_unit = 0.5 * std::pow(10, exponent - decimals);
  if (!std::isfinite(figure.value) || !std::isfinite(figure.half_unit)) return std::nullopt;  // agrees with anything
  figure.text = text.substr(at, i - at);
  return figure;
}

std::vector<Figure> figures_in(std::string_view text) {
  std::vector<Figure> found;
  for (size_t i = 0; i < text.size();) {
    const bool within = i > 0 && (is_letter(text[i - 1]) || is_digit(text[i - 1]) || text[i - 1] == '.');
    std::optional<Figure> figure = within ? std::nullopt : figure_at(text, i);
    if (!figure) {
      ++i;
      continue;
    }
    i += figure->text.size();
    const bool factor = i < text.size() && text[i] == 'x' && (i + 1 == text.size() || !is_letter(text[i + 1]));
    if (i < text.size() && is_letter(text[i]) && !factor) continue;
    found.push_back(std::move(*figure));
  }
  return found;
}

std::optional<Figure> last_figure(std::string_view text) {
  std::vector<Figure> all = figures_in(text);
  return all.empty() ? std::nullopt : std::optional(std::move(all.back()));
}

}  // namespace assay::claims
