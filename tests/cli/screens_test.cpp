// SPDX-License-Identifier: MIT
// What people see: the program on a terminal.
#include <algorithm>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "on_terminal.hpp"
#include "reduction_copy.hpp"

namespace assay::cli {
namespace {

size_t width(const std::string& line) {
  return static_cast<size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void expect_to_fit(const Screen& screen, size_t columns) {
  for (const std::string& line : screen.lines()) EXPECT_LE(width(line), columns) << line;
}

TEST(Screens, BuildHasOneLineForEachConfigurationAndFits) {
  for (const auto columns : std::initializer_list<unsigned short>{80, 120}) {
    TerminalOptions options;
    options.columns = columns;
    const Screen screen = on_terminal({"build", "kernels/reduction", "--device", "vgpu:l4"}, options);
    EXPECT_EQ(screen.exit_status, 0) << screen.text();
    expect_to_fit(screen, columns);
    EXPECT_NE(screen.text().find("NVIDIA L4"), std::string::npos) << screen.text();
    EXPECT_NE(screen.text().find("occupancy"), std::string::npos);
    EXPECT_EQ(screen.text().find("A100"), std::string::npos) << "other GPUs are for --all";
  }
}

// What does not fit beside a long configuration is not shown: the line stays one.
TEST(Screens, BuildKeepsALongConfigurationInOneLine) {
  TerminalOptions options;
  options.environment["ASSAY_NVCC"] = "none";  // the one configuration with prebuilt PTX
  const Screen screen = on_terminal({"build", "kernels/attention/tensor_core", "--device", "vgpu:l4"}, options);
  EXPECT_EQ(screen.exit_status, 0) << screen.text();
  expect_to_fit(screen, 80);
  bool whole = false;
  for (const std::string& line : screen.lines())
    whole = whole || (line.starts_with("BLOCK_M=128,BLOCK_N=64,NUM_WARPS=4,STAGES=2 ") &&
                      line.find("KiB") != line.npos && line.find(" %") != line.npos);
  EXPECT_TRUE(whole) << screen.text();
  EXPECT_NE(screen.text().find("regs"), std::string::npos) << screen.text();
}

// Of a table that is too wide, a part of the GPUs stands in each of several: no line is broken, and no cell is lost.
TEST(Screens, TheMatrixOfAllGpusFitsToo) {
  for (const auto columns : std::initializer_list<unsigned short>{80, 120, 250}) {
    TerminalOptions options;
    options.columns = columns;
    const Screen screen = on_terminal({"build", "kernels/reduction", "--all"}, options);
    expect_to_fit(screen, columns);
    const std::vector<std::string> lines = screen.lines();
    const auto heads =
        std::ranges::count_if(lines, [](const std::string& line) { return line.find("dynamic shared") != line.npos; });
    EXPECT_EQ(heads, columns == 80 ? 5 : columns == 120 ? 3 : 1) << screen.text();
    for (const std::string name : {"A100", "L4", "H100", "H200", "4090"})
      EXPECT_NE(screen.text().find(name), std::string::npos) << name;
  }
}

TEST(Screens, RunEndsWithTheVerdict) {
  const TemporaryFolder folder;
  const Screen screen =
      on_terminal({"run", "kernels/reduction", "--fuzz", "0", "--report", (folder.path() / "report.json").string()});
  EXPECT_EQ(screen.exit_status, 0) << screen.text();
  expect_to_fit(screen, 80);
  std::vector<std::string> lines = screen.lines();
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.back().starts_with("verdict: good")) << screen.text();
  EXPECT_LE(lines.size(), 24u) << "it must stand on one screen\n" << screen.text();
}

TEST(Screens, ADumbTerminalAndNoColorGetNoEscapes) {
  for (const auto& [name, value] : {std::pair{"TERM", "dumb"}, std::pair{"NO_COLOR", "1"}}) {
    TerminalOptions options;
    options.environment[name] = value;
    const Screen screen = on_terminal({"check", "kernels/reduction", "--fuzz", "4"}, options);
    EXPECT_EQ(screen.exit_status, 0) << screen.text();
    EXPECT_EQ(screen.raw.find('\x1b'), std::string::npos) << name;
  }
  EXPECT_NE(on_terminal({"doctor"}).raw.find('\x1b'), std::string::npos) << "others get colours";
}

TEST(Screens, AnInterruptionIsOneLineAndTheSameCommandGoesOn) {
  TerminalOptions options;
  options.wait_for = "check ";
  options.then = [](pid_t child) { ::kill(child, SIGINT); };
  const Screen screen = on_terminal({"check", "kernels/attention/tensor_core", "--fuzz", "200"}, options);
  EXPECT_EQ(screen.exit_status, 130) << screen.text();
  std::vector<std::string> lines = screen.lines();
  std::erase(lines, "");
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.back().starts_with("assay: interrupted")) << screen.text();
  EXPECT_LE(lines.size(), 2u) << screen.text();
}

// A compiler that was stopped says nothing of the kernel.
TEST(Screens, AnInterruptedBuildDoesNotSayThatItFailed) {
  const ReductionCopy copy;
  TerminalOptions options;
  options.environment["ASSAY_NVCC"] = copy.compiler_that("sleep 30").string();
  options.environment["ASSAY_CACHE"] = (copy.folder().path() / "cache").string();
  options.wait_for = "building ";
  options.then = [](pid_t child) { ::kill(child, SIGINT); };
  const Screen screen = on_terminal({"build", copy.kernel().string()}, options);
  EXPECT_EQ(screen.exit_status, 130) << screen.text();
  std::vector<std::string> lines = screen.lines();
  std::erase(lines, "");
  EXPECT_EQ(lines.size(), 1u) << screen.text();
  EXPECT_EQ(screen.text().find("failed"), std::string::npos) << screen.text();
}

TEST(Screens, AFullDiskIsAnError) {
  for (const std::string words : {"--version", "--help", "doctor", "doctor --json"}) {
    Command command;
    command.arguments = {"/bin/sh", "-c", "\"$0\" " + words + " > /dev/full", ASSAY_BINARY_DIR "/assay"};
    command.environment = assay_command({}).environment;
    const ProcessOutcome outcome = run_command(command);
    EXPECT_EQ(outcome.exit_status, 6) << words;
    EXPECT_EQ(outcome.errors, "assay: cannot write to standard output: No space left on device\n") << words;
  }
}

TEST(Screens, AReaderWhoHasSeenEnoughIsNoError) {
  Command command;
  command.arguments = {"/bin/bash", "-c", "set -o pipefail; \"$0\" --help | true", ASSAY_BINARY_DIR "/assay"};
  const ProcessOutcome outcome = run_command(command);
  EXPECT_EQ(outcome.errors, "");
}

// The first thread of every block prints.
std::string with_printf(const std::string& ptx) {
  std::string text = ptx;
  const size_t head = text.find("\n", text.find(".address_size")) + 1;
  text.insert(head,
              ".global .align 1 .b8 greeting[14] = {115, 117, 109, 109, 105, 110, 103, 32, 114, 111, 119, 115, 10, "
              "0};\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n");
  const std::string print = R"({
.reg .b64 %pf;
.reg .b64 %pz;
.reg .b32 %pt;
.reg .pred %pp;
mov.u32 %pt, %tid.x;
setp.ne.u32 %pp, %pt, 0;
@%pp bra silent;
mov.u64 %pf, greeting;
cvta.global.u64 %pf, %pf;
mov.u64 %pz, 0;
{
.param .b64 f;
.param .b64 a;
.param .b32 r;
st.param.b64 [f], %pf;
st.param.b64 [a], %pz;
call.uni (r), vprintf, (f, a);
}
silent:
}
)";
  for (size_t at = text.find(".entry"); at != std::string::npos; at = text.find(".entry", at + 1)) {
    // Behind the declarations of registers: the first instruction or .loc of the body.
    const size_t body = text.find("\n{\n", at) + 3;
    text.insert(body, print);
    at = body + print.size();
  }
  return text;
}

