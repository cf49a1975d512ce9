// SPDX-License-Identifier: MIT
#include "build/cached_compile.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "build/cache_record.hpp"

namespace assay::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutputName = "output.txt";
constexpr const char* kPtxasName = "ptxas.txt";
constexpr std::string_view kFormat = "1";  // changes when the same request must give another artifact

// When the file was last changed, by the file system's clock; 0 if there is none. That clock runs some milliseconds
// behind the system's, so only times of files are compared with each other.
int64_t changed_ns(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return 0;
  return status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
}

std::vector<fs::path> search_folders(const CompileRequest& request) {
  std::vector<fs::path> folders{fs::absolute(request.source).lexically_normal().parent_path()};
  for (const fs::path& folder : request.include_folders) folders.push_back(fs::absolute(folder).lexically_normal());
  return folders;
}

std::string key_of(const Toolkit& toolkit, const CompileRequest& request, const std::string& source_hash) {
  Hasher hasher;
  hasher.add(kFormat)
      .add(toolkit.identity)
      .add(request.target)
      .add(request.source.filename().string())
      .add(source_hash);
  hasher.add("defines");
  for (const std::string& define : request.defines) hasher.add(define);
  hasher.add("flags");
  for (const std::string& flag : request.flags) hasher.add(flag);
  // Relative to the source, so that a project that was moved or cloned finds its builds again.
  hasher.add("folders");
  const std::vector<fs::path> folders = search_folders(request);
  for (size_t i = 1; i < folders.size(); ++i) hasher.add(folders[i].lexically_relative(folders[0]).string());
  if (request.link) hasher.add("link");
  for (const fs::path& further : request.further_sources)
    hasher.add(fs::absolute(further).lexically_normal().lexically_relative(folders[0]).string());
  return hasher.hex();
}

// A file that changed while the compiler ran may have been read in either state: such an entry must never match.
// The same if the list of dependencies could not be read.
std::vector<Dependency> hash_dependencies(const std::vector<std::string>& paths, const std::vector<fs::path>& search,
                                          int64_t started_ns, FileHashes& hashes) {
  const std::string kNever(32, '-');
  std::vector<Dependency> dependencies;
  if (paths.empty()) dependencies.push_back({"unknown", kNever});
  for (const std::string& path : paths) {
    const fs::path file = (path.starts_with('/') ? fs::path(path) : search[0] / path).lexically_normal();
    const bool changed = changed_ns(file) > started_ns;
    const std::optional<std::string> hash = changed ? std::nullopt : hashes.hash_of(file);
    dependencies.push_back({path, hash.value_or(kNever), !is_shadowed(file, search)});
  }
  return dependencies;
}

Result<Compilation> from_entry(const fs::path& entry) {
  Compilation result;
  result.succeeded = true;
  result.ptx = entry / kPtxName;
  result.cubin = entry / kCubinName;
  ASSAY_TRY(result.output, read_file(entry / kOutputName));
  ASSAY_TRY(result.ptxas_output, read_file(entry / kPtxasName));
  ASSAY_TRY(const std::string text, read_file(entry / kRecordName));
  const std::optional<CacheRecord> record = parse_record(text);
  for (const Dependency& dependency : record ? record->dependencies : std::vector<Dependency>()) {
    if (!dependency.path.starts_with('/')) result.sources.push_back(dependency);
  }
  return result;
}

// Removes the draft however the compilation ends; after publication there is nothing left to remove.
struct DraftGuard {
  fs::path draft;
  ~DraftGuard() {
    std::error_code ignored;
    fs::remove_all(draft, ignored);
  }
};

Result<Compilation> compile_now(const ArtifactCache& cache, const Toolkit& toolkit, FileHashes& hashes,
                                const CompileRequest& request, const std::string& key,
                                std::chrono::milliseconds time_limit) {
  ASSAY_TRY(const fs::path draft, cache.make_draft());
  const DraftGuard guard{draft};
  const int64_t started_ns = changed_ns(draft);
  ASSAY_TRY(const CompileOutcome outcome, compile(toolkit, request, draft, time_limit));
  if (!outcome.succeeded) {
    Compilation failed;
    failed.timed_out = outcome.timed_out;
    failed.end = outcome.end;
    failed.output = outcome.output;
    failed.duration = outcome.duration;
    return failed;
  }
  ASSAY_CHECK(write_file_atomically(draft / kOutputName, outcome.output));
  ASSAY_CHECK(write_file_atomically(draft / kPtxasName, outcome.ptxas_output));
  const std::vector<Dependency> dependencies =
      hash_dependencies(outcome.dependencies, search_folders(request), started_ns, hashes);
  ASSAY_TRY(const fs::path entry,
            cache.publish(key, draft, {kPtxName, kCubinName, kOutputName, kPtxasName}, dependencies));
  ASSAY_TRY(Compilation result, from_entry(entry));
  result.duration = outcome.duration;
  return result;
}

}  // namespace

Result<Compilation> compile_cached(const ArtifactCache& cache, const Toolkit& toolkit, FileHashes& hashes,
                                   const CompileRequest& request, std::chrono::milliseconds time_limit) {
  const std::optional<std::string> source_hash = hashes.hash_of(request.source);
  if (!source_hash) return Error{"cannot read the source file", Place{request.source.string()}, "", ExitCode::usage};
  const std::string key = key_of(toolkit, request, *source_hash);
  const std::vector<fs::path> search = search_folders(request);

  std::unique_ptr<CacheLock> lock;  // taken only for a second look, after the first found nothing
  for (int look = 0; look < 2; ++look) {
    if (const std::optional<fs::path> entry = cache.find(key, search, hashes)) {
      ASSAY_TRY(Compilation result, from_entry(*entry));
      result.from_cache = true;
      return result;
    }
    if (look == 0) lock = cache.lock(key);
  }
  return compile_now(cache, toolkit, hashes, request, key, time_limit);
}

}  // namespace assay::build
