// SPDX-License-Identifier: MIT
#include "base/repository.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path relative_inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
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
