// SPDX-License-Identifier: MIT
// Everything that nvcc wrote for the kernels of tests/ptx_corpus parses, and survives printing.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>
#include <zstd.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "ptx/debug_strings.hpp"
#include "ptx/demangle.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace assay::ptx {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(ASSAY_SOURCE_DIR) / "tests/ptx_corpus";

std::vector<fs::path> files_with(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string decompressed(const fs::path& path) {
  const auto packed = read_file(path);
  if (!packed) return ADD_FAILURE() << to_string(packed.error()), "";
  const auto size = ZSTD_getFrameContentSize(packed->data(), packed->size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return ADD_FAILURE() << path, "";
  std::string text(size, '\0');
  const size_t written = ZSTD_decompress(text.data(), text.size(), packed->data(), packed->size());
  EXPECT_FALSE(ZSTD_isError(written)) << path << ": " << ZSTD_getErrorName(written);
  return text;
}

Module stored(const std::string& name) {
  auto module = parse(decompressed(kCorpus / "compiled" / (name + ".ptx.zst")), name);
  EXPECT_TRUE(module.ok()) << to_string(module.error());
  return module ? std::move(*module) : Module{};
}

void expect_round_trip(const std::string& text, const std::string& name) {
  const auto module = parse(text, name);
  ASSERT_TRUE(module.ok()) << to_string(module.error());
  EXPECT_FALSE(module->items.empty()) << name;
  const auto again = parse(print(*module), name + " printed");
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_TRUE(*again == *module) << name << ": the printed text is another module";
}

int count_opcodes(const CompoundStatement& compound, const std::string& opcode) {
  int count = 0;
  for (const Statement& statement : compound.statements) {
    if (const auto* instruction = std::get_if<Instruction>(&statement.value)) count += instruction->opcode == opcode;
    if (const auto* inner = std::get_if<CompoundStatement>(&statement.value)) count += count_opcodes(*inner, opcode);
  }
  return count;
}

int count_opcodes(const Module& module, const std::string& opcode) {
  int count = 0;
  for (const ModuleItem& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function && function->body) count += count_opcodes(*function->body, opcode);
  }
  return count;
}

TEST(Corpus, EveryKernelFileIsCompiled) {
  std::set<std::string> compiled;
  for (const auto& path : files_with(kCorpus / "compiled", ".zst")) {
    const std::string name = path.filename().string();
    compiled.insert(name.substr(0, name.find('.')));
  }
  std::set<std::string> sources;
  for (const auto& path : files_with(kCorpus, ".cu")) sources.insert(path.stem().string());
  EXPECT_GE(sources.size(), 26u);
  EXPECT_EQ(compiled, sources);
}

TEST(Corpus, ParsesAndSurvivesPrinting) {
  const auto files = files_with(kCorpus / "compiled", ".zst");
  EXPECT_GE(files.size(), 70u);
  for (const auto& path : files) expect_round_trip(decompressed(path), path.filename().string());
}

TEST(Corpus, HoldsTheInstructionsItIsThereFor) {
  EXPECT_GT(count_opcodes(stored("05_wmma.sm_80"), "wmma"), 20);
  EXPECT_GT(count_opcodes(stored("06_mma_ldmatrix_cpasync.sm_80"), "ldmatrix"), 2);
  EXPECT_GT(count_opcodes(stored("17_tma.sm_90a"), "mbarrier"), 5);
  EXPECT_EQ(count_opcodes(stored("18_wgmma.sm_90a"), "wgmma"), 16);
  EXPECT_GT(count_opcodes(stored("bigswitch.sm_80.jump_table"), "brx"), 1);
}

TEST(Corpus, NamesInlinedFunctions) {
  for (const std::string name : {"12_local_calls.sm_80", "12_local_calls.sm_100"}) {
    std::set<std::string> functions;
    for (const auto& [label, mangled] : DebugStrings(stored(name)).by_label()) functions.insert(demangle(mangled));
    EXPECT_TRUE(functions.contains("inl1(float const*, int)")) << name;
    EXPECT_TRUE(functions.contains("inl2(float)")) << name;
  }
}

// The stored files are those of one compiler; this is the one that is installed.
TEST(Corpus, ParsesWhatTheInstalledCompilerWrites) {
  const fs::path nvcc = find_program("nvcc");
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is not installed";
  const fs::path folder = fs::temp_directory_path() / ("assay_corpus_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (const std::string name : {"02_reduce_shfl", "v8"}) {
    const fs::path output = folder / (name + ".ptx");
    Command command;
    command.arguments = {nvcc.string(), "-std=c++17",   "-ptx",
                         "-lineinfo",   "-arch=sm_80",  (kCorpus / (name + ".cu")).string(),
                         "-o",          output.string()};
    const auto outcome = run(command);
    ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
    ASSERT_TRUE(outcome->succeeded()) << describe_end(*outcome) << "\n" << outcome->errors;
    const auto text = read_file(output);
    ASSERT_TRUE(text.ok()) << to_string(text.error());
    expect_round_trip(*text, name);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay::ptx
