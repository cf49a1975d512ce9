// SPDX-License-Identifier: MIT
// The rows of each family; one file per family: rows_<family>.cpp.
#pragma once

#include <span>

#include "ptx/opcode_table.hpp"

namespace assay::ptx {

std::span<const OpcodeRow> data_rows();
std::span<const OpcodeRow> integer_rows();
std::span<const OpcodeRow> bits_rows();
std::span<const OpcodeRow> video_rows();
std::span<const OpcodeRow> float_rows();
std::span<const OpcodeRow> half_rows();
std::span<const OpcodeRow> compare_rows();
std::span<const OpcodeRow> convert_rows();
std::span<const OpcodeRow> memory_rows();
std::span<const OpcodeRow> atomic_rows();
std::span<const OpcodeRow> async_rows();
std::span<const OpcodeRow> mbarrier_rows();
std::span<const OpcodeRow> bulk_rows();
std::span<const OpcodeRow> cluster_rows();
std::span<const OpcodeRow> control_rows();
std::span<const OpcodeRow> barrier_rows();
std::span<const OpcodeRow> warp_rows();
std::span<const OpcodeRow> tensor_rows();
std::span<const OpcodeRow> warpgroup_rows();
std::span<const OpcodeRow> wmma_rows();
std::span<const OpcodeRow> texture_rows();

}  // namespace assay::ptx
