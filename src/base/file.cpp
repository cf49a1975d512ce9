// SPDX-License-Identifier: MIT
#include "base/file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace {

Error system_error(const std::filesystem::path& path, std::string_view what) {
  return Error{fmt::format("{}: {}", what, std::strerror(errno)), Place{path.string()}, "", ExitCode::environment};
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, size_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    Error error = system_error(path, "cannot read the file");
    error.exit_code = ExitCode::usage;
    return error;
  }
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{"expected a file, found a folder", Place{path.string()}, "", ExitCode::usage};
  }
  std::string content;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path, "cannot read the file");
    if (count == 0) return content;
    content.append(buffer, static_cast<size_t>(count));
    if (content.size() > limit_bytes) {
      return Error{fmt::format("the file is larger than the limit of {} bytes", limit_bytes), Place{path.string()}, "",
                   ExitCode::usage};
    }
  }
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path draft =
      path.string() + fmt::format(".draft.{}.{}", ::getpid(), counter.fetch_add(1, std::memory_order_relaxed));
  {
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return system_error(path, "cannot write the file");
    size_t written = 0;
    while (written < content.size()) {
      const ssize_t count = ::write(file.get(), content.data() + written, content.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        const Error error = system_error(path, "cannot write the file");
        ::unlink(draft.c_str());
        return error;
      }
      written += static_cast<size_t>(count);
    }
    // EINVAL: a file system that cannot be asked to flush.
    if (::fsync(file.get()) != 0 && errno != EINVAL) {
      const Error error = system_error(path, "cannot write the file");
      ::unlink(draft.c_str());
      return error;
    }
  }
  if (::rename(draft.c_str(), path.c_str()) != 0) {
    const Error error = system_error(path, "cannot put the file in its place");
    ::unlink(draft.c_str());
    return error;
  }
  return {};
}

}  // namespace assay
