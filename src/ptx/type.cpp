// SPDX-License-Identifier: MIT
#include "ptx/type.hpp"

#include <array>
#include <cassert>

namespace assay::ptx {
namespace {

using enum TypeKind;

// In the order of the enumeration.
constexpr std::array kTypes = {
    TypeInfo{"pred", predicate, 1},
    TypeInfo{"b8", bits, 8},
    TypeInfo{"b16", bits, 16},
    TypeInfo{"b32", bits, 32},
    TypeInfo{"b64", bits, 64},
    TypeInfo{"b128", bits, 128},
    TypeInfo{"u8", unsigned_integer, 8},
    TypeInfo{"u16", unsigned_integer, 16},
    TypeInfo{"u32", unsigned_integer, 32},
    TypeInfo{"u64", unsigned_integer, 64},
    TypeInfo{"s8", signed_integer, 8},
    TypeInfo{"s16", signed_integer, 16},
    TypeInfo{"s32", signed_integer, 32},
    TypeInfo{"s64", signed_integer, 64},
    TypeInfo{"f16", floating, 16},
    TypeInfo{"f16x2", floating, 32},
    TypeInfo{"f32", floating, 32},
    TypeInfo{"f64", floating, 64},
    TypeInfo{"bf16", floating, 16},
    TypeInfo{"bf16x2", floating, 32},
    TypeInfo{"tf32", floating, 32},
    TypeInfo{"e4m3", floating, 8},
    TypeInfo{"e5m2", floating, 8},
    TypeInfo{"e4m3x2", floating, 16},
    TypeInfo{"e5m2x2", floating, 16},
    TypeInfo{"u16x2", unsigned_integer, 32},
    TypeInfo{"s16x2", signed_integer, 32},
    TypeInfo{"u4", unsigned_integer, 4},
    TypeInfo{"s4", signed_integer, 4},
    TypeInfo{"b1", bits, 1},
};
static_assert(kTypes.size() == static_cast<size_t>(Type::b1) + 1);

}  // namespace

const TypeInfo& info(Type type) {
  assert(static_cast<size_t>(type) < kTypes.size());
  return kTypes[static_cast<size_t>(type)];
}

std::optional<Type> type_named(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

}  // namespace assay::ptx
