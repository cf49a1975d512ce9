// SPDX-License-Identifier: MIT
// Mutual exclusion by name between threads and processes. The system releases it when its holder dies, however it dies.
#pragma once

#include <filesystem>

namespace assay::build {

class CacheLock {
 public:
  // Waits until it is free. On a file system without locks nothing is held: work may then be done twice, never wrongly.
  explicit CacheLock(std::filesystem::path file);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

  bool held() const { return descriptor_ >= 0; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace assay::build
