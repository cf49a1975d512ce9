// SPDX-License-Identifier: MIT
// Blocks over the host's cores. Results do not depend on how many there are: kernels whose blocks talk to each other
// (atomics, ordered accesses) run on one core in a fixed order, all others run freely and are reported in block order.
#include "vgpu/machine/grid.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>

#include "base/threads.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu {
namespace {

// What a block leaves behind.
struct BlockReport {
  std::optional<Finding> fault;
  std::string printed;
  uint64_t instructions = 0;
  uint64_t thread_instructions = 0;
  std::vector<std::unique_ptr<BlockObserver>> observers;
};

BlockReport take_report(Block& block) {
  return {std::move(block.fault_), std::move(block.printed_), block.instructions_, block.thread_instructions_,
          std::move(block.observers_)};
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
  // After a fault some earlier blocks may never report: what has been reported is put together without them.
  void close_gaps() {
    for (auto& [block, report] : waiting_) merge(std::move(report));
    waiting_.clear();
  }
  LaunchResult result() && { return std::move(result_); }

 private:
  void merge(BlockReport report) {
    if (result_.fault) return;
    result_.fault = std::move(report.fault);
    result_.printed += report.printed;
    result_.instructions += report.instructions;
    result_.thread_instructions += report.thread_instructions;
    for (size_t i = 0; i < report.observers.size(); ++i)
      launch_.observers[i]->end_block(std::move(report.observers[i]));
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

LaunchResult run_freely(const Grid& grid, uint64_t clusters, size_t threads) {
  Assembly assembly(grid.launch);
  std::atomic<uint64_t> next{0};
  std::atomic<bool> faulted{false};
  const auto work = [&] {
    Cluster cluster(grid);
    while (!faulted.load(std::memory_order_relaxed)) {
      const uint64_t index = next.fetch_add(1);
      if (index >= clusters) return;
      cluster.start(index);
      if (cluster.run(false) == Block::Outcome::faulted) faulted = true;
      add_reports(assembly, cluster);
    }
  };
  on_threads(threads, work);
  if (faulted) assembly.close_gaps();
  return std::move(assembly).result();
}

// All clusters that fit on the GPU at once are resident together and interleaved, so that they may wait for each other.
LaunchResult run_in_turns(const Grid& grid, uint64_t clusters) {
  const auto threads = static_cast<int>(grid.launch.block.volume());
  const int per_sm =
      std::max(1, std::min(grid.model.max_blocks_per_sm, grid.model.max_threads_per_sm / std::max(1, threads)));
  const auto resident = std::max<size_t>(
      1, static_cast<size_t>(grid.model.sm_count) * static_cast<size_t>(per_sm) / grid.launch.cluster.volume());
  Assembly assembly(grid.launch);
  std::deque<std::unique_ptr<Cluster>> alive;
  std::unique_ptr<Cluster> spare;
  uint64_t next = 0;
  while (next < clusters || !alive.empty()) {
    // A new one comes to life only when all that live have had a turn and still wait.
    if (next < clusters && (alive.empty() || alive.size() < resident)) {
      auto cluster = spare ? std::move(spare) : std::make_unique<Cluster>(grid);
      cluster->start(next++);
      alive.push_front(std::move(cluster));
    }
    const size_t turns = alive.size();
    for (size_t turn = 0; turn < turns; ++turn) {
      auto cluster = std::move(alive.front());
      alive.pop_front();
      const Block::Outcome outcome = cluster->run(true);
      if (outcome == Block::Outcome::spinning) {
        alive.push_back(std::move(cluster));
        continue;
      }
      const bool faulted = outcome == Block::Outcome::faulted;
      add_reports(assembly, *cluster);
      spare = std::move(cluster);
      if (faulted) {
        assembly.close_gaps();
        return std::move(assembly).result();
      }
      if (alive.empty()) break;
    }
  }
  return std::move(assembly).result();
}

}  // namespace

LaunchResult run_grid(const Grid& grid) {
  const uint64_t clusters = grid.launch.grid.volume() / grid.launch.cluster.volume();
  for (Observer* observer : grid.launch.observers) observer->begin_launch({*grid.launch.program, *grid.launch.kernel});
  if (grid.launch.kernel->communicates) return run_in_turns(grid, clusters);
  const size_t wanted = grid.launch.host_threads == 0 ? core_count() : grid.launch.host_threads;
  return run_freely(grid, clusters, std::min<uint64_t>(wanted, clusters));
}

}  // namespace assay::vgpu
