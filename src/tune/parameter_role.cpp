// SPDX-License-Identifier: MIT
#include "tune/parameter_role.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>

namespace assay::tune {
namespace {

std::string in_lower_case(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool has_one_of(std::string_view name, std::initializer_list<std::string_view> pieces) {
  return std::ranges::any_of(pieces,
                             [&](std::string_view piece) { return name.find(piece) != std::string_view::npos; });
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

ParameterRole role_of(const Parameter& parameter) {
  const bool positive = parameter.numeric() && std::ranges::all_of(parameter.values, [](const ParameterValue& value) {
                          return *value.number > 0;
                        });
  if (!positive) return ParameterRole::other;
  const std::string name = in_lower_case(parameter.name);
  if (has_one_of(name, {"per_sm", "blocks_per", "stride", "unroll"})) return ParameterRole::other;
  if (has_one_of(name, {"per_thread", "items", "elements", "coarsen", "wpt", "tile_size", "tilesize"}) ||
      is_one_of(name, {"tile_x", "tile_y", "tile_z"}))
    return ParameterRole::of_thread;
  if (has_one_of(name, {"warps"})) return ParameterRole::warps;
  if (has_one_of(name, {"block_size", "blocksize", "block_dim", "blockdim", "thread", "dimc", "local_size",
                        "work_group_size", "workgroup_size"}) ||
      is_one_of(name, {"block", "block_x", "block_y", "block_z", "tbx", "tby", "tbz"}))
    return ParameterRole::threads;
  if (is_one_of(name, {"mwg", "nwg", "block_m", "block_n"})) return ParameterRole::of_block;
  if (name.starts_with("vw") || has_one_of(name, {"vector", "vec_"}) || name == "vec") return ParameterRole::vector;
  return ParameterRole::other;
}

bool along_row(const Parameter& parameter) {
  return parameter.name.ends_with('x') || parameter.name.ends_with('X');
}

}  // namespace assay::tune
