// SPDX-License-Identifier: MIT
#include "work/evolve_folder.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/repository.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCopied = size_t{16} << 20;  // larger files are linked, and their hash is watched
constexpr size_t kMostFiles = 2000;

bool is_hidden(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name == "__pycache__";
}

Result<std::string> hash_of(const fs::path& file) {
  ASSAY_TRY(const std::string content, read_file(file, size_t{1} << 34));
  return content_hash(content);
}

Result<void> read_folder(KernelSnapshot& snapshot) {
  std::error_code failed;
  auto at = fs::recursive_directory_iterator(snapshot.folder, fs::directory_options::skip_permission_denied, failed);
  if (failed)
    return Error{fmt::format("the folder cannot be read: {}", failed.message()), Place{snapshot.folder.string()}};
  for (; at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (failed) return Error{failed.message(), Place{snapshot.folder.string()}, {}, ExitCode::environment};
    if (is_hidden(at->path())) {
      if (at->is_directory(failed)) at.disable_recursion_pending();
      continue;
    }
    if (!at->is_regular_file(failed)) continue;
    const std::string path = at->path().lexically_relative(snapshot.folder).generic_string();
    if (snapshot.files.size() + snapshot.large_files.size() == kMostFiles)
      return Error{fmt::format("the kernel's folder holds more than {} files", kMostFiles),
                   Place{snapshot.folder.string()}, "give the kernel a folder of its own"};
    if (at->file_size(failed) > kCopied) {
      ASSAY_TRY(snapshot.large_files[path], hash_of(at->path()));
    } else {
      ASSAY_TRY(snapshot.files[path], read_file(at->path()));
    }
  }
  return {};
}

// Everything beside the folders on the way from `root` to the kernel, as links.
Result<fs::path> mirrored(const fs::path& root, const fs::path& kernel, const fs::path& into) {
  std::error_code failed;
  fs::path original = root;
  fs::path copy = into;
  for (const fs::path& part : kernel.lexically_relative(root)) {
    for (const auto& entry : fs::directory_iterator(original, failed)) {
      if (is_hidden(entry.path()) || entry.path().filename() == part) continue;
      fs::create_symlink(entry.path(), copy / entry.path().filename(), failed);
      if (failed) return Error{failed.message(), Place{copy.string()}, {}, ExitCode::environment};
    }
    original /= part;
    copy /= part;
    fs::create_directory(copy, failed);
    if (failed) return Error{failed.message(), Place{copy.string()}, {}, ExitCode::environment};
  }
  return copy;
}

// A reference or a launch function may include headers, and looks for them beside itself first: neither those that are
// there may be changed, nor may others appear in their places. The kernel's own sources stay the proposer's.
void keep_what_others_read(KernelSnapshot& snapshot, const std::set<std::string>& named,
                           const std::set<std::string>& sources) {
  for (const std::string& path : evolve::inside_includes(snapshot.files, named)) {
    if (sources.contains(path)) continue;
    snapshot.rules.may_change.erase(path);
    snapshot.rules.there.insert(path);
  }
}

Result<void> write(const fs::path& file, const std::string& content) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  return write_scratch_file(file, content);
}

}  // namespace

