// SPDX-License-Identifier: MIT
#include "formats/text_file.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "formats/json_text.hpp"

namespace assay::formats {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMostFiles = 20'000;
constexpr size_t kMostBytes = size_t{1} << 30;

// What was decompressed goes by its own name.
std::string plain_name(std::string name) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

}  // namespace

const TextFile* find_file(const TextFiles& files, const std::string& path) {
  const auto found = std::ranges::find(files, path, &TextFile::path);
  return found == files.end() ? nullptr : &*found;
}

std::string folder_of(const std::string& path) {
  const size_t at = path.rfind('/');
  return at == std::string::npos ? "" : path.substr(0, at + 1);
}

Result<TextFiles> read_text_files(const fs::path& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) return Error{"there is no such file or folder", Place{path.string()}};
  TextFiles files;
  if (!fs::is_directory(path, failed)) {
    ASSAY_TRY(std::string content, read_text(path));
    files.push_back({plain_name(path.filename().string()), std::move(content)});
    return files;
  }
  size_t bytes = 0;
  fs::recursive_directory_iterator walk(path, fs::directory_options::skip_permission_denied, failed);
  if (failed)
    return Error{fmt::format("cannot be read: {}", failed.message()), Place{path.string()}, "", ExitCode::environment};
  for (const fs::recursive_directory_iterator end; walk != end; walk.increment(failed)) {
    if (failed)
      return Error{fmt::format("cannot be read: {}", failed.message()), Place{path.string()}, "",
                   ExitCode::environment};
    const std::string name = walk->path().filename().string();
    const bool hidden = name.starts_with('.') || name == "__pycache__";
    if (walk->is_directory(failed) && (hidden || walk->is_symlink(failed))) walk.disable_recursion_pending();
    if (hidden || walk->is_symlink(failed) || !walk->is_regular_file(failed)) continue;
    if (files.size() == kMostFiles)
      return Error{fmt::format("there are more than {} files in it", kMostFiles), Place{path.string()},
                   "name the folder of one task, or a file"};
    ASSAY_TRY(std::string content, read_text(walk->path()));
    bytes += content.size();
    if (bytes > kMostBytes)
      return Error{fmt::format("its files have more than {} MiB", kMostBytes >> 20), Place{path.string()},
                   "name the folder of one task, or a file"};
    files.push_back({plain_name(walk->path().lexically_relative(path).generic_string()), std::move(content)});
  }
  std::ranges::sort(files, {}, &TextFile::path);
  return files;
}

}  // namespace assay::formats
