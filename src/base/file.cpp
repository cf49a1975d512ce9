// SPDX-License-Identifier: MIT
#include "base/file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace assay {
namespace fs = std::filesystem;
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
  void reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

// Null for a file.
const char* kind_of_no_file(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "FIFO";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

Error no_file(const std::filesystem::path& path, const char* kind) {
  return Error{fmt::format("expected a file, found a {}", kind), Place{path.string()}, "", ExitCode::usage};
}

Error cannot_read(const std::filesystem::path& path) {
  Error error = system_error(path, "cannot read the file");
  error.exit_code = ExitCode::usage;
  return error;
}

class ReadableFile {
 public:
  static Result<ReadableFile> open(const std::filesystem::path& path) {
    // Before it is opened: that alone can wait (a FIFO) or act (a device).
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return cannot_read(path);
    if (const char* kind = kind_of_no_file(status.st_mode)) return no_file(path, kind);
    ReadableFile file(path);
    if (file.descriptor_.get() < 0) return cannot_read(path);
    if (::fstat(file.descriptor_.get(), &file.status_) == 0) {
      if (const char* kind = kind_of_no_file(file.status_.st_mode)) return no_file(path, kind);
    }
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
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}

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

// EINVAL: a file system that cannot be asked to flush.
Result<void> flush(int file, const fs::path& path) {
  if (::fsync(file) == 0 || errno == EINVAL) return {};
  return system_error(path, "cannot write the file");
}

// In the folder of `path`; -1 where the file system has no such thing.
int open_nameless(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
}

bool give_name(int nameless, const fs::path& path) {
  const std::string self = fmt::format("/proc/self/fd/{}", nameless);
  return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// A whole file beside its target, about to take its name. It gets a name of its own at the very last moment; should the
// process be killed just then, the name is one that the next writer removes.
class Draft {
 public:
  static Result<Draft> write(const fs::path& target, const fs::path& said, std::string_view content,
                             std::optional<mode_t> mode) {
    const std::string usual = target.string() + ".draft";
    Descriptor file(open_nameless(target));
    const bool nameless = file.get() >= 0;
    Draft draft(unique(usual));
    if (!nameless) file.reset(::open(draft.name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return draft.forget(), system_error(said, "cannot write the file");
    if (nameless) draft.forget();
    ASSAY_CHECK(write_all(file.get(), said, content));
    ASSAY_CHECK(flush(file.get(), said));
    if (mode) ::fchmod(file.get(), *mode);
    if (!nameless) return draft;
    remove_old(usual);
    for (const std::string& name : {usual, unique(usual)}) {
      if (give_name(file.get(), name)) return Draft(name);
      if (errno != EEXIST) break;
    }
    return system_error(said, "cannot write the file");
  }
  ~Draft() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Draft(Draft&& other) noexcept : name_(std::exchange(other.name_, "")) {}
  Draft& operator=(Draft&&) = delete;

  const std::string& name() const { return name_; }
  void forget() const { name_.clear(); }

 private:
  explicit Draft(std::string name) : name_(std::move(name)) {}

  static std::string unique(const std::string& usual) {
    static std::atomic<unsigned> counter{0};
    return fmt::format("{}.{}.{}", usual, ::getpid(), counter.fetch_add(1, std::memory_order_relaxed));
  }
  // Its writer was killed: otherwise it would have had this name for microseconds.
  static void remove_old(const std::string& usual) {
    constexpr time_t kOld_s = 10;
    struct stat status{};
    if (::lstat(usual.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::time(nullptr) - status.st_ctime > kOld_s)
      ::unlink(usual.c_str());
  }

  mutable std::string name_;
};

// What a path leads to.
struct Target {
  fs::path path;                 // without links
  bool special = false;          // there, and no file
  int descriptor = -1;           // an open one of this process: /dev/stdout, /dev/fd/3
  std::optional<mode_t> mode{};  // of the file that is there
};

// "/proc/self/fd/3"; -1 for every other path.
int own_descriptor(const std::string& path) {
  for (const std::string& folder : {std::string("/proc/self/fd/"), fmt::format("/proc/{}/fd/", ::getpid())}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto [stop, problem] = std::from_chars(path.data() + folder.size(), end, number);
    if (problem == std::errc() && stop == end) return number;
  }
  return -1;
}

Result<Target> find_target(const fs::path& said) {
  constexpr int kMostLinks = 40;
  Target target{said};
  struct stat status{};
  std::error_code failed;
  for (int i = 0; i < kMostLinks; ++i) {
    // The folder may be a link itself: "/dev/fd" is one.
    target.path = fs::weakly_canonical(fs::absolute(target.path).parent_path(), failed) / target.path.filename();
    target.descriptor = own_descriptor(target.path.string());
    if (target.descriptor >= 0) return target;
    if (::lstat(target.path.c_str(), &status) != 0) return target;  // a new file, or an error when it is opened
    if (!S_ISLNK(status.st_mode)) break;
    const fs::path next = fs::read_symlink(target.path, failed);
    if (failed) return system_error(said, "cannot write the file");
    target.path = next.is_absolute() ? next : target.path.parent_path() / next;
  }
  if (S_ISLNK(status.st_mode)) {
    errno = ELOOP;
    return system_error(said, "cannot write the file");
  }
  if (S_ISDIR(status.st_mode)) return no_file(said, "folder");
  target.special = !S_ISREG(status.st_mode);
  target.mode = status.st_mode & 07777;
  return target;
}

Result<void> write_to_descriptor(int descriptor, const fs::path& said, std::string_view content) {
  std::fflush(nullptr);  // what was printed before comes before
  return write_all(descriptor, said, content);
}

// A FIFO cannot be opened until somebody reads from it.
Result<void> write_to_special(const fs::path& path, const fs::path& said, std::string_view content) {
  constexpr int kWaits = 500;
  constexpr unsigned kWait_us = 20'000;
  int opened = -1;
  for (int i = 0; i < kWaits && opened < 0; ++i) {
    opened = ::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0 && errno != ENXIO && errno != EINTR) break;
    if (opened < 0) ::usleep(kWait_us);
  }
  const Descriptor file(opened);
  if (file.get() < 0) {
    if (errno == ENXIO) return Error{"nobody reads from this FIFO", Place{said.string()}, "", ExitCode::environment};
    return system_error(said, "cannot write the file");
  }
  ::fcntl(file.get(), F_SETFL, O_APPEND);
  return write_all(file.get(), said, content);
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

Result<void> write_file_atomically(const fs::path& path, std::string_view content) {
  ASSAY_TRY(const Target target, find_target(path));
  if (target.descriptor >= 0) return write_to_descriptor(target.descriptor, path, content);
  if (target.special) return write_to_special(target.path, path, content);
  ASSAY_TRY(const Draft draft, Draft::write(target.path, path, content, target.mode));
  if (::rename(draft.name().c_str(), target.path.c_str()) != 0)
    return system_error(path, "cannot put the file in its place");
  draft.forget();
  return {};
}

Result<bool> create_file(const fs::path& path, std::string_view content) {
  const Descriptor nameless(open_nameless(path));
  if (nameless.get() >= 0) {
    ASSAY_CHECK(write_all(nameless.get(), path, content));
    ASSAY_CHECK(flush(nameless.get(), path));
    if (give_name(nameless.get(), path)) return true;
    if (errno == EEXIST) return false;
  }
  // A file system without nameless files, or one that cannot name them later.
  ASSAY_TRY(const Draft draft, Draft::write(path, path, content, std::nullopt));
  if (::link(draft.name().c_str(), path.c_str()) == 0) return true;
  if (errno != EEXIST && ::renameat2(AT_FDCWD, draft.name().c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    draft.forget();
    return true;
  }
  if (errno == EEXIST) return false;
  return system_error(path, "cannot put the file in its place");
}

Result<void> write_scratch_file(const std::filesystem::path& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return system_error(path, "cannot write the file");
  return write_all(file.get(), path, content);
}

}  // namespace assay
