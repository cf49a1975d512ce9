// SPDX-License-Identifier: MIT
#include "build/cache_upkeep.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

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

// Where a process number means something: this start of this machine, and this container. Several may share a cache.
const std::string& process_space() {
  static const std::string space = [] {
    std::error_code failed;
    const fs::path container = fs::read_symlink("/proc/self/ns/pid", failed);
    const Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id", 4096);
    return boot && !failed ? content_hash(*boot + container.string()).substr(0, 16) : std::string("unknown");
  }();
  return space;
}

// Whoever was making it was killed.
bool lost_its_maker(const fs::path& draft) {
  const std::string name = draft.filename().string();
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() != 4 || parts[1] != process_space() || parts[1] == "unknown") return false;
  pid_t maker = 0;
  const auto [end, wrong] = std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), maker);
  if (wrong != std::errc{} || end != parts[0].data() + parts[0].size() || maker <= 0) return false;
  return ::kill(maker, 0) != 0 && errno == ESRCH;
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

struct Kept {
  fs::path folder;
  fs::file_time_type used;
  uintmax_t bytes = 0;
};

uintmax_t bytes_in(const fs::path& folder) {
  uintmax_t sum = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code vanished;
    const uintmax_t size = it->is_regular_file(vanished) ? it->file_size(vanished) : 0;
    if (!vanished) sum += size;
  }
  return sum;
}

// What baselines need: the longest unused go first where there are too many of them.
void tidy_kept(const fs::path& folder, fs::file_time_type now, uintmax_t most_bytes) {
  std::vector<Kept> all;
  uintmax_t sum = 0;
  for (const fs::path& each : children(folder)) {
    remove_if_older(each, now - kKeptLife);
    std::error_code gone;
    const fs::file_time_type used = fs::last_write_time(each, gone);
    if (gone) continue;
    all.push_back({each, used, bytes_in(each)});
    sum += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Kept::used);
  for (const Kept& each : all) {
    // Whoever wrote it this hour may be about to measure it.
    if (sum <= most_bytes || now - each.used < std::chrono::hours(1)) return;
    std::error_code failed;
    fs::remove_all(each.folder, failed);
    sum -= each.bytes;
  }
}

}  // namespace

std::string draft_name() {
  static std::atomic<unsigned> counter{0};
  const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
  return fmt::format("{}.{}.{}.{}", ::getpid(), process_space(), time, counter.fetch_add(1));
}

void tidy_cache(const fs::path& folder, fs::file_time_type now, uintmax_t most_kept_bytes) {
  for (const fs::path& draft : children(folder / "drafts")) {
    std::error_code ignored;
    if (lost_its_maker(draft)) fs::remove_all(draft, ignored);
    remove_if_older(draft, now - kDraftLife);
  }
  const fs::path marker = folder / "tidied";
  std::error_code failed;
  const fs::file_time_type last = fs::last_write_time(marker, failed);
  if (!failed && now - last < std::chrono::hours(24)) return;
  if (!write_file_atomically(marker, "")) return;
  fs::last_write_time(marker, now, failed);
  tidy_entries(folder / "entries", now - kEntryLife);
  tidy_kept(folder / "kept", now, most_kept_bytes);
}

void touch_entry(const fs::path& entry) {
  std::error_code failed;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  const fs::file_time_type last = fs::last_write_time(entry, failed);
  if (!failed && now - last > std::chrono::hours(1)) fs::last_write_time(entry, now, failed);
}

}  // namespace assay::build
