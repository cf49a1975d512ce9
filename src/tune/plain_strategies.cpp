// SPDX-License-Identifier: MIT
#include "tune/plain_strategies.hpp"

#include <cmath>

#include "tune/history.hpp"

namespace assay::tune {
namespace {

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(const Space& space) : history_(space.size()) {}

  std::vector<size_t> propose(size_t count) override {
    std::vector<size_t> picks;
    for (; picks.size() < count && history_.left() > 0; ++next_) {
      if (history_.known(next_)) continue;
      history_.mark(next_);
      picks.push_back(next_);
    }
    return picks;
  }
  void tell(size_t configuration, const Outcome& outcome) override { history_.add(configuration, outcome); }

 private:
  History history_;
  size_t next_ = 0;
};

class RandomSearch final : public Strategy {
 public:
  RandomSearch(const Space& space, uint64_t seed) : history_(space.size()), random_(seed) {}

  std::vector<size_t> propose(size_t count) override {
    std::vector<size_t> picks;
    while (picks.size() < count) {
      const auto pick = history_.any_unknown(random_);
      if (!pick) break;
      history_.mark(*pick);
      picks.push_back(*pick);
    }
    return picks;
  }
  void tell(size_t configuration, const Outcome& outcome) override { history_.add(configuration, outcome); }

 private:
  History history_;
  Random random_;
};

class Annealing final : public Strategy {
 public:
  Annealing(const Space& space, uint64_t seed, size_t budget)
      : space_(space), history_(space.size()), random_(seed), budget_(std::max<size_t>(budget, 1)) {}

  std::vector<size_t> propose(size_t count) override {
    std::vector<size_t> picks;
    while (picks.size() < count) {
      const auto pick = next();
      if (!pick) break;
      history_.mark(*pick);
      picks.push_back(*pick);
    }
    return picks;
  }

  void tell(size_t configuration, const Outcome& outcome) override {
    history_.add(configuration, outcome);
    if (!outcome.milliseconds) {
      ++refused_;
      return;
    }
    const double time = *outcome.milliseconds;
    if (!current_ || time <= current_time_ || random_.uniform() < std::exp(-std::log(time / current_time_) / heat())) {
      refused_ = 0;
      current_ = configuration;
      current_time_ = time;
    } else {
      ++refused_;
    }
  }

 private:
  // In units of the logarithm of time: at first 25 % slower is accepted with 1/e, at the end 0.5 %.
  double heat() const {
    const double done = static_cast<double>(history_.all().size()) / static_cast<double>(budget_);
    return std::log(1.25) * std::pow(0.02, std::min(done, 1.0));
  }

  std::optional<size_t> next() {
    if (!current_) return history_.any_unknown(random_);
    if (refused_ >= kStuck) {
      refused_ = 0;
      if (const Evaluated* best = history_.best(); best != nullptr && best->configuration != *current_) {
        current_ = best->configuration;
        current_time_ = *best->milliseconds;
      } else {
        current_.reset();
        return history_.any_unknown(random_);
      }
    }
    std::vector<size_t> open;
    for (const size_t each : space_.neighbours(*current_)) {
      if (!history_.known(each)) open.push_back(each);
    }
    if (open.empty()) {
      current_.reset();
      return history_.any_unknown(random_);
    }
    return open[random_.below(open.size())];
  }

  static constexpr size_t kStuck = 25;

  const Space& space_;
  History history_;
  Random random_;
  size_t budget_;
  std::optional<size_t> current_;
  double current_time_ = 0;
  size_t refused_ = 0;
};

class Genetic final : public Strategy {
 public:
  Genetic(const Space& space, uint64_t seed) : space_(space), history_(space.size()), random_(seed) {}

  std::vector<size_t> propose(size_t count) override {
    std::vector<size_t> picks;
    while (picks.size() < count) {
      const auto pick = history_.all().size() + picks.size() < kPopulation ? history_.any_unknown(random_) : child();
      if (!pick) break;
      history_.mark(*pick);
      picks.push_back(*pick);
    }
    return picks;
  }
  void tell(size_t configuration, const Outcome& outcome) override { history_.add(configuration, outcome); }

 private:
  std::optional<size_t> child() {
    const std::vector<Evaluated> parents = history_.fastest(kPopulation);
    if (parents.size() < 2) return history_.any_unknown(random_);
    std::vector<uint16_t> row(space_.width());
    for (int attempt = 0; attempt < 100; ++attempt) {
      const auto mother = space_.row(tournament(parents));
      const auto father = space_.row(tournament(parents));
      for (size_t p = 0; p < row.size(); ++p) row[p] = random_.uniform() < 0.5 ? mother[p] : father[p];
      for (size_t p = 0; p < row.size(); ++p) {
        if (random_.uniform() * static_cast<double>(row.size()) < 1.0)
          row[p] = static_cast<uint16_t>(random_.below(space_.parameters()[p].values.size()));
      }
      const auto found = space_.find(row);
      if (found && !history_.known(*found)) return found;
    }
    return history_.any_unknown(random_);
  }
  size_t tournament(const std::vector<Evaluated>& parents) {  // they are sorted: the lower index is the faster one
    return parents[std::min(random_.below(parents.size()), random_.below(parents.size()))].configuration;
  }

  static constexpr size_t kPopulation = 20;

  const Space& space_;
  History history_;
  Random random_;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const Space& space) {
  return std::make_unique<Exhaustive>(space);
}
std::unique_ptr<Strategy> make_random(const Space& space, uint64_t seed) {
  return std::make_unique<RandomSearch>(space, seed);
}
std::unique_ptr<Strategy> make_annealing(const Space& space, uint64_t seed, size_t budget) {
  return std::make_unique<Annealing>(space, seed, budget);
}
std::unique_ptr<Strategy> make_genetic(const Space& space, uint64_t seed) {
  return std::make_unique<Genetic>(space, seed);
}

}  // namespace assay::tune
