// SPDX-License-Identifier: MIT
#include "cluster/work_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/hash.hpp"

namespace assay::cluster {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kFolders[] = {"items", "claims", "results", "workers"};
constexpr size_t kContentLimit = size_t{64} << 20;

Error folder_error(const fs::path& path, const std::string& what) {
  return Error{fmt::format("{}: {}", what, std::strerror(errno)), Place{path.string()},
               "the folder of the work must be one that every worker can write to", ExitCode::environment};
}

// Times come from the file system's own clock: that of another machine may differ.
std::optional<milliseconds> changed_at(const fs::path& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return milliseconds(facts.st_mtim.tv_sec * 1000 + facts.st_mtim.tv_nsec / 1'000'000);
}

// What is not there has expired.
bool expired(const fs::path& file, milliseconds within, std::optional<milliseconds> now) {
  const auto changed = changed_at(file);
  return !changed || (now && *now - *changed > within);
}

bool touch(const fs::path& file) {
  return ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0;
}

Result<std::vector<std::string>> names_in(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::string> names;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed)) {
    std::string name = each->path().filename();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (failed) {
    errno = failed.value();
    return folder_error(folder, "cannot list the folder");
  }
  std::ranges::sort(names);
  return names;
}

// "000017-HASH.2" or, of a claim, "000017-HASH.2.back"
struct TryName {
  std::string item;
  int number = 0;
  bool back = false;
};

std::optional<TryName> read_try(std::string_view name) {
  TryName read;
  read.back = name.ends_with(".back");
  if (read.back) name.remove_suffix(5);
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  read.item = name.substr(0, dot);
  const std::string_view digits = name.substr(dot + 1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), read.number);
  if (problem != std::errc() || end != digits.data() + digits.size() || read.number < 1) return std::nullopt;
  return read;
}

std::string only_for_of(const std::string& content) {
  return content.substr(0, content.find('\n'));
}

}  // namespace

Result<WorkFolder> WorkFolder::create(const fs::path& folder, milliseconds lease) {
  for (const char* each : kFolders) {
    std::error_code failed;
    fs::create_directories(folder / each, failed);
    if (failed) {
      errno = failed.value();
      return folder_error(folder / each, "cannot make the folder");
    }
  }
  ASSAY_CHECK(write_file_atomically(folder / "lease", std::to_string(lease.count()) + "\n"));
  ASSAY_CHECK(write_file_atomically(folder / "coordinator", ""));
  WorkFolder made(folder, lease);
  ASSAY_TRY(const std::vector<std::string> items, names_in(folder / "items"));
  for (const std::string& item : items) {
    const size_t dash = item.find('-');
    if (dash != std::string::npos) made.names_[item.substr(dash + 1)] = item;
  }
  return made;
}

Result<WorkFolder> WorkFolder::open(const fs::path& folder) {
  auto text = read_file(folder / "lease", 100);
  int64_t lease = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), lease);
  if (lease < 1 || lease > 86'400'000)
    return Error{"this is no folder of work", Place{folder.string()},
                 "give the folder that the command with --executor made", ExitCode::usage};
  return WorkFolder(folder, milliseconds(lease));
}

// --- who wants the work

Result<std::string> WorkFolder::put(const std::string& content, const std::string& only_for) {
  if (only_for.find('\n') != std::string::npos) return Error{"a device's name holds a line break"};
  const std::string whole = only_for + "\n" + content;
  const std::string hash = content_hash(whole).substr(0, 16);
  if (const auto known = names_.find(hash); known != names_.end()) return known->second;
  const std::string name = fmt::format("{:06}-{}", names_.size() + 1, hash);
  ASSAY_CHECK(create_file(folder_ / "items" / name, whole));
  names_[hash] = name;
  return name;
}

Result<std::vector<Outcome>> WorkFolder::outcomes() {
  std::vector<Outcome> fresh;
  ASSAY_TRY(const std::vector<std::string> results, names_in(folder_ / "results"));
  for (const std::string& name : results) {  // the earliest try of an item comes first
    const auto read = read_try(name);
    if (!read || told_.contains(read->item)) continue;
    ASSAY_TRY(std::string text, read_file(folder_ / "results" / name, kContentLimit));
    told_.insert(read->item);
    fresh.push_back({read->item, read->number, std::move(text)});
  }
  ASSAY_TRY(const auto all, tries());
  const auto at = now();
  for (const auto& [item, each] : all) {
    if (told_.contains(item) || each.given_back || each.lost + 1 < kMostLost) continue;
    if (!expired(claim_file(item, each.last), lease_, at)) continue;
    told_.insert(item);
    fresh.push_back({item, each.last, ""});
  }
  return fresh;
}

Result<void> WorkFolder::attend() {
  if (!touch(folder_ / "coordinator")) return folder_error(folder_ / "coordinator", "cannot change the file");
  return {};
}

