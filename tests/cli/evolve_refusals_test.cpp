// SPDX-License-Identifier: MIT
// The gates of assay evolve: every way to cheat that is known, and every way to be clumsy.
#include "base/text.hpp"
#include "build/toolkit.hpp"
#include "evolving.hpp"

namespace assay::cli {
namespace {

TEST_F(Evolve, WhatAKernelIsJudgedByIsOutOfReach) {
  const std::string weakened = "--- a/kernel.toml\n+++ b/kernel.toml\n@@ -1,1 +1,2 @@\n # x\n+[tolerance]\n";
  const auto file = [](const std::string& name, const std::string& text) {
    return json{{"files", {{name, text}}}, {"hypothesis", {{"text", "touch " + name}}}};
  };
  const json document = evolve(
      kKernels + "stepwise_copy",
      {json{{"diff", weakened}, {"hypothesis", {{"text", "a wide tolerance"}}}}, file("kernel.toml", "[shapes]\n"),
       file("reference.cpp", "int assay_reference(AssayProblem*) { return 0; }"), file("launch.cpp", ""),
       file("../stepwise_copy/kernel.toml", ""), file("/tmp/kernel.cu", ""), file(".assay/ledger.sqlite", ""),
       file("ptx/stepwise_copy.sm_80.ptx", ""), file("ptx/kernel.h", "")},
      {"--patience", "50"});
  for (size_t proposal = 1; proposal <= 9; ++proposal)
    EXPECT_EQ(verdict(document, proposal), "refused at files") << proposal << ": " << text_of(document, proposal);
  EXPECT_NE(text_of(document, 1).find("judged by"), std::string::npos) << text_of(document, 1);
  EXPECT_EQ(document["speedup"], 1);
}

TEST_F(Evolve, AReferenceBesideTheKernelIsOutOfReach) {
  const std::string kernel = copy_of("stepwise_copy");
  std::string specification = *read_file(kernel + "/kernel.toml");
  specification.replace(specification.find("\"copy\""), 6, "\"reference.cpp\"");
  ASSERT_TRUE(write_file_atomically(kernel + "/kernel.toml", specification).ok());
  ASSERT_TRUE(write_file_atomically(kernel + "/reference.cpp",
                                    "#include <assay/reference.h>\n"
                                    "int assay_reference(AssayProblem* problem) {\n"
                                    "  const AssayTensor* x = assay_tensor(problem, \"x\");\n"
                                    "  const AssayTensor* y = assay_tensor(problem, \"y\");\n"
                                    "  for (int64_t i = 0; i < y->count; ++i) y->data[i] = x->data[i];\n"
                                    "  return 0;\n}\n")
                  .ok());
  const json cheat{{"files", {{"reference.cpp", "// nothing is wrong\n"}}},
                   {"hypothesis", {{"text", "a kind reference"}}}};
  const json document = evolve(kernel, {cheat});
  EXPECT_EQ(verdict(document, 1), "refused at files");
}

// The same with a header that both read, and with one that would appear where the reference looks first.
TEST_F(Evolve, WhatAReferenceIncludesIsOutOfReach) {
  const std::string kernel = copy_of("stepwise_copy");
  std::string specification = *read_file(kernel + "/kernel.toml");
  specification.replace(specification.find("\"copy\""), 6, "\"reference.cpp\"");
  ASSERT_TRUE(write_file_atomically(kernel + "/kernel.toml", specification).ok());
  ASSERT_TRUE(write_file_atomically(kernel + "/scale.h", "static const double kScale = 1;\n").ok());
  ASSERT_TRUE(write_file_atomically(kernel + "/reference.cpp",
                                    "#include <assay/reference.h>\n#include \"math.h\"\n#include \"scale.h\"\n"
                                    "int assay_reference(AssayProblem* problem) {\n"
                                    "  const AssayTensor* x = assay_tensor(problem, \"x\");\n"
                                    "  const AssayTensor* y = assay_tensor(problem, \"y\");\n"
                                    "  for (int64_t i = 0; i < y->count; ++i) y->data[i] = kScale * x->data[i];\n"
                                    "  return 0;\n}\n")
                  .ok());
  const auto file = [](const std::string& name, const std::string& text) {
    return json{{"files", {{name, text}}}, {"hypothesis", {{"text", "touch " + name}}}};
  };
  const json document = evolve(kernel, {file("scale.h", "static const double kScale = 0;\n"),
                                        file("math.h", "#define kScale 0 *\n"), without_barrier()});
  EXPECT_EQ(verdict(document, 1), "refused at files");
  EXPECT_NE(text_of(document, 1).find("judged by"), std::string::npos) << text_of(document, 1);
  EXPECT_EQ(verdict(document, 2), "refused at files");
  EXPECT_EQ(verdict(document, 3), "accepted at race") << text_of(document, 3);
}

TEST_F(Evolve, ClumsyFilesAndDiffsAreRefusedOneByOne) {
  const auto file = [](const std::string& name, const std::string& text) {
    return json{{"files", {{name, text}}}, {"hypothesis", {{"text", "file " + name}}}};
  };
  const auto diff = [](const std::string& text) {
    return json{{"diff", text}, {"hypothesis", {{"text", replace_all(text, "\n", " ").substr(0, 40)}}}};
  };
  const std::string hunk = "@@ -1 +1 @@\n-// no such line\n+// x\n";
  const std::string twice = "{\"hypothesis\": {\"text\": \"x\"}, \"files\": {\"a.h\": \"1\", \"a.h\": \"2\"}}";
  const json document = evolve(
      kKernels + "stepwise_copy",
      {diff("diff --git a/l.h b/l.h\nnew file mode 120000\n--- /dev/null\n+++ b/l.h\n@@ -0,0 +1 @@\n+kernel.toml\n"),
       diff("--- /etc/passwd\n+++ /etc/passwd\n" + hunk), diff("--- a/../x.cu\n+++ b/../x.cu\n" + hunk),
       diff("--- a/stepwise_copy.ptx\n+++ b/stepwise_copy.ptx\n" + hunk), diff("Binary files a/x and b/x differ\n"),
       file("stepwise_copy.ptx/x.h", ""), file("Stepwise_Copy.ptx", ""), file("KERNEL.TOML", ""),
       file("b.h", std::string("a\0b", 3)), file("i.cuh", "#include_next \"/etc/passwd\"\n"),
       file("w.cuh", "#if __has_include(\"/tmp/judged\")\n#endif\n"),
       file("f.cuh", "constexpr bool judged = __FILE__[1] == 't';\n"),
       file("p.cuh", "#define JOIN(a, b) a##b\nconstexpr bool judged = JOIN(__FI, LE__)[1] == 't';\n"),
       file("q.cuh", "constexpr char quote = '\"'; /*\n*/ #include \"/etc/passwd\"\n"),
       file("s.cuh", "#inc\\ \nlude \"/dev/stdin\"\n"), file("stepwise_c\xd0\xbepy.cu", ""), json(twice),
       json("[\"\\xff\"]"), without_barrier()},
      {"--patience", "50"});
  for (size_t proposal = 1; proposal <= 16; ++proposal) {
    EXPECT_EQ(verdict(document, proposal), "refused at files") << proposal << ": " << text_of(document, proposal);
    EXPECT_FALSE(text_of(document, proposal).empty());
  }
  EXPECT_EQ(verdict(document, 17), "refused at answer");
  EXPECT_NE(text_of(document, 17).find("'a.h' twice"), std::string::npos) << text_of(document, 17);
  EXPECT_EQ(verdict(document, 19), "accepted at race") << text_of(document, 19);
}

TEST_F(Evolve, AProposerThatChangesTheSpecificationOnTheDiskEndsTheEvolution) {
  const std::string kernel = copy_of("stepwise_copy");
  json cheat = without_barrier();
  cheat["write"] = {{kernel + "/kernel.toml", *read_file(kernel + "/kernel.toml") + "\n[tolerance]\natol = 1e9\n"}};
  const json document = evolve(kernel, {cheat}, {}, 5);
  EXPECT_EQ(document["accepted"], 0);
  EXPECT_NE(document["stopped"].get<std::string>().find("'kernel.toml' was changed"), std::string::npos);
}

TEST_F(Evolve, WrongKernelsAreCaughtHoweverTheyHide) {
  const std::string load = "\tld.global.f32 \t%f1, [%rd8];\n";
  const std::string step = "\tsetp.ge.s32 \t%p2, %r5, %r1;\n\t@%p2 bra \tSKIP;\n";
  const auto only_for = [&](const std::vector<int>& columns, const std::string& label) {
    // Everything but these numbers of columns is left out.
    std::string code = step + "\tmov.u32 \t%r6, 0;\n";
    for (const int each : columns)
      code += "\tsetp.eq.s32 \t%p2, %r1, " + std::to_string(each) + ";\n\t@%p2 mov.u32 \t%r6, 1;\n";
    return code + "\tsetp.eq.s32 \t%p2, %r6, 0;\n\t@%p2 bra \t" + label + ";\n";
  };
  const json document = evolve(
      kKernels + "stepwise_copy",
      {
          edit("a constant", {{load, "\tmov.f32 \t%f1, 0f00000000;\n"}}),
          edit("nothing is written: what was there before may do", {{"\tst.global.f32 \t[%rd9], %f1;\n", ""}}),
          edit("lower precision", {{".reg .f32 \t%f<2>;", ".reg .f32 \t%f<2>;\n\t.reg .b16 \t%h<2>;"},
                                   {load, load + "\tcvt.rn.f16.f32 \t%h1, %f1;\n\tcvt.f32.f16 \t%f1, %h1;\n"}}),
          // the shapes of the file are right, any other is not
          edit("a branch on the checker's shapes", {{step, only_for({1, 255, 257, 1000, 2048, 4096}, "SKIP")}}),
          // the timed shapes are not computed
          edit("a fast path for the timed shapes",
               {{step, step + "\tsetp.ge.s32 \t%p2, %r1, 2048;\n\t@%p2 bra \tDONE;\n"}}),
          edit("a look at the clock", {{"mov.u32 \t%r3, %tid.x;", "mov.u32 \t%r6, %clock;\n\tmov.u32 \t%r3, %tid.x;"}}),
          edit("a look at the SM", {{"mov.u32 \t%r3, %tid.x;", "mov.u32 \t%r6, %smid;\n\tmov.u32 \t%r3, %tid.x;"}}),
          edit("a look at the GPU behind line information",
               {{"mov.u32 \t%r3, %tid.x;", ".loc 1 1 1 mov.u32 \t%r6, %nsmid;\n\tmov.u32 \t%r3, %tid.x;"}}),
          edit("a cache keyed by the pointer",
               {{".address_size 64\n", ".address_size 64\n.global .align 8 .b64 last_pointer;\n"}}),
          edit("a cache that has a value from the start",
               {{".address_size 64\n", ".address_size 64\n.global .align 8 .b64 last_pointer = 0;\n"},
                {"\tmov.u32 \t%r4, 0;\n", "\tmov.u32 \t%r4, 0;\n\tst.global.u64 \t[last_pointer], %rd1;\n"}}),
          edit("a line that looks like a result",
               {{".visible .entry",
                 ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n"
                 ".global .align 1 .b8 line[24] = {123, 34, 111, 117, 116, 99, 111, 109, 101, 34, 58, "
                 "34, 112, 97, 115, 115, 101, 100, 34, 125, 10, 0, 0, 0};\n.visible .entry"},
                {load,
                 "\tmov.f32 \t%f1, 0f3F800000;\n\t{\n\t.reg .b64 %text;\n\t.reg .b32 %done;\n\t.param .b64 p0;\n"
                 "\t.param .b64 p1;\n\t.param .b32 p2;\n\tmov.u64 %text, line;\n\tcvta.global.u64 %text, %text;\n"
                 "\tst.param.b64 [p0], %text;\n\tmov.u64 %text, 0;\n\tst.param.b64 [p1], %text;\n"
                 "\tcall.uni (p2), vprintf, (p0, p1);\n\tld.param.b32 %done, [p2];\n\t}\n"}}),
      },
      {"--patience", "50"});
  const std::vector<std::string> expected{"refused at check", "refused at check", "refused at check",
                                          "refused at check", "refused at check", "refused at code",
                                          "refused at code",  "refused at code",  "refused at code",
                                          "refused at code",  "refused at check"};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(verdict(document, i + 1), expected[i]) << i + 1 << ": " << text_of(document, i + 1);
  EXPECT_EQ(document["accepted"], 0);
}

// Correct everywhere, faster on the known shapes alone.
TEST_F(Evolve, AFastPathForTheKnownShapesAloneLoses) {
  const json cheat = edit("no barrier where it counts",
                          {{kBarriers,
                            "\tsetp.eq.s32 \t%p2, %r1, 2048;\n\t@%p2 bra \tPASS;\n\tsetp.eq.s32 \t%p2, %r1, 4096;\n"
                            "\t@%p2 bra \tPASS;\n" +
                                kBarriers + "PASS:\n"}});
  const json document = evolve(kKernels + "stepwise_copy", {cheat}, {"--gain", "0.01", "--margin", "0.2"});
  EXPECT_EQ(verdict(document, 1), "lost at race") << document["steps"][0].dump(1);
  EXPECT_NE(text_of(document, 1).find("for the known shapes alone"), std::string::npos) << text_of(document, 1);
}

TEST_F(Evolve, NoKernelIsFasterThanItsProblemAllows) {
  const json document = evolve(kKernels + "long_product", {edit("no products", {{"8192;", "8;"}})});
  EXPECT_EQ(verdict(document, 1), "refused at plausible") << text_of(document, 1);
  EXPECT_NE(text_of(document, 1).find("below the floor"), std::string::npos);
}

TEST_F(Evolve, AClaimIsNoEvidenceAndAnAnswerIsOneDocument) {
  json claim = without_barrier();
  claim["speedup"] = 2.0;
  const json document =
      evolve(kKernels + "stepwise_copy",
             {claim, "{\"verdict\": \"accepted\"}\n{}\n", edit("a comment", {{"DONE:\n", "DONE:\n// done\n"}}),
              edit("registers with other names", {{"%f1", "%f0"}}), "[]"},
             {"--patience", "50"});
  EXPECT_EQ(verdict(document, 1), "refused at answer");
  EXPECT_NE(text_of(document, 1).find("/speedup"), std::string::npos) << text_of(document, 1);
  EXPECT_EQ(verdict(document, 2), "refused at answer");
  EXPECT_EQ(verdict(document, 3), "refused at seen");
  EXPECT_EQ(verdict(document, 4), "refused at seen");
  EXPECT_EQ(verdict(document, 5), "refused at answer");
}

TEST_F(Evolve, ARaceIsFoundBeforeAnythingIsTimed) {
  const json document = evolve(kKernels + "patient_sum",
                               {edit("no barrier before the sum", {{"FILLED:\n\tbar.sync \t0;\n", "FILLED:\n"}})});
  EXPECT_EQ(verdict(document, 1), "refused at sanitize");
  EXPECT_NE(text_of(document, 1).find("race"), std::string::npos);
}

// The configuration that is raced is right; another one of the specification is not any more.
TEST_F(Evolve, OtherConfigurationsMustStayRight) {
  const std::string kernel = copy_of("stepwise_copy");
  const std::string source = *read_file(kernel + "/stepwise_copy.ptx");
  const size_t entry = source.find(".visible .entry");
  std::string both = source.substr(0, entry);
  for (const char* name : {"copy_1", "copy_2"}) both += replace_all(source.substr(entry), "stepwise_copy", name);
  ASSERT_TRUE(write_file_atomically(kernel + "/stepwise_copy.ptx", both).ok());
  std::string specification = *read_file(kernel + "/kernel.toml");
  specification = replace_all(specification, "entry   = \"stepwise_copy\"", "entry   = \"copy_{WAY}\"");
  ASSERT_TRUE(write_file_atomically(kernel + "/kernel.toml", specification + "\n[tunable]\nWAY = [1, 2]\n").ok());
  const std::string second = both.substr(both.find("copy_2"));
  json answer = edit(
      "fast in one way",
      {{second, replace_all(second, "ld.global.f32 \t%f1, [%rd8];", "mov.f32 \t%f1, 0f00000000;")}, {kBarriers, ""}});
  const json document = evolve(kernel, {answer, edit("fast in both", {{kBarriers, ""}})});
  EXPECT_EQ(verdict(document, 1), "refused at check") << text_of(document, 1);
  EXPECT_NE(text_of(document, 1).find("WAY=2, drawn"), std::string::npos) << text_of(document, 1);
  EXPECT_EQ(verdict(document, 2), "accepted at race") << text_of(document, 2);
}

// A tunable whose default hides a wrong branch, and constraints that would take shapes out of the checks' reach. A
// macro needs a compiler.
TEST_F(Evolve, EveryValueOfANewTunableMustBeRight) {
  const json constrained{{"constraints", {"COLUMNS == 4096"}}, {"hypothesis", {{"text", "only what is timed"}}}};
  EXPECT_EQ(verdict(evolve(kKernels + "stepwise_copy", {constrained}), 1), "refused at files");
  if (!build::find_toolkit()) GTEST_SKIP() << "there is no nvcc";
  const std::string kernel = copy_of("stepwise_copy");
  std::string specification = *read_file(kernel + "/kernel.toml");
  specification = replace_all(specification, "stepwise_copy.ptx", "copy.cu");
  ASSERT_TRUE(write_file_atomically(kernel + "/kernel.toml", specification).ok());
  const std::string head = "extern \"C\" __global__ void stepwise_copy(const float* x, float* y, int columns) {\n";
  const std::string loop =
      "  for (int i = threadIdx.x; i < columns; i += blockDim.x)\n"
      "    y[blockIdx.x * columns + i] = x[blockIdx.x * columns + i];\n";
  ASSERT_TRUE(write_file_atomically(kernel + "/copy.cu", head + loop + "}\n").ok());
  const auto proposal = [&](const std::string& text, const std::string& body, const json& tunable) {
    return json{
        {"files", {{"copy.cu", head + body + "}\n"}}}, {"tunables", {tunable}}, {"hypothesis", {{"text", text}}}};
  };
  Command wanted = command(kernel, {proposal("a fast way for those who ask for it", "  if (FAST) return;\n" + loop,
                                             {{"name", "FAST"}, {"values", {false, true}}}),
                                    proposal("steps", "constexpr int kSteps = STEPS;\n#pragma unroll kSteps\n" + loop,
                                             {{"name", "STEPS"}, {"values", {4, 1}}})});
  wanted.environment.erase("ASSAY_NVCC");
  const ProcessOutcome outcome = run_command(wanted);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(verdict(document, 1), "refused at check") << text_of(document, 1);
  EXPECT_NE(text_of(document, 1).find("FAST=true"), std::string::npos) << text_of(document, 1);
  EXPECT_EQ(document["steps"][1]["gate"], "race") << text_of(document, 2);
}

// --- the proposer's own failures
TEST_F(Evolve, AProposerThatFailsThreeTimesIsNotAskedAgain) {
  const json document =
      evolve(kKernels + "stepwise_copy", {{{"exit", 3}}, {{"sleep", 30}}, "no json", without_barrier()},
             {"--answer-seconds", "3"}, 6);
  EXPECT_EQ(document["steps"].size(), 3u);
  EXPECT_NE(text_of(document, 1).find("exited with 3"), std::string::npos) << text_of(document, 1);
  EXPECT_NE(text_of(document, 2).find("within 3 s"), std::string::npos) << text_of(document, 2);
}

TEST_F(Evolve, MistakesAreNamed) {
  EXPECT_EQ(assay_program({"evolve"}).exit_status, 2);
  EXPECT_EQ(assay_program({"evolve", kKernels + "stepwise_copy"}).exit_status, 2);
  const ProcessOutcome unknown = assay_program({"evolve", kKernels + "stepwise_copy", "--proposer", "no_such_program"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_NE(unknown.errors.find("mutate"), std::string::npos) << unknown.errors;
  const ProcessOutcome wrong =
      assay_program({"evolve", "kernels/broken/out_of_bounds_read", "--proposer", "mutate", "--ledger", "none"});
  EXPECT_EQ(wrong.exit_status, 5) << wrong.errors;
  EXPECT_EQ(assay_program({"evolve", "--validate", ASSAY_SOURCE_DIR "/README.md"}).exit_status, 2);
}

TEST_F(Evolve, AnAnswerMayComeInPiecesButMustEnd) {
  json slow = without_barrier();
  slow["pieces"] = 1;
  const json document =
      evolve(kKernels + "stepwise_copy",
             {slow, {{"endless", true}}, {{"child", 60}}, edit("worse", {{"DONE:\n", "DONE:\n// x\n"}})},
             {"--answer-seconds", "10", "--patience", "50"});
  EXPECT_EQ(verdict(document, 1), "accepted at race") << text_of(document, 1);
  EXPECT_EQ(verdict(document, 2), "refused at answer");
  EXPECT_NE(text_of(document, 2).find("longer than"), std::string::npos) << text_of(document, 2);
  EXPECT_TRUE(verdict(document, 3) == "refused at answer" || verdict(document, 3) == "passed at answer");
  EXPECT_EQ(verdict(document, 4), "refused at seen");
}

TEST_F(Evolve, WhatAProposerSaysNeitherActsOnATerminalNorBreaksTheAccounts) {
  json loud = without_barrier();
  loud["hypothesis"]["text"] = "\x1b[2Jno barrier\xe2\x80\xae";
  json dear = edit("dear", {{"DONE:\n", "DONE:\n// x\n"}});
  dear["costs"]["money"] = 1e300;
  Command command = this->command(kKernels + "stepwise_copy", {loud, dear, dear});
  std::erase(command.arguments, "--json");
  const ProcessOutcome outcome = run_command(command);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_EQ((outcome.output + outcome.errors).find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.output.find("no barrier"), std::string::npos);
  EXPECT_NE(outcome.output.find("/costs/money: expected at most"), std::string::npos) << outcome.output;
  const ProcessOutcome tree = assay_program({"log", "lineage", "stepwise_copy", "--ledger", path("ledger.sqlite")});
  EXPECT_EQ(tree.exit_status, 0) << tree.errors;
  EXPECT_EQ(tree.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(tree.output.find("\xe2\x80\xae"), std::string::npos) << "it would turn the line around";
}

}  // namespace
}  // namespace assay::cli
