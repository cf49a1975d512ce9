// SPDX-License-Identifier: MIT
#include "reference/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::reference {
namespace {

Int128 least(Integers integers) {
  return integers == Integers::u64 ? Int128{0} : Int128{std::numeric_limits<int64_t>::min()};
}

Int128 greatest(Integers integers) {
  return integers == Integers::u64 ? Int128{std::numeric_limits<uint64_t>::max()}
                                   : Int128{std::numeric_limits<int64_t>::max()};
}

}  // namespace

Int128 integer_of(uint64_t word, Integers integers) {
  return integers == Integers::u64 ? Int128{word} : Int128{static_cast<int64_t>(word)};
}

std::string digits_of(Int128 integer) {
  const bool negative = integer < 0;
  std::string digits;
  do {
    const auto digit = static_cast<int>(integer % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    integer /= 10;
  } while (integer != 0);
  return negative ? "-" + digits : digits;
}

uint64_t word_of(Int128 integer, Integers integers) {
  return static_cast<uint64_t>(std::clamp(integer, least(integers), greatest(integers)));
}

uint64_t word_of(double value, Integers integers) {
  if (std::isnan(value)) return 0;
  constexpr double kBeyondAll = 0x1p64;
  return word_of(static_cast<Int128>(std::nearbyint(std::clamp(value, -kBeyondAll, kBeyondAll))), integers);
}

Numbers numbers_of_words(std::vector<uint64_t> words, Integers integers) {
  Numbers numbers;
  numbers.values.reserve(words.size());
  bool large = false;
  for (const uint64_t word : words) {
    const double value =
        integers == Integers::u64 ? static_cast<double>(word) : static_cast<double>(static_cast<int64_t>(word));
    large = large || std::abs(value) >= kFirstInexact;
    numbers.values.push_back(value);
  }
  if (large) numbers.words = std::move(words);
  return numbers;
}

std::optional<size_t> first_inexact(std::span<const uint64_t> words, Integers integers) {
  const auto found = std::ranges::find_if(words, [&](uint64_t word) {
    const Int128 integer = integer_of(word, integers);
    return static_cast<Int128>(static_cast<double>(integer)) != integer;
  });
  if (found == words.end()) return std::nullopt;
  return static_cast<size_t>(found - words.begin());
}

}  // namespace assay::reference
