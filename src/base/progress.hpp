// SPDX-License-Identifier: MIT
// Progress of long work, for whoever listens.
#pragma once

#include <cstddef>
#include <string>

#include "assay/context.hpp"
#include "base/result.hpp"

namespace assay {

class Progress {
 public:
  Progress(const Context& context, const std::string& title, size_t pieces) : listener_(context.listener) {
    if (listener_ != nullptr) listener_->begin(title, pieces);
  }
  ~Progress() {
    if (listener_ != nullptr) listener_->end();
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(const std::string& piece) {
    if (listener_ != nullptr) listener_->advance(piece);
  }
  void step(const std::string& what) {
    if (listener_ != nullptr) listener_->step(what);
  }
  void note(const std::string& line) {
    if (listener_ != nullptr) listener_->note(line);
  }

 private:
  Listener* listener_;
};

// An error once the user has asked to stop.
inline Result<void> check_cancelled(const Context& context) {
  if (!context.cancelled()) return {};
  return Error{"interrupted", {}, {}, kInterrupted};
}

}  // namespace assay
