// SPDX-License-Identifier: MIT
#include "vgpu/execute/warpgroup_product.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <xmmintrin.h>

#include "vgpu/execute/fragment.hpp"
#include "vgpu/execute/matrix_descriptor.hpp"
#include "vgpu/execute/sparse_rows.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/semantics/tensor.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

constexpr size_t kMaxK = 64;
constexpr size_t kMaxN = 256;
constexpr size_t kOperandBytes = 32;  // of one row of A or column of B, whatever the type; of sparse products' B twice
constexpr size_t kMaxOperandBytes = 64;
constexpr size_t kARegisters = 4;

void refuse(Warp& warp, std::string message) {
  warp.fault(FindingKind::illegal_instruction, std::move(message), std::countr_zero(warp.mask));
}

// All threads of the group are there. Otherwise the warp waits for its own, or the launch is stopped.
bool group_is_here(Warp& warp) {
  if (!warp.converged()) return false;
  constexpr uint64_t kGroupThreads = kGroupWarps * kLanes;
  const uint64_t threads = warp.block().grid().launch.block.volume();
  const uint64_t group = static_cast<uint64_t>(warp.index()) / kGroupWarps;
  if ((group + 1) * kGroupThreads > threads) {
    refuse(warp, fmt::format("wgmma is executed by groups of four warps, 128 threads; this block has {} threads, so "
                             "that the group of warp {} is not complete",
                             threads, warp.index()));
    return false;
  }
  if (warp.live_lanes() != kAllLanes) {
    refuse(warp, "wgmma is executed by all threads of a warp, but some of this one have ended");
    return false;
  }
  return true;
}

// What the warp takes from one register of its threads: all of them must have the same there.
template <class T>
bool is_uniform(Warp& warp, const T* row) {
  const T first = row[0];
  if (std::all_of(row, row + kLanes, [&](const T& value) { return value == first; })) return true;
  refuse(warp, "the threads of the warp have different matrix descriptors: undefined behaviour");
  return false;
}

// --- 32-bit elements of any kind, four at a time

template <class T>
__m128 load_four(const T* from) {
  static_assert(sizeof(T) == sizeof(float));
  return _mm_loadu_ps(reinterpret_cast<const float*>(from));
}
template <class T>
void store_four(T* to, __m128 four) {
  static_assert(sizeof(T) == sizeof(float));
  _mm_storeu_ps(reinterpret_cast<float*>(to), four);
}

// Both are multiples of four.
template <class T>
void transpose(const T* from, size_t rows, size_t columns, T* to) {
  for (size_t r = 0; r < rows; r += 4) {
    for (size_t c = 0; c < columns; c += 4) {
      __m128 line[4];
      for (size_t i = 0; i < 4; ++i) line[i] = load_four(from + (r + i) * columns + c);
      _MM_TRANSPOSE4_PS(line[0], line[1], line[2], line[3]);
      for (size_t i = 0; i < 4; ++i) store_four(to + (c + i) * rows + r, line[i]);
    }
  }
}

// Two registers are eight columns of eight rows, even and odd columns apart; `n` is what the matrix has of them.
template <class T>
void read_columns(const T* even, const T* odd, size_t n, T* c) {
  for (size_t row = 0; row < kTileRows; ++row) {
    const __m128 evens = load_four(even + 4 * row);
    const __m128 odds = load_four(odd + 4 * row);
    store_four(c + row * n, _mm_unpacklo_ps(evens, odds));
    store_four(c + row * n + 4, _mm_unpackhi_ps(evens, odds));
  }
}
template <class T>
void write_columns(const T* d, size_t n, T* even, T* odd) {
  for (size_t row = 0; row < kTileRows; ++row) {
    const __m128 left = load_four(d + row * n);
    const __m128 right = load_four(d + row * n + 4);
    store_four(even + 4 * row, _mm_shuffle_ps(left, right, _MM_SHUFFLE(2, 0, 2, 0)));
    store_four(odd + 4 * row, _mm_shuffle_ps(left, right, _MM_SHUFFLE(3, 1, 3, 1)));
  }
}

// --- operands

// Rows `first` ... of a matrix, as a row-major matrix of `rows` x k; with `transposed` as k x rows.
struct MatrixPart {
  size_t first, rows, k;
  size_t bytes;  // of k elements
  bool across;
  bool transposed;
};

