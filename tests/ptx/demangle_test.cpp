// SPDX-License-Identifier: MIT
#include "ptx/demangle.hpp"

#include <gtest/gtest.h>

namespace assay::ptx {
namespace {

TEST(Demangle, ShowsFunctionsAsTheyAreWritten) {
  EXPECT_EQ(demangle("_Z4inl1PKfi"), "inl1(float const*, int)");
  EXPECT_EQ(demangle("_ZN2D1C1Ev"), "D1::D1()");
}

TEST(Demangle, KeepsWhatIsNotMangled) {
  EXPECT_EQ(demangle(""), "");
  EXPECT_EQ(demangle("saxpy"), "saxpy");
  EXPECT_EQ(demangle("_Z"), "_Z");
  EXPECT_EQ(demangle("_Zoops"), "_Zoops");
}

// f(P<int, int>, P<S0, S0>, P<S1, S1>, ...): every parameter is twice as long as the one before it.
TEST(Demangle, KeepsNamesThatExplode) {
  std::string name = "_Z1f1PIiiE";
  for (int level = 0; level < 30; ++level) {
    const char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level];
    name += std::string("S_IS") + digit + "_S" + digit + "_E";
  }
  EXPECT_EQ(demangle(name), name);
  EXPECT_EQ(demangle("_Z1f" + std::string(100'000, 'P') + "i"), "_Z1f" + std::string(100'000, 'P') + "i");
}

}  // namespace
}  // namespace assay::ptx
