// SPDX-License-Identifier: MIT
#include "base/scratch_folder.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace fs = std::filesystem;
namespace {

// A folder gets the second name once it is locked: one that has it and no lock has lost its owner.
constexpr const char* kNewPrefix = ".assay-scratch-";
constexpr const char* kPrefix = "assay-scratch-";

// Ours, and nobody's link.
int open_folder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status{};
  if (folder >= 0 && ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid()) return folder;
  if (folder >= 0) ::close(folder);
  return -1;
}

// Its owner was killed in the microseconds before it had a lock.
bool never_locked(const fs::path& path) {
  std::error_code failed;
  const auto written = fs::last_write_time(path, failed);
  return !failed && fs::file_time_type::clock::now() - written > std::chrono::minutes(1);
}

void remove_if_abandoned(const fs::path& path, bool locked_once) {
  const int folder = open_folder(path);
  if (folder < 0) return;
  std::error_code ignored;
  if (::flock(folder, LOCK_EX | LOCK_NB) == 0 && (locked_once || never_locked(path))) fs::remove_all(path, ignored);
  ::close(folder);
}

// Once for each place: a folder that is abandoned later is for a later command.
void remove_abandoned_once(const fs::path& parent) {
  static std::mutex mutex;
  static std::set<fs::path> seen;
  {
    const std::lock_guard lock(mutex);
    if (!seen.insert(parent).second) return;
  }
  remove_abandoned_folders(parent);
}

Error cannot_make(const fs::path& parent) {
  return Error{fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)),
               {},
               "",
               ExitCode::environment};
}

}  // namespace

void remove_abandoned_folders(const fs::path& parent) {
  std::error_code failed;
  for (auto entry = fs::directory_iterator(parent, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kPrefix)) remove_if_abandoned(entry->path(), true);
    if (name.starts_with(kNewPrefix)) remove_if_abandoned(entry->path(), false);
  }
}

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code failed;
  fs::path parent = fs::temp_directory_path(failed);
  if (failed) parent = "/tmp";
  auto folder = make_in(parent);
  if (folder) return folder;
  Error error = folder.error();
  error.hint = "make room there, or set TMPDIR to a folder that can be written";
  return error;
}

Result<ScratchFolder> ScratchFolder::make_in(const fs::path& parent) {
  remove_abandoned_once(parent);
  std::string first = (parent / (std::string(kNewPrefix) + "XXXXXX")).string();
  if (::mkdtemp(first.data()) == nullptr) return cannot_make(parent);
  const int lock = open_folder(first);
  const fs::path path = parent / fs::path(first).filename().string().substr(1);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0 || ::rename(first.c_str(), path.c_str()) != 0) {
    Error error = cannot_make(parent);
    if (lock >= 0) ::close(lock);
    ::rmdir(first.c_str());
    return error;
  }
  return ScratchFolder(path, lock);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace assay
