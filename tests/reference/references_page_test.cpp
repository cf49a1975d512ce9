// SPDX-License-Identifier: MIT
// docs/references.md lists the built-in references as they are.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "reference/reference.hpp"

namespace assay::reference {
namespace {

// The rows of the page's table of references, by name: the cells that follow.
std::map<std::string, std::vector<std::string>> rows_of_page() {
  std::map<std::string, std::vector<std::string>> rows;
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/references.md");
  if (!page) return rows;
  for (const std::string_view line : split(*page, '\n')) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (const std::string_view cell : split(line, '|')) cells.emplace_back(trim(cell));
    if (cells.size() == 8) rows[cells[1]] = {cells.begin() + 2, cells.end() - 1};
  }
  return rows;
}

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back("`" + name + "`");
  return join(words, ", ");
}

// "`alpha` (1), `beta` (0)" without the defaults.
std::string without_defaults(const std::string& cell) {
  std::string text;
  for (const std::string_view part : split(cell, ',')) {
    const std::string_view name = trim(part.substr(0, part.find(" (")));
    if (!name.empty()) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

TEST(ReferencesPage, lists_every_reference_with_its_names) {
  const auto rows = rows_of_page();
  EXPECT_EQ(rows.size(), references().size());
  for (const Reference& reference : references()) {
    const auto row = rows.find("`" + reference.name + "`");
    ASSERT_NE(row, rows.end()) << reference.name;
    EXPECT_EQ(row->second[0], reference.summary);
    EXPECT_EQ(row->second[1], quoted(reference.inputs));
    EXPECT_EQ(row->second[2], quoted(reference.optional));
    EXPECT_EQ(without_defaults(row->second[3]), quoted(reference.parameters));
    EXPECT_EQ(row->second[4], quoted({reference.output}));
  }
}

TEST(ReferencesPage, names_every_function_of_the_header) {
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/references.md");
  ASSERT_TRUE(page.ok());
  for (const char* name : {"assay_reference(", "assay_tensor(", "assay_number(", "assay_fail("})
    EXPECT_NE(page->find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace assay::reference
