// SPDX-License-Identifier: MIT
// The SIMD video instructions v{add,sub,avrg,absdiff,min,max}{2,4} with their plain selectors and full mask.
#pragma once

#include <cstdint>

namespace assay::vgpu::semantics {

enum class VideoOperation : uint8_t { add, sub, average, absolute_difference, minimum, maximum };

// One form of the instruction: `lanes` numbers of 16 or 8 bits (2 or 4), and whether its types are signed.
struct VideoForm {
  VideoOperation operation = VideoOperation::add;
  int lanes = 4;
  bool d_signed = false, a_signed = false, b_signed = false;
  bool saturates = false;
  bool accumulates = false;  // .add: the sum of the lanes goes to c
};

constexpr int32_t video_lane(uint32_t a, int i, int bits, bool is_signed) {
  const uint32_t raised = a << (32 - bits - bits * i);
  return is_signed ? static_cast<int32_t>(raised) >> (32 - bits) : static_cast<int32_t>(raised >> (32 - bits));
}

constexpr int32_t video_apply(VideoOperation operation, int32_t x, int32_t y) {
  switch (operation) {
    case VideoOperation::add:
      return x + y;
    case VideoOperation::sub:
      return x - y;
    case VideoOperation::average:
      return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
    case VideoOperation::absolute_difference:
      return x > y ? x - y : y - x;
    case VideoOperation::minimum:
      return x < y ? x : y;
    case VideoOperation::maximum:
      return x > y ? x : y;
  }
  return 0;
}

// Without .add every lane of the result is written (the mask is full), so that c does not matter.
constexpr uint32_t video(const VideoForm& form, uint32_t a, uint32_t b, uint32_t c) {
  const int bits = 32 / form.lanes;
  const int32_t low = form.d_signed ? -(1 << (bits - 1)) : 0;
  const int32_t high = form.d_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const uint32_t mask = (1u << bits) - 1u;
  uint32_t result = 0, sum = c;
  for (int i = 0; i < form.lanes; ++i) {
    int32_t value =
        video_apply(form.operation, video_lane(a, i, bits, form.a_signed), video_lane(b, i, bits, form.b_signed));
    if (form.saturates) value = value < low ? low : value > high ? high : value;
    result |= (static_cast<uint32_t>(value) & mask) << (bits * i);
    sum += static_cast<uint32_t>(value);
  }
  return form.accumulates ? sum : result;
}

}  // namespace assay::vgpu::semantics
