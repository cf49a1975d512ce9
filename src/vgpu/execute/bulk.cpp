// SPDX-License-Identifier: MIT
// cp.async.bulk, plain and by tensor map. Addresses are looked at when the copy is issued; the data moves later: see
// machine/bulk_copy.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <optional>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/mbarrier_misuse.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/cluster.hpp"
#include "vgpu/machine/swizzle.hpp"
#include "vgpu/machine/tensor_map.hpp"

namespace assay::vgpu {
namespace {

constexpr uint32_t kChunk = 16;           // bytes: what plain copies are made of
constexpr uint64_t kTileAlignment = 128;  // of a tile in shared memory
constexpr uint32_t kMapAlignment = 64;

// --- operands. Of Instruction::variant: which addresses in shared memory have 64 bits, and the tensor's dimensions;
// `immediate` holds the offset of the shared memory's address, and above it that of the mbarrier's or, for stores, what
// they reduce by; `detail` holds the offset of the third.

constexpr uint8_t kWideShared = 1;
constexpr uint8_t kWideMbarrier = 2;
constexpr uint8_t kNarrowOther = 4;  // the third is in shared memory too, and has 32 bits
constexpr uint8_t kMulticast = 8;
constexpr int kDimensionsAt = 4;
constexpr uint8_t kDimensions = 7;
constexpr uint8_t kIm2col = 0x80;  // the mode of a copy by tensor map

void encode(Instruction& instruction, const BoundOperand& shared, const BoundOperand& mbarrier,
            const BoundOperand& other, size_t rank) {
  instruction.variant =
      static_cast<uint8_t>((shared.bits == 64 ? kWideShared : 0) | (mbarrier.bits == 64 ? kWideMbarrier : 0) |
                           (other.bits == 32 ? kNarrowOther : 0) | rank << kDimensionsAt);
  instruction.immediate = static_cast<int64_t>(static_cast<uint32_t>(shared.offset) |
                                               uint64_t{static_cast<uint32_t>(mbarrier.offset)} << 32);
  instruction.detail = static_cast<uint32_t>(other.offset);
}

struct StoreReduction {
  Reduction operation;
  ReducedType type;  // none: the tensor map tells
};
constexpr int kReductionAt = 32;
constexpr int64_t kReduces = 0x100;

void encode(Instruction& instruction, StoreReduction reduction) {
  const int64_t code = kReduces | static_cast<int64_t>(reduction.operation) << 4 | static_cast<int64_t>(reduction.type);
  instruction.immediate |= code << kReductionAt;
}

uint64_t shared_address(const Warp& warp, uint32_t row, bool wide, uint32_t offset, int lane) {
  if (wide) return warp.row<uint64_t>(row)[lane] + static_cast<uint64_t>(int64_t{static_cast<int32_t>(offset)});
  return warp.row<uint32_t>(row)[lane] + offset;
}

// One lane's view of an instruction.
struct Call {
  Warp& warp;
  const Instruction& instruction;
  int lane;

  uint64_t shared(size_t operand) const {
    return shared_address(warp, instruction.rows[operand], (instruction.variant & kWideShared) != 0,
                          static_cast<uint32_t>(instruction.immediate), lane);
  }
  uint64_t mbarrier(size_t operand) const {
    return shared_address(warp, instruction.rows[operand], (instruction.variant & kWideMbarrier) != 0,
                          static_cast<uint32_t>(instruction.immediate >> 32), lane);
  }
  uint64_t other(size_t operand) const {
    if ((instruction.variant & kNarrowOther) != 0)
      return shared_address(warp, instruction.rows[operand], false, instruction.detail, lane);
    return warp.row<uint64_t>(instruction.rows[operand])[lane] +
           static_cast<uint64_t>(int64_t{static_cast<int32_t>(instruction.detail)});
  }
  std::optional<StoreReduction> reduction() const {
    const int64_t code = instruction.immediate >> kReductionAt;
    if ((code & kReduces) == 0) return std::nullopt;
    return StoreReduction{static_cast<Reduction>(code >> 4 & 0xf), static_cast<ReducedType>(code & 0xf)};
  }
  size_t rank() const { return instruction.variant >> kDimensionsAt & kDimensions; }
  bool is_im2col() const { return (instruction.variant & kIm2col) != 0; }
  size_t load_offsets() const { return is_im2col() ? rank() - 2 : 0; }  // operands of a load, behind the mbarrier
  bool stopped() const { return warp.block().stopped(); }

