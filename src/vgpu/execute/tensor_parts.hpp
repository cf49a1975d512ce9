// SPDX-License-Identifier: MIT
// What the matrix instructions of a warp (mma) and of a warp group (wgmma) share: elements widened to what the
// arithmetic takes, results narrowed, and the shapes that their handlers look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "gpu/gpu_model.hpp"
#include "ptx/type.hpp"
#include "vgpu/execute/binding.hpp"
#include "vgpu/semantics/dot_unit.hpp"

namespace assay::vgpu {

// `count` is a multiple of 8.
template <class T>
using Widen = void (*)(const void* elements, size_t count, T* wide);

struct FloatOperand {
  Widen<float> widen;
  size_t per_register;  // elements
  semantics::TensorOperand kind;
};
FloatOperand float_operand(ptx::Type type);

inline constexpr size_t kBytesPerRegister = 4;  // elements of 8 bits
Widen<int32_t> widen_integers(ptx::Type type);  // of matrices of bits: words of them
size_t integers_per_register(ptx::Type type);

void widen_halves(const void* halves, size_t count, float* wide);
void narrow_to_halves(const float* wide, size_t count, uint16_t* halves);

// The vectors of registers are as long as they must be: one length for each operand of the text.
Result<void> check_registers(const BindContext& context, std::initializer_list<size_t> expected);

semantics::TensorArchitecture tensor_architecture(const gpu::GpuModel& model);

}  // namespace assay::vgpu