TEST(Screens, WhatAKernelPrintsReachesTheTerminalAndTheDocument) {
  const ReductionCopy copy;
  for (const char* target : {"sm_80", "sm_89", "sm_90"}) copy.change_ptx(target, with_printf);
  const std::vector<std::string> words{"check", copy.kernel().string(), "--fuzz", "0", "--device", "vgpu:l4"};
  const Screen screen = on_terminal(words);
  EXPECT_EQ(screen.exit_status, 0) << screen.text();
  EXPECT_NE(screen.text().find("printed by the kernel at "), std::string::npos) << screen.text();
  EXPECT_NE(screen.text().find("\n  summing rows\n"), std::string::npos) << screen.text();

  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const nlohmann::json document = parsed(assay_program(as_json));
  EXPECT_NE(document.at("cases").at(0).at("printed").get<std::string>().find("summing rows\n"), std::string::npos);
}

TEST(Screens, AnEntryThatIsNotThereIsNamedBeforeAnythingRuns) {
  const ReductionCopy copy;
  const auto file = copy.kernel() / "kernel.toml";
  std::string text = *read_file(file);
  const size_t entry = text.find("entry");
  text.replace(entry, text.find('\n', entry) - entry, "entry = \"no_such_kernel\"");
  ASSERT_TRUE(write_file_atomically(file, text).ok());
  for (const char* command : {"build", "check", "sanitize", "run"}) {
    const ProcessOutcome outcome = assay_program({command, copy.kernel().string(), "--device", "vgpu:l4"});
    EXPECT_EQ(outcome.exit_status, 2) << command << outcome.output << outcome.errors;
    const std::string said = outcome.output + outcome.errors;
    EXPECT_NE(said.find("there is no kernel \"no_such_kernel\""), std::string::npos) << command << ": " << said;
    EXPECT_NE(said.find("kernel.toml:"), std::string::npos) << command << ": " << said;
  }
}

TEST(Screens, TheGateSavesInsideTheKernelsOwnFolder) {
  const ReductionCopy copy;
  TerminalOptions options;
  options.folder = copy.kernel();
  const std::string ledger = (copy.folder().path() / "ledger.sqlite").string();
  const std::vector<std::string> words{"gate",     "--device", "vgpu:l4", "--shape", "ROWS=4,COLUMNS=100",
                                       "--ledger", ledger};
  std::vector<std::string> save = words;
  save.insert(save.end(), {"--save", "base"});
  const Screen saved = on_terminal(save, options);
  EXPECT_EQ(saved.exit_status, 0) << saved.text();
  EXPECT_NE(saved.text().find("as 'base'"), std::string::npos) << saved.text();
  std::vector<std::string> against = words;
  against.insert(against.end(), {"--against", "base"});
  const Screen judged = on_terminal(against, options);
  EXPECT_EQ(judged.exit_status, 0) << judged.text();
}

}  // namespace
}  // namespace assay::cli
