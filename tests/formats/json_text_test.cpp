// SPDX-License-Identifier: MIT
#include "formats/json_text.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "../support/temporary_folder.hpp"

namespace assay::formats {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 200, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  const size_t size = stream.total_out;
  deflateEnd(&stream);
  return out.substr(0, size);
}

TEST(JsonText, GzipIsReadAndWhatIsCutOffAsFarAsItGoes) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919);
  const std::string compressed = gzip(text);
  EXPECT_EQ(*decompress_gzip(compressed), text);
  const auto part = decompress_gzip(compressed.substr(0, compressed.size() / 2));
  ASSERT_TRUE(part.ok());
  EXPECT_FALSE(part->empty());
  EXPECT_TRUE(text.starts_with(*part));
  EXPECT_FALSE(decompress_gzip(compressed, 1000).ok());
  EXPECT_FALSE(decompress_gzip("this is not gzip at all").ok());
}

TEST(JsonText, AByteOrderMarkIsNoPartOfTheText) {
  const TemporaryFolder folder;
  EXPECT_EQ(*read_text(folder.write("a.json", "\xef\xbb\xbf{}")), "{}");
  EXPECT_EQ(*read_text(folder.write("b.json", "{\xef\xbb\xbf}")), "{\xef\xbb\xbf}");
  EXPECT_EQ(*read_text(folder.write("c.json", "\xef\xbb")), "\xef\xbb");
}

TEST(JsonText, NumbersThatJsonLacksAreNull) {
  const auto parsed = parse_json(R"({"a": NaN, "b": [Infinity, -Infinity, "NaN"]})", "x", 1);
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->value["a"].is_null());
  EXPECT_TRUE(parsed->value["b"][1].is_null());
  EXPECT_EQ(parsed->value["b"][2], "NaN");
}

TEST(JsonText, WhatIsCutOffEndsBehindTheLastEntry) {
  const auto parsed = parse_json(R"({"a": 1, "cache": {"x": {"t": 1}, "y": {"t": 2}, "z": {"t")", "x", 2);
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->repaired);
  EXPECT_EQ(parsed->value["cache"].size(), 2u);
  EXPECT_FALSE(parse_json(R"({"a": 1, "cache": {"x": {"t")", "x", 2).ok());
}

TEST(JsonText, WhatIsWholeIsNotRepaired) {
  const auto parsed = parse_json(R"({"cache": {"x": {"t": "}"}}})", "x", 2);
  ASSERT_TRUE(parsed.ok());
  EXPECT_FALSE(parsed->repaired);
  EXPECT_FALSE(parse_json("{\"a\": }", "x", 2).ok());
  EXPECT_FALSE(parse_json(std::string(1000, '['), "x", 2).ok());
  EXPECT_FALSE(parse_json("", "x", 2).ok());
}

}  // namespace
}  // namespace assay::formats
