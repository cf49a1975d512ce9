// SPDX-License-Identifier: MIT
// Blocks over the host's cores. Results do not depend on how many there are: kernels whose blocks talk to each other
// (atomics, ordered accesses) run on one core in a fixed order, all others run freely and are reported in block order.
#include "vgpu/machine/grid.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <utility>

#include "base/threads.hpp"
#include "vgpu/machine/block_choice.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu {
namespace {

// The clusters that an observer has chosen; nullptr: all of the grid.
const std::vector<uint64_t>* chosen_clusters(const Launch& launch) {
  for (const Observer* observer : launch.observers) {
    const auto* choice = dynamic_cast<const BlockChoice*>(observer);
    if (choice != nullptr && !choice->clusters().empty()) return &choice->clusters();
  }
  return nullptr;
}

// What a block leaves behind.
struct BlockReport {
  std::optional<Finding> fault;
  std::string printed;
  uint64_t instructions = 0;
  uint64_t thread_instructions = 0;
  uint64_t idle_instructions = 0;
  std::vector<std::unique_ptr<BlockObserver>> observers;
};

BlockReport take_report(Block& block) {
  return {std::move(block.fault_),    std::move(block.printed_), block.instructions_,
          block.thread_instructions_, block.idle_instructions_,  std::move(block.observers_)};
}

// Puts the reports together in the order of the blocks; the first fault in that order is the launch's.
class Assembly {
 public:
  explicit Assembly(const Launch& launch) : launch_(launch) {}

  void add(uint64_t block, BlockReport report) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(block, std::move(report));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      merge(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }
  // After a fault some earlier blocks may never report, and those that nobody chose never do: what has been reported is
  // put together without them.
  void close_gaps() {
    for (auto& [block, report] : waiting_) merge(std::move(report));
    waiting_.clear();
  }
  LaunchResult result() && { return std::move(result_); }

 private:
  void merge(BlockReport report) {
    if (result_.fault) return;
    result_.fault = std::move(report.fault);
    keep_printed(report.printed);
    result_.instructions += report.instructions;
    result_.thread_instructions += report.thread_instructions;
    result_.idle_instructions += report.idle_instructions;
    for (size_t i = 0; i < report.observers.size(); ++i)
      launch_.observers[i]->end_block(std::move(report.observers[i]));
  }

  // The first megabyte of all, which is as much as CUDA's own buffer holds.
  void keep_printed(const std::string& text) {
    constexpr size_t kLimit = size_t{1} << 20;
    if (result_.printed.size() >= kLimit) return;
    result_.printed += text.substr(0, kLimit - result_.printed.size());
    if (result_.printed.size() == kLimit)
      result_.printed += "\n[the kernel printed more than 1 MiB; the rest is dropped]\n";
  }

  const Launch& launch_;
  std::mutex mutex_;
  uint64_t next_ = 0;
  std::map<uint64_t, BlockReport> waiting_;
  LaunchResult result_;
};

void add_reports(Assembly& assembly, Cluster& cluster) {
  for (const auto& block : cluster.blocks()) assembly.add(block->linear_index(), take_report(*block));
}

LaunchResult run_freely(const Grid& grid, uint64_t clusters, size_t threads, const std::vector<uint64_t>* chosen) {
  Assembly assembly(grid.launch);
  std::atomic<uint64_t> next{0};
  std::atomic<bool> faulted{false};
  const auto work = [&] {
    Cluster cluster(grid);
    while (!faulted.load(std::memory_order_relaxed)) {
      const uint64_t index = next.fetch_add(1);
      if (index >= clusters) return;
      cluster.start(chosen == nullptr ? index : (*chosen)[index]);
      if (cluster.run(false) == Block::Outcome::faulted) faulted = true;
      add_reports(assembly, cluster);
    }
  };
  on_threads(threads, work);
  if (faulted || chosen != nullptr) assembly.close_gaps();
  return std::move(assembly).result();
}

// All clusters that fit on the GPU at once are resident together and interleaved, so that they may wait for each other.
// One that only polls memory is left alone until that memory has changed, and the next cluster comes to life at once.
class RoundRobin {
 public:
  RoundRobin(const Grid& grid, uint64_t clusters, const std::vector<uint64_t>* chosen)
      : grid_(grid), clusters_(clusters), chosen_(chosen), assembly_(grid.launch) {
    const auto threads = static_cast<int>(grid.launch.block.volume());
    const int per_sm =
        std::max(1, std::min(grid.model.max_blocks_per_sm, grid.model.max_threads_per_sm / std::max(1, threads)));
    resident_ = std::max<size_t>(
        1, static_cast<size_t>(grid.model.sm_count) * static_cast<size_t>(per_sm) / grid.launch.cluster.volume());
  }

