// SPDX-License-Identifier: MIT
#include "ptx/coverage_page.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "ptx/opcode_pattern.hpp"
#include "ptx/opcode_table.hpp"

namespace assay::ptx {
namespace {

constexpr std::string_view kIntroduction = R"(# What the virtual GPU executes

This page is generated from the opcode table (`src/ptx/rows_*.cpp`). The test `Coverage` compares the two;
`ASSAY_UPDATE=1 build/tests/test_vgpu --gtest_filter='Coverage*'` writes the page anew.

An instruction that is not here stops the kernel when it is loaded, with its opcode and its line.

- **exact**: bit for bit what the hardware gives
- **approximate**: within the bounds that the manual states; the hardware's own tables are not public
- **functional**: no effect on values (hints, fences), or one that only timing could show

How to read the syntax: `.x` must be there, `.(x|y)` one of them must, `{.x}` may, `.$name` is one of a list at the
end of this page. Modifiers may come in any order. `d:u32` is an operand with a type of its own, `:wide` one of twice
the width, `+` a register that may be wider, `[a]` an address, `{d}` a vector, `d|p` a pair whose second part may be
absent, `{, hint}` a cache policy, which comes with `.L2::cache_hint` alone. *Cases* counts the files of `tests/ptx/`
that use the row.
)";

std::string_view word(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::exact:
      return "exact";
    case Fidelity::approximate:
      return "approximate";
    case Fidelity::functional:
      return "functional";
  }
  return "unknown";
}

// A bar would end the cell of a table, even inside code.
std::string cell(std::string_view text) {
  return replace_all(std::string(text), "|", "\\|");
}

int cases_of(const std::map<std::string, int>& cases_per_row, std::string_view row) {
  const auto found = cases_per_row.find(std::string(row));
  return found != cases_per_row.end() ? found->second : 0;
}

std::string summary() {
  std::string text =
      "\n## Families\n\n| family | rows | exact | approximate | functional |\n|---|---:|---:|---:|---:|\n";
  int totals[4] = {};
  for (const OpcodeFamily& family : opcode_families()) {
    int counts[3] = {};
    for (const OpcodeRow& row : family.rows) ++counts[static_cast<int>(row.fidelity)];
    text += fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4} |\n", family.name, family.rows.size(), counts[0],
                        counts[1], counts[2]);
    totals[0] += static_cast<int>(family.rows.size());
    for (int i = 0; i < 3; ++i) totals[i + 1] += counts[i];
  }
  return text + fmt::format("| all | {} | {} | {} | {} |\n", totals[0], totals[1], totals[2], totals[3]);
}

std::string family_table(const OpcodeFamily& family, const std::map<std::string, int>& cases_per_row) {
  std::string text =
      fmt::format("\n## {}\n\n| instruction | meaning | fidelity | cases |\n|---|---|---|---:|\n", family.name);
  for (const OpcodeRow& row : family.rows) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", cell(row.syntax), cell(row.meaning), word(row.fidelity),
                        cases_of(cases_per_row, row.name));
  }
  return text;
}

std::string class_table() {
  std::string text = "\n## Lists of modifiers\n\n| name | one of |\n|---|---|\n";
  for (const ModifierClass& list : modifier_classes()) {
    text += fmt::format("| `${}` | `{}` |\n", list.name, cell(list.alternatives));
  }
  return text;
}

}  // namespace

std::string coverage_page(const std::map<std::string, int>& cases_per_row) {
  std::string page(kIntroduction);
  page += summary();
  for (const OpcodeFamily& family : opcode_families()) page += family_table(family, cases_per_row);
  page += class_table();
  return page;
}

}  // namespace assay::ptx
