// SPDX-License-Identifier: MIT
// Results against the reference, on the host: NaN fails whatever the tolerance, and guards must be untouched.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "device.cuh"

namespace truth {

enum class Type { f16, bf16, f32 };

inline const char* name(Type type) {
  return type == Type::f16 ? "f16" : type == Type::bf16 ? "bf16" : "f32";
}
inline size_t bytes_of(Type type) {
  return type == Type::f32 ? 4 : 2;
}

inline double element(const uint8_t* bytes, Type type) {
  if (type == Type::f32) {
    float value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, bytes, 2);
  if (type == Type::bf16) {
    const uint32_t wide = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  const int exponent = bits >> 10 & 31;
  const double fraction = (bits & 1023) / 1024.0;
  const double magnitude = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(fraction, -14)
                                           : std::ldexp(1 + fraction, exponent - 15);
  return bits & 0x8000 ? -magnitude : magnitude;
}

struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;  // needs more shared memory than the GPU has
  double worst = 0;

  // Prints a failure with its first wrong element.
  void compare(const std::string& what, const DeviceArray& output, Type type, const std::vector<double>& expected,
               double tolerance) {
    check(cudaDeviceSynchronize(), what.c_str());
    const std::vector<uint8_t> got = output.read();
    long long wrong = 0, first = -1;
    for (size_t i = 0; i < expected.size(); ++i) {
      const double error = std::abs(element(got.data() + i * bytes_of(type), type) - expected[i]);
      if (!(error <= tolerance * (1 + std::abs(expected[i])))) {
        if (wrong++ == 0) first = static_cast<long long>(i);
      } else {
        worst = std::fmax(worst, error);
      }
    }
    const bool guarded = output.guards_intact();
    if (wrong == 0 && guarded) {
      ++passed;
      return;
    }
    ++failed;
    if (!guarded) std::printf("FAILED %s: wrote outside its output\n", what.c_str());
    if (wrong == 0) return;
    std::printf("FAILED %s: %lld of %zu wrong, first [%lld]: expected %.7g, got %.7g\n", what.c_str(), wrong,
                expected.size(), first, expected[first], element(got.data() + first * bytes_of(type), type));
  }
};

}  // namespace truth
