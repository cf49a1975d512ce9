// SPDX-License-Identifier: MIT
#include "build/artifact_cache.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "build/cache_record.hpp"
#include "build/cache_upkeep.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

Error trouble(const fs::path& path, std::string_view what, const std::error_code& failed) {
  return Error{fmt::format("{}: {}", what, failed.message()), Place{path.string()},
               "set ASSAY_CACHE to a folder that can be written", ExitCode::environment};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path resolve(const std::string& path, const fs::path& source_folder) {
  return path.starts_with('/') ? fs::path(path) : source_folder / path;
}

bool is_current(const CacheRecord& record, const std::string& variant, const std::vector<fs::path>& search,
                FileHashes& hashes) {
  std::string set = variant;
  for (const fs::path& folder : search) set += '\n' + folder.string();
  if (hashes.is_confirmed(set)) return true;
  for (const Dependency& dependency : record.dependencies) {
    const fs::path file = resolve(dependency.path, search.at(0)).lexically_normal();
    if (hashes.hash_of(file) != dependency.hash || (dependency.shadowable && is_shadowed(file, search))) return false;
  }
  hashes.confirm(set);
  return true;
}

bool is_intact(const CacheRecord& record, const fs::path& entry) {
  for (const RecordedFile& file : record.files) {
    const Result<std::string> content = read_file(entry / file.name);
    if (!content || content_hash(*content) != file.hash) return false;
  }
  return !record.files.empty();
}

std::string variant_of(const std::vector<Dependency>& dependencies) {
  Hasher hasher;
  for (const Dependency& dependency : dependencies) {
    hasher.add(dependency.path).add(dependency.hash).add(dependency.shadowable ? "1" : "0");
  }
  return hasher.hex();
}

}  // namespace

bool is_shadowed(const fs::path& file, const std::vector<fs::path>& search) {
  std::error_code failed;
  for (size_t found_in = 0; found_in <= search.size(); ++found_in) {
    std::string name;
    if (found_in < search.size()) {
      name = file.lexically_relative(search[found_in]).string();
      if (name.empty() || name.starts_with("..")) continue;
    } else {  // a system folder
      const size_t end = file.string().rfind("/include/");
      if (end == std::string::npos) return false;
      name = file.string().substr(end + 9);
    }
    for (size_t earlier = 0; earlier < found_in; ++earlier) {
      if (fs::is_regular_file(search[earlier] / name, failed)) return true;
    }
    return false;
  }
  return false;
}

fs::path ArtifactCache::default_folder() {
  if (const std::string given = variable("ASSAY_CACHE"); !given.empty()) return given;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "assay";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "assay";
  return fs::path(".cache") / "assay";
}

Result<ArtifactCache> ArtifactCache::open(const fs::path& folder) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(folder, failed);
  for (const char* name : {"compilers", "entries", "drafts", "locks"}) {
    fs::create_directories(absolute / name, failed);
    if (failed) return trouble(absolute / name, "cannot create the cache folder", failed);
  }
  tidy_cache(absolute, fs::file_time_type::clock::now());
  return ArtifactCache(absolute);
}

fs::path ArtifactCache::key_folder(const std::string& key) const {
  return folder_ / "entries" / key.substr(0, 2) / key;
}

std::unique_ptr<CacheLock> ArtifactCache::lock(const std::string& key) const {
  return std::make_unique<CacheLock>(folder_ / "locks" / key);
}

std::optional<fs::path> ArtifactCache::find(const std::string& key, const std::vector<fs::path>& search,
                                            FileHashes& hashes) const {
  std::error_code failed;
  for (fs::directory_iterator it(key_folder(key), failed), end; !failed && it != end; it.increment(failed)) {
    fs::path entry = it->path();
    const Result<std::string> text = read_file(entry / kRecordName, size_t{16} << 20);
    const std::optional<CacheRecord> record = text ? parse_record(*text) : std::nullopt;
    const std::string variant = entry.filename().string();
    const bool whole = record && variant_of(record->dependencies) == variant;
    if (whole && !is_current(*record, variant, search, hashes)) continue;
    if (whole && is_intact(*record, entry)) {
      touch_entry(entry);
      return entry;
    }
    // Damaged: out of the way in one step, so that nobody sees it half removed.
    const fs::path rubbish = folder_ / "drafts" / draft_name();
    std::error_code ignored;
    fs::rename(entry, rubbish, ignored);
    fs::remove_all(rubbish, ignored);
  }
  return std::nullopt;
}

Result<fs::path> ArtifactCache::make_draft() const {
  const fs::path draft = folder_ / "drafts" / draft_name();
  std::error_code failed;
  fs::create_directories(draft, failed);
  if (failed) return trouble(draft, "cannot create a folder in the cache", failed);
  return draft;
}

Result<fs::path> ArtifactCache::publish(const std::string& key, const fs::path& draft,
                                        const std::vector<std::string>& files,
                                        const std::vector<Dependency>& dependencies) const {
  CacheRecord record{.files = {}, .dependencies = dependencies};
  for (const std::string& name : files) {
    ASSAY_TRY(const std::string content, read_file(draft / name));
    record.files.push_back({name, content_hash(content)});
  }
  ASSAY_CHECK(write_file_atomically(draft / kRecordName, to_text(record)));

  const fs::path entry = key_folder(key) / variant_of(dependencies);
  std::error_code failed;
  fs::create_directories(entry.parent_path(), failed);
  if (failed) return trouble(entry, "cannot create a folder in the cache", failed);
  for (int attempt = 0; attempt < 3; ++attempt) {
    fs::rename(draft, entry, failed);
    if (!failed) return entry;
    // There is one already (only where locks do not work, or after damage that find() could not remove): ours replaces
    // it.
    std::error_code ignored;
    const fs::path rubbish = folder_ / "drafts" / draft_name();
    fs::rename(entry, rubbish, ignored);
    fs::remove_all(rubbish, ignored);
  }
  return trouble(entry, "cannot put an artifact into the cache", failed);
}

}  // namespace assay::build
