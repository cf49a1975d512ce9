// SPDX-License-Identifier: MIT
#include "evolve/tabu.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

TEST(Tabu, AKernelIsKnownByTheProposalThatBroughtItFirst) {
  Tabu tabu;
  EXPECT_FALSE(tabu.proposal_of("abc").has_value());
  tabu.add_kernel("abc", 3);
  tabu.add_kernel("abc", 5);
  EXPECT_EQ(tabu.proposal_of("abc"), 3u);
}

TEST(Tabu, AnIdeaIsTheSameWhateverItsSpelling) {
  Tabu tabu;
  tabu.add_loss("k", "Unroll the inner loop, 4x.");
  tabu.add_loss("k", "unroll  the inner loop 4X");
  EXPECT_EQ(tabu.losses("k", "UNROLL THE INNER LOOP: 4x"), 2u);
  EXPECT_EQ(tabu.losses("another", "unroll the inner loop 4x"), 0u);
  EXPECT_EQ(tabu.losses("k", "unroll the inner loop 8x"), 0u);
}

}  // namespace
}  // namespace assay::evolve
