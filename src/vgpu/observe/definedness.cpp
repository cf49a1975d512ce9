// SPDX-License-Identifier: MIT
#include "vgpu/observe/definedness.hpp"

#include <bit>

namespace assay::vgpu {
FrameShadow::FrameShadow(const Function& function)
    : parameter_bytes_(function.parameter_bytes),
      codes_(function.frame_bytes, code::kUnwritten),
      predicate_codes_(function.frame_bytes / sizeof(LaneMask) + 1, code::kUnwritten),
      suspect_(function.frame_bytes / kLine + 1, 1),
      parameters_(size_t{function.parameter_bytes} * kLanes, code::kUnwritten) {
  // A mask of ones is a predicate that no lane has written; the codes of registers are ones byte by byte.
  for (size_t i = 0; i < function.row_pool.size(); ++i) {
    const uint32_t row = function.row_pool[i];
    if (row == kNoRow || (row & kConstantRow) != 0 || function.row_info[i].bytes != 0) continue;
    std::memset(codes_.data() + row, 0xff, sizeof(LaneMask));
  }
  // What the machine fills in when a frame is made.
  const auto define_row = [&](uint32_t row, int bits) {
    define(row, {static_cast<uint8_t>(bits == 1 ? 0 : bits / 8)}, kAllLanes, kAllLanes);
  };
  for (const SpecialRow& special : function.special_rows) define_row(special.row, special.bits);
  for (const LocalRow& local : function.local_rows) define_row(local.row, local.bits);
}

OperandCodes FrameShadow::read(uint32_t row, RowInfo info) const {
  OperandCodes out;
  out.bytes = info.bytes;
  if ((row & kConstantRow) != 0) return out;
  if (info.bytes == 0) {
    const LaneMask undefined = undefined_predicates(row);
    for (size_t lane = 0; lane < kLanes; ++lane)
      out.lanes[lane][0] = (undefined >> lane & 1) != 0 ? predicate_codes_[row / sizeof(LaneMask)] : code::kDefined;
    return out;
  }
  for (size_t lane = 0; lane < kLanes; ++lane)
    std::memcpy(out.lanes[lane].data(), codes_.data() + row + lane * info.bytes, info.bytes);
  return out;
}

Code FrameShadow::read_lane(uint32_t row, RowInfo info, int lane) const {
  if ((row & kConstantRow) != 0) return code::kDefined;
  if (info.bytes == 0)
    return (undefined_predicates(row) >> lane & 1) != 0 ? predicate_codes_[row / sizeof(LaneMask)] : code::kDefined;
  const Code* const first = codes_.data() + row + static_cast<size_t>(lane) * info.bytes;
  return *std::max_element(first, first + info.bytes);
}

void FrameShadow::write(uint32_t row, RowInfo info, const OperandCodes& codes, LaneMask lanes, LaneMask existing) {
  if (row == kNoRow || (row & kConstantRow) != 0) return;
  bool all_defined = (existing & ~lanes) == 0;
  LaneMask undefined = info.bytes == 0 ? undefined_predicates(row) : 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const Code worst = codes.of(static_cast<int>(lane));
    if (worst != code::kDefined) all_defined = false;
    if (info.bytes != 0) {
      std::memcpy(codes_.data() + row + lane * info.bytes, codes.lanes[lane].data(), info.bytes);
      continue;
    }
    undefined &= ~(LaneMask{1} << lane);
    if (worst == code::kDefined) continue;
    undefined |= LaneMask{1} << lane;
    predicate_codes_[row / sizeof(LaneMask)] = worst;
  }
  if (info.bytes == 0) {
    std::memcpy(codes_.data() + row, &undefined, sizeof undefined);
  } else {
    suspect_[row / kLine] = all_defined ? 0 : 1;
  }
}

bool FrameShadow::is_defined(uint32_t row, uint32_t bytes, LaneMask lanes) const {
  const Code* const first = codes_.data() + row;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const Code* const lane = first + static_cast<size_t>(std::countr_zero(left)) * bytes;
    for (uint32_t i = 0; i < bytes; ++i) {
      if (lane[i] != code::kDefined) return false;
    }
  }
  return true;
}

void FrameShadow::define(uint32_t row, RowInfo info, LaneMask lanes, LaneMask existing) {
  if (!may_be_undefined(row, info, lanes)) return;
  if (info.bytes == 0) {
    const LaneMask undefined = undefined_predicates(row) & ~lanes;
    std::memcpy(codes_.data() + row, &undefined, sizeof undefined);
    return;
  }
  if ((existing & ~lanes) == 0) {
    std::memset(codes_.data() + row, code::kDefined, size_t{info.bytes} * kLanes);
    suspect_[row / kLine] = 0;
    return;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    std::memset(codes_.data() + row + static_cast<size_t>(std::countr_zero(left)) * info.bytes, code::kDefined,
                info.bytes);
  if (is_defined(row, info.bytes, existing & ~lanes)) suspect_[row / kLine] = 0;
}

}  // namespace assay::vgpu
