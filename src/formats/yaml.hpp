// SPDX-License-Identifier: MIT
// The part of YAML that task files use: block and flow mappings and lists, plain and quoted scalars, literal and folded
// text, comments. Anchors, aliases, tags and several documents in one file are refused by name, with their line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::formats {

Result<nlohmann::ordered_json> parse_yaml(std::string_view text, const std::string& name);

}  // namespace assay::formats
