// SPDX-License-Identifier: MIT
// The record of a cache entry: which files it consists of, and what it was made from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "build/artifact_cache.hpp"

namespace assay::build {

inline constexpr const char* kRecordName = "record";

struct RecordedFile {
  std::string name;
  std::string hash;
};

struct CacheRecord {
  std::vector<RecordedFile> files;
  std::vector<Dependency> dependencies;
};

std::string to_text(const CacheRecord& record);
// Nothing if the text is not a whole record.
std::optional<CacheRecord> parse_record(std::string_view text);

}  // namespace assay::build
