// SPDX-License-Identifier: MIT
#include "vgpu/execute/bulk_call.hpp"

#include <array>
#include <bit>
#include <fmt/format.h>

#include "vgpu/execute/mbarrier_misuse.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu::bulk {
namespace {

constexpr int kReductionAt = 32;
constexpr int64_t kReduces = 0x100;

uint64_t shared_address(const Warp& warp, uint32_t row, bool wide, uint32_t offset, int lane) {
  if (wide) return warp.row<uint64_t>(row)[lane] + static_cast<uint64_t>(int64_t{static_cast<int32_t>(offset)});
  return warp.row<uint32_t>(row)[lane] + offset;
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

}  // namespace

void encode(Instruction& instruction, const BoundOperand& shared, const BoundOperand& mbarrier,
            const BoundOperand& other, size_t rank) {
  instruction.variant =
      static_cast<uint8_t>((shared.bits == 64 ? kWideShared : 0) | (mbarrier.bits == 64 ? kWideMbarrier : 0) |
                           (other.bits == 32 ? kNarrowOther : 0) | rank << kDimensionsAt);
  instruction.immediate = static_cast<int64_t>(static_cast<uint32_t>(shared.offset) |
                                               uint64_t{static_cast<uint32_t>(mbarrier.offset)} << 32);
  instruction.detail = static_cast<uint32_t>(other.offset);
}

void encode(Instruction& instruction, StoreReduction reduction) {
  const int64_t code = kReduces | static_cast<int64_t>(reduction.operation) << 4 | static_cast<int64_t>(reduction.type);
  instruction.immediate |= code << kReductionAt;
}

uint64_t Call::shared(size_t operand) const {
  return shared_address(warp, instruction.rows[operand], (instruction.variant & kWideShared) != 0,
                        static_cast<uint32_t>(instruction.immediate), lane);
}

uint64_t Call::mbarrier(size_t operand) const {
  return shared_address(warp, instruction.rows[operand], (instruction.variant & kWideMbarrier) != 0,
                        static_cast<uint32_t>(instruction.immediate >> 32), lane);
}

uint64_t Call::other(size_t operand) const {
  if ((instruction.variant & kNarrowOther) != 0)
    return shared_address(warp, instruction.rows[operand], false, instruction.detail, lane);
  return warp.row<uint64_t>(instruction.rows[operand])[lane] +
         static_cast<uint64_t>(int64_t{static_cast<int32_t>(instruction.detail)});
}

std::optional<StoreReduction> Call::reduction() const {
  const int64_t code = instruction.immediate >> kReductionAt;
  if ((code & kReduces) == 0) return std::nullopt;
  return StoreReduction{static_cast<Reduction>(code >> 4 & 0xf), static_cast<ReducedType>(code & 0xf)};
}

std::byte* Call::at(Space space, AccessKind kind, uint64_t address, uint32_t bytes) const {
  std::array<uint64_t, kLanes> addresses{};
  addresses[static_cast<size_t>(lane)] = address;
  const LaneMask all = warp.mask;
  warp.mask = LaneMask{1} << lane;
  const LanePointers pointers = resolve(warp, instruction, space, kind, bytes, addresses);
  warp.mask = all;
  return pointers.lanes != 0 ? pointers.at[static_cast<size_t>(lane)] : nullptr;
}

void Call::fault(FindingKind kind, std::string message) const {
  Finding finding;
  finding.kind = kind;
  finding.access = AccessKind::async_read;
  finding.message = std::move(message);
  warp.fault(std::move(finding), lane);
}

bool Call::fits(uint64_t bytes) const {
  const auto most = static_cast<uint64_t>(warp.block().grid().model.shared_bytes_per_block_optin);
  if (bytes <= most) return true;
  fault(FindingKind::out_of_bounds,
        fmt::format("bulk copy of {} bytes, and a block has at most {} bytes of shared memory", bytes, most));
  return false;
}

bool Call::aligned(std::string_view what, uint64_t value, uint64_t alignment) const {
  if (value % alignment == 0) return true;
  fault(FindingKind::misaligned, fmt::format("bulk copy: {} 0x{:x} is not a multiple of {}", what, value, alignment));
  return false;
}

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

Result<void> check_model(const BindContext& context) {
  return need_hopper(context, "bulk copies");
}

Reduction reduction_of(const BindContext& context) {
  return reduction_named(context.modifiers->one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
}

}  // namespace assay::vgpu::bulk
