// SPDX-License-Identifier: MIT
// What bulk copies of all kinds share: their operands, and the way of a load to its mbarrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vgpu/execute/binding.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/bulk_copy.hpp"
#include "vgpu/machine/bulk_reduction.hpp"

namespace assay::vgpu::bulk {

constexpr uint32_t kChunk = 16;  // bytes: what copies are made of

// Of Instruction::variant: which addresses in shared memory have 64 bits, the tensor's dimensions and the copy's mode.
// `immediate` holds the offset of the shared memory's address, and above it that of the mbarrier's or, for stores, what
// they reduce by; `detail` holds the offset of the third.
constexpr uint8_t kWideShared = 1;
constexpr uint8_t kWideMbarrier = 2;
constexpr uint8_t kNarrowOther = 4;  // the third is in shared memory too, and has 32 bits
constexpr uint8_t kMulticast = 8;
constexpr int kDimensionsAt = 4;
constexpr uint8_t kDimensions = 7;
constexpr uint8_t kIm2col = 0x80;  // the mode of a copy by tensor map

struct StoreReduction {
  Reduction operation;
  ReducedType type;  // none: the tensor map tells
};

void encode(Instruction& instruction, const BoundOperand& shared, const BoundOperand& mbarrier,
            const BoundOperand& other, size_t rank);
void encode(Instruction& instruction, StoreReduction reduction);

// One lane's view of an instruction.
struct Call {
  Warp& warp;
  const Instruction& instruction;
  int lane;

  uint64_t shared(size_t operand) const;
  uint64_t mbarrier(size_t operand) const;
  uint64_t other(size_t operand) const;
  std::optional<StoreReduction> reduction() const;
  size_t rank() const { return instruction.variant >> kDimensionsAt & kDimensions; }
  bool is_im2col() const { return (instruction.variant & kIm2col) != 0; }
  size_t load_offsets() const { return is_im2col() ? rank() - 2 : 0; }  // operands of a load, behind the mbarrier
  bool stopped() const { return warp.block().stopped(); }

  // The host's memory of one aligned access; nullptr if it is bad.
  std::byte* at(Space space, AccessKind kind, uint64_t address, uint32_t bytes) const;
  void fault(FindingKind kind, std::string message) const;
  // What no block's shared memory could hold is refused before anybody walks through it.
  bool fits(uint64_t bytes) const;
  bool aligned(std::string_view what, uint64_t value, uint64_t alignment) const;
};

template <void (*Issue)(const Call&)>
void for_each_call(Warp& warp, const Instruction& instruction) {
  for_each_lane(warp.mask, [&](int lane) {
    if (!warp.block().stopped()) Issue({warp, instruction, lane});
  });
}

// The mbarrier lies in the block that the copy goes to; with .multicast the copy goes to several.
void issue_load(const Call& call, size_t mbarrier_operand, BulkCopy copy);

// What a copy does to its place in shared memory, and to the other one.
inline AccessKind near_side(bool load) {
  return load ? AccessKind::async_write : AccessKind::async_read;
}
inline AccessKind far_side(bool load) {
  return near_side(!load);
}

Result<void> check_model(const BindContext& context);
Reduction reduction_of(const BindContext& context);

}  // namespace assay::vgpu::bulk
