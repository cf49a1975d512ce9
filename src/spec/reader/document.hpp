// SPDX-License-Identifier: MIT
// A TOML file as a plain tree in which every key and value knows its place. The TOML library stays behind it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::spec {

struct Node {
  enum class Kind { string, integer, real, boolean, array, table, other };

  Kind kind = Kind::table;
  Place place;
  std::string key;  // if it is an entry of a table
  Place key_place;

  std::string text;  // string
  Place text_place;  // of the string's first character; of the opening quote if escapes make columns useless
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::vector<Node> items;  // of an array; of a table, in the file's order

  const Node* find(std::string_view wanted) const;  // of a table
};

std::string_view kind_name(Node::Kind kind);  // "a string", "an array", ...

Result<Node> parse_document(std::string_view text, const std::string& file_name);

}  // namespace assay::spec
