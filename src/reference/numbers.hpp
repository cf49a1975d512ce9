// SPDX-License-Identifier: MIT
// The numbers of a tensor. A double holds every number of every element type but one kind: 64-bit integers beyond 2^53.
// Where one of these is among them, `words` holds all of them as they are, and `values` what is nearest. Without words,
// doubles from 2^53 on are what somebody computed in float64: which integer is meant is not known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::reference {

enum class Integers { none, i64, u64 };  // which 64-bit integers the elements are

__extension__ using Int128 = __int128;  // holds the difference of any two of them

constexpr double kFirstInexact = 0x1p53;  // from here on a double may stand for several integers

struct Numbers {
  std::vector<double> values;
  std::vector<uint64_t> words;  // of two's complement; empty, or as many as values

  Numbers() = default;
  Numbers(std::initializer_list<double> doubles) : values(doubles) {}
  Numbers(std::vector<double> doubles) : values(std::move(doubles)) {}
  Numbers(std::vector<double> doubles, std::vector<uint64_t> exact)
      : values(std::move(doubles)), words(std::move(exact)) {}

  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// The same without owning them.
struct NumbersView {
  std::span<const double> values;
  std::span<const uint64_t> words;

  NumbersView() = default;
  NumbersView(std::span<const double> doubles) : values(doubles) {}
  NumbersView(const std::vector<double>& doubles) : values(doubles) {}
  NumbersView(const Numbers& numbers) : values(numbers.values), words(numbers.words) {}
  NumbersView(std::span<const double> doubles, std::span<const uint64_t> exact) : values(doubles), words(exact) {}
};

Int128 integer_of(uint64_t word, Integers integers);
std::string digits_of(Int128 integer);
// The word of a whole number; the nearest one that there is, for a number that no word holds.
uint64_t word_of(double value, Integers integers);
uint64_t word_of(Int128 integer, Integers integers);

// Words with the doubles nearest to them; the words alone go where every double is below 2^53.
Numbers numbers_of_words(std::vector<uint64_t> words, Integers integers);

// The first of the words that no double holds.
std::optional<size_t> first_inexact(std::span<const uint64_t> words, Integers integers);

}  // namespace assay::reference
