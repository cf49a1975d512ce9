// SPDX-License-Identifier: MIT
// The SIMD video instructions v{add,sub,avrg,absdiff,min,max}{2,4} with their plain selectors and full mask.
#pragma once

#include <cstdint>
#include <type_traits>

namespace assay::vgpu::semantics {

enum class VideoOperation : uint8_t { add, sub, average, absolute_difference, minimum, maximum };

// Lane i of a register that holds `Lanes` numbers (2 or 4); T, int32_t or uint32_t, says whether they are signed.
template <int Lanes, class T>
constexpr int32_t video_lane(uint32_t a, int i) {
  constexpr int kBits = 32 / Lanes;
  using Small = std::conditional_t<Lanes == 2, std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>,
                                   std::conditional_t<std::is_signed_v<T>, int8_t, uint8_t>>;
  return static_cast<int32_t>(static_cast<Small>(a >> (kBits * i)));
}

template <VideoOperation Op>
constexpr int32_t video_apply(int32_t x, int32_t y) {
  switch (Op) {
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

// D, A, B are the three types of the instruction. Add: .add sums the lanes into c. Otherwise every lane of the result
// is written (the mask is full), so that c does not matter.
template <VideoOperation Op, int Lanes, class D, class A, class B, bool Sat = false, bool Add = false>
constexpr uint32_t video(uint32_t a, uint32_t b, uint32_t c) {
  constexpr int kBits = 32 / Lanes;
  constexpr int32_t kLow = std::is_signed_v<D> ? -(1 << (kBits - 1)) : 0;
  constexpr int32_t kHigh = std::is_signed_v<D> ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  constexpr uint32_t kMask = (1u << kBits) - 1u;
  uint32_t result = 0, sum = c;
  for (int i = 0; i < Lanes; ++i) {
    int32_t value = video_apply<Op>(video_lane<Lanes, A>(a, i), video_lane<Lanes, B>(b, i));
    if constexpr (Sat) value = value < kLow ? kLow : value > kHigh ? kHigh : value;
    result |= (static_cast<uint32_t>(value) & kMask) << (kBits * i);
    sum += static_cast<uint32_t>(value);
  }
  return Add ? sum : result;
}

}  // namespace assay::vgpu::semantics
