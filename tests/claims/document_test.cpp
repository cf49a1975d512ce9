// SPDX-License-Identifier: MIT
#include "claims/document.hpp"

#include <gtest/gtest.h>

namespace assay::claims {
namespace {

const nlohmann::json kRows = nlohmann::json::parse(R"([
  {"shape": "small", "mask": "full", "ours": 5.79, "cudnn": 9.21},
  {"shape": "small", "mask": "causal", "ours": 5.82, "cudnn": 9.48},
  {"shape": "large", "mask": "full", "ours": 24.15}
])");

std::vector<Claim> found(const std::string& text) {
  auto claims = find_claims(text, "page.md");
  EXPECT_TRUE(claims.ok()) << (claims ? "" : to_string(claims.error()));
  return claims ? *claims : std::vector<Claim>();
}

CheckedClaim checked(const std::string& text, const nlohmann::json& recorded = kRows) {
  const std::vector<Claim> claims = found(text);
  EXPECT_EQ(claims.size(), 1u) << text;
  if (claims.size() != 1) return {};
  const auto result = check_claim(claims[0], recorded, "page.md");
  EXPECT_TRUE(result.ok()) << (result ? "" : to_string(result.error()));
  return result ? *result : CheckedClaim();
}

TEST(ClaimDocument, a_claim_belongs_to_the_figure_before_it) {
  const std::vector<Claim> claims = found(
      "One.\n\nIt took 5.79 us<!--claim r.txt: [mask=full].ours-->, then 7<!--claim attempt 12: p50_us-->.\n"
      "| 1 | 2 (s2048)<!--claim r.txt: x--> | 3 |\n");
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0].figure.text, "5.79");
  EXPECT_EQ(claims[0].source, "r.txt");
  EXPECT_EQ(claims[0].expression, "[mask=full].ours");
  EXPECT_EQ(claims[0].line, 3);
  EXPECT_EQ(claims[1].figure.text, "7");
  EXPECT_EQ(claims[1].source, "attempt 12");
  EXPECT_EQ(claims[2].figure.text, "2");
}

TEST(ClaimDocument, code_claims_nothing) {
  EXPECT_TRUE(found("```text\n5 <!--claim a: b-->\n```\nand `6 <!--claim a: b-->` too\n").empty());
  EXPECT_TRUE(found("Such as\n\n    5 <!--claim a: b-->\n    <!--claim table a: {b}-->\n").empty()) << "four blanks";
  EXPECT_EQ(found("- 5\n  <!--claim a: b-->\n").size(), 1u) << "two";
}

TEST(ClaimDocument, a_comment_may_go_on_in_the_next_line) {
  EXPECT_EQ(found("It is 5.79 us<!--claim\nr.txt: [mask=full].ours-->.")[0].source, "r.txt");
  EXPECT_TRUE(found("It is 5.79 us<!--claimed by nobody: really-->.").empty());
  EXPECT_EQ(found("It is 5.79 us<!--claim r.txt:\n[mask=full].ours-->.")[0].expression, "[mask=full].ours");
}

TEST(ClaimDocument, what_claims_nothing_is_refused_with_its_place) {
  for (const char* text : {"5 <!--claim nothing-->", "<!--claim a: b-->", "\n\n5 <!--claim a: b",
                           "<!--claim table a: {b}-->\nno table\n", "one 5\n\n<!--claim a: b-->"}) {
    const auto claims = find_claims(text, "page.md");
    ASSERT_FALSE(claims.ok()) << text;
    EXPECT_EQ(claims.error().place.file, "page.md");
    EXPECT_GE(claims.error().place.line, 1);
  }
}

TEST(ClaimDocument, agreement_and_disagreement) {
  EXPECT_TRUE(checked("5.79<!--claim r: [shape=small,mask=full].ours-->").disagreements.empty());
  EXPECT_TRUE(checked("5.8<!--claim r: [shape=small,mask=full].ours-->").disagreements.empty());
  const CheckedClaim wrong = checked("5.81<!--claim r: [shape=small,mask=full].ours-->");
  ASSERT_EQ(wrong.disagreements.size(), 1u);
  EXPECT_EQ(wrong.disagreements[0].figure, "5.81");
  EXPECT_EQ(wrong.disagreements[0].recorded, "5.79");
}

const std::string kTable =
    "| shape | ours | x |\n|---|---|---|\n| small full | 5.79 us | **1.59** |\n| small causal | 5.82 us | **1.63** |\n";

TEST(ClaimDocument, every_row_of_a_table_is_compared) {
  const CheckedClaim good = checked("<!--claim rows r: {shape} {mask} | {ours} us | **{cudnn/ours}**-->\n" + kTable);
  EXPECT_EQ(good.figures, 4u);
  EXPECT_TRUE(good.disagreements.empty());
  std::string other = kTable;
  other.replace(other.find("1.63"), 4, "1.73");
  const CheckedClaim wrong = checked("<!--claim rows r: {shape} {mask} | {ours} us | **{cudnn/ours}**-->\n" + other);
  ASSERT_EQ(wrong.disagreements.size(), 1u);
  EXPECT_EQ(wrong.disagreements[0].figure, "1.73");
  EXPECT_EQ(wrong.disagreements[0].line, 5);
}

TEST(ClaimDocument, a_whole_table_shows_every_recorded_row) {
  const std::string claim = "<!--claim table r: {shape} {mask} | {ours} us | **{cudnn/ours}**-->\n";
  const CheckedClaim lacking = checked(claim + kTable);
  ASSERT_EQ(lacking.disagreements.size(), 1u) << "the large one is not there";
  EXPECT_NE(lacking.disagreements[0].recorded.find("large"), std::string::npos);
  nlohmann::json two = kRows;
  two.erase(2);
  EXPECT_TRUE(checked(claim + kTable, two).disagreements.empty());
}

TEST(ClaimDocument, a_row_that_was_never_recorded_is_named) {
  const CheckedClaim wrong = checked(
      "<!--claim rows r: {shape} {mask} | {ours} | {cudnn}-->\n| a | b | c |\n|---|---|---|\n"
      "| tiny full | 1 | 2 |\n| large full | 24.15 | |\n");
  ASSERT_EQ(wrong.disagreements.size(), 1u);
  EXPECT_EQ(wrong.disagreements[0].recorded, "no recorded row is like that");
}

TEST(ClaimDocument, a_paragraph_holds_each_of_some_numbers) {
  const std::string claim = "<!--claim numbers r: [shape=small].ours, [shape=small].cudnn-->\n";
  EXPECT_EQ(checked(claim + "From 9.21 to 5.79 us,\nand from 9.48 to 5.82.\n").figures, 4u);
  EXPECT_TRUE(checked(claim + "From 9.21 to 5.79 us,\nand from 9.48 to 5.82.\n").disagreements.empty());
  const CheckedClaim wrong = checked(claim + "From 9.21 to 5.79 us, and from 9.48 to 5.83.\n\n5.82\n");
  ASSERT_EQ(wrong.disagreements.size(), 1u) << "what stands in the next paragraph does not count";
  EXPECT_EQ(wrong.disagreements[0].recorded, "5.82");
}

TEST(ClaimDocument, a_claim_that_cannot_be_calculated_is_an_error) {
  const std::vector<Claim> claims = found("5<!--claim r: [shape=tiny].ours-->");
  const auto result = check_claim(claims[0], kRows, "page.md");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().place.line, 1);
}

}  // namespace
}  // namespace assay::claims