template <class T>
bool read_shared(Warp& warp, const Instruction& instruction, uint32_t descriptor_row, const MatrixPart& part,
                 Widen<T> widen, T* to) {
  if (!is_uniform(warp, warp.row<uint64_t>(descriptor_row))) return false;
  const uint64_t descriptor = *warp.row<uint64_t>(descriptor_row);
  if (const uint32_t offset = base_offset(descriptor)) {
    refuse(warp, fmt::format("the matrix descriptor 0x{:x} has the base offset {}; only 0 is supported: let the matrix "
                             "begin at a multiple of 1024 bytes",
                             descriptor, offset));
    return false;
  }
  const ChunkLayout layout = chunk_layout(descriptor, part.across);
  const size_t per_chunk = part.k * kChunkBytes / part.bytes;  // elements
  if (!part.across && layout.width_bits == 1 && part.bytes > kOperandBytes) {
    refuse(warp,
           "columns of 64 bytes with a swizzle of 32 are not supported: the manual does not say where their second "
           "half lies");
    return false;
  }
  const ChunkRange range = part.across ? ChunkRange{0, part.k, part.first / per_chunk, part.rows / per_chunk}
                                       : ChunkRange{part.first, part.rows, 0, part.bytes / kChunkBytes};
  alignas(64) std::byte elements[kMaxN * kMaxOperandBytes];
  if (!read_chunks(warp, instruction, layout, range, elements)) return false;
  const size_t count = part.rows * part.k;
  if (part.across == part.transposed) {
    widen(elements, count, to);
    return true;
  }
  alignas(64) T wide[kMaxN * kMaxK];
  widen(elements, count, wide);
  if (part.across) {
    transpose(wide, part.k, part.rows, to);
  } else {
    transpose(wide, part.rows, part.k, to);
  }
  return true;
}

// The halves of the rows of A to their places, as the metadata says. False after a fault.
template <class T>
bool expand(Warp& warp, const SparseOperand& sparse, uint32_t metadata_row, size_t k, const T* halves, T* a) {
  const SparseRows rows{kWarpRows, k, sparse.sparsity, sparse.narrow, sparse.first_lane};
  return expand_rows(warp, rows, warp.row<uint32_t>(metadata_row), halves, a);
}

// A: the warp's 16 rows, (16, k). B: (k, n).
template <class T>
bool read_operands(Warp& warp, const Instruction& instruction, const ProductOperands<T>& operands, T* a, T* b) {
  const uint32_t* a_rows = instruction.rows + operands.d_registers;
  const uint32_t b_row = instruction.rows[operands.b_descriptor()];
  const size_t k = operands.k;
  const size_t a_k = operands.sparse ? k / 2 : k;
  alignas(64) T halves[kWarpRows * kMaxK / 2];
  T* const a_elements = operands.sparse ? halves : a;
  if (!is_uniform(warp, warp.row<uint64_t>(b_row))) return false;
  const uint64_t b_descriptor = *warp.row<uint64_t>(b_row);
  std::string objection = warp.block().products().execute(static_cast<size_t>(warp.index()),
                                                          {warp.frame().function, &instruction, b_descriptor});
  if (!objection.empty()) {
    refuse(warp, std::move(objection));
    return false;
  }
  if (operands.a_in_registers) {
    alignas(64) T tile[kWarpRows * kMaxK / kARegisters];
    const size_t count = kWarpRows * a_k / kARegisters;
    for (size_t i = 0; i < kARegisters; ++i) {
      operands.widen_a(warp.row<uint32_t>(a_rows[i]), count, tile);
      place_a(tile, count / kTileRows, i, kWarpRows, a_k, a_elements);
    }
  } else {
    const size_t first = static_cast<size_t>(warp.index()) % kGroupWarps * kWarpRows;
    const MatrixPart part{first, kWarpRows, a_k, kOperandBytes, operands.a_across, false};
    if (!read_shared(warp, instruction, a_rows[0], part, operands.widen_a, a_elements)) return false;
  }
  if (operands.sparse && !expand(warp, *operands.sparse, instruction.rows[operands.b_descriptor() + 1], k, halves, a))
    return false;
  const MatrixPart part{0, operands.n, k, operands.sparse ? kMaxOperandBytes : kOperandBytes, operands.b_across, true};
  return read_shared(warp, instruction, b_row, part, operands.widen_b, b);
}

// --- the accumulator, (16, n): registers 4j ... 4j+3 hold its columns 8j ... 8j+7, as the C of an mma

