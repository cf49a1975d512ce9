// SPDX-License-Identifier: MIT
// The commits of a repository, read by git. Nothing in it is changed: no file, no index, no worktree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::bisect {

struct Commit {
  std::string id;  // 40 digits
  std::string short_id;
  std::string author;
  std::string date;  // ISO 8601
  std::string subject;
};

class History {
 public:
  // The repository that the folder lies in.
  static Result<History> open(const std::filesystem::path& folder);

  const std::filesystem::path& root() const { return root_; }

  Result<std::string> resolve(const std::string& revision) const;  // a commit's id
  Result<bool> is_ancestor(const std::string& older, const std::string& newer) const;
  // Along the first parents, the oldest first: everything that `newer` has and `older` has not.
  Result<std::vector<std::string>> between(const std::string& older, const std::string& newer) const;
  // The same from the beginning of history.
  Result<std::vector<std::string>> up_to(const std::string& newest) const;
  Result<Commit> describe(const std::string& id) const;

  // The files of a commit into a folder, which is made; `index` is a file of ours.
  Result<void> extract(const std::string& id, const std::filesystem::path& folder,
                       const std::filesystem::path& index) const;

 private:
  explicit History(std::filesystem::path root) : root_(std::move(root)) {}
  Result<std::string> git(const std::vector<std::string>& arguments, const std::filesystem::path& index = {}) const;

  std::filesystem::path root_;
};

}  // namespace assay::bisect
