// SPDX-License-Identifier: MIT
#include "report/terminal.hpp"

#include <gtest/gtest.h>
#include <sstream>

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

Table wide() {
  Table table({"configuration", "verdict", "note"});
  table.add({"BLOCK_M=64,BLOCK_N=32,NUM_WARPS=4", "good", "a note that is longer than what is left of the line"});
  table.add({"BLOCK_M=64", "good", "short"});
  return table;
}

TEST(Table, that_is_wider_than_the_terminal_breaks_its_widest_columns) {
  EXPECT_EQ(wide().render(Terminal(false, 50)),
            "configuration        verdict  note\n"
            "BLOCK_M=64,          good     a note that is\n"
            "BLOCK_N=32,                   longer than what is\n"
            "NUM_WARPS=4                   left of the line\n"
            "BLOCK_M=64           good     short\n");
  for (size_t columns = 45; columns < 100; ++columns) {
    std::istringstream lines(wide().render(Terminal(false, columns)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns) << line;
  }
}

TEST(Table, that_fits_is_left_alone) {
  EXPECT_EQ(example().render(Terminal(false, 23)), example().render(Terminal(false)));
  EXPECT_EQ(wide().render(Terminal(false, 200)), wide().render(Terminal(false)));
}

TEST(Table, that_cannot_fit_is_still_whole) {
  const std::string text = wide().render(Terminal(false, 5));
  for (const char* word : {"BLOCK_N=32", "good", "longer"}) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(Table, does_not_show_a_column_without_text) {
  Table table({"a", "b", "c"});
  table.add({"1", "", "3"});
  table.add({"4", "", "6"});
  EXPECT_EQ(table.render(Terminal(false)), "a  c\n1  3\n4  6\n");
}

TEST(Table, leaves_out_what_may_go_only_where_there_is_no_room) {
  Table table({"first", "wavefronts", "conflicts", "last"});
  table.add({"1", "2", "3", "4"});
  table.leave_out({"conflicts", "wavefronts"});
  EXPECT_EQ(table.render(Terminal(false, 34)), "first  wavefronts  conflicts  last\n1      2           3          4\n");
  EXPECT_EQ(table.render(Terminal(false, 33)), "first  wavefronts  last\n1      2           4\n");
  EXPECT_EQ(table.render(Terminal(false, 12)), "first  last\n1      4\n");
}

TEST(Table, cuts_lines_of_source_instead_of_breaking_them) {
  Table table({"line", "source"});
  table.add({"a.cu:1", "const auto pack = *reinterpret_cast<const Pack*>(g_elements);"});
  table.cut("source");
  EXPECT_EQ(table.render(Terminal(false, 40)), "line    source\na.cu:1  const auto pack = *reinterpre...\n");
  EXPECT_EQ(table.render(Terminal(false)),
            "line    source\na.cu:1  const auto pack = *reinterpret_cast<const Pack*>(g_elements);\n");
  table.leave_out({"source"});
  EXPECT_EQ(table.render(Terminal(false, 25)), "line\na.cu:1\n");
}

TEST(BrokenLines, break_between_words_then_behind_commas_then_anywhere) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(broken_lines("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(broken_lines("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(broken_lines("kernels/softmax/softmax.cu", 12), (Lines{"kernels/", "softmax/", "softmax.cu"}));
  EXPECT_EQ(broken_lines("smsp__inst_executed.sum", 12), (Lines{"smsp__inst_", "executed.sum"}));
  EXPECT_EQ(broken_lines("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(broken_lines("µµµµ", 2), (Lines{"µµ", "µµ"}));
  EXPECT_EQ(broken_lines("", 3), Lines{""});
  EXPECT_EQ(broken_lines("x", 0), Lines{"x"});
}

TEST(Fitted, breaks_and_indents_what_is_too_long) {
  const Terminal narrow(true, 40);
  EXPECT_EQ(fitted(narrow, "clean softmax: no bad memory access in 6 shapes on vgpu:l4\nshort\n"),
            "clean softmax: no bad memory access in\n  6 shapes on vgpu:l4\nshort\n");
  EXPECT_EQ(fitted(narrow, "  hint: choose one of memcheck, racecheck, initcheck"),
            "  hint: choose one of memcheck,\n    racecheck, initcheck");
  EXPECT_EQ(fitted(Terminal(false), std::string(300, 'x')), std::string(300, 'x')) << "no terminal, no end of a line";
}

TEST(Fitted, does_not_count_colours) {
  const Terminal narrow(true, 40);
  const std::string line = narrow.paint(Colour::green, "clean") + " softmax: no bad memory access in 6";
  EXPECT_EQ(fitted(narrow, line), line);
}

TEST(Fitted, leaves_a_command_whole) {
  const std::string line = "repeat: assay check kernels/softmax --shape ROWS=1,COLUMNS=65 --seed 1";
  EXPECT_EQ(fitted(Terminal(false, 40), line), line);
}

}  // namespace
}  // namespace assay::report
