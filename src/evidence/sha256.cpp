// SPDX-License-Identifier: MIT
#include "evidence/sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <fmt/format.h>

namespace assay::evidence {
namespace {

constexpr size_t kHashBlock = 64;

// The first 32 bits of the fractional part of a root of the n-th prime: exact integers, so no rounding is involved.
uint32_t fraction_of_root(uint64_t prime, int root) {
  // The largest r with r^root <= prime * 2^(32 * root); its low 32 bits are the fraction.
  uint64_t low = 0, high = uint64_t{1} << 37;
  __extension__ using Wide = unsigned __int128;
  while (low + 1 < high) {
    const uint64_t middle = (low + high) / 2;
    bool below = false;
    if (root == 2) {
      below = Wide{middle} * middle <= (Wide{prime} << 64);
    } else {  // middle^3 <= prime * 2^96, divided by 2^32 on both sides where it would not fit
      const Wide square = Wide{middle} * middle;
      const Wide limit = Wide{prime} << 96;
      below = square <= limit / middle;
    }
    (below ? low : high) = middle;
  }
  return static_cast<uint32_t>(low);
}

std::array<uint64_t, 64> first_primes() {
  std::array<uint64_t, 64> primes{};
  size_t count = 0;
  for (uint64_t candidate = 2; count < primes.size(); ++candidate) {
    bool prime = true;
    for (size_t i = 0; i < count && prime; ++i) prime = candidate % primes[i] != 0;
    if (prime) primes[count++] = candidate;
  }
  return primes;
}

struct Constants {
  std::array<uint32_t, 64> round{};  // of the cube roots of the first 64 primes
  std::array<uint32_t, 8> start{};   // of the square roots of the first 8
};

const Constants& constants() {
  static const Constants made = [] {
    Constants all;
    const std::array<uint64_t, 64> primes = first_primes();
    for (size_t i = 0; i < 64; ++i) all.round[i] = fraction_of_root(primes[i], 3);
    for (size_t i = 0; i < 8; ++i) all.start[i] = fraction_of_root(primes[i], 2);
    return all;
  }();
  return made;
}

void absorb(std::array<uint32_t, 8>& state, const unsigned char* block) {
  std::array<uint32_t, 64> words{};
  for (size_t i = 0; i < 16; ++i)
    words[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 | uint32_t{block[4 * i + 2]} << 8 |
               uint32_t{block[4 * i + 3]};
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = words[i - 15], b = words[i - 2];
    const uint32_t low = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const uint32_t high = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t mixed = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t first = h + mixed + ((e & f) ^ (~e & g)) + constants().round[i] + words[i];
    const uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

std::string sha256(std::string_view content) {
  std::array<uint32_t, 8> state = constants().start;
  const auto* bytes = reinterpret_cast<const unsigned char*>(content.data());
  const size_t whole = content.size() / kHashBlock * kHashBlock;
  for (size_t at = 0; at < whole; at += kHashBlock) absorb(state, bytes + at);
  // A bit 1, zeros, and the length in bits, to the end of a block.
  std::string rest(content.substr(whole));
  rest += '\x80';
  while (rest.size() % kHashBlock != kHashBlock - 8) rest += '\0';
  const uint64_t bits = uint64_t{content.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (size_t at = 0; at < rest.size(); at += kHashBlock)
    absorb(state, reinterpret_cast<const unsigned char*>(rest.data()) + at);
  std::string text;
  for (const uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace assay::evidence
