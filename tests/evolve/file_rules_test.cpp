// SPDX-License-Identifier: MIT
#include "evolve/file_rules.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

const FileRules kRules{
    {"k.cu", "tile.cuh"}, {"k.cu", "tile.cuh", "kernel.toml", "reference.py", "w.npy"}, {"../primitives/warp.cuh"}, {}};

std::string refused(const std::string& path, const std::string& content = "") {
  const auto checked = check_files(kRules, {{path, content}});
  return checked ? "" : checked.error().message;
}

TEST(FileRules, SourcesAndNewOnesBesideThem) {
  EXPECT_EQ(refused("k.cu", "x"), "");
  EXPECT_EQ(refused("tile.cuh"), "");
  EXPECT_EQ(refused("new.cuh"), "");
  EXPECT_EQ(refused("parts/new.hpp"), "");
}

TEST(FileRules, NothingThatAKernelIsJudgedBy) {
  for (const char* path : {"kernel.toml", "reference.py", "w.npy", "new.py", "new.toml", "launch.cpp",
                           "ptx/k.sm_80.json", "ptx/x.h", "new.ptx", "Makefile"})
    EXPECT_NE(refused(path), "") << path;
}

TEST(FileRules, NothingOutsideOfTheFolder) {
  for (const char* path :
       {"../k.cu", "/k.cu", "a/../../k.cu", ".git/hooks/x.h", "a//b.h", "a/./b.h", "", "a\\b.h", "a\nb.h"})
    EXPECT_NE(refused(path), "") << path;
  EXPECT_NE(refused("k.cu", std::string("a\0b", 3)), "");
}

TEST(FileRules, NoIncludeLeadsOutside) {
  EXPECT_EQ(refused("k.cu", "#include <cuda_fp16.h>\n#include \"tile.cuh\"\n#include \"../primitives/warp.cuh\"\n"),
            "");
  for (const char* line : {"#include \"/tmp/x.cuh\"",
                           "#include \"../other/x.cuh\"",
                           "  #  include \"../x.cuh\"",
                           "#include <../x.cuh>",
                           "#include </etc/passwd>",
                           "%:include \"../x.cuh\"",
                           "#include X",
                           "#inc\\\nlude \"/x\"",
                           "/* */ #include \"/x\"",
                           "# /* */ include \"/x\"",
                           "#include_next \"/x\"",
                           "#embed \"/x\"",
                           "#include \"a/../../x\"",
                           "/* one\n */ #include \"/x\"",
                           "# /*\n*/ include \"/x\"",
                           "const char* s = R\"(\n/*\n)\";\n#include \"/x\"",
                           "char c = '\"'; /*\n*/ #include \"/x\"",
                           "char c = '\"'; /*\n*/ # /*\n*/ include /*\n*/ \"/x\"",
                           "const char* s = R\"(\")\"; /*\n*/ #include \"/x\"",
                           "#inc\\ \t\nlude \"/x\"",
                           "#inc?\?/\nlude \"/x\"",
                           "\f#\vinclude \"/x\""})
    EXPECT_NE(refused("k.cu", line), "") << line;
  EXPECT_EQ(refused("k.cu", "// #include \"tile.cuh\"\n/* a\n#include \"tile.cuh\" */\nchar c = '\"'; // x\n"), "");
  EXPECT_EQ(refused("parts/k.cuh", "#include \"../tile.cuh\"\n"), "") << "it stays in the folder";
}

TEST(FileRules, NothingInAnothersPlace) {
  EXPECT_NE(refused("K.cu").find("'k.cu' in capitals alone"), std::string::npos);
  EXPECT_NE(refused("Tile.cuh"), "");
  EXPECT_NE(refused("k.cu/x.h").find("is a file"), std::string::npos);
  for (const char* alike : {"\xd0\xba.cu", "k\xe2\x80\x8b.cu", "k\xe2\x80\xae.cuh"})
    EXPECT_NE(refused(alike).find("ASCII"), std::string::npos) << alike;
  EXPECT_NE(refused("reference.py/x.h"), "");
  const auto both = check_files(kRules, {{"a.h", ""}, {"a.h/b.h", ""}});
  EXPECT_FALSE(both.ok());
  EXPECT_TRUE(check_files(kRules, {{"a/b.h", ""}, {"a/c.h", ""}, {"a.h", ""}}).ok());
}

TEST(FileRules, NoQuestionsAboutTheCompilation) {
  for (const char* text : {"const char* f = __FILE__;", "#if __has_include(\"/tmp/x\")", "auto t = __TI\\\nME__;",
                           "std::source_location::current()", "#if defined __has_include && __has_include(<x>)",
                           "JOIN(__FI, LE__)", "JOIN3(__, TIME, __)", "auto t = __TI\\ \nME__;"})
    EXPECT_NE(refused("k.cu", text).find("where or when"), std::string::npos) << text;
  EXPECT_EQ(refused("k.cu", "int MY__FILE__2 = 1; // __FILES__"), "");
  EXPECT_EQ(refused("k.cu", "int FILE__2 = TIME__x + __f;"), "");
  EXPECT_EQ(refused("k.cu", "#include <a.h>\n  # include <b.h>\n#define F(t) f_##t##_  // has a next one\n"), "")
      << "the name of a directive is no part of another name";
  EXPECT_NE(refused("k.cu", "#include <a.h>\n#if JOIN4(__, has, _, include)(<x>)\n"), "");
  const auto halves = check_words(kRules, {{"a.cuh", "#define A __FI"}, {"k.cu", "JOIN(A, LE__)"}});
  ASSERT_FALSE(halves.ok());
  EXPECT_NE(halves.error().message.find("__FILE__"), std::string::npos);
  FileRules rules = kRules;
  rules.words = words_of_the_compilation({{"k.cu", "assert_at(__FILE__);"}});
  EXPECT_TRUE(check_files(rules, {{"k.cu", "__FILE__"}}).ok()) << "the first kernel did";
  EXPECT_FALSE(check_files(rules, {{"k.cu", "__TIME__"}}).ok());
}

TEST(FileRules, WhatAReferenceReadsIsFound) {
  const Files files{{"reference.cpp", "#include \"parts/scale.h\"\n#include <vector>\n#include \"../x.h\"\n"},
                    {"parts/scale.h", "#include \"deep.h\"\n"},
                    {"k.cu", "#include \"mine.cuh\"\n"}};
  EXPECT_EQ(inside_includes(files, {"reference.cpp"}),
            (std::set<std::string>{"parts/scale.h", "parts/deep.h", "vector"}));
}

TEST(FileRules, OutsideIncludesAreFound) {
  EXPECT_EQ(outside_includes({{"k.cu", "#include \"../a.cuh\"\n#include \"b.cuh\"\n#include <c.h>\n"}}),
            std::set<std::string>{"../a.cuh"});
}

}  // namespace
}  // namespace assay::evolve
