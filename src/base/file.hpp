// SPDX-License-Identifier: MIT
// Whole files: read with an explanation when it fails, written so that a reader never sees half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

// Only what is a file: a FIFO, a device or a folder is refused, without waiting for it.
Result<std::string> read_file(const std::filesystem::path& path, size_t limit_bytes = size_t{1} << 30);
// Fills the buffer from the file; says how many bytes that were, or one more than fit where the file goes on.
Result<size_t> read_file_into(const std::filesystem::path& path, std::span<uint8_t> buffer);
// A file, or a link to one: writes beside it, flushes, and renames; after a crash there is the old file or the new one,
// and the link still leads there. Anything else that has the name is written to and never replaced: a terminal,
// /dev/stdout, /dev/null, a FIFO (somebody must read from it).
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content);
// A new file, which is there as a whole or not at all. False: there is something by that name already; it stays.
Result<bool> create_file(const std::filesystem::path& path, std::string_view content);
// Writes in place and does not wait for the disk: for gigabytes that nobody looks for after a crash.
Result<void> write_scratch_file(const std::filesystem::path& path, std::string_view content);

}  // namespace assay
