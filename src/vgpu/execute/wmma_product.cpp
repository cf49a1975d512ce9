// SPDX-License-Identifier: MIT
#include "vgpu/execute/wmma_product.hpp"

#include <type_traits>

#include "vgpu/execute/fragment.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/semantics/tensor.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

constexpr size_t kMaxOperand = 512;  // elements: 32 rows of 16
constexpr size_t kMaxResult = 256;
constexpr size_t kMaxWidth = 32;  // of a tile: 16 bytes of 4-bit elements
constexpr size_t kResultTile = kTileRows * kTileRows;

template <class T>
struct Matrices {
  alignas(64) T a[kMaxOperand];  // (m, k)
  alignas(64) T b[kMaxOperand];  // (k, n)
  alignas(64) T c[kMaxResult];   // (m, n); the result too
};

// A register is a tile of A or B.
template <class T>
void read_operand(const Warp& warp, const uint32_t* rows, const WmmaFragment& fragment, Widen<T> widen, bool transposed,
                  T* to) {
  const size_t width = fragment.tile_width();
  alignas(64) T tile[kTileRows * kMaxWidth];
  for (size_t i = 0; i < fragment.tiles(); ++i) {
    widen(warp.row<std::byte>(rows[i]), kTileRows * width, tile);
    const auto [row, column] = fragment.tile(i);
    if (transposed) {
      place_transposed_tile(tile, width, to + column * fragment.rows + row, fragment.rows);
    } else {
      place_tile(tile, width, to + row * fragment.columns + column, fragment.columns);
    }
  }
}

// Two registers are a tile of C, or one with pairs of f16.
template <class T>
void read_c_tile(const Warp& warp, const uint32_t* rows, const WmmaFragment& fragment, T* tile) {
  if constexpr (std::is_same_v<T, float>) {
    if (fragment.element_bits == 16) return widen_halves(warp.row<uint16_t>(rows[0]), kResultTile, tile);
  }
  read_c(warp.row<T>(rows[0]), warp.row<T>(rows[1]), tile);
}
template <class T>
void write_d_tile(const Warp& warp, const uint32_t* rows, const WmmaFragment& fragment, const T* tile) {
  if constexpr (std::is_same_v<T, float>) {
    if (fragment.element_bits == 16) return narrow_to_halves(tile, kResultTile, warp.row<uint16_t>(rows[0]));
  }
  write_d(tile, warp.row<T>(rows[0]), warp.row<T>(rows[1]));
}

template <class T>
void read_matrices(const Warp& warp, const Instruction& instruction, const WmmaProduct<T>& product,
                   Matrices<T>& matrices) {
  const uint32_t* a_rows = instruction.rows + product.d.registers;
  const uint32_t* b_rows = a_rows + product.a.registers;
  const uint32_t* c_rows = b_rows + product.b.registers;
  read_operand(warp, a_rows, product.a, product.widen, false, matrices.a);
  read_operand(warp, b_rows, product.b, product.widen, true, matrices.b);
  for (size_t i = 0; i < product.c.tiles(); ++i) {
    T tile[kResultTile];
    read_c_tile(warp, c_rows + i * product.c.registers_per_tile(), product.c, tile);
    const auto [row, column] = product.c.tile(i);
    place_tile(tile, kTileRows, matrices.c + row * product.shape.n + column, product.shape.n);
  }
}

template <class T>
void write_result(const Warp& warp, const Instruction& instruction, const WmmaProduct<T>& product,
                  const Matrices<T>& matrices) {
  for (size_t i = 0; i < product.d.tiles(); ++i) {
    T tile[kResultTile];
    const auto [row, column] = product.d.tile(i);
    take_tile(matrices.c + row * product.shape.n + column, product.shape.n, kTileRows, tile);
    write_d_tile(warp, instruction.rows + i * product.d.registers_per_tile(), product.d, tile);
  }
}

// multiply(m, n, k, matrices) puts the result into matrices.c.
template <class T, class Multiply>
void run(Warp& warp, const Instruction& instruction, const WmmaProduct<T>& product, Multiply&& multiply) {
  Matrices<T> matrices;
  read_matrices(warp, instruction, product, matrices);
  multiply(static_cast<int>(product.shape.m), static_cast<int>(product.shape.n), static_cast<int>(product.shape.k),
           matrices);
  write_result(warp, instruction, product, matrices);
}

}  // namespace

void multiply_wmma_float(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& form = payload<WmmaFloatProduct>(instruction);
  run(warp, instruction, form.product, [&](int m, int n, int k, Matrices<float>& matrices) {
    s::multiply_accumulate(form.unit, m, n, k, matrices.a, matrices.b, matrices.c, matrices.c);
  });
}

void multiply_wmma_integer(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& form = payload<WmmaIntegerProduct>(instruction);
  run(warp, instruction, form.product, [&](int m, int n, int k, Matrices<int32_t>& matrices) {
    s::multiply_accumulate(m, n, k, matrices.a, matrices.b, matrices.c, matrices.c, form.satfinite);
  });
}

void multiply_wmma_double(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& product = payload<WmmaProduct<double>>(instruction);
  run(warp, instruction, product, [](int m, int n, int k, Matrices<double>& matrices) {
    s::multiply_accumulate(m, n, k, matrices.a, matrices.b, matrices.c, matrices.c);
  });
}

void multiply_wmma_bits(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& form = payload<WmmaBitProduct>(instruction);
  run(warp, instruction, form.product, [&](int m, int n, int k, Matrices<int32_t>& matrices) {
    s::count_bits(m, n, k, matrices.a, matrices.b, matrices.c, matrices.c, form.exclusive);
  });
}

}  // namespace assay::vgpu
