// SPDX-License-Identifier: MIT
// The element types of tensors and scalars, spelled as kernel.toml spells them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::spec {

enum class DType { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, e4m3, e5m2, i4, u4 };

std::string_view name(DType type);
int size_bytes(DType type);  // of an element; of two, if they are packed
bool is_packed(DType type);  // two elements in a byte, the first in its low half
bool is_floating(DType type);
bool is_signed_integer(DType type);
std::optional<DType> dtype_from_name(std::string_view text);
const std::vector<std::string>& dtype_names();

}  // namespace assay::spec
