// SPDX-License-Identifier: MIT
// An 8x8 matrix of 16-bit elements fills one register of a warp: lane 4r+c holds elements 2c and 2c+1 of row r. So the
// register's row in our frame is the matrix itself, row after row.
#include "vgpu/execute/matrix_move.hpp"

#include <array>
#include <cstring>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

constexpr size_t kSide = 8;
constexpr size_t kRowBytes = kSide * sizeof(uint16_t);
using Matrix = std::array<uint16_t, kSide * kSide>;

constexpr uint8_t kTransposed = 1;
constexpr uint8_t kGenericAddress = 2;
constexpr uint8_t kWideAddress = 4;

Matrix transpose(const Matrix& from) {
  Matrix to;
  for (size_t r = 0; r < kSide; ++r) {
    for (size_t c = 0; c < kSide; ++c) to[c * kSide + r] = from[r * kSide + c];
  }
  return to;
}

// The pointers of the lanes that give addresses: eight for each matrix.
LanePointers row_pointers(Warp& warp, const Instruction& instruction, uint32_t address_row, int matrices,
                          AccessKind kind) {
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, address_row, (instruction.variant & kWideAddress) != 0, instruction.immediate, addresses);
  const LaneMask all = warp.mask;
  const auto lanes = static_cast<int>(kSide) * matrices;
  warp.mask = lanes == kLanes ? kAllLanes : (LaneMask{1} << lanes) - 1;
  const Space space = (instruction.variant & kGenericAddress) != 0 ? Space::generic : Space::shared;
  const LanePointers pointers = resolve(warp, instruction, space, kind, kRowBytes, addresses);
  warp.mask = all;
  return pointers;
}

template <int Matrices>
void load_matrix(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const LanePointers from = row_pointers(warp, instruction, instruction.rows[Matrices], Matrices, AccessKind::load);
  if (warp.block().stopped()) return;
  for (size_t m = 0; m < Matrices; ++m) {
    Matrix matrix{};
    for (size_t r = 0; r < kSide; ++r) {
      const size_t lane = m * kSide + r;
      if ((from.lanes >> lane & 1) != 0) std::memcpy(matrix.data() + r * kSide, from.at[lane], kRowBytes);
    }
    if ((instruction.variant & kTransposed) != 0) matrix = transpose(matrix);
    std::memcpy(warp.row<uint32_t>(instruction.rows[m]), matrix.data(), sizeof matrix);
  }
}

template <int Matrices>
void store_matrix(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const LanePointers to = row_pointers(warp, instruction, instruction.rows[0], Matrices, AccessKind::store);
  if (warp.block().stopped()) return;
  for (size_t m = 0; m < Matrices; ++m) {
    Matrix matrix;
    std::memcpy(matrix.data(), warp.row<uint32_t>(instruction.rows[1 + m]), sizeof matrix);
    if ((instruction.variant & kTransposed) != 0) matrix = transpose(matrix);
    for (size_t r = 0; r < kSide; ++r) {
      const size_t lane = m * kSide + r;
      if ((to.lanes >> lane & 1) != 0) std::memcpy(to.at[lane], matrix.data() + r * kSide, kRowBytes);
    }
  }
}

void transpose_matrix(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  Matrix matrix;
  std::memcpy(matrix.data(), warp.row<uint32_t>(instruction.rows[1]), sizeof matrix);
  matrix = transpose(matrix);
  std::memcpy(warp.row<uint32_t>(instruction.rows[0]), matrix.data(), sizeof matrix);
}

Result<int> count_matrices(BindContext& context, size_t vector_group, size_t address_operand) {
  const int matrices = context.has("x4") ? 4 : context.has("x2") ? 2 : 1;
  if (context.group_sizes[vector_group] != matrices)
    return context.error("the vector and its modifier differ in length");
  const BoundOperand& address = context.operands[address_operand];
  const bool shared = context.has("shared") || context.has("shared::cta");
  context.instruction->immediate = address.offset;
  context.instruction->variant =
      static_cast<uint8_t>((context.has("trans") ? kTransposed : 0) | (shared ? 0 : kGenericAddress) |
                           (address.bits == 64 ? kWideAddress : 0));
  return matrices;
}

}  // namespace

Result<Handler> bind_load_matrix(BindContext& context) {
  const auto address = static_cast<size_t>(context.group_sizes[0]);
  ASSAY_TRY(const int matrices, count_matrices(context, 0, address));
  return matrices == 4 ? &load_matrix<4> : matrices == 2 ? &load_matrix<2> : &load_matrix<1>;
}

Result<Handler> bind_store_matrix(BindContext& context) {
  ASSAY_TRY(const int matrices, count_matrices(context, 1, 0));
  return matrices == 4 ? &store_matrix<4> : matrices == 2 ? &store_matrix<2> : &store_matrix<1>;
}

Result<Handler> bind_transpose_matrix(BindContext&) {
  return &transpose_matrix;
}

}  // namespace assay::vgpu
