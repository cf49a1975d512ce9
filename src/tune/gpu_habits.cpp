// SPDX-License-Identifier: MIT
#include "tune/gpu_habits.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tune/parameter_role.hpp"

namespace assay::tune {
namespace {

constexpr size_t kFullWeight = 16, kNoWeight = 32;  // evaluations

double halvings_below(double value, double least) {
  return value < least ? std::log2(least / value) : 0;
}
double doublings_above(double value, double most) {
  return value > most ? std::log2(value / most) : 0;
}

class HabitReader {
 public:
  explicit HabitReader(const Space& space) : space_(space) {
    for (size_t p = 0; p < space.width(); ++p) {
      members_[static_cast<size_t>(role_of(space.parameters()[p]))].push_back(p);
    }
  }

  std::vector<Habit> read() {
    const std::vector<double> threads = threads_of_block();
    read_threads(threads);
    read_row();
    read_work(threads);
    for (const size_t p : of(ParameterRole::vector)) {
      add("width of vectors", 0.05, 0.08, product({p}),
          [](double width) { return halvings_below(width, 2) + doublings_above(width, 4); });
    }
    return std::move(habits_);
  }

 private:
  const std::vector<size_t>& of(ParameterRole role) const { return members_[static_cast<size_t>(role)]; }

  std::vector<double> product(const std::vector<size_t>& members) const {
    std::vector<double> raw(space_.size(), 1);
    for (size_t i = 0; i < raw.size(); ++i) {
      for (const size_t p : members) raw[i] *= *space_.value(i, p).number;
    }
    return raw;
  }

  template <typename Distance>
  void add(const char* about, double cost, double deviation, const std::vector<double>& values,
           const Distance& distance) {
    Habit habit{about, cost, deviation, {}};
    habit.distance.reserve(values.size());
    for (const double value : values)
      habit.distance.push_back(static_cast<float>(std::min(distance(value), kFarthest)));
    const auto [least, most] = std::ranges::minmax_element(habit.distance);
    if (*most > *least) habits_.push_back(std::move(habit));
  }

  std::vector<double> threads_of_block() const {  // empty: not known
    if (!of(ParameterRole::threads).empty()) return product(of(ParameterRole::threads));
    if (of(ParameterRole::warps).empty()) return {};
    std::vector<double> threads = product(of(ParameterRole::warps));
    for (double& each : threads) each *= 32;
    return threads;
  }

  // The CUDA guide: a multiple of the warp's size, at least 64, begin with 128 to 256. Smaller blocks meet the limit of
  // blocks on an SM, larger ones that of registers, and wait longer at a barrier.
  void read_threads(const std::vector<double>& threads) {
    if (threads.empty()) return;
    add("few threads", 0.12, 0.15, threads, [](double count) { return halvings_below(count, 128); });
    add("many threads", 0.12, 0.15, threads, [](double count) { return doublings_above(count, 512); });
    add("part of a warp", 0.7, 0.5, threads,
        [](double count) { return std::log(std::ceil(count / 32) * 32 / count); });  // lanes that do nothing
  }

  // A warp that spans several rows touches more sectors. Blocks of one axis are rows, and few threads say it all.
  void read_row() {
    if (of(ParameterRole::threads).size() < 2) return;
    for (const size_t p : of(ParameterRole::threads)) {
      if (!along_row(space_.parameters()[p])) continue;
      add("narrow rows", 0.12, 0.15, product({p}), [](double count) { return halvings_below(count, 32); });
      return;
    }
  }

  // Some elements per thread hide latency and reuse what was loaded; many take registers. A matrix product, which names
  // its block's tile, has 4 x 4 to 8 x 8 of them.
  void read_work(const std::vector<double>& threads) {
    const bool by_thread = !of(ParameterRole::of_thread).empty();
    if (!by_thread && (of(ParameterRole::of_block).empty() || threads.empty())) return;
    std::vector<double> work = product(of(by_thread ? ParameterRole::of_thread : ParameterRole::of_block));
    for (size_t i = 0; i < work.size() && !by_thread; ++i) work[i] /= threads[i];
    const double little = by_thread ? 2 : 16, much = by_thread ? 16 : 64;
    add("little work of a thread", 0.1, 0.12, work, [=](double count) { return halvings_below(count, little); });
    add("much work of a thread", 0.1, 0.12, work, [=](double count) { return doublings_above(count, much); });
  }

  const Space& space_;
  std::array<std::vector<size_t>, kParameterRoles> members_;
  std::vector<Habit> habits_;
};

}  // namespace

GpuHabits::GpuHabits(const Space& space) : list_(HabitReader(space).read()) {
  if (list_.empty()) return;
  costs_.assign(space.size(), 0);
  for (const Habit& each : list_) {
    for (size_t i = 0; i < costs_.size(); ++i) costs_[i] += each.cost * each.distance[i];
  }
}

double GpuHabits::weight(size_t evaluations) {
  if (evaluations <= kFullWeight) return 1;
  if (evaluations >= kNoWeight) return 0;
  return static_cast<double>(kNoWeight - evaluations) / (kNoWeight - kFullWeight);
}

}  // namespace assay::tune
