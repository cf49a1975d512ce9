// SPDX-License-Identifier: MIT
#include "vgpu/execute/conversion.hpp"

namespace assay::vgpu {
namespace {

// Kept in Instruction::detail.
struct Widths {
  uint8_t source_register = 0;
  uint8_t source_bits = 0;
  uint8_t source_signed = 0;
  uint8_t result_register = 0;
};
static_assert(sizeof(Widths) == sizeof(Instruction::detail));

template <class T>
void load(const Warp& warp, uint32_t row, uint64_t* values) {
  const T* a = warp.row<T>(row);
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = a[lane];
}

template <class T>
void store(const Warp& warp, uint32_t row, const uint64_t* values) {
  T* d = warp.row<T>(row);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = static_cast<T>(values[lane]); });
}

void convert_stepwise(Warp& warp, const Instruction& instruction) {
  const auto widths = std::bit_cast<Widths>(instruction.detail);
  alignas(64) uint64_t values[kLanes];
  switch (widths.source_register) {
    case 16:
      load<uint16_t>(warp, instruction.rows[1], values);
      break;
    case 32:
      load<uint32_t>(warp, instruction.rows[1], values);
      break;
    default:
      load<uint64_t>(warp, instruction.rows[1], values);
      break;
  }
  const int above = 64 - widths.source_bits;
  for (uint64_t& value : values) {
    const uint64_t top = value << above;
    value = widths.source_signed != 0 ? static_cast<uint64_t>(static_cast<int64_t>(top) >> above) : top >> above;
  }
  reinterpret_cast<ConvertValues>(instruction.immediate)(values);
  switch (widths.result_register) {
    case 16:
      store<uint16_t>(warp, instruction.rows[0], values);
      break;
    case 32:
      store<uint32_t>(warp, instruction.rows[0], values);
      break;
    default:
      store<uint64_t>(warp, instruction.rows[0], values);
      break;
  }
}

}  // namespace

Handler stepwise(BindContext& context, ConvertValues convert) {
  const ptx::TypeInfo& source = ptx::info(context.type(1));
  Widths widths;
  widths.source_register = static_cast<uint8_t>(context.bits(1));
  widths.source_bits = static_cast<uint8_t>(source.bits);
  widths.source_signed = source.kind == ptx::TypeKind::signed_integer ? 1 : 0;
  widths.result_register = static_cast<uint8_t>(context.bits(0));
  context.instruction->detail = std::bit_cast<uint32_t>(widths);
  context.instruction->immediate = reinterpret_cast<int64_t>(convert);
  return &convert_stepwise;
}

}  // namespace assay::vgpu
