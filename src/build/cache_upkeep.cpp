// SPDX-License-Identifier: MIT
#include "build/cache_upkeep.hpp"

#include <vector>

#include "base/file.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    paths.push_back(it->path());
  return paths;
}

// Errors are of no interest here: another process may be tidying, too.
void remove_if_older(const fs::path& path, fs::file_time_type limit) {
  std::error_code failed;
  const fs::file_time_type time = fs::last_write_time(path, failed);
  if (!failed && time < limit) fs::remove_all(path, failed);
}

void tidy_entries(const fs::path& folder, fs::file_time_type limit) {
  for (const fs::path& shard : children(folder)) {
    for (const fs::path& key : children(shard)) {
      for (const fs::path& variant : children(key)) remove_if_older(variant, limit);
      std::error_code not_empty;
      fs::remove(key, not_empty);
    }
  }
}

}  // namespace

void tidy_cache(const fs::path& folder, fs::file_time_type now) {
  for (const fs::path& draft : children(folder / "drafts")) remove_if_older(draft, now - kDraftLife);
  const fs::path marker = folder / "tidied";
  std::error_code failed;
  const fs::file_time_type last = fs::last_write_time(marker, failed);
  if (!failed && now - last < std::chrono::hours(24)) return;
  if (!write_file_atomically(marker, "")) return;
  fs::last_write_time(marker, now, failed);
  tidy_entries(folder / "entries", now - kEntryLife);
}

void touch_entry(const fs::path& entry) {
  std::error_code failed;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  const fs::file_time_type last = fs::last_write_time(entry, failed);
  if (!failed && now - last > std::chrono::hours(1)) fs::last_write_time(entry, now, failed);
}

}  // namespace assay::build
