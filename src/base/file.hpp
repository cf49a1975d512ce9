// SPDX-License-Identifier: MIT
// Whole files: read with an explanation when it fails, written so that a reader never sees half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

Result<std::string> read_file(const std::filesystem::path& path, size_t limit_bytes = size_t{1} << 30);
// Writes beside the target, flushes, and renames: after a crash there is the old file or the new one.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace assay
