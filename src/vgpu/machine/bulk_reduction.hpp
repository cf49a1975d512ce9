// SPDX-License-Identifier: MIT
// What cp.reduce.async.bulk does with the elements of global memory and those that come from shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay::vgpu {

enum class ReducedType : uint8_t { none, f16, bf16, f32, f64, u32, s32, u64, s64 };
// "f16", "i32", "s32", "b64", ...: names of PTX and of specifications.
ReducedType reduced_type(std::string_view name);

enum class Reduction : uint8_t { add, min, max, inc, dec, bit_and, bit_or, bit_xor };
Reduction reduction_named(std::string_view name);  // "add", "min", ..., "xor"

// Element by element: to = to OP from. `bytes` is a multiple of the element's.
using Combine = void (*)(std::byte* to, const std::byte* from, uint32_t bytes);
Combine combine_of(Reduction reduction, ReducedType type);  // nullptr: there is no such reduction

}  // namespace assay::vgpu
