// SPDX-License-Identifier: MIT
// The opcode table, the handlers, the test cases and docs/ptx_coverage.md say the same.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "base/file.hpp"
#include "ptx/coverage_page.hpp"
#include "ptx/opcode_pattern.hpp"
#include "ptx/parser.hpp"
#include "support/ptx_case.hpp"
#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {
namespace {

constexpr const char* kPage = ASSAY_SOURCE_DIR "/docs/ptx_coverage.md";

std::multiset<std::string> names_of_rows() {
  std::multiset<std::string> names;
  for (const ptx::OpcodeFamily& family : ptx::opcode_families()) {
    for (const ptx::OpcodeRow& row : family.rows) names.emplace(row.name);
  }
  return names;
}

// The rows that the instructions between braces are. An instruction that is none of them is a failure of the test.
void collect_rows(const ptx::CompoundStatement& compound, const std::string& file, std::set<std::string>& rows) {
  for (const ptx::Statement& statement : compound.statements) {
    if (const auto* inner = std::get_if<ptx::CompoundStatement>(&statement.value)) collect_rows(*inner, file, rows);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement.value);
    if (instruction == nullptr) continue;
    const auto match = ptx::OpcodeMatcher::instance().match(*instruction);
    if (match) rows.emplace(match->pattern->row->name);
    EXPECT_TRUE(match.ok()) << file << ":" << instruction->position.line << ": " << match.error().message;
  }
}

std::set<std::string> rows_of_case(const std::string& file) {
  std::set<std::string> rows;
  const auto test = test::read_ptx_case(file);
  EXPECT_TRUE(test.ok()) << to_string(test.error());
  if (!test || !test->error.empty()) return rows;  // what must be refused executes nothing
  const auto module = ptx::parse(test->text, file);
  EXPECT_TRUE(module.ok()) << to_string(module.error());
  if (!module) return rows;
  for (const ptx::ModuleItem& item : module->items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && function->body) collect_rows(*function->body, file, rows);
  }
  return rows;
}

std::map<std::string, int> count_cases() {
  std::map<std::string, int> counts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ASSAY_SOURCE_DIR "/tests/ptx")) {
    if (entry.path().extension() != ".ptx") continue;
    for (const std::string& row : rows_of_case(entry.path().string())) ++counts[row];
  }
  return counts;
}

TEST(Coverage, RowsHaveDifferentNames) {
  const auto names = names_of_rows();
  for (const std::string& name : names) EXPECT_EQ(names.count(name), 1u) << name;
}

TEST(Coverage, EveryRowHasABinderAndEveryBinderARow) {
  const auto names = names_of_rows();
  for (const std::string& name : names) EXPECT_NE(binder_of(name), nullptr) << "row '" << name << "' has no binder";
  std::multiset<std::string> bound;
  for (const auto family : all_bindings()) {
    for (const Binding& binding : family) bound.emplace(binding.row);
  }
  for (const std::string& name : bound) {
    EXPECT_TRUE(names.contains(name)) << "the binder of '" << name << "' has no row";
    EXPECT_EQ(bound.count(name), 1u) << "row '" << name << "' has several binders";
  }
}

TEST(Coverage, EveryRowHasACase) {
  const auto counts = count_cases();
  for (const std::string& name : names_of_rows()) {
    EXPECT_TRUE(counts.contains(name)) << "no file of tests/ptx uses the row '" << name << "'";
  }
}

TEST(Coverage, ThePageIsUpToDate) {
  const std::string page = ptx::coverage_page(count_cases());
  if (std::getenv("ASSAY_UPDATE") != nullptr) {
    const auto written = write_file_atomically(kPage, page);
    ASSERT_TRUE(written.ok()) << to_string(written.error());
  }
  const auto text = read_file(kPage);
  ASSERT_TRUE(text.ok()) << to_string(text.error()) << "\nrun this test with ASSAY_UPDATE=1 to write the page";
  const auto differs = std::mismatch(page.begin(), page.end(), text->begin(), text->end());
  const auto line = 1 + std::count(page.begin(), differs.first, '\n');
  EXPECT_TRUE(*text == page) << "docs/ptx_coverage.md differs from the opcode table and the cases, first in line "
                             << line << "; run this test with ASSAY_UPDATE=1 to write the page anew";
}

}  // namespace
}  // namespace assay::vgpu
