// SPDX-License-Identifier: MIT
#include "base/allowed_folder.hpp"

#include <cstdlib>

namespace assay {

namespace fs = std::filesystem;

fs::path allowed_folder() {
  const char* const folder = std::getenv("ASSAY_WITHIN");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

namespace {

bool lies_in(const fs::path& path, const fs::path& folder) {
  std::error_code failed;
  const fs::path inside = fs::weakly_canonical(path, failed);
  const fs::path root = failed ? fs::path() : fs::weakly_canonical(folder, failed);
  const fs::path relative = inside.lexically_relative(root);
  return !failed && !relative.empty() && *relative.begin() != "..";
}

}  // namespace

bool is_allowed(const fs::path& path, const fs::path& folder) {
  const fs::path root = allowed_folder();
  return root.empty() || lies_in(path, root) || (!lies_in(folder, root) && lies_in(path, folder));
}

}  // namespace assay
