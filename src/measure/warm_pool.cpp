// SPDX-License-Identifier: MIT
#include "measure/warm_pool.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace assay::measure {
namespace {

bool switched_off() {
  const char* choice = std::getenv("ASSAY_WARM_POOL");
  return choice != nullptr && std::string_view(choice) == "none";
}

// Python puts the cause last.
std::string last_line(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const size_t at = trimmed.rfind('\n');
  return escape_terminal(at == std::string_view::npos ? trimmed : trimmed.substr(at + 1));
}

}  // namespace

WarmPools& WarmPools::of_this_process() {
  static WarmPools pools;
  return pools;
}

WarmPools::Pool WarmPools::start(const Contender& contender) {
  Pool pool;
  pool.name = fmt::format("assay-warm-{:016x}{:016x}", system_random(), system_random());
  std::vector<std::string> words{contender.arguments.front(), "-B", (contender.warm_folder / "warm_pool.py").string(),
                                 pool.name};
  for (const std::string_view module : split(contender.preload, ' ')) words.emplace_back(module);
  auto process = Child::start(words);
  if (!process) {
    complaints_.push_back("there is no warm pool: " + process.error().message);
    return pool;
  }
  // Who comes before it listens is not heard; who comes while it imports waits.
  std::string line;
  if ((*process)->receive(line, std::chrono::seconds(20)) == Child::Answer::line) {
    pool.process = std::move(*process);
  } else {
    const std::string how = (*process)->stop();
    complaints_.push_back(
        fmt::format("there is no warm pool: the process {}, {}", how, last_line((*process)->errors())));
  }
  return pool;
}

bool WarmPools::lives(Pool& pool) {
  if (!pool.process) return false;
  constexpr std::chrono::milliseconds kGlance{3};
  std::string line;
  while (true) {
    switch (pool.process->receive(line, kGlance)) {
      case Child::Answer::line:
        continue;
      case Child::Answer::timed_out:
        return true;
      case Child::Answer::ended:
        break;
    }
    const std::string how = pool.process->stop();
    const std::string why = last_line(pool.process->errors());
    complaints_.push_back(
        fmt::format("the warm pool {}{}{}: contenders start as fresh processes", how, why.empty() ? "" : ", ", why));
    pool.process.reset();
    return false;
  }
}

std::vector<std::string> WarmPools::words(const Contender& contender) {
  if (contender.warm_folder.empty() || switched_off()) return contender.arguments;
  const std::lock_guard lock(mutex_);
  const std::string key = contender.arguments.front() + "\n" + contender.preload;
  auto found = pools_.find(key);
  if (found == pools_.end()) found = pools_.emplace(key, start(contender)).first;
  if (!lives(found->second)) return contender.arguments;
  std::vector<std::string> words{contender.arguments.front(), "-I", "-S",
                                 (contender.warm_folder / "warm_start.py").string(), found->second.name};
  words.insert(words.end(), contender.arguments.begin(), contender.arguments.end());
  return words;
}

std::vector<std::string> WarmPools::take_complaints() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, pool] : pools_) lives(pool);
  return std::exchange(complaints_, {});
}

}  // namespace assay::measure
