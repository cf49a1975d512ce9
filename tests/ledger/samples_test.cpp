// SPDX-License-Identifier: MIT
#include "ledger/samples.hpp"

#include <cmath>

#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

TEST(Samples, arrays_come_back_as_they_were) {
  const std::vector<double> times = {1.5, 0.1, 1e-300, 12345.678};
  const std::vector<uint32_t> words = {0, 1, 0xffffffffu};
  EXPECT_EQ(decode_doubles(encode(times)), times);
  EXPECT_EQ(decode_words(encode(words)), words);
  EXPECT_EQ(decode_doubles("")->size(), 0u);
  EXPECT_EQ(encode(std::vector<double>{1.0}), std::string("\0\0\0\0\0\0\xf0\x3f", 8));
}

TEST(Samples, arrays_of_a_broken_length_are_refused) {
  EXPECT_EQ(decode_doubles("1234567"), std::nullopt);
  EXPECT_EQ(decode_words("12345"), std::nullopt);
}

TEST(Samples, senseless_ones_are_refused) {
  const auto refused = [](auto change) {
    Samples samples = sample_times("S=1", {1, 2, 3});
    samples.clocks_mhz = {1980, 1980, 1975};
    samples.throttle = {0, 0, 4};
    change(samples);
    return !validate(samples).ok();
  };
  EXPECT_FALSE(refused([](Samples&) {}));
  EXPECT_FALSE(refused([](Samples& s) { s.clocks_mhz.clear(); }));
  EXPECT_FALSE(refused([](Samples& s) { s.throttle.clear(); }));
  EXPECT_TRUE(refused([](Samples& s) { s.times_us.clear(); }));
  EXPECT_TRUE(refused([](Samples& s) { s.times_us[1] = std::nan(""); }));
  EXPECT_TRUE(refused([](Samples& s) { s.times_us[1] = -1; }));
  EXPECT_TRUE(refused([](Samples& s) { s.clocks_mhz.pop_back(); }));
  EXPECT_TRUE(refused([](Samples& s) { s.clocks_mhz[0] = INFINITY; }));
  EXPECT_TRUE(refused([](Samples& s) { s.throttle.push_back(0); }));
  EXPECT_TRUE(refused([](Samples& s) { s.p50_us = std::nan(""); }));
}

TEST(Samples, summary) {
  Samples samples = sample_times("S=1", {5, 1, 4, 2, 3});
  samples.throttle = {0, 8, 0, 0, 1};
  const SamplesSummary summary = summarize(samples);
  EXPECT_EQ(summary.count, 5u);
  EXPECT_EQ(summary.throttled, 2u);
  EXPECT_DOUBLE_EQ(summary.min_us, 1);
  EXPECT_DOUBLE_EQ(summary.p50_us, 3);
  EXPECT_DOUBLE_EQ(summary.p90_us, 4.6);
  EXPECT_DOUBLE_EQ(summary.max_us, 5);
  EXPECT_DOUBLE_EQ(summary.mean_us, 3);
  EXPECT_DOUBLE_EQ(summarize(sample_times("S=1", {2, 1})).p50_us, 1.5);
  EXPECT_DOUBLE_EQ(summarize(sample_times("S=1", {7})).p99_us, 7);
}

}  // namespace
}  // namespace assay::ledger
