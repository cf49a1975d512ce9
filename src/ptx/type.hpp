// SPDX-License-Identifier: MIT
// The fundamental types of PTX and what each is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::ptx {

enum class Type : uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  f32,
  f64,
  bf16,
  bf16x2,
  tf32,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  u16x2,
  s16x2,
  u4,
  s4,
  b1,
};

enum class TypeKind : uint8_t { predicate, bits, unsigned_integer, signed_integer, floating };

struct TypeInfo {
  std::string_view name;
  TypeKind kind;
  int bits;  // of a register that holds it; a predicate has 1
};

const TypeInfo& info(Type type);
std::optional<Type> type_named(std::string_view name);  // "f32", without a dot

inline int bytes_of(Type type) {
  return (info(type).bits + 7) / 8;
}

}  // namespace assay::ptx
