// SPDX-License-Identifier: MIT
// Files as one archive (.tar.gz) or as a folder. The same files give the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::evidence {

struct PackedFile {
  std::string path;  // relative, with /; no .. and nothing that leads elsewhere
  std::string content;
};

// Whether a path stays where it is put: relative, of plain parts, at most 200 bytes.
bool is_safe(std::string_view path);

// A ustar archive in which everything lies in the folder `root`, made at `time_s`, and its gzip form.
Result<std::string> tar_of(const std::vector<PackedFile>& files, const std::string& root, int64_t time_s);
Result<std::string> gzip_of(std::string_view content);

// A new folder, or an empty one; there as a whole or not at all.
Result<void> write_folder(const std::vector<PackedFile>& files, const std::filesystem::path& folder);

}  // namespace assay::evidence
