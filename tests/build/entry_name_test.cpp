// SPDX-License-Identifier: MIT
#include "build/entry_name.hpp"

#include <gtest/gtest.h>

namespace assay::build {
namespace {

// template <class T, int N> void ns::layernorm(T const*, int), for <float, 256> and <__half, 256>, and two plain names.
const std::vector<std::string> kNames{"_ZN2ns9layernormIfLi256EEEvPKT_i", "_ZN2ns9layernormI6__halfLi256EEEvPKT_i",
                                      "_Z5scalePfj", "row_sum_f32"};

std::string found(std::string_view wanted) {
  const auto name = find_entry_name(wanted, kNames, Place{"kernel.toml", 4, 12}, "k.cu");
  return name ? *name : to_string(name.error());
}

TEST(EntryName, TheNameInThePtxIsTheFirstThatCounts) {
  EXPECT_EQ(found("row_sum_f32"), "row_sum_f32");
  EXPECT_EQ(found("_Z5scalePfj"), "_Z5scalePfj");
}

TEST(EntryName, ACppNameMayHaveAllItsPartsOrFew) {
  EXPECT_EQ(found("scale"), "_Z5scalePfj");
  EXPECT_EQ(found("scale(float*, unsigned int)"), "_Z5scalePfj");
  EXPECT_EQ(found("layernorm<float, 256>"), kNames[0]);
  EXPECT_EQ(found("layernorm<float,256>"), kNames[0]);
  EXPECT_EQ(found("ns::layernorm<__half, 256>"), kNames[1]);
  EXPECT_EQ(found("void ns::layernorm<float, 256>(float const*, int)"), kNames[0]);
}

TEST(EntryName, APatternStandsForOne) {
  EXPECT_EQ(found("row_sum_*"), "row_sum_f32");
  EXPECT_EQ(found("*half*"), kNames[1]);
  EXPECT_EQ(found("row_sum_f?2"), "row_sum_f32");
}

TEST(EntryName, WhatFitsSeveralIsAnsweredWithThem) {
  EXPECT_EQ(found("layernorm"),
            "kernel.toml:4:12: \"layernorm\" fits 2 kernels of k.cu: ns::layernorm<float, 256>, ns::layernorm<__half, "
            "256>\n  hint: write the one that is meant, with its template arguments");
}

TEST(EntryName, WhatFitsNoneIsAnsweredWithWhatIsThere) {
  EXPECT_EQ(
      found("layernorm<double, 256>"),
      "kernel.toml:4:12: there is no kernel \"layernorm<double, 256>\" in k.cu; it has: ns::layernorm<float, 256>, "
      "ns::layernorm<__half, 256>, scale, row_sum_f32");
  EXPECT_EQ(found("scala").substr(0, 52), "kernel.toml:4:12: there is no kernel \"scala\" in k.cu");
  EXPECT_NE(found("x*y").find("there is no kernel"), std::string::npos);
}

}  // namespace
}  // namespace assay::build
