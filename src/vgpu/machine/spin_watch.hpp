// SPDX-License-Identifier: MIT
// Finds loops that wait for memory. A round of such a loop reads (volatile, ordered or atomically), writes nothing, and
// ends with the registers as they were: it would go on like that until another thread changes what it read. Such a path
// sleeps until then, and its idle rounds are counted apart, because how many there are is the schedule's matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vgpu/machine/path.hpp"

namespace assay::vgpu {

struct ExecutionCount;

class SpinWatch {
 public:
  bool on() const { return on_; }
  bool follows(const Frame* frame, LaneMask lanes) const { return frame_ == frame && lanes_ == lanes; }
  bool is_round(const Frame* frame, uint32_t target) const { return on_ && frame_ == frame && target_ == target; }

  // After rounds that were not idle, fewer and fewer are looked at.
  bool wants_to_begin() {
    if (skip_ > 0) --skip_;
    return skip_ == 0;
  }
  // `again`: a path that waited goes round once more, because the memory has changed.
  void begin(const Frame& frame, uint32_t target, LaneMask lanes, LaneMask carry, bool again) {
    on_ = true;
    again_ = again;
    has_effect_ = false;
    frame_ = &frame;
    target_ = target;
    lanes_ = lanes;
    carry_ = carry;
    registers_.assign(frame.rows, frame.rows + frame.function->frame_bytes);
    polled_.clear();
    executed_.clear();
  }
  bool had_effect() const { return has_effect_; }
  void was_not_idle() {
    constexpr int kMostSkipped = 64;
    on_ = false;
    if (again_) return;
    backoff_ = backoff_ < kMostSkipped ? 2 * backoff_ : kMostSkipped;
    skip_ = backoff_;
  }

  // --- during a round
  void effect() { has_effect_ = true; }  // something but registers was changed
  void read(const std::byte* from, uint32_t bytes) {
    if (!polled_.empty() && polled_.back().at == from && polled_.back().bytes == bytes) return;
    if (polled_.size() == kMostValues || bytes > sizeof(PolledValue::value)) {
      has_effect_ = true;
      return;
    }
    PolledValue& value = polled_.emplace_back();
    value.at = from;
    value.bytes = bytes;
    std::memcpy(value.value.data(), from, bytes);
  }
  struct Executed {
    ExecutionCount* count;  // nullptr: nobody counts
    uint32_t lanes, lanes_off;
  };
  void executed(const Executed& instruction) {
    executed_.push_back(instruction);
    if (executed_.size() == kMostInstructions) has_effect_ = true;
  }
  const std::vector<Executed>& executed() const { return executed_; }
  void was_counted() {
    on_ = false;
    executed_.clear();
  }

  // --- at its end
  bool was_idle(const Frame& frame, LaneMask lanes, LaneMask carry) const {
    return !has_effect_ && lanes_ == lanes && carry_ == carry && !changed(polled_) &&
           std::memcmp(registers_.data(), frame.rows, registers_.size()) == 0;
  }
  // A path that waited has tried again: what it read has changed, but not to what it waits for.
  bool was_in_vain(LaneMask lanes) const { return again_ && !has_effect_ && lanes_ == lanes; }
  std::vector<PolledValue> take_polled() {
    on_ = false;
    backoff_ = 1;
    return std::move(polled_);
  }
  static bool changed(const std::vector<PolledValue>& polled) {
    for (const PolledValue& value : polled) {
      if (std::memcmp(value.at, value.value.data(), value.bytes) != 0) return true;
    }
    return false;
  }

  void start() { *this = {}; }  // with a new block

 private:
  static constexpr size_t kMostValues = 256;
  static constexpr size_t kMostInstructions = 512;

  bool on_ = false;
  bool again_ = false;
  bool has_effect_ = false;
  const Frame* frame_ = nullptr;
  uint32_t target_ = 0;
  LaneMask lanes_ = 0;
  LaneMask carry_ = 0;
  int backoff_ = 1;
  int skip_ = 0;
  std::vector<std::byte> registers_;
  std::vector<PolledValue> polled_;
  std::vector<Executed> executed_;
};

}  // namespace assay::vgpu
