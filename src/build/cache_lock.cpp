// SPDX-License-Identifier: MIT
#include "build/cache_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::build {
namespace {

// The holder removes the file before it lets go, so what was waited for may be a file that nobody else can see any
// more.
bool is_still_at(int descriptor, const std::filesystem::path& file) {
  struct stat held{}, named{};
  return ::fstat(descriptor, &held) == 0 && ::stat(file.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

CacheLock::CacheLock(std::filesystem::path file) : file_(std::move(file)) {
  while (true) {
    const int descriptor = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return;
    int status = 0;
    do {
      status = ::flock(descriptor, LOCK_EX);
    } while (status != 0 && errno == EINTR);
    if (status != 0) {
      ::close(descriptor);
      return;
    }
    if (is_still_at(descriptor, file_)) {
      descriptor_ = descriptor;
      return;
    }
    ::close(descriptor);
  }
}

CacheLock::~CacheLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace assay::build
