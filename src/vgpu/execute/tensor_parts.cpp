// SPDX-License-Identifier: MIT
#include "vgpu/execute/tensor_parts.hpp"

#include <cstring>
#include <immintrin.h>

#include "vgpu/execute/processor.hpp"
#include "vgpu/semantics/float8.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

ASSAY_WIDE_VECTORS void widen_f16_wide(const void* elements, size_t count, float* wide) {
  const auto* halves = static_cast<const uint16_t*>(elements);
  for (size_t i = 0; i < count; i += 8) {
    _mm256_storeu_ps(wide + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves + i))));
  }
}
void widen_bf16(const void* elements, size_t count, float* wide) {
  const auto* halves = static_cast<const uint16_t*>(elements);
  for (size_t i = 0; i < count; ++i) wide[i] = s::to_float(s::bf16{halves[i]});
}
void widen_tf32(const void* elements, size_t count, float* wide) {
  std::memcpy(wide, elements, sizeof(float) * count);
}
template <class T>
void widen_fp8(const void* elements, size_t count, float* wide) {
  const auto* bytes = static_cast<const uint8_t*>(elements);
  for (size_t i = 0; i < count; ++i) wide[i] = s::to_float(T{bytes[i]});
}
template <class T>
void widen_bytes(const void* elements, size_t count, int32_t* wide) {
  const auto* bytes = static_cast<const T*>(elements);
  for (size_t i = 0; i < count; ++i) wide[i] = bytes[i];
}
void take_words(const void* elements, size_t count, int32_t* wide) {
  std::memcpy(wide, elements, sizeof(int32_t) * count);
}
// Two in a byte, the lower half first. SignBit is 8, or 0 of unsigned numbers.
template <int SignBit>
void widen_nibbles(const void* elements, size_t count, int32_t* wide) {
  const auto* bytes = static_cast<const uint8_t*>(elements);
  for (size_t i = 0; i < count; ++i) wide[i] = (((bytes[i / 2] >> 4 * (i % 2)) & 15) ^ SignBit) - SignBit;
}

}  // namespace

void widen_halves(const void* halves, size_t count, float* wide) {
  const auto* from = static_cast<const uint16_t*>(halves);
  for (size_t i = 0; i < count; ++i) wide[i] = s::to_float(s::f16{from[i]});
}

void narrow_to_halves(const float* wide, size_t count, uint16_t* halves) {
  for (size_t i = 0; i < count; ++i) halves[i] = s::to_f16<s::Rounding::rn>(wide[i]).bits;
}

FloatOperand float_operand(ptx::Type type) {
  switch (type) {
    case ptx::Type::f16:
      return {has_wide_vectors() ? &widen_f16_wide : &widen_halves, 2, s::TensorOperand::f16};
    case ptx::Type::bf16:
      return {&widen_bf16, 2, s::TensorOperand::bf16};
    case ptx::Type::tf32:
      return {&widen_tf32, 1, s::TensorOperand::tf32};
    case ptx::Type::e4m3:
      return {&widen_fp8<s::e4m3>, 4, s::TensorOperand::e4m3};
    default:
      return {&widen_fp8<s::e5m2>, 4, s::TensorOperand::e5m2};
  }
}

Widen<int32_t> widen_integers(ptx::Type type) {
  switch (type) {
    case ptx::Type::s4:
      return &widen_nibbles<8>;
    case ptx::Type::u4:
      return &widen_nibbles<0>;
    case ptx::Type::s8:
      return &widen_bytes<int8_t>;
    case ptx::Type::b1:
      return &take_words;
    default:
      return &widen_bytes<uint8_t>;
  }
}

size_t integers_per_register(ptx::Type type) {
  return type == ptx::Type::s4 || type == ptx::Type::u4 ? 2 * kBytesPerRegister : kBytesPerRegister;
}

Result<void> check_registers(const BindContext& context, std::initializer_list<size_t> expected) {
  size_t group = 0;
  for (const size_t registers : expected) {
    if (static_cast<size_t>(context.group_sizes[group++]) != registers)
      return context.error("the fragments have the wrong number of registers for this shape");
  }
  return {};
}

s::TensorArchitecture tensor_architecture(const gpu::GpuModel& model) {
  switch (model.tensor_arch) {
    case gpu::TensorArch::ampere:
      return s::TensorArchitecture::ampere;
    case gpu::TensorArch::ada:
      return s::TensorArchitecture::ada;
    case gpu::TensorArch::hopper:
      return s::TensorArchitecture::hopper;
  }
  return s::TensorArchitecture::ampere;
}

}  // namespace assay::vgpu
