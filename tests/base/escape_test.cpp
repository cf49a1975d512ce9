// SPDX-License-Identifier: MIT
#include "base/escape.hpp"

#include <gtest/gtest.h>

namespace assay {
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

TEST(Escape, makes_text_harmless_on_a_terminal) {
  EXPECT_EQ(escape_terminal("S=512, µs € 😀"), "S=512, µs € 😀");
  EXPECT_EQ(escape_terminal("a\x1b[31mred\x07"), "a\\u001b[31mred\\u0007");
  EXPECT_EQ(escape_terminal("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(escape_terminal("\xC2\x9B"
                            "2J\x7f"),
            "\\u009b2J\\u007f")
      << "the one-character form of ESC [";
  EXPECT_EQ(escape_terminal("\xE2\x80\xAE"
                            "txt.exe \xE2\x80\xA8"),
            "\\u202etxt.exe \\u2028")
      << "text that turns its direction, and a line separator";
  EXPECT_EQ(escape_terminal("\x9b"), "\xEF\xBF\xBD") << "the same in another encoding";
}

TEST(Escape, keeps_lines_where_there_may_be_several) {
  EXPECT_EQ(escape_lines("a\n\tb\r\x1b]0;title\x07"), "a\n\tb\\r\\u001b]0;title\\u0007");
}

TEST(Escape, makes_text_harmless_in_csv) {
  EXPECT_EQ(escape_csv("plain text"), "plain text");
  EXPECT_EQ(escape_csv("a,b"), "\"a,b\"");
  EXPECT_EQ(escape_csv("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(escape_csv("a\nb"), "a\\nb") << "one record, one line";
  EXPECT_EQ(escape_csv("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
  EXPECT_EQ(escape_csv("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(escape_csv("-1.5e+03"), "-1.5e+03") << "a number stays one";
  EXPECT_EQ(escape_csv(""), "");
}

TEST(Escape, makes_text_for_html) {
  EXPECT_EQ(escape_html("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_html("two\n\tlines"), "two\n\tlines");
  EXPECT_EQ(escape_html("\x1b\xE2\x80\xAE"), "\\u001b\\u202e") << "nothing turns the text around unseen";
  EXPECT_EQ(escape_html("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(escape_html("µ €"), "µ €");
}

TEST(Escape, makes_a_path_the_path_of_a_uri) {
  EXPECT_EQ(escape_uri_path("kernels/a b/x#1?.cu"), "kernels/a%20b/x%231%3F.cu");
  EXPECT_EQ(escape_uri_path("/tmp/µ%41"), "/tmp/%C2%B5%2541");
  EXPECT_EQ(escape_uri_path("javascript:alert(1)"), "javascript%3Aalert%281%29") << "no scheme";
  EXPECT_EQ(escape_uri_path("a/b:c"), "a/b:c");
  EXPECT_EQ(escape_uri_path("/b:c"), "/b:c");
  EXPECT_EQ(escape_uri_path("x\n"), "x%0A");
}

}  // namespace
}  // namespace assay
