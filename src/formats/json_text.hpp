// SPDX-License-Identifier: MIT
// JSON files as other tools leave them: compressed, cut off by a kill, with NaN and Infinity in them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::formats {

inline constexpr size_t kMaxJsonBytes = size_t{1} << 30;

// The file's text; what begins as gzip does is decompressed.
Result<std::string> read_text(const std::filesystem::path& path);
Result<std::string> decompress_gzip(std::string_view compressed, size_t limit_bytes = kMaxJsonBytes);

// NaN and Infinity become null. A text that ends too early is cut behind the last complete entry of depth
// `entry_depth` (1: members of the outermost object) and closed; `repaired` says whether that was needed.
struct ParsedJson {
  nlohmann::json value;
  bool repaired = false;
};
Result<ParsedJson> parse_json(std::string_view text, const std::string& name, int entry_depth);

}  // namespace assay::formats
