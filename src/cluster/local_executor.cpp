// SPDX-License-Identifier: MIT
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
    if (!environments_.empty()) process.environment = environments_[started_ % environments_.size()];
    ++started_;
    ASSAY_TRY(std::unique_ptr<Child> child, Child::start(process));
    children_.push_back(std::move(child));
    return {};
  }

  Result<size_t> present() override {
    const auto soon = std::chrono::milliseconds(5);
    std::erase_if(children_, [&](const auto& child) { return child->finish("", Child::Clock::now() + soon); });
    return children_.size();
  }

  std::string state() const override { return fmt::format("{} running", children_.size()); }

  void end_all() override {
    // They see that the folder says stop; whoever is in the middle of something is ended.
    const auto deadline = Child::Clock::now() + std::chrono::seconds(2);
    for (const auto& child : children_) child->finish("", deadline);
    children_.clear();
  }

 private:
  const std::vector<std::map<std::string, std::string>> environments_;
  std::vector<std::unique_ptr<Child>> children_;
  size_t started_ = 0;
};

}  // namespace

std::unique_ptr<Executor> local_executor(std::vector<std::map<std::string, std::string>> environments) {
  return std::make_unique<LocalExecutor>(std::move(environments));
}

}  // namespace assay::cluster
