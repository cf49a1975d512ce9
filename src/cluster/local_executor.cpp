// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/child.hpp"
#include "cluster/executor.hpp"

namespace assay::cluster {
namespace {

class LocalExecutor final : public Executor {
 public:
  explicit LocalExecutor(std::vector<std::map<std::string, std::string>> environments)
      : environments_(std::move(environments)) {}

  Result<void> start(const std::vector<std::string>& command) override {
    Command process;
    process.arguments = command;
    const size_t place = least_used();
    if (!environments_.empty()) process.environment = environments_[place];
    ASSAY_TRY(std::unique_ptr<Child> child, Child::start(process));
    children_.push_back({place, std::move(child)});
    return {};
  }

  Result<size_t> present() override {
    const auto soon = std::chrono::milliseconds(5);
    std::erase_if(children_, [&](const auto& each) { return each.child->finish("", Child::Clock::now() + soon); });
    return children_.size();
  }

  std::string state() const override { return fmt::format("{} running", children_.size()); }

  void end_all() override {
    // They see that the folder says stop; whoever is in the middle of something is ended.
    const auto deadline = Child::Clock::now() + std::chrono::seconds(2);
    for (const auto& each : children_) each.child->finish("", deadline);
    children_.clear();
  }

 private:
  struct Worker {
    size_t place;  // of its environment
    std::unique_ptr<Child> child;
  };

  // Whoever takes a lost worker's place gets its GPU: two on one would disturb each other.
  size_t least_used() const {
    std::vector<size_t> used(std::max<size_t>(1, environments_.size()));
    for (const Worker& each : children_) ++used[each.place];
    return static_cast<size_t>(std::ranges::min_element(used) - used.begin());
  }

  const std::vector<std::map<std::string, std::string>> environments_;
  std::vector<Worker> children_;
};

}  // namespace

std::unique_ptr<Executor> local_executor(std::vector<std::map<std::string, std::string>> environments) {
  return std::make_unique<LocalExecutor>(std::move(environments));
}

}  // namespace assay::cluster
