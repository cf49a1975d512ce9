// SPDX-License-Identifier: MIT
#include "vgpu/observe/product_registers.hpp"

#include <algorithm>

namespace assay::vgpu {
namespace {

bool is_register(uint32_t row, const RowInfo& info) {
  return (row & kConstantRow) == 0 && info.bytes != 0 && !info.lane_parameter;
}

}  // namespace

void ProductRegisters::start(const Frame& frame) {
  frame_ = &frame;
  registers_.assign(frame.function->frame_bytes / kLine + 1, {});
  values_.clear();
}

RegisterFinding ProductRegisters::execute(const Frame& frame, const Instruction& instruction, AsyncRole role) {
  switch (role) {
    case AsyncRole::product_fence:
      ++fences_;
      return {};
    case AsyncRole::product_commit:
      ++committed_;
      return {};
    case AsyncRole::product_wait:
      if (committed_ > instruction.detail) done_ = std::max(done_, committed_ - instruction.detail);
      return {};
    default:
      break;
  }
  if (&frame != frame_) {
    if (frame_ != nullptr && (role != AsyncRole::product || any_in_flight())) return {};
    start(frame);
  }
  if (role == AsyncRole::product) return multiply(instruction);
  return role == AsyncRole::move ? move(instruction) : touch(instruction);
}

bool ProductRegisters::drop(Register& target) {
  const bool pending = is_pending(target.group);
  target.group = kNoGroup;
  if (!pending) return false;
  Value& value = values_[target.value];
  --value.holders;
  return value.holders == 0 && !value.used;
}

RegisterFinding ProductRegisters::multiply(const Instruction& instruction) {
  const Function& function = *frame_->function;
  const RowInfo* const info = function.info_of(instruction);
  const size_t results = function.origin_of(instruction).written;
  // Behind the accumulators: four registers of A, or its descriptor.
  const size_t a_end = info[results].bytes == sizeof(uint32_t) ? results + 4 : results;
  RegisterFinding finding;
  const auto object = [&](RegisterMisuse misuse, size_t operand, const Instruction* product) {
    if (finding.misuse == RegisterMisuse::none) finding = {misuse, operand, product};
  };
  if (fences_ == 0) object(RegisterMisuse::no_fence, 0, nullptr);
  if (!any_in_flight()) values_.clear();
  last_product_ = committed_;
  for (size_t i = 0; i < a_end; ++i) {
    if (!is_register(instruction.rows[i], info[i])) continue;
    Register& each = registers_[instruction.rows[i] / kLine];
    if (fences_ != 0 && each.written == fences_ + 1) object(RegisterMisuse::written_behind_fence, i, nullptr);
    if (i >= results) {
      if (is_pending(each.group)) object(RegisterMisuse::reads_accumulator, i, values_[each.value].product);
      each.a_group = committed_;
      continue;
    }
    if (is_pending(each.group) && each.value < values_.size()) values_[each.value].used = true;
    each.group = committed_;
    each.value = static_cast<uint32_t>(values_.size());
    each.written = 0;
    values_.push_back({1, false, &instruction});
  }
  return finding;
}

RegisterFinding ProductRegisters::move(const Instruction& instruction) {
  const RowInfo* const info = frame_->function->info_of(instruction);
  if (!is_register(instruction.rows[0], info[0])) return {};
  Register& to = registers_[instruction.rows[0] / kLine];
  RegisterFinding finding;
  if (is_register(instruction.rows[1], info[1])) {
    const Register from = registers_[instruction.rows[1] / kLine];
    if (&to == &registers_[instruction.rows[1] / kLine]) return {};
    const bool pending = is_pending(from.group);
    if (pending) ++values_[from.value].holders;
    const Instruction* const lost = is_pending(to.group) ? values_[to.value].product : nullptr;
    if (drop(to)) finding = {RegisterMisuse::overwrites_result, 0, lost};
    to.group = pending ? from.group : kNoGroup;
    to.value = from.value;
    to.written = from.written;
  } else {
    const Instruction* const lost = is_pending(to.group) ? values_[to.value].product : nullptr;
    if (drop(to)) finding = {RegisterMisuse::overwrites_result, 0, lost};
    to.written = 0;
  }
  if (is_pending(to.a_group)) finding = {RegisterMisuse::overwrites_a, 0, nullptr};
  to.a_group = kNoGroup;
  return finding;
}

RegisterFinding ProductRegisters::touch(const Instruction& instruction) {
  const Function& function = *frame_->function;
  const RowInfo* const info = function.info_of(instruction);
  const size_t results = function.origin_of(instruction).written;
  const bool in_flight = any_in_flight();
  RegisterFinding finding;
  if (in_flight) {
    for (size_t i = results; i < instruction.row_count; ++i) {
      if (!is_register(instruction.rows[i], info[i])) continue;
      const Register& each = registers_[instruction.rows[i] / kLine];
      if (!is_pending(each.group)) continue;
      finding = {RegisterMisuse::reads_accumulator, i, values_[each.value].product};
      break;
    }
  }
  for (size_t i = 0; i < results; ++i) {
    if (!is_register(instruction.rows[i], info[i])) continue;
    Register& each = registers_[instruction.rows[i] / kLine];
    each.written = fences_ + 1;
    if (!in_flight) continue;
    const Instruction* const lost = is_pending(each.group) ? values_[each.value].product : nullptr;
    if (drop(each) && finding.misuse == RegisterMisuse::none) finding = {RegisterMisuse::overwrites_result, i, lost};
    if (is_pending(each.a_group)) finding = {RegisterMisuse::overwrites_a, i, nullptr};
    each.a_group = kNoGroup;
  }
  return finding;
}

}  // namespace assay::vgpu
