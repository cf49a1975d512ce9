// SPDX-License-Identifier: MIT
// Progress of long work on standard error: one line that rewrites itself on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace assay {

class Progress {
 public:
  // `quiet` shows nothing (for --json runs whose caller reads standard error too).
  Progress(std::string title, size_t total, bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(const std::string& what);  // one piece more is done; safe from several threads
  void step(const std::string& what);     // what is being done just now
  void note(const std::string& line);     // a line that stays

 private:
  void show_if_due(const std::string& what);
  void show(const std::string& what);
  void clear();

  const std::string title_;
  const size_t total_;
  const bool quiet_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_shown_;
  size_t done_ = 0;
  bool line_open_ = false;
  std::mutex mutex_;
};

}  // namespace assay
