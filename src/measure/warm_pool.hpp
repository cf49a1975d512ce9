// SPDX-License-Identifier: MIT
// Contenders in Python start in a fraction of a second: one process imports PyTorch, touches no GPU, and is forked for
// each of them (providers/warm_pool.py). Every command that measures uses the same pools: they belong to this process,
// start with the first contender that can use them, and end with it, as everything does that we start.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/child.hpp"
#include "measure/contender.hpp"

namespace assay::measure {

class WarmPools {
 public:
  static WarmPools& of_this_process();

  // The words that start this contender: through a pool where it has one that lives, else its own.
  std::vector<std::string> words(const Contender& contender);
  // Which pools have ended and how, once: contenders start as fresh processes since then.
  std::vector<std::string> take_complaints();

 private:
  struct Pool {
    std::string name;  // of its socket
    std::unique_ptr<Child> process;
  };
  bool lives(Pool& pool);
  Pool start(const Contender& contender);

  std::mutex mutex_;
  std::map<std::string, Pool> pools_;  // by interpreter and modules
  std::vector<std::string> complaints_;
};

}  // namespace assay::measure
