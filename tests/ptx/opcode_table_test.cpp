// SPDX-License-Identifier: MIT
#include "ptx/opcode_table.hpp"

#include <gtest/gtest.h>
#include <string>

namespace assay::ptx {
namespace {

TEST(OpcodeTable, rows_of_loads_and_stores_say_what_they_are) {
  for (const OpcodeFamily& family : opcode_families()) {
    if (family.name != "memory" && family.name != "atomic") continue;
    for (const OpcodeRow& row : family.rows) {
      const bool hint = row.name.starts_with("prefetch") || row.name.starts_with("createpolicy") ||
                        row.name == "discard" || row.name == "applypriority";
      EXPECT_EQ(is_access(row.operation), !hint) << row.name;
    }
  }
}

TEST(OpcodeTable, rows_that_multiply_matrices_are_products_and_no_others) {
  for (const OpcodeFamily& family : opcode_families()) {
    for (const OpcodeRow& row : family.rows) {
      const bool multiplies =
          row.name.starts_with("mma.") || row.name.starts_with("wmma.mma") || row.name.starts_with("wgmma.mma_async");
      EXPECT_EQ(row.operation == Operation::product, multiplies) << row.name;
    }
  }
}

TEST(OpcodeTable, numbers_of_no_row_are_nothing) {
  EXPECT_EQ(row_name(-1), "");
  EXPECT_EQ(row_operation(1 << 20), Operation::other);
}

}  // namespace
}  // namespace assay::ptx
