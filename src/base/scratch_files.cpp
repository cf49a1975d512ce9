// SPDX-License-Identifier: MIT
#include "base/scratch_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace assay {
namespace fs = std::filesystem;
namespace {

// What the system could give without pushing anything out; 0 if it does not say.
uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  uint64_t kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes << 10;
    file.ignore(64, '\n');
  }
  return 0;
}

// Every file keeps a descriptor open; the usual limit is far below what the system allows.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Where the file system knows no nameless files, one that loses its name at once.
int open_scratch(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string name = (folder / "assay-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

Error cannot_make(const std::string& where) {
  return Error{fmt::format("cannot make a temporary file {}: {}", where, std::strerror(errno)),
               {},
               "make room there, or set TMPDIR to a folder that can be written",
               ExitCode::environment};
}

}  // namespace

ScratchFiles::ScratchFiles(uint64_t bytes) : in_memory_(available_memory() / 2 > bytes) {
  allow_many_files();
}

ScratchFiles::~ScratchFiles() {
  for (const auto& [name, descriptor] : files_) ::close(descriptor);
}

Result<fs::path> ScratchFiles::file(const std::string& name) {
  const std::lock_guard lock(mutex_);
  auto found = files_.find(name);
  if (found == files_.end()) {
    int descriptor = -1;
    if (in_memory_) {
      descriptor = ::memfd_create(("assay-" + name.substr(0, 100)).c_str(), MFD_CLOEXEC);
      if (descriptor < 0) return cannot_make("in memory");
    } else {
      std::error_code failed;
      fs::path folder = fs::temp_directory_path(failed);
      if (failed) folder = "/tmp";
      descriptor = open_scratch(folder);
      if (descriptor < 0) return cannot_make("in " + folder.string());
    }
    found = files_.emplace(name, descriptor).first;
  }
  return fs::path(fmt::format("/proc/{}/fd/{}", ::getpid(), found->second));
}

Result<void> empty_file(const fs::path& path) {
  if (::truncate(path.c_str(), 0) == 0) return {};
  return Error{fmt::format("cannot empty the file: {}", std::strerror(errno)), Place{path.string()}, "",
               ExitCode::environment};
}

}  // namespace assay
