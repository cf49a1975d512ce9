// SPDX-License-Identifier: MIT
// A folder of compiled artifacts, found again by the content of everything that went into them.
//
//   compilers/<hash>                   what a compiler says of its version
//   entries/<xx>/<key>/<variant>/      an artifact: its files and a record of their hashes and of the dependencies
//   drafts/<unique>/                   being made; moved into entries/ in one step when complete
//   locks/<key>                        held by whoever makes that artifact
//
// The key stands for the source's content, flags, defines, target and compiler. Under it there is a variant for each
// state of the included files; which one applies is decided by hashing those files now, so a changed header is never
// missed. Processes may share the folder and may be killed at any moment.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/cache_lock.hpp"
#include "build/file_hashes.hpp"

namespace assay::build {

struct Dependency {
  std::string path;        // relative ones are relative to the source's folder
  std::string hash;        // of its content
  bool shadowable = true;  // a file of the same name in a folder that is searched earlier counts as a change
};

// Whether a folder that is searched before the one in which `file` lies holds a file of its name.
bool is_shadowed(const std::filesystem::path& file, const std::vector<std::filesystem::path>& search);

class ArtifactCache {
 public:
  // $ASSAY_CACHE, else $XDG_CACHE_HOME/assay, else ~/.cache/assay; without a home .cache/assay in the current folder.
  static std::filesystem::path default_folder();

  // Creates the folder, and removes what killed processes and long unused builds left in it.
  static Result<ArtifactCache> open(const std::filesystem::path& folder = default_folder());

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path compilers_folder() const { return folder_ / "compilers"; }

  // The folder of a complete and undamaged entry whose dependencies are as they were, or nothing. Damaged ones go.
  // `search` are the folders in which includes are looked for, in order, the source's own first.
  std::optional<std::filesystem::path> find(const std::string& key, const std::vector<std::filesystem::path>& search,
                                            FileHashes& hashes) const;

  std::unique_ptr<CacheLock> lock(const std::string& key) const;

  // An empty folder to make an artifact in.
  Result<std::filesystem::path> make_draft() const;
  // Moves the draft's `files` to their place and returns it.
  Result<std::filesystem::path> publish(const std::string& key, const std::filesystem::path& draft,
                                        const std::vector<std::string>& files,
                                        const std::vector<Dependency>& dependencies) const;

 private:
  explicit ArtifactCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path key_folder(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace assay::build
