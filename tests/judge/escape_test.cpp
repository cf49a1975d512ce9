// SPDX-License-Identifier: MIT
#include "judge/escape.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

TEST(Escape, keeps_valid_utf8_and_replaces_the_rest) {
  EXPECT_EQ(valid_utf8("µs € 😀"), "µs € 😀");
  EXPECT_EQ(valid_utf8("a\xff"), "a\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(valid_utf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut off
  EXPECT_EQ(valid_utf8("\xF5\x80\x80\x80").substr(0, 3), "\xEF\xBF\xBD");         // beyond U+10FFFF
  EXPECT_EQ(valid_utf8(""), "");
}

TEST(Escape, makes_text_harmless_in_xml) {
  EXPECT_EQ(escape_xml("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
  EXPECT_EQ(escape_xml("a\nb\tc\r"), "a&#10;b&#9;c&#13;");
  EXPECT_EQ(escape_xml(std::string_view("\0\x1b", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape_xml("\xEF\xBF\xBF!"), "\xEF\xBF\xBD!");
  EXPECT_EQ(escape_xml("µ ]]>"), "µ ]]&gt;");
}

TEST(Escape, makes_text_harmless_in_markdown) {
  EXPECT_EQ(escape_markdown("S=512, D=64"), "<code>S=512, D=64</code>");
  EXPECT_EQ(escape_markdown("a|b`c<d>@e"), "<code>a&#124;b&#96;c&#60;d&#62;&#64;e</code>");
  EXPECT_EQ(escape_markdown("x\n## y"), "<code>x &#35;&#35; y</code>");
  EXPECT_EQ(escape_markdown("&amp; \\ µ"), "<code>&#38;amp&#59; &#92; µ</code>");
  EXPECT_EQ(escape_markdown("www.x.org"), "<code>www&#46;x&#46;org</code>");
}

}  // namespace
}  // namespace assay::judge
