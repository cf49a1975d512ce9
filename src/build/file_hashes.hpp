// SPDX-License-Identifier: MIT
// Content hashes of files that are asked for many times: each is read once as long as it does not change.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace assay::build {

class FileHashes {
 public:
  // Empty if the file cannot be read. Safe from several threads.
  std::optional<std::string> hash_of(const std::filesystem::path& file);

  // A set of files that was just found to be as it should is not looked at again for a second: the configurations of a
  // kernel all depend on the same few hundred headers.
  void confirm(const std::string& set);
  bool is_confirmed(const std::string& set);

 private:
  struct Known {
    int64_t time_ns = 0;
    int64_t size = 0;
    uint64_t inode = 0;
    std::string hash;
  };

  std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::chrono::steady_clock::time_point> confirmed_;
};

}  // namespace assay::build
