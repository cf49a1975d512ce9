// SPDX-License-Identifier: MIT
#include "evidence/source_layout.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"

namespace assay::evidence {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHighest = 8;  // folders above the kernel's

size_t steps_up(const std::string& path) {
  size_t steps = 0;
  for (const std::string_view part : split(path, '/')) steps += part == ".." ? 1 : 0;
  return steps;
}

// Letters that every file system takes; a name of nothing else is "kernel".
std::string clean(const std::string& name) {
  std::string kept;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (plain && kept.size() < 40) kept += c;
  }
  return kept.find_first_not_of('.') == kept.npos ? "kernel" : kept;
}

}  // namespace

size_t folders_above(const std::vector<ledger::SourceFile>& sources) {
  size_t up = 0;
  for (const ledger::SourceFile& source : sources) {
    const size_t steps = steps_up(source.path);
    if (steps <= kHighest) up = std::max(up, steps);
  }
  return up;
}

SourceLayout lay_out(const std::vector<ledger::SourceFile>& sources, const std::string& specification, size_t depth) {
  std::vector<std::string> folders;
  for (const fs::path& part : fs::path(specification).parent_path().lexically_normal()) {
    const std::string name = part.string();
    if (name != "/" && name != "." && name != ".." && !name.empty()) folders.push_back(clean(name));
  }
  const size_t wanted = std::max<size_t>(depth, 1);
  while (folders.size() < wanted) folders.insert(folders.begin(), "kernel");
  folders.erase(folders.begin(), folders.end() - static_cast<std::ptrdiff_t>(wanted));
  SourceLayout layout;
  layout.kernel_folder = join(folders, "/");
  for (const ledger::SourceFile& source : sources) {
    const std::string path = (fs::path(layout.kernel_folder) / source.path).lexically_normal().generic_string();
    if (source.path.starts_with('/') || !is_safe(path)) {
      layout.left_out.push_back(source.path);
    } else {
      layout.files.push_back({path, source.content});
    }
  }
  return layout;
}

}  // namespace assay::evidence