  // The host's memory of one aligned access; nullptr if it is bad.
  std::byte* at(Space space, AccessKind kind, uint64_t address, uint32_t bytes) const {
    std::array<uint64_t, kLanes> addresses{};
    addresses[static_cast<size_t>(lane)] = address;
    const LaneMask all = warp.mask;
    warp.mask = LaneMask{1} << lane;
    const LanePointers pointers = resolve(warp, instruction, space, kind, bytes, addresses);
    warp.mask = all;
    return pointers.lanes != 0 ? pointers.at[static_cast<size_t>(lane)] : nullptr;
  }
  void fault(FindingKind kind, std::string message) const {
    Finding finding;
    finding.kind = kind;
    finding.access = AccessKind::async_read;
    finding.message = std::move(message);
    warp.fault(std::move(finding), lane);
  }
  // What no block's shared memory could hold is refused before anybody walks through it.
  bool fits(uint64_t bytes) const {
    const auto most = static_cast<uint64_t>(warp.block().grid().model.shared_bytes_per_block_optin);
    if (bytes <= most) return true;
    fault(FindingKind::out_of_bounds,
          fmt::format("bulk copy of {} bytes, and a block has at most {} bytes of shared memory", bytes, most));
    return false;
  }
  bool aligned(std::string_view what, uint64_t value, uint64_t alignment) const {
    if (value % alignment == 0) return true;
    fault(FindingKind::misaligned, fmt::format("bulk copy: {} 0x{:x} is not a multiple of {}", what, value, alignment));
    return false;
  }
};

template <void (*Issue)(const Call&)>
void for_each_call(Warp& warp, const Instruction& instruction) {
  for_each_lane(warp.mask, [&](int lane) {
    if (!warp.block().stopped()) Issue({warp, instruction, lane});
  });
}

void hand_to(Block& block, uint32_t mbarrier, BulkCopy copy, const Call& call) {
  if (block.mbarrier(mbarrier)) {
    block.issue_load(mbarrier, std::move(copy));
  } else {
    no_mbarrier(call.warp, call.lane, mbarrier);
  }
}

// To the same places of every block whose bit is set.
void issue_multicast(const Call& call, uint32_t blocks, uint32_t mbarrier, const BulkCopy& copy) {
  Block& own = call.warp.block();
  for (uint32_t left = blocks; left != 0 && !call.stopped(); left &= left - 1) {
    Block* const target = own.cluster().block(static_cast<uint64_t>(std::countr_zero(left)));
    if (target == nullptr) {
      call.fault(FindingKind::illegal_instruction,
                 fmt::format("multicast to block {} of a cluster of {}", std::countr_zero(left), own.cluster().size()));
      return;
    }
    BulkCopy there = copy;
    for (BulkCopy::Piece& piece : there.pieces)
      piece.to = target->shared() + (piece.to - own.cluster().owner(piece.to)->shared());
    hand_to(*target, mbarrier, std::move(there), call);
  }
}

// The mbarrier lies in the block that the copy goes to.
void issue_load(const Call& call, size_t mbarrier_operand, BulkCopy copy) {
  const std::byte* const at =
      call.at(Space::shared, AccessKind::mbarrier, call.mbarrier(mbarrier_operand), Mbarrier::kBytes);
  if (at == nullptr) return;
  Block& owner = *call.warp.block().cluster().owner(at);
  const auto mbarrier = static_cast<uint32_t>(at - owner.shared());
  if ((call.instruction.variant & kMulticast) == 0) {
    hand_to(owner, mbarrier, std::move(copy), call);
    return;
  }
  const size_t blocks_operand = mbarrier_operand + 1 + call.load_offsets();
  const uint32_t blocks = call.warp.row<uint16_t>(call.instruction.rows[blocks_operand])[call.lane];
  issue_multicast(call, blocks, mbarrier, copy);
}

// What a copy does to its place in shared memory, and to the other one.
AccessKind near_side(bool load) {
  return load ? AccessKind::async_write : AccessKind::async_read;
}
AccessKind far_side(bool load) {
  return near_side(!load);
}

// --- plain copies

// The chunks of both sides that exist. `space` is where the other side lies.
BulkCopy plain_copy(const Call& call, uint64_t shared, Space space, uint64_t other, uint32_t bytes, bool load) {
  BulkCopy copy;
  copy.bytes = bytes;
  if (!call.fits(bytes) || !call.aligned("the address in shared memory", shared, kChunk) ||
      !call.aligned(fmt::format("the address in {} memory", to_string(space)), other, kChunk) ||
      !call.aligned("the size", bytes, kChunk))
    return copy;
  for (uint32_t done = 0; done < bytes && !call.stopped(); done += kChunk) {
    std::byte* near = call.at(Space::shared, near_side(load), shared + done, kChunk);
    std::byte* far = call.stopped() ? nullptr : call.at(space, far_side(load), other + done, kChunk);
    if (near != nullptr && far != nullptr) copy.add(load ? near : far, load ? far : near, kChunk);
  }
  return copy;
}

// Operands: [d], [a], n, [b]{, blocks}
void load_from(const Call& call, Space from) {
  const uint32_t bytes = call.warp.row<uint32_t>(call.instruction.rows[2])[call.lane];
  BulkCopy copy = plain_copy(call, call.shared(0), from, call.other(1), bytes, true);
  if (!call.stopped()) issue_load(call, 3, std::move(copy));
}
void load(const Call& call) {
  load_from(call, Space::global);
}
void load_shared(const Call& call) {
  load_from(call, Space::shared);
}

template <Reduction Operation, ReducedType Type>
void reduce_shared(const Call& call) {
  const uint32_t bytes = call.warp.row<uint32_t>(call.instruction.rows[2])[call.lane];
  BulkCopy copy = plain_copy(call, call.shared(0), Space::shared, call.other(1), bytes, true);
  copy.combine = combine_of(Operation, Type);
  if (!call.stopped()) issue_load(call, 3, std::move(copy));
}

// Operands: [d], [a], n
void store(const Call& call) {
  const uint32_t bytes = call.warp.row<uint32_t>(call.instruction.rows[2])[call.lane];
  BulkCopy copy = plain_copy(call, call.shared(1), Space::global, call.other(0), bytes, false);
  if (const auto reduction = call.reduction()) copy.combine = combine_of(reduction->operation, reduction->type);
  if (!call.stopped()) call.warp.bulk_stores.issue(call.lane, std::move(copy));
}

// --- copies by tensor map

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

// An H200 stops at other places with an illegal instruction (tests/ptx/bulk); the manual names neither rule.
bool can_begin_at(const Call& call, const TensorMap& map, const TileOrigin& origin, bool load) {
  if (const int64_t offset = int64_t{origin.at[0]} * map.element_bytes; offset % kChunk != 0) {
    call.fault(FindingKind::illegal_instruction,
               fmt::format("a tile that begins {} bytes into a row of the tensor; that must be a multiple of {}",
                           offset, kChunk));
  }
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
    for (uint32_t done = 0; done < part.bytes;) {
      const uint32_t step = aligned_step(part.address + done, part.bytes - done);
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

// --- groups

void tell_group(const Warp& warp, const Instruction& instruction) {
  warp.block().tell([&](BlockObserver& observer) { observer.grouped(warp, instruction); });
}

void commit(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.bulk_stores.commit(warp.mask);
}

void wait_group(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.bulk_stores.wait(warp.mask, instruction.detail);
}

void nothing(Warp&, const Instruction&) {}

// --- binders

Result<void> check_model(const BindContext& context) {
  return need_hopper(context, "bulk copies");
}

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

Result<Handler> bind_load(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  if (context.operands[1].bits != 64) return context.error("the source address needs 64 bits");
  encode(*context.instruction, context.operands[0], context.operands[3], context.operands[1], 0);
  if (context.has("multicast::cluster")) context.instruction->variant |= kMulticast;
  return &for_each_call<load>;
}
Result<Handler> bind_load_shared(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  encode(*context.instruction, context.operands[0], context.operands[3], context.operands[1], 0);
  return &for_each_call<load_shared>;
}
Result<Handler> bind_store(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  if (context.operands[0].bits != 64) return context.error("the target address needs 64 bits");
  encode(*context.instruction, context.operands[1], {}, context.operands[0], 0);
  return &for_each_call<store>;
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
Reduction reduction_of(const BindContext& context) {
  return reduction_named(context.modifiers->one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
}

// Blocks may add to the same places: they are interleaved.
Result<Handler> bind_reduce(BindContext& context) {
  ASSAY_TRY(const Handler handler, bind_store(context));
  const StoreReduction reduction{reduction_of(context), reduced_type(ptx::info(context.type()).name)};
  if (combine_of(reduction.operation, reduction.type) == nullptr)
    return context.error("there is no such reduction of this type");
  encode(*context.instruction, reduction);
  context.function->communicates = true;
  return handler;
}
template <Reduction Operation>
Handler shared_reduction(ReducedType type) {
  if (type == ReducedType::s32) return &for_each_call<reduce_shared<Operation, ReducedType::s32>>;
  if (type == ReducedType::u64) return &for_each_call<reduce_shared<Operation, ReducedType::u64>>;
  return &for_each_call<reduce_shared<Operation, ReducedType::u32>>;
}
Result<Handler> bind_reduce_shared(BindContext& context) {
  ASSAY_CHECK(bind_load_shared(context));
  const Reduction operation = reduction_of(context);
  const ReducedType type = reduced_type(ptx::info(context.type()).name);
  using enum Reduction;
  switch (operation) {
    case add:
      return shared_reduction<add>(type);
    case min:
      return shared_reduction<min>(type);
    case max:
      return shared_reduction<max>(type);
    case inc:
      return shared_reduction<inc>(type);
    case dec:
      return shared_reduction<dec>(type);
    case bit_and:
      return shared_reduction<bit_and>(type);
    case bit_or:
      return shared_reduction<bit_or>(type);
    case bit_xor:
      return shared_reduction<bit_xor>(type);
  }
  return context.error("there is no such reduction");
}
Result<Handler> bind_reduce_tile(BindContext& context) {
  ASSAY_TRY(const Handler handler, bind_store_tile(context));
  encode(*context.instruction, {reduction_of(context), ReducedType::none});
  context.function->communicates = true;
  return handler;
}

Result<Handler> bind_commit(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &commit;
}
Result<Handler> bind_wait_group(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  if (!context.operands[0].is_immediate) return context.error("cp.async.bulk.wait_group needs a constant");
  context.instruction->detail = static_cast<uint32_t>(context.operands[0].value);
  return &wait_group;
}
Result<Handler> bind_nothing(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &nothing;
}
Result<Handler> bind_prefetch_tile(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  ASSAY_TRY(const size_t rank, rank_of(context, 0));
  if (context.has("im2col")) ASSAY_CHECK(check_offsets(context, rank, 1));
  return &nothing;
}

constexpr std::array kBindings = {
    Binding{"cp.async.bulk.load", bind_load},
    Binding{"cp.async.bulk.load.multicast", bind_load},
    Binding{"cp.async.bulk.shared", bind_load_shared},
    Binding{"cp.async.bulk.store", bind_store},
    Binding{"cp.async.bulk.tensor.load", bind_load_tile},
    Binding{"cp.async.bulk.tensor.load.multicast", bind_load_tile},
    Binding{"cp.async.bulk.tensor.store", bind_store_tile},
    Binding{"cp.async.bulk.tensor.im2col.load", bind_load_tile},
    Binding{"cp.async.bulk.tensor.im2col.load.multicast", bind_load_tile},
    Binding{"cp.async.bulk.tensor.im2col.store", bind_store_tile},
    Binding{"cp.reduce.async.bulk", bind_reduce},
    Binding{"cp.reduce.async.bulk.shared.add", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.shared.minmax", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.shared.wrap", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.shared.logic", bind_reduce_shared},
    Binding{"cp.reduce.async.bulk.tensor", bind_reduce_tile},
    Binding{"cp.reduce.async.bulk.tensor.im2col", bind_reduce_tile},
    Binding{"cp.async.bulk.commit_group", bind_commit},
    Binding{"cp.async.bulk.wait_group", bind_wait_group},
    Binding{"cp.async.bulk.prefetch", bind_nothing},
    Binding{"cp.async.bulk.prefetch.tensor", bind_prefetch_tile},
    Binding{"cp.async.bulk.prefetch.tensor.im2col", bind_prefetch_tile},
    Binding{"prefetch.tensormap", bind_nothing},
};

}  // namespace

std::span<const Binding> bulk_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
