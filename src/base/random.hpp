// SPDX-License-Identifier: MIT
// Seeded randomness, the same on every machine and with every standard library.
#pragma once

#include <cstdint>

namespace assay {

// SplitMix64: a counter that is mixed, so that one can start anywhere in its sequence. The standard distributions
// differ between libraries, so the few we need are here.
__extension__ using Wide = unsigned __int128;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += kStep;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound); the bias is below 2^-32 for the small bounds we use. bound 0 gives 0.
  uint64_t below(uint64_t bound) {
    return bound == 0 ? 0 : static_cast<uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)
  double normal();  // mean 0, deviation 1; takes two numbers of the sequence

  // The same sequence without its next `count` numbers.
  Random ahead(uint64_t count) const { return Random(state_ + count * kStep); }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15u;

  uint64_t state_;
};

// From the system, which nobody can foresee. What a rerun needs of it has to be recorded.
uint64_t system_random();

}  // namespace assay
