// SPDX-License-Identifier: MIT
// cp.async.bulk.tensor: copies by tensor map, in tiled and in im2col mode.
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <optional>

#include "vgpu/execute/bulk_call.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/machine/swizzle.hpp"
#include "vgpu/machine/tensor_map.hpp"

namespace assay::vgpu {
namespace {

using namespace bulk;

constexpr uint64_t kTileAlignment = 128;  // of a tile in shared memory
constexpr uint32_t kMapAlignment = 64;

std::optional<TensorMap> read_map(const Call& call, uint64_t address) {
  std::array<std::byte, TensorMap::kBytes> bytes;
  for (size_t half = 0; half < bytes.size(); half += kMapAlignment) {
    const std::byte* from = call.at(Space::generic, AccessKind::load, address + half, kMapAlignment);
    if (from == nullptr) return std::nullopt;
    std::copy_n(from, kMapAlignment, bytes.begin() + static_cast<std::ptrdiff_t>(half));
  }
  const auto map = TensorMap::unpack(bytes);
  if (!map) {
    call.fault(FindingKind::illegal_instruction,
               fmt::format("the 128 bytes at 0x{:x} are no tensor map of this device", address));
  } else if (map->rank != call.rank()) {
    call.fault(FindingKind::illegal_instruction,
               fmt::format("a copy of {} dimensions by a tensor map of {}", call.rank(), map->rank));
  } else if (map->is_im2col() != call.is_im2col()) {
    call.fault(FindingKind::illegal_instruction,
               fmt::format("{} copy by {} tensor map", call.is_im2col() ? "an im2col" : "a tiled",
                           map->is_im2col() ? "an im2col" : "a tiled"));
  }
  return call.stopped() ? std::nullopt : map;
}

// The largest access that starts at this address and ends within `bytes`.
uint32_t aligned_step(uint64_t address, uint32_t bytes) {
  const uint64_t alignment = address == 0 ? kChunk : uint64_t{1} << std::countr_zero(address);
  return std::min({kChunk, static_cast<uint32_t>(std::min<uint64_t>(alignment, kChunk)), std::bit_floor(bytes)});
}

bool sticks_out(const TensorMap& map) {
  for (size_t d = 0; d + 2 < map.rank; ++d) {
    if (map.lower[d] < 0 || map.upper[d] > 0) return true;
  }
  return false;
}

// An H200 stops at other places with an illegal instruction (tests/ptx/bulk); the manual names neither rule.
bool can_begin_at(const Call& call, const TensorMap& map, const TileOrigin& origin, bool load) {
  if (const int64_t offset = int64_t{origin.at[0]} * map.element_bytes; offset % kChunk != 0) {
    call.fault(FindingKind::illegal_instruction,
               fmt::format("a tile that begins {} bytes into a row of the tensor; that must be a multiple of {}",
                           offset, kChunk));
  }
  if (!load && map.is_im2col() && sticks_out(map))
    call.fault(FindingKind::illegal_instruction, "a store by an im2col map whose box sticks out of the tensor");
  for (size_t d = 0; d < map.rank && !load && !call.stopped(); ++d) {
    if (origin.at[d] < 0) {
      call.fault(FindingKind::illegal_instruction,
                 fmt::format("a store to the coordinate {} of dimension {}; only loads may begin before the tensor",
                             origin.at[d], d));
    }
  }
  return !call.stopped();
}

// The coordinates of a load or store; of an im2col load also the offsets, which have few bits.
std::optional<TileOrigin> tile_origin(const Call& call, size_t map_operand, bool load) {
  TileOrigin origin;
  const uint32_t* const coordinates = call.instruction.rows + map_operand + 1;
  for (size_t d = 0; d < call.rank(); ++d) origin.at[d] = call.warp.row<int32_t>(coordinates[d])[call.lane];
  const uint32_t* const offsets = coordinates + call.rank() + 1;  // between them: the mbarrier
  const uint32_t largest = semantics::largest_offset(call.rank());
  for (size_t d = 0; load && d < call.load_offsets(); ++d) {
    origin.offsets[d] = call.warp.row<uint16_t>(offsets[d])[call.lane];
    if (origin.offsets[d] > largest) {
      call.fault(FindingKind::illegal_instruction,
                 fmt::format("the im2col offset {}; a copy of {} dimensions has offsets of 0 to {}", origin.offsets[d],
                             call.rank(), largest));
      return std::nullopt;
    }
  }
  return origin;
}

// What of the tile exists on both sides; a load fills the rest of it.
std::optional<BulkCopy> tile_copy(const Call& call, size_t map_operand, uint64_t shared, bool load) {
  const auto map = read_map(call, call.other(map_operand));
  if (!map || !call.fits(map->tile_bytes()) || !call.aligned("the tile in shared memory", shared, kTileAlignment))
    return std::nullopt;
  const auto origin = tile_origin(call, map_operand, load);
  if (!origin || !can_begin_at(call, *map, *origin, load)) return std::nullopt;
  BulkCopy copy;
  copy.bytes = static_cast<uint32_t>(map->tile_bytes());
  copy.fill = std::byte{map->fill};
  if (const auto reduction = load ? std::nullopt : call.reduction()) {
    copy.combine = combine_of(reduction->operation, map->type);
    if (copy.combine == nullptr) {
      call.fault(FindingKind::illegal_instruction, "a reduction that the type of the tensor map does not have");
      return std::nullopt;
    }
  }
  std::byte* chunk = nullptr;
  for (const TilePart& part : tile_parts(*map, *origin)) {
    const uint64_t place = swizzle(shared + part.tile_offset, map->swizzle_bits);
    if (part.tile_offset % kChunk == 0) chunk = call.at(Space::shared, near_side(load), place, kChunk);
    if (call.stopped()) return std::nullopt;
    if (chunk == nullptr) continue;
    std::byte* near = chunk + place % kChunk;
    if (part.address == 0) {
      if (load) copy.add(near, nullptr, part.bytes);
      continue;
    }
    // An H200 stores the whole chunk, also where the pixel's last channel lies within.
    const uint32_t bytes = !load && map->is_im2col() ? kChunk - part.tile_offset % kChunk : part.bytes;
    for (uint32_t done = 0; done < bytes;) {
      const uint32_t step = aligned_step(part.address + done, bytes - done);
      std::byte* far = call.at(Space::global, far_side(load), part.address + done, step);
      if (call.stopped()) return std::nullopt;
      if (far != nullptr) copy.add(load ? near + done : far, load ? far : near + done, step);
      done += step;
    }
  }
  return copy;
}

// Operands: [d], [a{c}], [b]{, offsets}{, blocks}
void load_tile(const Call& call) {
  auto copy = tile_copy(call, 1, call.shared(0), true);
  if (copy) issue_load(call, 2 + call.rank(), std::move(*copy));
}

// Operands: [a{c}], [b]
void store_tile(const Call& call) {
  auto copy = tile_copy(call, 0, call.shared(1 + call.rank()), false);
  if (copy) call.warp.bulk_stores.issue(call.lane, std::move(*copy));
}

void prefetch(Warp&, const Instruction&) {}

// --- binders

Result<size_t> rank_of(const BindContext& context, size_t map_group) {
  const std::string_view name = context.modifiers->one_of({"1d", "2d", "3d", "4d", "5d"});
  const auto rank = static_cast<size_t>(name.front() - '0');
  if (static_cast<size_t>(context.group_sizes[map_group]) != rank + 1)
    return context.error(fmt::format("a tensor of {} dimensions has {} coordinates", rank, rank));
  return rank;
}

// All but the channels and the images have an offset.
Result<void> check_offsets(const BindContext& context, size_t rank, size_t offset_group) {
  if (static_cast<size_t>(context.group_sizes[offset_group]) == rank - 2) return {};
  return context.error(fmt::format("an im2col copy of {} dimensions has {} offsets", rank, rank - 2));
}

Result<Handler> bind_load_tile(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  ASSAY_TRY(const size_t rank, rank_of(context, 1));
  if (context.operands[1].bits != 64) return context.error("a tensor map's address needs 64 bits");
  encode(*context.instruction, context.operands[0], context.operands[2 + rank], context.operands[1], rank);
  if (context.has("multicast::cluster")) context.instruction->variant |= kMulticast;
  if (context.has("im2col")) {
    ASSAY_CHECK(check_offsets(context, rank, 3));
    context.instruction->variant |= kIm2col;
  }
  return &for_each_call<load_tile>;
}
Result<Handler> bind_store_tile(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  ASSAY_TRY(const size_t rank, rank_of(context, 0));
  if (context.operands[0].bits != 64) return context.error("a tensor map's address needs 64 bits");
  encode(*context.instruction, context.operands[1 + rank], {}, context.operands[0], rank);
  if (context.has("im2col_no_offs")) context.instruction->variant |= kIm2col;
  return &for_each_call<store_tile>;
}
Result<Handler> bind_reduce_tile(BindContext& context) {
  ASSAY_TRY(const Handler handler, bind_store_tile(context));
  encode(*context.instruction, {reduction_of(context), ReducedType::none});
  context.function->communicates = true;
  return handler;
}
Result<Handler> bind_prefetch_tile(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  ASSAY_TRY(const size_t rank, rank_of(context, 0));
  if (context.has("im2col")) ASSAY_CHECK(check_offsets(context, rank, 1));
  return &prefetch;
}

constexpr std::array kBindings = {
    Binding{"cp.async.bulk.tensor.load", bind_load_tile},
    Binding{"cp.async.bulk.tensor.load.multicast", bind_load_tile},
    Binding{"cp.async.bulk.tensor.store", bind_store_tile},
    Binding{"cp.async.bulk.tensor.im2col.load", bind_load_tile},
    Binding{"cp.async.bulk.tensor.im2col.load.multicast", bind_load_tile},
    Binding{"cp.async.bulk.tensor.im2col.store", bind_store_tile},
    Binding{"cp.reduce.async.bulk.tensor", bind_reduce_tile},
    Binding{"cp.reduce.async.bulk.tensor.im2col", bind_reduce_tile},
    Binding{"cp.async.bulk.prefetch.tensor", bind_prefetch_tile},
    Binding{"cp.async.bulk.prefetch.tensor.im2col", bind_prefetch_tile},
};

}  // namespace

std::span<const Binding> bulk_tensor_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