  LaunchResult run() {
    while (std::unique_ptr<Cluster> cluster = next()) {
      const bool is_new = std::exchange(started_, false);
      switch (cluster->run(true)) {
        case Block::Outcome::waiting:
          waiting_.push_back(std::move(cluster));
          break;
        case Block::Outcome::suspended:
          suspended_.push_back(std::move(cluster));
          if (is_new) turns_due_ = suspended_.size();
          break;
        case Block::Outcome::finished:
          add_reports(assembly_, *cluster);
          spare_ = std::move(cluster);
          break;
        case Block::Outcome::faulted:
          return stop(*cluster);
      }
    }
    if (!waiting_.empty()) return stop_deadlock();
    if (chosen_ != nullptr) assembly_.close_gaps();
    return std::move(assembly_).result();
  }

 private:
  // The cluster whose turn it is; nullptr: none can run.
  std::unique_ptr<Cluster> next() {
    const bool room = next_ < clusters_ && suspended_.size() + waiting_.size() < resident_;
    if (room && turns_due_ == 0) return start();
    wake();
    if (suspended_.empty() && room) return start();
    if (suspended_.empty() && !give_up_waiting()) return nullptr;
    if (turns_due_ > 0) --turns_due_;
    auto cluster = std::move(suspended_.front());
    suspended_.pop_front();
    return cluster;
  }
  std::unique_ptr<Cluster> start() {
    auto cluster = spare_ ? std::move(spare_) : std::make_unique<Cluster>(grid_);
    cluster->start(chosen_ == nullptr ? next_ : (*chosen_)[next_]);
    ++next_;
    started_ = true;
    turns_due_ = 0;
    return cluster;
  }
  template <class Predicate>
  void resume_if(Predicate&& predicate) {
    std::erase_if(waiting_, [&](std::unique_ptr<Cluster>& cluster) {
      if (!predicate(*cluster)) return false;
      suspended_.push_back(std::move(cluster));
      return true;
    });
  }
  void wake() {
    resume_if([](const Cluster& cluster) { return cluster.memory_changed(); });
  }
  // Waits for mbarriers may give up, and their programs do something else.
  bool give_up_waiting() {
    resume_if([](Cluster& cluster) { return cluster.give_up_waiting(); });
    return !suspended_.empty();
  }

  LaunchResult stop(Cluster& cluster) {
    add_reports(assembly_, cluster);
    assembly_.close_gaps();
    return std::move(assembly_).result();
  }
  LaunchResult stop_deadlock() {
    const uint64_t blocks = grid_.launch.cluster.volume();
    waiting_.front()->report_deadlock(
        next_ < clusters_
            ? fmt::format(", and {} blocks of the grid have not begun, because only {} fit on the {} at once",
                          (clusters_ - next_) * blocks, resident_ * blocks, grid_.model.name)
            : "");
    return stop(*waiting_.front());
  }

  const Grid& grid_;
  const uint64_t clusters_;
  const std::vector<uint64_t>* const chosen_;  // those that run; nullptr: all
  size_t resident_ = 1;
  Assembly assembly_;
  uint64_t next_ = 0;                               // cluster to come to life
  bool started_ = false;                            // the one that runs is new
  uint64_t turns_due_ = 0;                          // of suspended clusters, before another one comes to life
  std::deque<std::unique_ptr<Cluster>> suspended_;  // have had a turn
  std::vector<std::unique_ptr<Cluster>> waiting_;   // until memory changes
  std::unique_ptr<Cluster> spare_;
};

}  // namespace

namespace {

LaunchResult run_clusters(const Grid& grid) {
  const std::vector<uint64_t>* const chosen = chosen_clusters(grid.launch);
  const uint64_t clusters =
      chosen != nullptr ? chosen->size() : grid.launch.grid.volume() / grid.launch.cluster.volume();
  if (grid.launch.kernel->communicates) return RoundRobin(grid, clusters, chosen).run();
  const bool one_by_one =
      std::ranges::any_of(grid.launch.observers, [](const Observer* observer) { return observer->wants_order(); });
  const size_t wanted = one_by_one ? 1 : grid.launch.host_threads == 0 ? core_count() : grid.launch.host_threads;
  return run_freely(grid, clusters, std::min<uint64_t>(wanted, clusters), chosen);
}

}  // namespace

LaunchResult run_grid(const Grid& grid) {
  for (Observer* observer : grid.launch.observers) observer->begin_launch({*grid.launch.program, *grid.launch.kernel});
  LaunchResult result = run_clusters(grid);
  for (Observer* observer : grid.launch.observers) observer->end_launch(grid.memory, !result.fault);
  return result;
}

}  // namespace assay::vgpu
