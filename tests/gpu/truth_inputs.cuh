// SPDX-License-Identifier: MIT
// The seeded inputs of tensor_truth.cu. Each kind of matrix case aims at one property of a tensor core; each class of
// scalar operand mixes special values with random bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

enum class Format { f16, bf16, f32, e4m3, e5m2, f64, integer8, integer32 };

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int bound) { return int((next() >> 33) % uint64_t(bound)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

struct Layout {
  int width, exponent_bits, mantissa_bits;
};

inline Layout layout(Format format) {
  switch (format) {
    case Format::f16:
      return {16, 5, 10};
    case Format::bf16:
      return {16, 8, 7};
    case Format::f32:
      return {32, 8, 23};
    case Format::e4m3:
      return {8, 4, 3};
    case Format::e5m2:
      return {8, 5, 2};
    case Format::f64:
      return {64, 11, 52};
    case Format::integer8:
      return {8, 0, 0};
    case Format::integer32:
      return {32, 0, 0};
  }
  return {};
}

inline uint64_t low_bits(uint64_t value, int count) {
  return count >= 64 ? value : value & ((uint64_t(1) << count) - 1);
}

// A number of the given biased exponent (clamped to the finite range; 0 gives a subnormal), random sign and mantissa.
inline uint64_t with_exponent(Random& random, Format format, int biased) {
  const Layout l = layout(format);
  const int top = (1 << l.exponent_bits) - (format == Format::e4m3 ? 1 : 2);
  const uint64_t exponent = uint64_t(biased < 0 ? 0 : biased > top ? top : biased);
  uint64_t mantissa = low_bits(random.next(), l.mantissa_bits);
  if (format == Format::e4m3 && int(exponent) == 15 && mantissa == 7) mantissa = 6;
  const uint64_t sign = random.next() >> 63;
  return sign << (l.width - 1) | exponent << l.mantissa_bits | mantissa;
}

inline int bias(Format format) {
  return (1 << (layout(format).exponent_bits - 1)) - 1;
}
inline uint64_t sign_bit(Format format) {
  return uint64_t(1) << (layout(format).width - 1);
}

inline uint64_t special(Random& random, Format format) {
  const Layout l = layout(format);
  const uint64_t infinity = low_bits(~uint64_t(0), l.exponent_bits) << l.mantissa_bits;
  switch (random.below(5)) {
    case 0:
      return format == Format::e4m3 ? 0x7f : infinity;
    case 1:
      return format == Format::e4m3 ? 0xff : infinity | sign_bit(format);
    case 2:
      return infinity | low_bits(random.next() | 1, l.mantissa_bits);
    case 3:
      return sign_bit(format);
    default:
      return 0;
  }
}

constexpr int kKinds = 11;
inline const char* kind_name(int index) {
  static const char* const names[kKinds] = {"unit", "wide",   "align", "cancel",   "halves", "subnormal",
                                            "ones", "sparse", "zeros", "overflow", "special"};
  return names[index % kKinds];
}

// Fills A (m x k), B (k x n) and C (m x n), row-major, for case `index`.
inline void fill_case(Random& random, int index, int m, int n, int k, Format fa, Format fb, Format fc, uint64_t* a,
                      uint64_t* b, uint64_t* c) {
  const int kind = index % kKinds;
  if (fa == Format::integer8) {
    for (int i = 0; i < m * k; ++i) a[i] = low_bits(random.next(), 8);
    for (int i = 0; i < k * n; ++i) b[i] = low_bits(random.next(), 8);
    for (int i = 0; i < m * n; ++i)
      c[i] = low_bits(random.one_in(3)   ? 0x7fffffff - random.below(200000)
                      : random.one_in(2) ? 0x80000000u + random.below(200000)
                                         : random.next(),
                      32);
    return;
  }
  const int ba = bias(fa), bb = bias(fb), bc = bias(fc);
  const int ea = 1 << layout(fa).exponent_bits, eb = 1 << layout(fb).exponent_bits, ec = 1 << layout(fc).exponent_bits;
  for (int i = 0; i < m * k; ++i) a[i] = with_exponent(random, fa, ba - random.below(4));
  for (int i = 0; i < k * n; ++i) b[i] = with_exponent(random, fb, bb - random.below(4));
  for (int i = 0; i < m * n; ++i) c[i] = with_exponent(random, fc, bc + 2 - random.below(6));
  switch (kind) {
    case 0:
      break;
    case 1:  // exponents all over the range
      for (int i = 0; i < m * k; ++i) a[i] = with_exponent(random, fa, random.below(ea));
      for (int i = 0; i < k * n; ++i) b[i] = with_exponent(random, fb, random.below(eb));
      for (int i = 0; i < m * n; ++i)
        c[i] = with_exponent(random, fc, bc + (random.below(ea) - ba) + (random.below(eb) - bb));
      break;
    case 2:  // one term leads by about the width of the adder: which bits survive alignment?
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < k; ++j)
          a[i * k + j] = with_exponent(random, fa, ba - 2 - random.below(fa == Format::e4m3 ? 5 : 12));
      for (int j = 0; j < k; ++j)
        for (int i = 0; i < n; ++i)
          b[j * n + i] = with_exponent(random, fb, bb - random.below(fb == Format::e4m3 ? 5 : 12));
      for (int i = 0; i < m; ++i) a[i * k + random.below(k)] = with_exponent(random, fa, ba + random.below(6));
      for (int i = 0; i < m * n; ++i) c[i] = with_exponent(random, fc, bc + 8 - random.below(34));
      break;
    case 3:  // large terms cancel and leave the small ones
      for (int i = 0; i < m; ++i) {
        const int p = random.below(k), q = (p + 1 + random.below(k - 1)) % k;
        a[i * k + p] = with_exponent(random, fa, ba + 5);
        a[i * k + q] = a[i * k + p] ^ sign_bit(fa);
        for (int j = 0; j < n; ++j)
          if (random.one_in(2)) b[q * n + j] = b[p * n + j];
      }
      for (int i = 0; i < m * n; ++i) c[i] = with_exponent(random, fc, bc - random.below(24));
      break;
    case 4:  // a large term in one half of k, its opposite in the other: is k taken in one step or in several?
      for (int i = 0; i < m; ++i) {
        const int p = random.below(k / 2), q = k / 2 + random.below(k / 2);
        a[i * k + p] = with_exponent(random, fa, ba + 6);
        a[i * k + q] = a[i * k + p] ^ sign_bit(fa);
        for (int j = 0; j < n; ++j)
          if (j < n / 2) b[q * n + j] = b[p * n + j];
      }
      for (int i = 0; i < m * n; ++i) c[i] = random.one_in(2) ? 0 : with_exponent(random, fc, bc - random.below(12));
      break;
    case 5:  // subnormal operands and results
      for (int i = 0; i < m * k; ++i) a[i] = with_exponent(random, fa, random.below(3));
      for (int i = 0; i < k * n; ++i)
        b[i] = with_exponent(random, fb, random.one_in(2) ? random.below(3) : bb - random.below(ba < 100 ? bb : 20));
      for (int i = 0; i < m * n; ++i)
        c[i] = random.one_in(2) ? random.one_in(2) ? 0 : sign_bit(fc) : with_exponent(random, fc, random.below(3));
      break;
    case 6:  // every mantissa bit set, one sign: the widest carry
      for (int i = 0; i < m * k; ++i)
        a[i] = (with_exponent(random, fa, ba) | low_bits(~uint64_t(0), layout(fa).mantissa_bits)) & ~sign_bit(fa);
      for (int i = 0; i < k * n; ++i)
        b[i] = (with_exponent(random, fb, bb) | low_bits(~uint64_t(0), layout(fb).mantissa_bits)) & ~sign_bit(fb);
      for (int i = 0; i < m; ++i) a[i * k + random.below(k)] = with_exponent(random, fa, ba + i / 2 - 4);
      for (int i = 0; i < m * n; ++i)
        c[i] = (with_exponent(random, fc, bc + 6 - random.below(12)) & ~sign_bit(fc)) |
               low_bits(~uint64_t(0), layout(fc).mantissa_bits);
      break;
    case 7:  // two or three terms, far apart
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < k; ++j) a[i * k + j] = 0;
        for (int j = 0; j < 2 + random.below(2); ++j)
          a[i * k + random.below(k)] = with_exponent(random, fa, random.below(ea));
      }
      for (int i = 0; i < k * n; ++i) b[i] = with_exponent(random, fb, random.below(eb));
      for (int i = 0; i < m * n; ++i)
        c[i] = random.one_in(2) ? 0 : with_exponent(random, fc, bc + 30 - random.below(60));
      break;
    case 8:  // zeros of both signs; products far below the smallest result; exact cancellation
      for (int i = 0; i < m * k; ++i) a[i] = random.one_in(2) ? 0 : sign_bit(fa);
      for (int i = 0; i < m * n; ++i) c[i] = random.one_in(2) ? 0 : sign_bit(fc);
      for (int i = m / 2; i < m; ++i)
        for (int j = 0; j < k; ++j)
          a[i * k + j] =
              with_exponent(random, fa, 1 + random.below(ba > 100 ? 60 : 2)) & (i % 2 ? ~uint64_t(0) : ~sign_bit(fa));
      if (ba > 100)
        for (int i = 0; i < k * n; ++i) b[i] = with_exponent(random, fb, 1 + random.below(110));
      break;
    case 9:  // sums beyond the largest result
      for (int i = 0; i < m * k; ++i)
        a[i] = with_exponent(random, fa, ba > 100 ? 190 + random.below(4) : ea - 2 - random.below(2));
      for (int i = 0; i < k * n; ++i)
        b[i] = with_exponent(random, fb, bb > 100 ? 188 + random.below(3) : eb - 2 - random.below(3));
      for (int i = 0; i < m; ++i)
        if (i % 2)
          for (int j = 0; j < k; ++j) a[i * k + j] &= ~sign_bit(fa);
      for (int i = 0; i < m * n; ++i) c[i] = with_exponent(random, fc, ec - 2 - random.below(3));
      break;
    case 10:  // infinities, NaN and zeros here and there
      for (int i = 0; i < m * k; ++i)
        if (random.one_in(40)) a[i] = special(random, fa);
      for (int i = 0; i < k * n; ++i)
        if (random.one_in(40)) b[i] = special(random, fb);
      for (int i = 0; i < m * n; ++i)
        if (random.one_in(6)) c[i] = special(random, fc);
      break;
  }
}

