// SPDX-License-Identifier: MIT
#include "vgpu/execute/wmma_move.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/execute/tensor_parts.hpp"
#include "vgpu/execute/wmma_fragment.hpp"
#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// What Instruction::immediate points to.
struct Move {
  WmmaFragment fragment;
  Space space;
  bool across;  // neighbours in a row of the fragment are a stride apart in memory
  bool wide_address;
  int64_t offset;
  size_t address_operand, first_register;
  size_t stride_operand;  // 0: none, the matrix is dense
};

// Where the matrix begins and how far its rows (or columns) are apart, as each lane says it: the lanes should agree.
struct MemoryMatrix {
  std::array<uint64_t, kLanes> base;
  std::array<int64_t, kLanes> stride;  // elements
};

MemoryMatrix matrix_of(const Warp& warp, const Instruction& instruction, const Move& move) {
  MemoryMatrix matrix;
  read_addresses(warp, instruction.rows[move.address_operand], move.wide_address, move.offset, matrix.base);
  if (move.stride_operand == 0) {
    matrix.stride.fill(static_cast<int64_t>(move.across ? move.fragment.rows : move.fragment.columns));
  } else {
    std::copy_n(warp.row<int32_t>(instruction.rows[move.stride_operand]), kLanes, matrix.stride.begin());
  }
  return matrix;
}

// `unit` bytes is what the address should be a multiple of.
void refuse(Warp& warp, const Move& move, AccessKind kind, int lane, uint64_t address, uint64_t unit,
            std::string message) {
  const SpaceAddress at = move.space == Space::generic ? classify(address) : SpaceAddress{move.space, address};
  Finding finding = access_fault(warp, at.space, kind, static_cast<uint32_t>(unit), at.offset).value_or(Finding{});
  finding.kind = FindingKind::misaligned;
  finding.message = std::move(message);
  warp.fault(std::move(finding), lane);
}

// The ISA wants the start of every row aligned to the bytes that a lane's fragment has. The CUDA guide, and code in
// use, is content with strides of 16 bytes.
bool is_aligned(Warp& warp, const Move& move, const MemoryMatrix& matrix, AccessKind kind) {
  const size_t start_unit = move.fragment.bytes();
  const size_t stride_unit = std::min<size_t>(start_unit, 16);
  for (LaneMask left = warp.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t base = matrix.base[static_cast<size_t>(lane)];
    if (base % start_unit != 0) {
      refuse(warp, move, kind, lane, base, start_unit,
             fmt::format("wmma: the matrix begins at 0x{:x}, which is not a multiple of {} bytes, the size of a "
                         "thread's fragment",
                         base, start_unit));
      return false;
    }
    const int64_t stride = matrix.stride[static_cast<size_t>(lane)];
    const int64_t stride_bits = stride * static_cast<int64_t>(move.fragment.element_bits);
    if (stride_bits % static_cast<int64_t>(8 * stride_unit) != 0) {
      refuse(warp, move, kind, lane, base + static_cast<uint64_t>(stride_bits / 8), stride_unit,
             fmt::format("wmma: a stride of {} elements of {} bits is not a multiple of {} bytes", stride,
                         move.fragment.element_bits, stride_unit));
      return false;
    }
  }
  return true;
}

// What a lane reads or writes at once: all its elements of a tile, or one of them where they are not neighbours.
constexpr size_t kMostBytes = 16;  // two f64
struct Piece {
  WmmaFragment::Place tile;
  size_t element;
  const uint32_t* rows;  // the tile's registers
  size_t first, bytes;   // of the lane's part of the tile
};

std::array<uint64_t, kLanes> addresses_of(const Move& move, const MemoryMatrix& matrix, const Piece& piece) {
  std::array<uint64_t, kLanes> addresses;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const auto row = static_cast<int64_t>(piece.tile.row + lane / 4);
    const auto column = static_cast<int64_t>(piece.tile.column + lane % 4 * move.fragment.per_lane + piece.element);
    const int64_t stride = matrix.stride[lane];
    const int64_t elements = move.across ? column * stride + row : row * stride + column;
    addresses[lane] =
        matrix.base[lane] + static_cast<uint64_t>(elements * static_cast<int64_t>(move.fragment.element_bits) / 8);
  }
  return addresses;
}

