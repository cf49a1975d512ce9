// SPDX-License-Identifier: MIT
// What long work is given beside its request: somebody who listens, and a way to stop it.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "assay/exit_code.hpp"

// The program that runs kernels, references and providers in processes of their own. An installed package sets it to
// its own `assay`.
#ifndef ASSAY_PROGRAM
#define ASSAY_PROGRAM "/proc/self/exe"
#endif

namespace assay {

// Hears how far work has come. Calls may come from several threads.
class Listener {
 public:
  virtual ~Listener() = default;

  virtual void begin(const std::string& title, size_t pieces) = 0;
  virtual void advance(const std::string& piece) = 0;  // one piece more is done
  virtual void step(const std::string& what) = 0;      // what is being done just now
  virtual void note(const std::string& line) = 0;      // worth keeping on the screen
  virtual void end() = 0;                              // of what began last
  virtual void warn(const std::string& line) = 0;      // something that the report does not hold, as an unusable ledger
};

// Work looks at it between pieces and while it waits; what is finished by then stays recorded.
class CancellationToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }  // safe in a signal handler
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

// The exit code of work that was stopped: what a shell says of a program that Ctrl-C ended.
inline constexpr ExitCode kInterrupted = static_cast<ExitCode>(130);

struct Context {
  Listener* listener = nullptr;                     // null: nobody listens
  const CancellationToken* cancellation = nullptr;  // null: it cannot be stopped
  std::string program = ASSAY_PROGRAM;

  bool cancelled() const { return cancellation != nullptr && cancellation->cancelled(); }
};

}  // namespace assay
