// SPDX-License-Identifier: MIT
#include "diagnose/xml_element.hpp"

#include <gtest/gtest.h>

namespace assay::diagnose {
namespace {

TEST(XmlElement, ElementsTextAndEntities) {
  const auto root = parse_xml(
      "<?xml version=\"1.0\"?><!-- <no/> --><a x=\"1\"> <b>1 &lt; 2 &amp; &quot;3&quot;</b>\n<c><d>4</d></c><e/></a>");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->name, "a");
  EXPECT_EQ(root->children.size(), 3);
  EXPECT_EQ(root->text_of("b"), "1 < 2 & \"3\"");
  EXPECT_EQ(root->text_of("c/d"), "4");
  EXPECT_EQ(root->text_of("c/x"), "");
  EXPECT_EQ(root->child("e")->text, "");
  EXPECT_EQ(root->child("f"), nullptr);
}

TEST(XmlElement, WhatEndsEarlyOrIsOddDoesNotCrash) {
  EXPECT_FALSE(parse_xml("").ok());
  EXPECT_FALSE(parse_xml("text").ok());
  EXPECT_FALSE(parse_xml("<").ok());
  EXPECT_FALSE(parse_xml("</a></b>").ok());
  EXPECT_FALSE(parse_xml("<!--").ok());
  const auto open = parse_xml("<a><b>1<c>");
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(open->child("b")->text, "1");
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "<a>";
  EXPECT_FALSE(parse_xml(deep).ok());
}

}  // namespace
}  // namespace assay::diagnose
