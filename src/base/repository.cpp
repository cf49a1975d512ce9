// SPDX-License-Identifier: MIT
#include "base/repository.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path relative_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

constexpr size_t kSmallFile = size_t{16} << 20;

std::string small_file(const fs::path& file) {
  const auto content = read_file(file, kSmallFile);
  return content ? std::string(trim(*content)) : "";
}

bool is_hash(std::string_view text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

fs::path repository_of(const fs::path& folder) {
  std::error_code problem;
  fs::path at = fs::weakly_canonical(fs::absolute(folder, problem), problem);
  while (!problem && !at.empty()) {
    if (fs::exists(at / ".git", problem)) return at;
    problem.clear();
    const fs::path parent = at.parent_path();
    if (parent == at) break;
    at = parent;
  }
  return {};
}

// HEAD names a commit, or a branch whose commit lies in a file of its own or in packed-refs. A worktree's .git is a
// file that names its folder; what it shares lies in that folder's commondir.
std::string commit_of(const fs::path& repository) {
  if (repository.empty()) return "";
  std::error_code ignored;
  fs::path folder = repository / ".git";
  if (fs::is_regular_file(folder, ignored)) {
    const std::string link = small_file(folder);
    if (!link.starts_with("gitdir: ")) return "";
    folder = repository / link.substr(8);
  }
  std::string head = small_file(folder / "HEAD");
  if (is_hash(head)) return head;
  if (!head.starts_with("ref: ")) return "";
  const std::string name = head.substr(5);
  const std::string shared = small_file(folder / "commondir");
  for (const fs::path& place : {folder, shared.empty() ? folder : folder / shared}) {
    std::string direct = small_file(place / name);
    if (is_hash(direct)) return direct;
    const std::string packed = small_file(place / "packed-refs");
    for (const std::string_view line : split(packed, '\n')) {
      if (line.ends_with(" " + name) && is_hash(line.substr(0, line.find(' '))))
        return std::string(line.substr(0, line.find(' ')));
    }
  }
  return "";
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code problem;
  const fs::path root = fs::canonical(folder, problem);
  if (problem) return false;
  const fs::path real = fs::canonical(file, problem);
  return !problem && !relative_inside(real, root).empty();
}

SourceNames::SourceNames(const fs::path& source_folder)
    : folder_(source_folder), repository_(repository_of(source_folder)) {}

std::string SourceNames::shown(const std::string& file) const {
  const fs::path path = file;
  if (path.empty() || (path.is_relative() && *path.begin() == "cuda")) return file;
  const fs::path placed = (path.is_relative() ? folder_ / path : path).lexically_normal();
  if (repository_.empty()) return placed.string();
  std::error_code problem;
  const fs::path real = fs::weakly_canonical(fs::absolute(placed, problem), problem);
  const fs::path inside = problem ? fs::path() : relative_inside(real, repository_);
  return inside.empty() ? placed.string() : inside.generic_string();
}

}  // namespace assay
