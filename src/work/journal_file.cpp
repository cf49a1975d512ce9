// SPDX-License-Identifier: MIT
#include "work/journal_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/file.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

Error disk_error(const std::filesystem::path& file, const char* what) {
  return Error{fmt::format("cannot {} the journal: {}", what, std::strerror(errno)), Place{file.string()},
               "choose another file: --journal FILE", ExitCode::environment};
}

// Processes that a killed run had started hold its lock for as long as they take to end.
constexpr std::chrono::seconds kPatience{3};

bool lock_within(int descriptor, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// The whole lines of a text that are JSON objects, up to the first that is none; how many bytes they are.
std::pair<std::vector<json>, size_t> good_lines(const std::string& text) {
  std::vector<json> lines;
  size_t start = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    json line = json::parse(text.begin() + static_cast<std::ptrdiff_t>(start),
                            text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!line.is_object()) break;
    lines.push_back(std::move(line));
    start = end + 1;
  }
  return {std::move(lines), start};
}

// Why this header is not that of the work to be done; "" if it is.
std::string difference(const json& header, const JournalFile::Header& wanted) {
  if (header.value("journal", json()) != wanted.name || !header.value("depends_on", json()).is_object())
    return "the file is not a journal of ours";
  for (const auto& [what, value] : wanted.depends_on) {
    if (header["depends_on"].value(what, json()) != value) return fmt::format("the {} changed", what);
  }
  return "";
}

}  // namespace

Result<JournalFile> JournalFile::open(const std::filesystem::path& file, const Header& header, bool resume) {
  JournalFile journal;
  journal.file_ = file;
  journal.further_ = header.further;
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  journal.descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (journal.descriptor_ < 0) return disk_error(file, "open");
  struct stat facts{};
  if (::fstat(journal.descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    errno = EINVAL;
    return disk_error(file, "use");
  }
  if (!lock_within(journal.descriptor_, kPatience))
    return Error{"another run is writing to the journal", Place{file.string()}, "wait for it, or give --journal FILE",
                 ExitCode::environment};
  size_t good = 0;
  if (resume && facts.st_size > 0) {
    ASSAY_TRY(const std::string text, read_file(file));
    auto [lines, bytes] = good_lines(text);
    journal.started_anew_ = lines.empty() ? "the file is not a journal of ours" : difference(lines.front(), header);
    if (journal.started_anew_.empty()) {
      good = bytes;
      journal.further_ = lines.front().value("further", header.further);
      lines.erase(lines.begin());
      journal.lines_ = std::move(lines);
    }
  }
  if (::ftruncate(journal.descriptor_, static_cast<off_t>(good)) != 0 || ::lseek(journal.descriptor_, 0, SEEK_END) < 0)
    return disk_error(file, "write");
  if (good == 0)
    ASSAY_CHECK(
        journal.append({{"journal", header.name}, {"depends_on", header.depends_on}, {"further", header.further}}));
  return journal;
}

Result<std::vector<json>> JournalFile::read(const std::filesystem::path& file, const std::string& name) {
  ASSAY_TRY(const std::string text, read_file(file));
  std::vector<json> lines = good_lines(text).first;
  if (lines.empty() || lines.front().value("journal", json()) != name)
    return Error{fmt::format("this is no journal of {}", name), Place{file.string()}};
  lines.erase(lines.begin());
  return lines;
}

JournalFile::JournalFile(JournalFile&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      started_anew_(std::move(other.started_anew_)),
      further_(std::move(other.further_)),
      lines_(std::move(other.lines_)) {}

JournalFile::~JournalFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> JournalFile::append(const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return disk_error(file_, "write");
    done += static_cast<size_t>(written);
  }
  if (::fsync(descriptor_) != 0) return disk_error(file_, "store");
  return {};
}

}  // namespace assay::work
