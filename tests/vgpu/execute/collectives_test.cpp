// SPDX-License-Identifier: MIT
// Warp collectives under random masks and divergence, against a model that knows threads alone. ASSAY_COLLECTIVES=N
// runs N programs instead of the usual number.
#include <cstdlib>
#include <gtest/gtest.h>

#include "support/collective_run.hpp"

namespace assay::vgpu {
namespace {

TEST(Collectives, DoWhatTheManualSays) {
  constexpr uint64_t kPrograms = 1500;
  const char* wanted = std::getenv("ASSAY_COLLECTIVES");
  const uint64_t programs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kPrograms;
  test::CollectiveTally tally;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const auto difference = test::compare_collectives(reinterpret_cast<const uint8_t*>(&seed), sizeof seed, tally);
    ASSERT_FALSE(difference.has_value()) << "program " << seed << ": " << *difference;
  }
  // All three outcomes were met, and most programs are good ones.
  EXPECT_GT(tally.values, programs / 2);
  EXPECT_GT(tally.undefined, 0u);
  EXPECT_GT(tally.hangs, 0u);
  RecordProperty("programs", static_cast<int>(programs));
}

}  // namespace
}  // namespace assay::vgpu