Result<KernelSnapshot> take_snapshot(const spec::KernelSpec& spec, const build::BuildResult& built) {
  KernelSnapshot snapshot;
  std::error_code failed;
  snapshot.folder = fs::canonical(spec.folder.empty() ? fs::path(".") : spec.folder, failed);
  if (failed) return Error{failed.message(), Place{spec.folder.string()}};
  snapshot.specification_file = spec.file.filename().string();
  ASSAY_CHECK(read_folder(snapshot));
  const auto text = snapshot.files.find(snapshot.specification_file);
  if (text == snapshot.files.end())
    return Error{"the specification is not in the kernel's folder", Place{spec.file.string()}};
  snapshot.original.text = text->second;
  for (const spec::Tunable& each : spec.tunable.tunables) snapshot.original.tunables.insert(each.name);
  for (const std::string& each : spec.shapes.dimensions) snapshot.original.other_names.insert(each);
  for (const spec::Let& each : spec.lets) snapshot.original.other_names.insert(each.name);
  ASSAY_TRY(const spec::Configuration usual, spec::default_configuration(spec));
  snapshot.original.configuration = spec.tunable.tunables.empty() ? "" : usual.id();
  std::set<std::string> named;  // by the specification, for another purpose than to be compiled
  std::set<std::string> sources;
  for (const fs::path& each : spec.sources()) sources.insert(each.lexically_normal().generic_string());
  for (const fs::path& each : spec.named_files()) {
    const std::string path = each.lexically_normal().generic_string();
    if (!sources.contains(path)) named.insert(path);
  }
  const auto may_change = [&](const std::string& path) {
    if (snapshot.files.contains(path) && !named.contains(path) && path != snapshot.specification_file)
      snapshot.rules.may_change.insert(path);
  };
  for (const std::string& each : sources) may_change(each);
  const fs::path source_folder = spec.kernel.source.parent_path();
  for (const build::Dependency& each : built.sources) {
    const fs::path path = (source_folder / each.path).lexically_normal();
    if (path.is_absolute() || *path.begin() == "..") {
      ASSAY_TRY(snapshot.outside[path.generic_string()], hash_of(snapshot.folder / path));
    } else {
      may_change(path.generic_string());
    }
  }
  keep_what_others_read(snapshot, named, sources);
  for (const auto& [path, content] : snapshot.files) snapshot.rules.there.insert(path);
  for (const auto& [path, hash] : snapshot.large_files) snapshot.rules.there.insert(path);
  // A reference, inputs or a launch function outside of the folder are watched as well.
  for (const std::string& each : named) {
    if (!each.starts_with("..") && !each.starts_with("/")) continue;
    ASSAY_TRY(snapshot.outside[each], hash_of(snapshot.folder / each));
  }
  evolve::Files changeable;
  for (const std::string& path : snapshot.rules.may_change) changeable[path] = snapshot.files[path];
  snapshot.rules.includes = evolve::outside_includes(changeable);
  snapshot.rules.words = evolve::words_of_the_compilation(changeable);
  if (snapshot.rules.may_change.empty())
    return Error{"no source of the kernel lies in its own folder, so nothing may be changed", Place{spec.file.string()},
                 "put the source beside kernel.toml"};
  return snapshot;
}

evolve::Candidate first_candidate(const KernelSnapshot& snapshot, const std::string& configuration) {
  evolve::Candidate first;
  for (const std::string& path : snapshot.rules.may_change) first.files[path] = snapshot.files.at(path);
  first.configuration = configuration;
  first.id = evolve::id_of(first);
  return first;
}

std::string tampered(const KernelSnapshot& snapshot) {
  for (const auto& [path, content] : snapshot.files) {
    if (snapshot.rules.may_change.contains(path)) continue;
    const auto now = read_file(snapshot.folder / path);
    if (!now) return fmt::format("'{}' is gone", path);
    if (*now != content) return fmt::format("'{}' was changed", path);
  }
  for (const auto* watched : {&snapshot.large_files, &snapshot.outside}) {
    for (const auto& [path, hash] : *watched) {
      const auto now = hash_of(snapshot.folder / path);
      if (!now) return fmt::format("'{}' is gone", path);
      if (*now != hash) return fmt::format("'{}' was changed", path);
    }
  }
  return "";
}

std::string protected_hash(const KernelSnapshot& snapshot) {
  Hasher hasher;
  for (const auto& [path, content] : snapshot.files) {
    if (!snapshot.rules.may_change.contains(path)) hasher.add(path).add(content);
  }
  for (const auto* watched : {&snapshot.large_files, &snapshot.outside}) {
    for (const auto& [path, hash] : *watched) hasher.add(path).add(hash);
  }
  return hasher.hex();
}

Result<CandidateFolder> CandidateFolder::make(const KernelSnapshot& snapshot, const evolve::Candidate& candidate) {
  ASSAY_TRY(ScratchFolder scratch, ScratchFolder::make());
  CandidateFolder made(std::move(scratch));
  fs::path root = repository_of(snapshot.folder);
  std::error_code failed;
  if (!root.empty()) root = fs::canonical(root, failed);
  // A kernel that is the repository itself, or stands in none, has neighbours all the same.
  if (root.empty() || root == snapshot.folder) root = snapshot.folder.parent_path();
  ASSAY_TRY(made.path_, mirrored(root, snapshot.folder, made.scratch_.path()));
  for (const auto& [path, content] : snapshot.files) {
    if (!candidate.files.contains(path) && path != snapshot.specification_file)
      ASSAY_CHECK(write(made.path_ / path, content));
  }
  for (const auto& [path, hash] : snapshot.large_files) {
    fs::create_directories((made.path_ / path).parent_path(), failed);
    fs::create_symlink(snapshot.folder / path, made.path_ / path, failed);
  }
  for (const auto& [path, content] : candidate.files) ASSAY_CHECK(write(made.path_ / path, content));
  made.specification_ = made.path_ / snapshot.specification_file;
  ASSAY_TRY(const std::string specification, evolve::specification_of(candidate, snapshot.original));
  ASSAY_CHECK(write(made.specification_, specification));
  return made;
}

}  // namespace assay::work
