// SPDX-License-Identifier: MIT
#include "spec/template_text.hpp"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

TEST(TemplateText, Expands) {
  const auto text = TemplateText::parse("f_{dtype}_d{D}{causal}", {});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text->expand({{"dtype", DType::f16}, {"D", 64}, {"causal", true}}), "f_f16_d64true");
  EXPECT_EQ(*TemplateText::parse("plain", {})->expand({}), "plain");
  EXPECT_EQ(*TemplateText::parse("", {})->expand({}), "");
}

TEST(TemplateText, Mistakes) {
  const Place place{"k", 2, 10};
  EXPECT_EQ(TemplateText::parse("a{b", place).error().place.column, 11);
  EXPECT_EQ(TemplateText::parse("ab}", place).error().place.column, 12);
  EXPECT_EQ(TemplateText::parse("a{}", place).error().place.column, 12);
  EXPECT_EQ(TemplateText::parse("a{{b}}", place).error().place.column, 12);
  const auto text = TemplateText::parse("a{b}", place);
  const auto missing = text->expand({});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "undefined name \"b\" in \"a{b}\"");
  EXPECT_EQ(missing.error().place.column, 12);
  EXPECT_FALSE(text->expand({{"b", 0.5}}).ok());
}

}  // namespace
}  // namespace assay::spec
