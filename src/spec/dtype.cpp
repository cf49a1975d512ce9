// SPDX-License-Identifier: MIT
#include "spec/dtype.hpp"

#include <array>

namespace assay::spec {

namespace {

enum class Family { floating, signed_integer, unsigned_integer };

struct Row {
  DType type;
  const char* name;
  int bytes;
  Family family;
};

constexpr std::array kRows{
    Row{DType::f16, "f16", 2, Family::floating},         Row{DType::bf16, "bf16", 2, Family::floating},
    Row{DType::f32, "f32", 4, Family::floating},         Row{DType::f64, "f64", 8, Family::floating},
    Row{DType::i8, "i8", 1, Family::signed_integer},     Row{DType::i16, "i16", 2, Family::signed_integer},
    Row{DType::i32, "i32", 4, Family::signed_integer},   Row{DType::i64, "i64", 8, Family::signed_integer},
    Row{DType::u8, "u8", 1, Family::unsigned_integer},   Row{DType::u16, "u16", 2, Family::unsigned_integer},
    Row{DType::u32, "u32", 4, Family::unsigned_integer}, Row{DType::u64, "u64", 8, Family::unsigned_integer},
    Row{DType::e4m3, "e4m3", 1, Family::floating},       Row{DType::e5m2, "e5m2", 1, Family::floating},
    Row{DType::i4, "i4", 1, Family::signed_integer},     Row{DType::u4, "u4", 1, Family::unsigned_integer},
};

constexpr bool rows_follow_the_enum() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].type) != i) return false;
  }
  return true;
}
static_assert(rows_follow_the_enum());

const Row& row(DType type) {
  return kRows[static_cast<size_t>(type)];
}

}  // namespace

std::string_view name(DType type) {
  return row(type).name;
}
int size_bytes(DType type) {
  return row(type).bytes;
}
bool is_packed(DType type) {
  return type == DType::i4 || type == DType::u4;
}
bool is_floating(DType type) {
  return row(type).family == Family::floating;
}
bool is_signed_integer(DType type) {
  return row(type).family == Family::signed_integer;
}

std::optional<DType> dtype_from_name(std::string_view text) {
  for (const Row& candidate : kRows) {
    if (candidate.name == text) return candidate.type;
  }
  return std::nullopt;
}

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row& candidate : kRows) all.emplace_back(candidate.name);
    return all;
  }();
  return names;
}

}  // namespace assay::spec
