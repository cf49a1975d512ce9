// SPDX-License-Identifier: MIT
#include "vgpu/observe/definedness.hpp"

#include <bit>

namespace assay::vgpu {

std::vector<uint32_t> FrameShadow::predicate_rows(const Function& function) {
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < function.row_pool.size(); ++i) {
    const uint32_t row = function.row_pool[i];
    if (row != kNoRow && (row & kConstantRow) == 0 && function.row_info[i].bytes == 0) rows.push_back(row);
  }
  for (const Instruction& instruction : function.code) {
    if (instruction.guard != kNoRow) rows.push_back(instruction.guard);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

FrameShadow::FrameShadow(const Function& function, const std::vector<uint32_t>& predicates)
    : parameter_bytes_(function.parameter_bytes),
      codes_(std::make_unique_for_overwrite<Code[]>(function.frame_bytes + sizeof(LaneMask))),
      predicate_codes_(std::make_unique_for_overwrite<Code[]>(function.frame_bytes / sizeof(LaneMask) + 1)),
      state_(function.frame_bytes / kLine + 1, State::unwritten),
      parameters_(size_t{function.parameter_bytes} * kLanes, code::kUnwritten) {
  for (const uint32_t row : predicates) {
    std::memset(codes_.get() + row, 0xff, sizeof(LaneMask));  // no lane has written it
    predicate_codes_[row / sizeof(LaneMask)] = code::kUnwritten;
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
  const State state = state_[row / kLine];
  if (state == State::defined) return out;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (state == State::unwritten) {
      std::memset(out.lanes[lane].data(), code::kUnwritten, info.bytes);
    } else {
      std::memcpy(out.lanes[lane].data(), codes_.get() + row + lane * info.bytes, info.bytes);
    }
  }
  return out;
}

Code FrameShadow::read_lane(uint32_t row, RowInfo info, int lane) const {
  if ((row & kConstantRow) != 0) return code::kDefined;
  if (info.bytes == 0)
    return (undefined_predicates(row) >> lane & 1) != 0 ? predicate_codes_[row / sizeof(LaneMask)] : code::kDefined;
  const State state = state_[row / kLine];
  if (state != State::mixed) return state == State::defined ? code::kDefined : code::kUnwritten;
  const Code* const first = codes_.get() + row + static_cast<size_t>(lane) * info.bytes;
  return *std::max_element(first, first + info.bytes);
}

Code* FrameShadow::bytes_of(uint32_t row, uint32_t bytes) {
  State& state = state_[row / kLine];
  Code* const codes = codes_.get() + row;
  if (state != State::mixed)
    std::memset(codes, state == State::defined ? code::kDefined : code::kUnwritten, size_t{bytes} * kLanes);
  state = State::mixed;
  return codes;
}

void FrameShadow::write(uint32_t row, RowInfo info, const OperandCodes& codes, LaneMask lanes, LaneMask existing) {
  if (row == kNoRow || (row & kConstantRow) != 0) return;
  bool all_defined = (existing & ~lanes) == 0;
  LaneMask undefined = info.bytes == 0 ? undefined_predicates(row) : 0;
  Code* const bytes = info.bytes == 0 ? nullptr : bytes_of(row, info.bytes);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const Code worst = codes.of(static_cast<int>(lane));
    if (worst != code::kDefined) all_defined = false;
    if (info.bytes != 0) {
      std::memcpy(bytes + lane * info.bytes, codes.lanes[lane].data(), info.bytes);
      continue;
    }
    undefined &= ~(LaneMask{1} << lane);
    if (worst == code::kDefined) continue;
    undefined |= LaneMask{1} << lane;
    predicate_codes_[row / sizeof(LaneMask)] = worst;
  }
  if (info.bytes == 0) {
    std::memcpy(codes_.get() + row, &undefined, sizeof undefined);
  } else if (all_defined) {
    state_[row / kLine] = State::defined;
  }
}

bool FrameShadow::is_defined(uint32_t row, uint32_t bytes, LaneMask lanes) const {
  const Code* const first = codes_.get() + row;
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
    std::memcpy(codes_.get() + row, &undefined, sizeof undefined);
    return;
  }
  State& state = state_[row / kLine];
  if ((existing & ~lanes) == 0) {
    state = State::defined;
    return;
  }
  Code* const bytes = bytes_of(row, info.bytes);
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    std::memset(bytes + static_cast<size_t>(std::countr_zero(left)) * info.bytes, code::kDefined, info.bytes);
  if (is_defined(row, info.bytes, existing & ~lanes)) state = State::defined;
}

}  // namespace assay::vgpu
