// SPDX-License-Identifier: MIT
// Loading mma fragments from shared memory: four 8x8 matrices of 16-bit elements in one instruction. Lane i gives the
// address of row i % 8 of matrix i / 8; which (row, chunk) that is differs with the operand, see Lane below.
#pragma once

#include <cstdint>

namespace assay {

// PTX ISA, "Warp Level Matrix Instructions: Warp-level matrix load instruction: ldmatrix".
__device__ __forceinline__ void load_matrices(uint32_t (&fragment)[4], uint32_t s_row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(s_row)
               : "memory");
}

__device__ __forceinline__ void load_matrices_transposed(uint32_t (&fragment)[4], uint32_t s_row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(s_row)
               : "memory");
}

// Where a lane's row lies in a 16-row, 2-chunk (32-byte) patch of a tile.
struct Lane {
  int row;
  int chunk;
};

// The left operand A, stored as (rows, depth): the fragment's registers are rows 0-7, rows 8-15, then the same with
// the upper half of the depth. The same order serves the right operand stored as (depth, columns), loaded transposed:
// registers 0 and 1 are then the B fragment of columns 0-7, registers 2 and 3 that of columns 8-15.
__device__ __forceinline__ Lane lane_of_rows_first(int lane) {
  return {lane % 16, lane / 16};
}

// The right operand B, stored as (columns, depth): registers 0 and 1 are the B fragment (lower and upper half of the
// depth) of columns 0-7, registers 2 and 3 that of columns 8-15.
__device__ __forceinline__ Lane lane_of_depth_first(int lane) {
  return {lane / 16 * 8 + lane % 8, lane / 8 % 2};
}

}  // namespace assay
