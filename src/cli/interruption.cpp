// SPDX-License-Identifier: MIT
#include "cli/interruption.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include "assay/exit_code.hpp"
#include "base/child.hpp"

namespace assay::cli {
namespace {

CancellationToken token;
std::atomic<int> caught{0};

extern "C" void on_signal(int signal) {
  if (caught.exchange(signal) != 0) ::_exit(128 + signal);
  token.cancel();
  stop_waiting_for_children();
}

}  // namespace

void catch_interruptions() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  // SIGUSR1: batch systems send it some time before they end a job.
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) ::sigaction(signal, &action, nullptr);
}

const CancellationToken& interruption() {
  return token;
}

int report_interruption() {
  std::fputs("assay: interrupted. What was finished is recorded (assay log); the same command goes on from the cache\n",
             stderr);
  const int signal = caught.load();
  return signal == 0 ? static_cast<int>(kInterrupted) : 128 + signal;
}

}  // namespace assay::cli
