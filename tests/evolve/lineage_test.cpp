// SPDX-License-Identifier: MIT
#include "evolve/lineage.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

TEST(Lineage, ChildrenStandBelowTheirParents) {
  EXPECT_EQ(lineage_text({{"a", "", "first"}, {"b", "a", "one"}, {"c", "a", "two"}, {"d", "b", "three"}}),
            "first\n├─ one\n│  └─ three\n└─ two\n");
}

TEST(Lineage, ACircleOrAStrangerIsARoot) {
  EXPECT_EQ(lineage_text({{"a", "b", "one"}, {"b", "a", "two"}}), "one\n└─ two\n");
  EXPECT_EQ(lineage_text({{"a", "a", "itself"}}), "itself\n");
  EXPECT_EQ(lineage_text({{"b", "z", "orphan"}}), "orphan\n");
  EXPECT_EQ(lineage_text({}), "");
}

}  // namespace
}  // namespace assay::evolve