template <class T>
bool accumulates(const Warp& warp, const Instruction& instruction, const ProductOperands<T>& operands) {
  return (*warp.row<LaneMask>(instruction.rows[operands.scale_d()]) >> std::countr_zero(warp.mask) & 1) != 0;
}

template <class T>
void read_accumulator(const Warp& warp, const uint32_t* rows, size_t n, T* c) {
  for (size_t i = 0; i < n / 2; i += 2) {
    T* tile = c + i / 2 % 2 * kTileRows * n + i / 4 * kTileRows;
    read_columns(warp.row<T>(rows[i]), warp.row<T>(rows[i + 1]), n, tile);
  }
}

template <class T>
void write_accumulator(const Warp& warp, const uint32_t* rows, size_t n, const T* d) {
  for (size_t i = 0; i < n / 2; i += 2) {
    const T* tile = d + i / 2 % 2 * kTileRows * n + i / 4 * kTileRows;
    write_columns(tile, n, warp.row<T>(rows[i]), warp.row<T>(rows[i + 1]));
  }
}

// Two f16 in a register: registers 2j and 2j+1 hold columns 8j ... 8j+7.
constexpr size_t kTileElements = kTileRows * kTileRows;

void read_halves(const Warp& warp, const uint32_t* rows, size_t n, float* c) {
  for (size_t i = 0; i < n / 4; ++i) {
    float wide[kTileElements];
    widen_halves(warp.row<uint16_t>(rows[i]), kTileElements, wide);
    float* tile = c + i % 2 * kTileRows * n + i / 2 * kTileRows;
    for (size_t r = 0; r < kTileRows; ++r) std::memcpy(tile + r * n, wide + r * kTileRows, kTileRows * sizeof(float));
  }
}

void write_halves(const Warp& warp, const uint32_t* rows, size_t n, const float* d) {
  for (size_t i = 0; i < n / 4; ++i) {
    auto* halves = warp.row<uint16_t>(rows[i]);
    const float* tile = d + i % 2 * kTileRows * n + i / 2 * kTileRows;
    for (size_t r = 0; r < kTileRows; ++r) narrow_to_halves(tile + r * n, kTileRows, halves + r * kTileRows);
  }
}

}  // namespace

void multiply_float_group(Warp& warp, const Instruction& instruction) {
  if (!group_is_here(warp)) return;
  const auto& product = payload<FloatProduct>(instruction);
  const size_t n = product.operands.n;
  const size_t k = product.operands.k;
  alignas(64) float a[kWarpRows * kMaxK];
  alignas(64) float b[kMaxK * kMaxN];
  alignas(64) float c[kWarpRows * kMaxN];
  if (!read_operands(warp, instruction, product.operands, a, b)) return;
  if (product.negated) std::transform(a, a + kWarpRows * k, a, [](float x) { return -x; });
  if (!accumulates(warp, instruction, product.operands)) {
    std::fill_n(c, kWarpRows * n, 0.0f);
  } else if (product.half_result) {
    read_halves(warp, instruction.rows, n, c);
  } else {
    read_accumulator(warp, instruction.rows, n, c);
  }
  s::multiply_accumulate(product.unit, static_cast<int>(kWarpRows), static_cast<int>(n), static_cast<int>(k), a, b, c,
                         c);
  if (product.half_result) {
    write_halves(warp, instruction.rows, n, c);
  } else {
    write_accumulator(warp, instruction.rows, n, c);
  }
}

void multiply_integer_group(Warp& warp, const Instruction& instruction) {
  if (!group_is_here(warp)) return;
  const auto& product = payload<IntegerProduct>(instruction);
  const size_t n = product.operands.n;
  const size_t k = product.operands.k;
  alignas(64) int32_t a[kWarpRows * kMaxK];
  alignas(64) int32_t b[kMaxK * kMaxN];
  alignas(64) int32_t c[kWarpRows * kMaxN];
  if (!read_operands(warp, instruction, product.operands, a, b)) return;
  if (accumulates(warp, instruction, product.operands)) {
    read_accumulator(warp, instruction.rows, n, c);
  } else {
    std::fill_n(c, kWarpRows * n, 0);
  }
  const auto rows = static_cast<int>(kWarpRows), columns = static_cast<int>(n), depth = static_cast<int>(k);
  if (product.counts_bits) {
    s::count_bits(rows, columns, depth, a, b, c, c, false);
  } else {
    s::multiply_accumulate(rows, columns, depth, a, b, c, c, product.satfinite);
  }
  write_accumulator(warp, instruction.rows, n, c);
}

}  // namespace assay::vgpu