Result<void> WorkFolder::stop() {
  return write_file_atomically(folder_ / "stop", "");
}

Result<void> WorkFolder::reopen() {
  std::error_code failed;
  fs::remove(folder_ / "stop", failed);
  return {};
}

std::vector<std::string> WorkFolder::present_workers() const {
  std::vector<std::string> present;
  const auto names = names_in(folder_ / "workers");
  if (!names) return present;
  const auto at = now();
  for (const std::string& name : *names) {
    if (expired(folder_ / "workers" / name, lease_, at)) continue;
    if (auto about = read_file(folder_ / "workers" / name, kContentLimit)) present.push_back(std::move(*about));
  }
  return present;
}

// --- who does it

Result<void> WorkFolder::present(const std::string& worker, const std::string& about) const {
  const fs::path file = folder_ / "workers" / worker;
  if (touch(file)) return {};
  return write_file_atomically(file, about);
}

Result<std::map<std::string, Tries>> WorkFolder::tries() const {
  std::map<std::string, Tries> all;
  std::map<std::string, int> returned;
  ASSAY_TRY(const std::vector<std::string> claims, names_in(folder_ / "claims"));
  for (const std::string& name : claims) {
    const auto read = read_try(name);
    if (!read) continue;
    all[read->item].last = std::max(all[read->item].last, read->number);
    returned[read->item] += read->back ? 1 : 0;
  }
  for (auto& [item, each] : all) {
    std::error_code failed;
    each.given_back = fs::exists(claim_file(item, each.last).string() + ".back", failed);
    each.lost = each.last - returned[item] - (each.given_back ? 0 : 1);
  }
  return all;
}

Result<std::set<std::string>> WorkFolder::finished() const {
  std::set<std::string> items;
  ASSAY_TRY(const std::vector<std::string> results, names_in(folder_ / "results"));
  for (const std::string& name : results) {
    if (const auto read = read_try(name)) items.insert(read->item);
  }
  return items;
}

Result<std::optional<Claim>> WorkFolder::claim(const std::string& worker, const std::string& device) {
  ASSAY_TRY(const std::vector<std::string> items, names_in(folder_ / "items"));
  ASSAY_TRY(const std::set<std::string> done, finished());
  ASSAY_TRY(const auto all, tries());
  const auto at = now();
  for (const std::string& item : items) {
    if (done.contains(item)) continue;
    const auto found = all.find(item);
    const Tries so_far = found == all.end() ? Tries{} : found->second;
    if (so_far.last > 0 && !so_far.given_back) {
      if (!expired(claim_file(item, so_far.last), lease_, at)) continue;
      if (so_far.lost + 1 >= kMostLost) continue;
    }
    if (!contents_.contains(item)) {
      ASSAY_TRY(contents_[item], read_file(folder_ / "items" / item, kContentLimit));
    }
    const std::string& whole = contents_[item];
    const std::string only_for = only_for_of(whole);
    if (!only_for.empty() && only_for != device) continue;
    const Claim wanted{item, so_far.last + 1, whole.substr(std::min(whole.size(), only_for.size() + 1))};
    ASSAY_TRY(const bool mine, create_file(claim_file(item, wanted.number), worker + "\n"));
    if (mine) return std::optional<Claim>(wanted);
  }
  return std::optional<Claim>();
}

Result<bool> WorkFolder::renew(const Claim& claim) const {
  std::error_code failed;
  if (fs::exists(claim_file(claim.item, claim.number + 1), failed)) return false;
  if (!touch(claim_file(claim.item, claim.number)))
    return folder_error(claim_file(claim.item, claim.number), "cannot renew the claim");
  return true;
}

Result<bool> WorkFolder::publish(const Claim& claim, const std::string& result) const {
  std::error_code failed;
  if (fs::exists(claim_file(claim.item, claim.number + 1), failed)) return false;
  return create_file(folder_ / "results" / fmt::format("{}.{}", claim.item, claim.number), result);
}

Result<void> WorkFolder::give_back(const Claim& claim) const {
  ASSAY_CHECK(create_file(claim_file(claim.item, claim.number).string() + ".back", ""));
  return {};
}

bool WorkFolder::stopped() const {
  std::error_code failed;
  return fs::exists(folder_ / "stop", failed);
}

bool WorkFolder::attended(milliseconds within) const {
  return !expired(folder_ / "coordinator", within, now());
}

// Now is when a file that is written now was changed.
std::optional<milliseconds> WorkFolder::now() const {
  const fs::path clock = folder_ / fmt::format(".clock-{}", ::getpid());
  if (!touch(clock) && !write_scratch_file(clock, "")) return std::nullopt;
  return changed_at(clock);
}

fs::path WorkFolder::claim_file(const std::string& item, int number) const {
  return folder_ / "claims" / fmt::format("{}.{}", item, number);
}

}  // namespace assay::cluster
