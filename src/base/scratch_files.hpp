// SPDX-License-Identifier: MIT
// Files of this run alone that have no name anywhere: in memory (memfd) or on the disk (O_TMPFILE), gone with the
// process however it ends. Other processes of this user open them, to read or to write in place, by the path that
// leads through our descriptor: /proc/PID/fd/N.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "base/result.hpp"

namespace assay {

class ScratchFiles {
 public:
  // In memory if `bytes` in all fit there with room to spare, else where temporary files go.
  explicit ScratchFiles(uint64_t bytes);
  ~ScratchFiles();
  ScratchFiles(const ScratchFiles&) = delete;
  ScratchFiles& operator=(const ScratchFiles&) = delete;

  // The file that this object calls so; empty at first. Safe from several threads.
  Result<std::filesystem::path> file(const std::string& name);
  bool in_memory() const { return in_memory_; }

 private:
  bool in_memory_;
  std::mutex mutex_;
  std::map<std::string, int> files_;
};

// A file without contents: what lies there is cut off.
Result<void> empty_file(const std::filesystem::path& path);

}  // namespace assay
