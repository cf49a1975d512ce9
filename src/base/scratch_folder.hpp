// SPDX-License-Identifier: MIT
// A folder for this run alone, removed at the end. Should the process be killed, the next one that makes such a folder
// in the same place removes it: its owner holds a lock on it, which ends with the owner.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace assay {

class ScratchFolder {
 public:
  static Result<ScratchFolder> make();                                        // where temporary files go
  static Result<ScratchFolder> make_in(const std::filesystem::path& parent);  // which exists
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_;
};

// Removes the scratch folders in `parent` whose owners are gone.
void remove_abandoned_folders(const std::filesystem::path& parent);

}  // namespace assay
