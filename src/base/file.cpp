// SPDX-License-Identifier: MIT
#include "base/file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class ReadableFile {
 public:
  static Result<ReadableFile> open(const std::filesystem::path& path) {
    ReadableFile file(path);
    if (file.descriptor_.get() < 0) {
      Error error = system_error(path, "cannot read the file");
      error.exit_code = ExitCode::usage;
      return error;
    }
    if (::fstat(file.descriptor_.get(), &file.status_) == 0 && S_ISDIR(file.status_.st_mode))
      return Error{"expected a file, found a folder", Place{path.string()}, "", ExitCode::usage};
    return file;
  }

  size_t said_bytes() const { return static_cast<size_t>(std::max<off_t>(status_.st_size, 0)); }

  Result<size_t> read(void* buffer, size_t bytes) const {  // 0: the end
    while (true) {
      const ssize_t count = ::read(descriptor_.get(), buffer, bytes);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) return system_error(path_, "cannot read the file");
    }
  }

 private:
  explicit ReadableFile(const std::filesystem::path& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

  std::filesystem::path path_;
  Descriptor descriptor_;
  struct stat status_{};
};

Result<void> write_all(int file, const std::filesystem::path& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path, "cannot write the file");
    content.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, size_t limit_bytes) {
  ASSAY_TRY(const ReadableFile file, ReadableFile::open(path));
  std::string content;
  size_t have = 0;
  while (true) {
    // First the size that the file says it has, and one byte to see the end by; what is no plain file says nothing.
    if (have == content.size()) {
      const size_t said = std::min(file.said_bytes(), limit_bytes);
      content.resize(have == 0 && said > 0 ? said + 1 : have + std::max(have, size_t{1} << 16));
    }
    ASSAY_TRY(const size_t count, file.read(content.data() + have, content.size() - have));
    if (count == 0) break;
    have += count;
    if (have > limit_bytes) {
      return Error{fmt::format("the file is larger than the limit of {} bytes", limit_bytes), Place{path.string()}, "",
                   ExitCode::usage};
    }
  }
  content.resize(have);
  return content;
}

Result<size_t> read_file_into(const std::filesystem::path& path, std::span<uint8_t> buffer) {
  ASSAY_TRY(const ReadableFile file, ReadableFile::open(path));
  size_t have = 0;
  while (have < buffer.size()) {
    ASSAY_TRY(const size_t count, file.read(buffer.data() + have, buffer.size() - have));
    if (count == 0) return have;
    have += count;
  }
  char next = 0;
  ASSAY_TRY(const size_t more, file.read(&next, 1));
  return have + more;
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path draft =
      path.string() + fmt::format(".draft.{}.{}", ::getpid(), counter.fetch_add(1, std::memory_order_relaxed));
  {
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return system_error(path, "cannot write the file");
    if (auto written = write_all(file.get(), path, content); !written) {
      ::unlink(draft.c_str());
      return written;
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

Result<void> write_scratch_file(const std::filesystem::path& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return system_error(path, "cannot write the file");
  return write_all(file.get(), path, content);
}

}  // namespace assay
