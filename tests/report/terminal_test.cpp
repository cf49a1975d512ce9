// SPDX-License-Identifier: MIT
#include "report/terminal.hpp"

#include <gtest/gtest.h>

namespace assay::report {
namespace {

TEST(Terminal, paints_if_it_has_colours) {
  EXPECT_EQ(Terminal(true).paint(Colour::red, "no"), "\x1b[31mno\x1b[0m");
  EXPECT_EQ(Terminal(true).paint(Colour::bold, "x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(Terminal(false).paint(Colour::red, "no"), "no");
}

TEST(Terminal, paints_nothing_in_vain) {
  EXPECT_EQ(Terminal(true).paint(Colour::none, "plain"), "plain");
  EXPECT_EQ(Terminal(true).paint(Colour::red, ""), "");
}

Table example() {
  Table table({"name", "n", "note"});
  table.add({"a", "1000", "x"});
  table.add({{"a long name", Colour::green}, "2", {"last", Colour::red}});
  return table;
}

TEST(Table, aligns_its_columns) {
  EXPECT_EQ(example().render(Terminal(false)),
            "name         n     note\n"
            "a            1000  x\n"
            "a long name  2     last\n");
}

TEST(Table, aligns_what_is_seen_not_the_colours) {
  EXPECT_EQ(example().render(Terminal(true)),
            "\x1b[1mname\x1b[0m         \x1b[1mn\x1b[0m     \x1b[1mnote\x1b[0m\n"
            "a            1000  x\n"
            "\x1b[32ma long name\x1b[0m  2     \x1b[31mlast\x1b[0m\n");
}

TEST(Table, counts_characters_not_bytes) {
  Table table({"unit", "value"});
  table.add({"µs", "1"});
  table.add({"five5", "2"});
  EXPECT_EQ(table.render(Terminal(false)), "unit   value\nµs     1\nfive5  2\n");
}

TEST(Table, takes_rows_that_are_too_short_or_too_long) {
  Table table({"a", "b"});
  EXPECT_TRUE(table.empty());
  table.add({"only"});
  table.add({"1", "2", "beyond"});
  table.add(std::vector<Table::Cell>{});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.render(Terminal(false)), "a     b\nonly\n1     2\n\n");
}

}  // namespace
}  // namespace assay::report
