// SPDX-License-Identifier: MIT
// What a tensor core does with one row and one column, per architecture. The ISA leaves it open; MMA-Sim (arXiv
// 2511.10909) found it by experiment: all products and the addend are aligned to the largest exponent, cut to a fixed
// number of fraction bits, added as integers, and the sum is rounded once. Hopper's was measured as well
// (tests/gpu/tensor_truth.cu and edge_truth.cu).
#pragma once

#include <cstdint>

namespace assay::vgpu::semantics {

enum class TensorArchitecture : uint8_t { ampere, ada, hopper };
enum class TensorInstruction : uint8_t { mma, wgmma };  // wmma works as mma
enum class TensorOperand : uint8_t { f16, bf16, tf32, e4m3, e5m2 };

enum class TensorResult : uint8_t {
  f32,        // rounded toward zero
  f32_short,  // toward zero to 13 fraction bits (8-bit floats on some units)
  f16,        // to nearest even
};
// A result that is or rounds to zero is +0, whatever the signs of its terms (measured on an H200).

struct DotUnit {
  int fraction_bits = 24;    // below the leading bit of the largest term
  int k_per_step = 8;        // products added at once; the result of a step is the addend of the next
  int min_exponent_a = -14;  // subnormal operands have this exponent and a significand below one
  int min_exponent_b = -14;
  int min_exponent_c = -126;
  // Terms are never aligned to an exponent below this one, however small all of them are. MMA-Sim leaves the question
  // open and takes that of a zero addend; an H200 cuts at 2^-158, which is 25 bits below -133.
  int lowest_lead = -126;
  TensorResult result = TensorResult::f32;
  // Hopper's mma of 8-bit floats is made of f16 ones: the first step takes k = 0, 1 of every four, the second k = 2, 3,
  // and the addend joins by an ordinary addition at the end.
  bool pairs_apart = false;
  bool addend_last = false;
};

// `half_result`: C and D are f16. `k` is that of the instruction's shape.
DotUnit dot_unit(TensorArchitecture architecture, TensorInstruction instruction, TensorOperand a, TensorOperand b,
                 bool half_result, int k);

}  // namespace assay::vgpu::semantics