// --- scalars --------------------------------------------------------------------------------------------------------

// Zeros, ones, halves, the ends of the range, subnormals, infinities and NaNs of a format, both signs.
inline uint64_t notable(Random& random, Format format) {
  const Layout l = layout(format);
  const uint64_t one = uint64_t(bias(format)) << l.mantissa_bits, unit = uint64_t(1) << l.mantissa_bits;
  const uint64_t infinity = low_bits(~uint64_t(0), l.exponent_bits) << l.mantissa_bits;
  const uint64_t list[] = {0,
                           1,
                           unit - 1,
                           unit,
                           unit + 1,
                           one - unit,
                           one - 1,
                           one,
                           one + 1,
                           one + unit / 2,
                           one + unit,
                           infinity - unit,
                           infinity - 1,
                           infinity,
                           infinity + 1,
                           infinity + unit / 2,
                           2 * unit - 1};
  return list[random.below(int(sizeof(list) / sizeof(list[0])))] | (random.one_in(2) ? sign_bit(format) : 0);
}

// A value whose size is of the order of one: what approximate functions are specified for.
inline uint64_t moderate(Random& random, float scale) {
  const float value = (float(random.below(1 << 24)) / float(1 << 23) - 1.0f) * scale;
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

// Operand classes: f/d/h/b floats of 32, 64, 16 (half), 16 (bfloat) bits; e/s/t/a/p floats for ex2, sin, tanh,
// positive; E/T halves; x/y packed halves and bfloats; i/l/w integers of 32, 64 and 16 bits; n shift counts; o small
// integers; q floats near the integer limits, Q the same in 64 bits; u f32 near halves; z two bytes of fp8; v f32 in
// fp8's range.
inline uint64_t scalar_input(Random& random, char kind, int index, int operand) {
  const bool notable_now = index < 12 || (index + operand) % 4 == 0;
  switch (kind) {
    case 'f':
      if (notable_now) return notable(random, Format::f32);
      return with_exponent(random, Format::f32, random.one_in(4) ? random.below(255) : 127 + 12 - random.below(24));
    case 'd':
      if (notable_now) return notable(random, Format::f64);
      return with_exponent(random, Format::f64, random.one_in(4) ? random.below(2047) : 1023 + 20 - random.below(40));
    case 'h':
      return notable_now ? notable(random, Format::f16) : with_exponent(random, Format::f16, random.below(31));
    case 'b':
      if (notable_now) return notable(random, Format::bf16);
      return with_exponent(random, Format::bf16, random.one_in(4) ? random.below(255) : 127 + 6 - random.below(12));
    case 'x':
      return scalar_input(random, 'h', index, operand) << 16 | scalar_input(random, 'h', index, operand);
    case 'y':
      return scalar_input(random, 'b', index, operand) << 16 | scalar_input(random, 'b', index, operand);
    case 'e':
      return notable_now ? notable(random, Format::f32) : moderate(random, random.one_in(3) ? 152.0f : 4.0f);
    case 's':
      return notable_now ? notable(random, Format::f32) : moderate(random, random.one_in(3) ? 314.0f : 6.2831855f);
    case 't':
      return notable_now ? notable(random, Format::f32) : moderate(random, 5.0f);
    case 'p':
      if (notable_now) return notable(random, Format::f32);
      return with_exponent(random, Format::f32, random.one_in(2) ? random.below(255) : 127 + 2 - random.below(4)) &
             0x7fffffff;
    case 'a':
      return notable_now ? notable(random, Format::f64)
                         : with_exponent(random, Format::f64, 1023 + 300 - random.below(600)) & ~sign_bit(Format::f64);
    case 'E':
      return notable_now ? notable(random, Format::f16) : with_exponent(random, Format::f16, 15 + 4 - random.below(8));
    case 'T':
      return notable_now ? notable(random, Format::bf16)
                         : with_exponent(random, Format::bf16, 127 + 4 - random.below(8));
    case 'i': {
      const uint32_t list[] = {0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu, 0x80000001u, 0x10001u, 0xff800080u};
      return index % 4 == 0 ? list[random.below(8)]
                            : low_bits(random.next(), 32) >> random.below(random.one_in(2) ? 28 : 1);
    }
    case 'l': {
      const uint64_t list[] = {
          0, 1, ~uint64_t(0), uint64_t(1) << 63, ~uint64_t(0) >> 1, 0xffffffffu, 1ull << 53 | 1, 0x80000000u};
      return index % 4 == 0 ? list[random.below(8)] : random.next() >> random.below(60);
    }
    case 'w':
      return low_bits(random.next(), 16) >> random.below(12);
    case 'n':
      return random.one_in(4) ? low_bits(random.next(), 32) >> random.below(26) : uint64_t(random.below(40));
    case 'o':
      return uint64_t(random.below(300));
    case 'q': {
      if (index % 3 == 0) return notable(random, Format::f32);
      return with_exponent(random, Format::f32,
                           index % 3 == 1 ? 127 + 28 + random.below(40) : 127 - 3 + random.below(36));
    }
    case 'Q': {
      if (index % 3 == 0) return notable(random, Format::f64);
      return with_exponent(random, Format::f64,
                           index % 3 == 1 ? 1023 + 28 + random.below(40) : 1023 - 3 + random.below(66));
    }
    case 'u': {
      const float value = float(random.below(64) - 32) * 0.5f;
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      return notable_now ? notable(random, Format::f32) : bits + uint32_t(random.below(3) - 1) * (bits != 0);
    }
    case 'v':
      return notable_now ? notable(random, Format::f32)
                         : with_exponent(random, Format::f32, 127 + 18 - random.below(38)) &
                               (random.one_in(2) ? ~uint64_t(0) : ~uint64_t(0xfffff));
    case 'z':
      return low_bits(random.next(), 16);
    default:
      return low_bits(random.next(), 32);
  }
}
