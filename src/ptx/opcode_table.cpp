// SPDX-License-Identifier: MIT
#include "ptx/opcode_table.hpp"

#include <array>
#include <vector>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {

std::span<const OpcodeFamily> opcode_families() {
  static const std::array kFamilies = {
      OpcodeFamily{"data", data_rows()},           OpcodeFamily{"integer", integer_rows()},
      OpcodeFamily{"bits", bits_rows()},           OpcodeFamily{"video", video_rows()},
      OpcodeFamily{"float", float_rows()},         OpcodeFamily{"half", half_rows()},
      OpcodeFamily{"compare", compare_rows()},     OpcodeFamily{"convert", convert_rows()},
      OpcodeFamily{"memory", memory_rows()},       OpcodeFamily{"atomic", atomic_rows()},
      OpcodeFamily{"async", async_rows()},         OpcodeFamily{"mbarrier", mbarrier_rows()},
      OpcodeFamily{"bulk", bulk_rows()},           OpcodeFamily{"cluster", cluster_rows()},
      OpcodeFamily{"control", control_rows()},     OpcodeFamily{"barrier", barrier_rows()},
      OpcodeFamily{"warp", warp_rows()},           OpcodeFamily{"tensor", tensor_rows()},
      OpcodeFamily{"warpgroup", warpgroup_rows()}, OpcodeFamily{"wmma", wmma_rows()},
      OpcodeFamily{"texture", texture_rows()},
  };
  return kFamilies;
}

namespace {

struct NumberedRow {
  std::string_view family;
  OpcodeRow row;
};

const NumberedRow& numbered_row(int number) {
  static const NumberedRow kNone{};
  static const std::vector<NumberedRow> kRows = [] {
    std::vector<NumberedRow> rows;
    for (const OpcodeFamily& family : opcode_families()) {
      for (const OpcodeRow& row : family.rows) rows.push_back({family.name, row});
    }
    return rows;
  }();
  return number >= 0 && static_cast<size_t>(number) < kRows.size() ? kRows[static_cast<size_t>(number)] : kNone;
}

}  // namespace

std::string_view row_name(int number) {
  return numbered_row(number).row.name;
}

std::string_view row_family(int number) {
  return numbered_row(number).family;
}

Operation row_operation(int number) {
  return numbered_row(number).row.operation;
}

}  // namespace assay::ptx
