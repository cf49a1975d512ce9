// SPDX-License-Identifier: MIT
#include "build/file_hashes.hpp"

#include <sys/stat.h>

#include "base/file.hpp"
#include "base/hash.hpp"

namespace assay::build {

std::optional<std::string> FileHashes::hash_of(const std::filesystem::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const int64_t time_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(file.string());
    if (found != known_.end() && found->second.time_ns == time_ns && found->second.size == status.st_size &&
        found->second.inode == status.st_ino) {
      return found->second.hash;
    }
  }
  const Result<std::string> content = read_file(file, size_t{256} << 20);
  if (!content) return std::nullopt;
  Known entry{.time_ns = time_ns, .size = status.st_size, .inode = status.st_ino, .hash = content_hash(*content)};
  const std::lock_guard lock(mutex_);
  return (known_[file.string()] = std::move(entry)).hash;
}

void FileHashes::confirm(const std::string& set) {
  const std::lock_guard lock(mutex_);
  confirmed_[set] = std::chrono::steady_clock::now();
}

bool FileHashes::is_confirmed(const std::string& set) {
  const std::lock_guard lock(mutex_);
  const auto found = confirmed_.find(set);
  return found != confirmed_.end() && std::chrono::steady_clock::now() - found->second < std::chrono::seconds(1);
}

}  // namespace assay::build
