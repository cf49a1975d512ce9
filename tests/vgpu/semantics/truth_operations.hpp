// SPDX-License-Identifier: MIT
// Our answer to every scalar instruction that tests/gpu/tensor_truth.cu asks a GPU about, and how near it must be.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace assay::vgpu::semantics::truth {

// How far an approximate instruction of a GPU may be from the exact value: a relative or an absolute bound, whichever
// is wider. Both zero: bit by bit.
struct Bound {
  double relative = 0.0;
  double absolute = 0.0;
  // The results' type, for the comparison: 16 = f16, 17 = bf16, 32 = f32, 64 = f64.
  int type = 0;
};

struct Operation {
  std::function<uint64_t(uint64_t, uint64_t, uint64_t)> evaluate;
  Bound bound;
};

// By the instruction's name, e.g. "add.rn.f32". Results are zero-extended to 64 bits.
const std::map<std::string, Operation>& operations();

}  // namespace assay::vgpu::semantics::truth
