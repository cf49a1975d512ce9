// SPDX-License-Identifier: MIT
// Files as readers and writers of folders see them: a path relative to the folder, and the content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::formats {

struct TextFile {
  std::string path;
  std::string content;

  bool operator==(const TextFile&) const = default;
};
using TextFiles = std::vector<TextFile>;

const TextFile* find_file(const TextFiles& files, const std::string& path);

// "tasks/sum/task.yml" -> "tasks/sum/"; "" where there is no folder.
std::string folder_of(const std::string& path);

// A file, or all files of a folder, ordered by path; what is compressed is decompressed. Links are not followed, hidden
// folders are left out, and there are limits: a folder that is none of ours must not fill the memory.
Result<TextFiles> read_text_files(const std::filesystem::path& path);

}  // namespace assay::formats
