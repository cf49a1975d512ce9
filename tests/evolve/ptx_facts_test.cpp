// SPDX-License-Identifier: MIT
#include "evolve/ptx_facts.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

const std::string kKernel =
    ".version 7.0\n.target sm_80\n.entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n"
    ".loc 1 12 3\nmov.u32 %r1, %tid.x;\n$L__BB0_1:\nadd.s32 %r2, %r1, 7;\nbra $L__BB0_1;\n}\n";

TEST(NormalisedPtx, NamesCommentsAndLinesDoNotCount) {
  const std::string other =
      "// a comment\n.version 7.0\n.target sm_80\n.file 1 \"x.cu\"\n.entry k(.param .u64 p) /* another */\n{\n"
      ".reg .b32 %r<40>;\n.loc 1 99 9\n  mov.u32 \t%r7, %tid.x;\n$L__BB0_9:\nadd.s32 %r3, %r7, 7;\nbra $L__BB0_9;\n}\n"
      ".section .debug_str\n{\n.b8 1\n}\n";
  EXPECT_EQ(normalised_ptx(kKernel), normalised_ptx(other));
}

TEST(NormalisedPtx, WhatIsDoneCounts) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kKernel;
    text.replace(text.find(from), from.size(), to);
    return normalised_ptx(text) != normalised_ptx(kKernel);
  };
  EXPECT_TRUE(changed("7;\nbra", "8;\nbra"));
  EXPECT_TRUE(changed("add.s32", "sub.s32"));
  EXPECT_TRUE(changed("%tid.x", "%tid.y"));
  EXPECT_TRUE(changed("%r2, %r1, 7", "%r2, %r2, 7")) << "another register is read";
  EXPECT_TRUE(changed("sm_80", "sm_90"));
}

TEST(PtxFacts, RegistersOfTheMachine) {
  EXPECT_TRUE(ptx_facts(kKernel).looks_at.empty());
  EXPECT_EQ(ptx_facts("mov.u64 %rd1, %clock64;\nmov.u32 %r1, %smid;\nmov.b32 %r2, %envreg3;\nmov.u64 %rd2, "
                      "%globaltimer;\nmov.u32 %r3, %laneid;")
                .looks_at,
            (std::set<std::string>{"%clock64", "%smid", "%envreg3", "%globaltimer"}));
  EXPECT_TRUE(ptx_facts("// mov.u64 %rd1, %clock64;\n").looks_at.empty());
}

// As the virtual GPU reads them, however they are written.
TEST(PtxFacts, NothingHidesARegister) {
  const auto looks_at = [](const std::string& line) {
    return ptx_facts(".version 7.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<4>;\n" + line +
                     "\nret;\n}\n")
        .looks_at;
  };
  const std::set<std::string> clock{"%clock"};
  EXPECT_EQ(looks_at(".loc 1 1 1 mov.u32 %r1, %clock;"), clock) << "behind line information";
  EXPECT_EQ(looks_at(".file 1 \"x\" mov.u32 %r1, %clock;"), clock);
  EXPECT_EQ(looks_at(".pragma \"enable_smem_spilling\"; mov.u32 %r1, %clock;"), clock);
  EXPECT_EQ(looks_at(".pragma \"/*\";\nmov.u32 %r1, %clock;\n.pragma \"*/\";"), clock)
      << "no comment begins in a string";
  EXPECT_EQ(looks_at(".pragma \"//\"; mov.u32 %r1, %clock;"), clock);
  EXPECT_EQ(looks_at("mov.u32 %r1, %reserved_smem_offset_cap;"), std::set<std::string>{"%reserved_smem_offset_cap"});
  EXPECT_EQ(looks_at("// mov.u32 %r1, %clock;\n/* %clock */ .pragma \"%clock\";"), std::set<std::string>{});
}

TEST(PtxFacts, NothingHidesAVariable) {
  const auto keeps = [](const std::string& before, const std::string& line) {
    return ptx_facts(".version 7.0\n.target sm_80\n.address_size 64\n" + before +
                     "\n.global .align 8 .b64 kept = 0;\n.entry k()\n{\n.reg .b64 %rd<4>;\n" + line + "\nret;\n}\n")
        .keeps;
  };
  const std::set<std::string> kept{"kept"};
  EXPECT_EQ(keeps("", "st .global.u64 [kept], %rd1;"), kept) << "blanks within an opcode";
  EXPECT_EQ(keeps("", "st/* */.global.u64 [kept], %rd1;"), kept);
  EXPECT_EQ(keeps("", ".loc 1 1 1 st.global.u64 [kept], %rd1;"), kept);
  EXPECT_EQ(keeps(".section .debug_x { {.b8 0} }", "st.global.u64 [kept], %rd1;"), kept) << "braces of a section";
  EXPECT_EQ(keeps("", "ld.global.u64 %rd1, [kept];"), std::set<std::string>{});
}

TEST(PtxFacts, VariablesThatKeepSomething) {
  EXPECT_EQ(ptx_facts(".global .align 4 .b8 memory[64];\n").keeps, std::set<std::string>{"memory"});
  EXPECT_EQ(ptx_facts(".visible .global .u64 a;\n.const .f32 c = 1.0;\n").keeps, std::set<std::string>{"a"});
  const std::string table = ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n.entry k()\n{\n";
  EXPECT_TRUE(ptx_facts(table + "mov.u64 %rd1, table;\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r1;\n}")
                  .keeps.empty())
      << "what is read alone keeps nothing";
  EXPECT_EQ(ptx_facts(table + "st.global.u32 [table], %r1;\n}").keeps, std::set<std::string>{"table"});
  EXPECT_EQ(ptx_facts(table + "@%p1 st.global.u32 [table+4], %r1;\n}").keeps, std::set<std::string>{"table"});
  EXPECT_EQ(ptx_facts(table + "add.s64 %rd3, %rd2, 8;\natom.global.add.u32 %r1, [%rd3], 1;\n"
                              "cvta.global.u64 %rd2, %rd1;\nmov.u64 %rd1, table;\n}")
                .keeps,
            std::set<std::string>{"table"})
      << "whatever way the address takes";
}

TEST(PtxFacts, StagesOfAPipeline) {
  EXPECT_EQ(ptx_facts(kKernel).stages, 1);
  EXPECT_EQ(ptx_facts("cp.async.wait_group 2;\ncp.async.wait_group 0;").stages, 3);
}

}  // namespace
}  // namespace assay::evolve