// Calls copy(register, memory, bytes) for the parts of a piece that lie in one register each.
template <class Copy>
void for_each_part(const Warp& warp, const Move& move, const Piece& piece, int lane, std::byte* memory, Copy&& copy) {
  const size_t register_bytes = move.fragment.register_bytes;
  const size_t part = std::min(piece.bytes, register_bytes);
  for (size_t at = 0; at < piece.bytes; at += part) {
    const size_t byte = piece.first + at;
    auto* in_register = warp.row<std::byte>(piece.rows[byte / register_bytes]) +
                        static_cast<size_t>(lane) * register_bytes + byte % register_bytes;
    copy(in_register, memory + at, part);
  }
}

template <AccessKind Kind>
void move_piece(Warp& warp, const Instruction& instruction, const Move& move, const MemoryMatrix& matrix,
                const Piece& piece) {
  auto addresses = addresses_of(move, matrix, piece);
  const LanePointers pointers =
      resolve(warp, instruction, move.space, Kind, static_cast<uint32_t>(piece.bytes), addresses);
  if (warp.block().stopped()) return;
  std::array<std::byte, kMostBytes> zeros{};  // what lanes read that an observer refused
  constexpr bool kLoad = Kind == AccessKind::load;
  for_each_lane(kLoad ? warp.mask : pointers.lanes, [&](int lane) {
    const bool refused = (pointers.lanes >> lane & 1) == 0;
    std::byte* memory = refused ? zeros.data() : pointers.at[static_cast<size_t>(lane)];
    for_each_part(warp, move, piece, lane, memory, [](std::byte* in_register, std::byte* in_memory, size_t bytes) {
      std::memcpy(kLoad ? in_register : in_memory, kLoad ? in_memory : in_register, bytes);
    });
  });
}

template <AccessKind Kind>
void move_matrix(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& move = payload<Move>(instruction);
  const WmmaFragment& fragment = move.fragment;
  const MemoryMatrix matrix = matrix_of(warp, instruction, move);
  if (!is_aligned(warp, move, matrix, Kind)) return;
  const uint32_t* rows = instruction.rows + move.first_register;
  const size_t pieces = move.across ? fragment.per_lane : 1;
  const size_t bytes = fragment.lane_bytes() / pieces;
  for (size_t i = 0; i < fragment.tiles(); ++i) {
    for (size_t piece = 0; piece < pieces; ++piece) {
      move_piece<Kind>(warp, instruction, move, matrix,
                       {fragment.tile(i), piece, rows + i * fragment.registers_per_tile(), piece * bytes, bytes});
      if (warp.block().stopped()) return;
    }
  }
  if (Kind == AccessKind::store) return;
  const size_t distinct = fragment.tiles() * fragment.registers_per_tile();
  for (size_t i = distinct; i < fragment.registers; ++i) {
    std::memcpy(warp.row<std::byte>(rows[i]), warp.row<std::byte>(rows[i - distinct]),
                fragment.register_bytes * kLanes);
  }
}

Space space_of(const BindContext& context) {
  if (context.has("global")) return Space::global;
  return context.has("shared") || context.has("shared::cta") ? Space::shared : Space::generic;
}

// Operands of a load: the registers, the address; of a store: the address, the registers. The stride comes last.
Result<void> bind_move(BindContext& context, WmmaMatrix matrix, bool store) {
  Move move{};
  move.fragment = wmma_fragment(matrix, ptx::matrix_shape_of(context.modifiers->names()), context.type());
  const size_t registers = move.fragment.registers;
  ASSAY_CHECK(store ? check_registers(context, {1, registers}) : check_registers(context, {registers}));
  // B's fragment is that of its transpose.
  move.across = context.has("row") == (matrix == WmmaMatrix::b);
  move.space = space_of(context);
  move.address_operand = store ? 0 : registers;
  move.first_register = store ? 1 : 0;
  move.stride_operand = context.operands.size() > registers + 1 ? registers + 1 : 0;
  const BoundOperand& address = context.operands[move.address_operand];
  move.wide_address = address.bits == 64;
  move.offset = address.offset;
  context.keep(move);
  return {};
}

}  // namespace

Result<Handler> bind_wmma_load(BindContext& context) {
  const WmmaMatrix matrix = context.has("a") ? WmmaMatrix::a : context.has("b") ? WmmaMatrix::b : WmmaMatrix::c;
  ASSAY_CHECK(bind_move(context, matrix, false));
  return &move_matrix<AccessKind::load>;
}

Result<Handler> bind_wmma_store(BindContext& context) {
  ASSAY_CHECK(bind_move(context, WmmaMatrix::c, true));
  return &move_matrix<AccessKind::store>;
}

}  // namespace assay::vgpu
