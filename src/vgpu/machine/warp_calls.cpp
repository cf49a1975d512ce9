// SPDX-License-Identifier: MIT
// How lanes of a warp call functions and return from them. Those that call together share a frame, and it is given back
// when the last of them has returned.
#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/machine/block.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

std::unique_ptr<Frame> Warp::make_frame(const Function& function) {
  constexpr size_t kAlignment = 64;
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  frame->registers = std::make_unique<std::byte[]>(function.frame_bytes + kAlignment);
  const auto start = reinterpret_cast<uintptr_t>(frame->registers.get());
  frame->rows = frame->registers.get() + ((kAlignment - start % kAlignment) % kAlignment);
  if (function.parameter_bytes > 0) {
    frame->parameters = std::make_unique<std::byte[]>(static_cast<size_t>(function.parameter_bytes) * kLanes);
  }
  fill_special_rows(function, *frame);
  return frame;
}

void Warp::call(const CallSite& site, const Function& callee) {
  note_effect();
  constexpr uint32_t kDeepestCall = 4096;
  auto made = make_frame(callee);
  Frame& frame = *made;
  frame.caller = frame_;
  frame.call_site = &site;
  frame.return_pc = pc;
  frame.depth = frame_->depth + 1;
  frame.lanes = mask;
  frame.local_base = (frame_->local_top + 15) / 16 * 16;
  frame.local_top = frame.local_base + callee.local_bytes;
  if (frame.local_top > local_stride_ || frame.depth > kDeepestCall) {
    Finding finding;
    finding.kind = FindingKind::out_of_bounds;
    finding.space = Space::local;
    finding.message = "the stack is full: the recursion is too deep";
    fault(std::move(finding), std::countr_zero(mask));
    return;
  }
  for (const LocalRow& local : callee.local_rows) {
    const uint64_t address = uint64_t{frame.local_base} + local.offset;
    const auto bytes = static_cast<size_t>(local.bits) / 8;
    for (size_t lane = 0; lane < kLanes; ++lane) std::memcpy(frame.rows + local.row + lane * bytes, &address, bytes);
  }
  for (size_t i = 0; i < callee.parameters.size() && i < site.arguments.size(); ++i) {
    const uint32_t bytes = std::min(callee.parameters[i].bytes, site.arguments[i].bytes);
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      std::memcpy(frame.parameters.get() + lane * callee.parameter_bytes + callee.parameters[i].offset,
                  frame_->parameters.get() + lane * frame_->function->parameter_bytes + site.arguments[i].caller_offset,
                  bytes);
    }
  }
  frames_.push_back(std::move(made));
  move_to(mask, &frame, 0);
}

void Warp::move_to(LaneMask lanes, Frame* frame, uint32_t target) {
  stop_ = true;
  if (lanes != active) {
    part(lanes, frame, target);
    return;
  }
  frame_ = frame;
  pc = target;
}

void Warp::return_from_call(LaneMask lanes) {
  Frame& callee = *frame_;
  if (callee.caller == nullptr) {
    exit(lanes);
    return;
  }
  Frame& caller = *callee.caller;
  const CallSite& site = *callee.call_site;
  for (size_t i = 0; i < callee.function->returns.size() && i < site.results.size(); ++i) {
    const uint32_t bytes = std::min(callee.function->returns[i].bytes, site.results[i].bytes);
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      std::memcpy(
          caller.parameters.get() + lane * caller.function->parameter_bytes + site.results[i].caller_offset,
          callee.parameters.get() + lane * callee.function->parameter_bytes + callee.function->returns[i].offset,
          bytes);
    }
  }
  move_to(lanes, &caller, callee.return_pc);
  release_frame(&callee, lanes);
}

void Warp::release_frame(Frame* frame, LaneMask lanes) {
  frame->lanes &= ~lanes;
  if (frame->lanes != 0) return;
  std::erase_if(frames_, [&](const auto& owned) { return owned.get() == frame; });
}

}  // namespace assay::vgpu
