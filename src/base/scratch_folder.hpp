// SPDX-License-Identifier: MIT
// A folder for this run alone, removed at the end.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace assay {

class ScratchFolder {
 public:
  // In memory (/dev/shm) if `bytes` fit there with room to spare, else where temporary files go.
  static Result<ScratchFolder> make(uint64_t bytes);
  static Result<ScratchFolder> make_in(const std::filesystem::path& parent);  // which exists
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace assay
