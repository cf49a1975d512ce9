// SPDX-License-Identifier: MIT
#include "tune/model_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "tune/fitted_formula.hpp"
#include "tune/forest.hpp"
#include "tune/gaussian_process.hpp"
#include "tune/gpu_habits.hpp"
#include "tune/history.hpp"
#include "tune/plain_strategies.hpp"

namespace assay::tune {
namespace {

double normal_density(double z) {
  return std::exp(-z * z / 2) * 0.3989422804014327;
}
double normal_probability(double z) {
  return 0.5 * std::erfc(-z * 0.7071067811865476);
}

double expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  return std::max(0.0, (best - mean) * normal_probability(z) + deviation * normal_density(z));
}

Features with_sizes(Features features, const Space& space) {
  add_size_products(features, space);
  return features;
}

Features describe_resources(const Features& features, const std::vector<std::vector<Demand>>& demands) {
  Features all = features;
  if (demands.empty() || all.list.empty() || demands.front().size() != all.list.front().values.size()) return all;
  std::vector<double> registers, shared, of_block;
  for (const Demand& each : demands.front()) {
    registers.push_back(each.registers);
    shared.push_back(each.shared_bytes);
    of_block.push_back(double{each.registers} * each.threads);
  }
  add_feature(all, "registers", registers);
  add_feature(all, "shared memory", shared);
  add_feature(all, "registers of a block", of_block);
  return all;
}

enum class Proposer { first, global, local, annealing };

class ModelSearch final : public Strategy {
 public:
  ModelSearch(const Space& space, const StrategyOptions& options, const ModelOptions& model)
      : space_(space),
        options_(model),
        budget_(std::max<size_t>(options.budget, 1)),
        random_(options.seed),
        history_(space.size()),
        features_(describe(space)),
        habits_(space),
        resources_(describe_resources(with_sizes(features_, space), options.demands)),
        success_(resources_, options.seed ^ 0x5eed),
        annealing_(make_annealing(space, options.seed + 77, options.budget)) {
    if (!options.demands.empty() && options.demands.front().size() == space.size()) {
      formula_.emplace(options.demands);
      std::vector<double> cycles;
      for (const Demand& each : options.demands.front()) {
        cycles.push_back(std::exp(log_cycles(each)));
        fits_.push_back(each.fits);
      }
      take_predictions(cycles);
      if (prior_.empty()) {
        formula_.reset();
        resources_ = with_sizes(features_, space);
      }
    } else {
      take_predictions(options.predicted);
    }
    choose_candidates();
  }

  std::vector<size_t> propose(size_t count) override {
    learn();
    std::vector<size_t> picks;
    while (picks.size() < count && history_.left() > 0) {
      const size_t pick = next(picks.size());
      history_.mark(pick);
      picks.push_back(pick);
      if (picks.size() < count) pretend(pick);
    }
    stop_pretending();
    return picks;
  }

  void tell(size_t configuration, const Outcome& outcome) override {
    const Evaluated* before = history_.best();
    const double best = before != nullptr ? *before->milliseconds : std::numeric_limits<double>::infinity();
    history_.add(configuration, outcome);
    annealing_->tell(configuration, outcome);
    const auto by = proposed_by_.find(configuration);
    if (by == proposed_by_.end()) return;
    const bool improved = outcome.milliseconds && *outcome.milliseconds < best;
    Credit& credit = credits_[static_cast<size_t>(by->second)];
    credit.tries = credit.tries * kForget + 1;
    credit.gains = credit.gains * kForget + (improved ? 1 : 0);
    since_gain_ = improved ? 0 : since_gain_ + 1;
  }

  void expect(const std::vector<double>& predicted) override {
    if (formula_) return;
    const bool before = !prior_.empty();
    const double trust = trust_;
    take_predictions(predicted);
    if (before && !prior_.empty()) trust_ = trust;
    if (before != !prior_.empty()) refitted_at_ = 0;  // the process explains something else now
  }

 private:
  struct Credit {
    double tries = 0;
    double gains = 0;
  };

  struct Belief {
    double trust;
    std::optional<ProcessParameters> parameters{};
    double scale = 1;
    double likelihood = 0;
  };

  // --- what is known before the first evaluation
  void take_predictions(const std::vector<double>& predicted) {
    if (predicted.size() != space_.size()) return;
    double least = std::numeric_limits<double>::infinity();
    size_t usable = 0;
    for (const double each : predicted) {
      if (!std::isfinite(each) || each <= 0) continue;
      least = std::min(least, std::log(each));
      ++usable;
    }
    if (usable * 2 < space_.size()) return;
    prior_.resize(space_.size());
    for (size_t i = 0; i < prior_.size(); ++i) {
      const bool known = std::isfinite(predicted[i]) && predicted[i] > 0;
      prior_[i] = known ? std::log(predicted[i]) - least : kNotCounted;
    }
    bound_prior();
    if (!hangs_together()) {
      prior_.clear();
      fits_.clear();
      return;
    }
    trust_ = 1;
    std::vector<size_t> order(space_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (!fits_.empty()) std::erase_if(order, [&](size_t each) { return !fits_[each]; });
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return prior_[a] < prior_[b]; });
    order.resize(std::min(order.size(), std::max<size_t>(space_.size() / 50, 1)));
    promising_ = std::move(order);
  }

  // What is counted of a kernel changes little when one parameter does. Counters that have nothing to do with the
  // parameters are of something else, and of no use.
  bool hangs_together() const {
    Random random(0x5eed);
    std::vector<double> here, there;
    for (int attempt = 0; attempt < 800 && here.size() < 400; ++attempt) {
      const size_t each = random.below(space_.size());
      const std::vector<size_t> near = space_.adjacent(each);
      if (near.empty()) continue;
      here.push_back(prior_[each]);
      there.push_back(prior_[near[random.below(near.size())]]);
    }
    if (here.size() < 50) return true;  // too few to tell
    const auto n = static_cast<double>(here.size());
    const double mean_here = std::accumulate(here.begin(), here.end(), 0.0) / n;
    const double mean_there = std::accumulate(there.begin(), there.end(), 0.0) / n;
    double both = 0, of_here = 0, of_there = 0;
    for (size_t i = 0; i < here.size(); ++i) {
      both += (here[i] - mean_here) * (there[i] - mean_there);
      of_here += (here[i] - mean_here) * (here[i] - mean_here);
      of_there += (there[i] - mean_there) * (there[i] - mean_there);
    }
    return both > kHangsTogether * std::sqrt(of_here * of_there);
  }

  // Rates of the formula that fit what was measured; then all predictions anew.
  void refit_formula(const std::vector<Evaluated>& observed) {
    if (!formula_ || observed.size() > kMostForFormula) return;
    std::vector<FittedFormula::Measured> measured;
    for (const Evaluated& each : observed) measured.push_back({each.configuration, std::log(*each.milliseconds)});
    formula_->fit(measured, std::log(*history_.best()->milliseconds));
    slopes_ = formula_->slopes();
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < prior_.size(); ++i) {
      prior_[i] = formula_->log_time(i);
      if (prior_[i] < least) least = prior_[i];
    }
    for (double& each : prior_) each -= least;
    bound_prior();
  }

  // Clamped; where nothing is predicted, as beside it: that a configuration was not counted says nothing against it.
  void bound_prior() {
    std::vector<std::pair<size_t, double>> filled;
    for (size_t i = 0; i < prior_.size(); ++i) {
      if (std::isfinite(prior_[i])) {
        prior_[i] = std::min(prior_[i], options_.clamp * 1.5);
        continue;
      }
      double sum = 0;
      double count = 0;
      for (const size_t each : space_.adjacent(i)) {
        if (!std::isfinite(prior_[each])) continue;
        sum += std::min(prior_[each], options_.clamp * 1.5);
        ++count;
      }
      filled.emplace_back(i, count > 0 ? sum / count : options_.clamp);
    }
    for (const auto& [configuration, value] : filled) prior_[configuration] = value;
  }

  void choose_candidates() {
    std::vector<size_t> all(space_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (all.size() > options_.candidates) {
      for (size_t i = 0; i < options_.candidates; ++i) std::swap(all[i], all[i + random_.below(all.size() - i)]);
      all.resize(options_.candidates);
      if (!promising_.empty()) all.insert(all.end(), promising_.begin(), promising_.end());
      for (const Evaluated& each : history_.fastest(3)) {
        for (const size_t neighbour : space_.neighbours(each.configuration)) all.push_back(neighbour);
      }
      std::ranges::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
    }
    place_.clear();
    if (all.size() < space_.size()) {
      for (size_t i = 0; i < all.size(); ++i) place_.emplace(all[i], i);
    }
    auto process = std::make_unique<GaussianProcess>(features_, std::move(all));
    if (process_) process->set_parameters(process_->parameters());
    process_ = std::move(process);
  }

  std::optional<size_t> place(size_t configuration) const {  // among the candidates
    if (place_.empty()) return configuration;
    const auto found = place_.find(configuration);
    return found == place_.end() ? std::nullopt : std::optional(found->second);
  }

  // --- learning
  void observe_new() {
    for (; taken_ < history_.all().size(); ++taken_) {
      if (history_.all()[taken_].milliseconds) observed_.push_back(history_.all()[taken_]);
    }
  }

  // Every step takes time and memory for each observation. Beyond a number the fastest and some of all others have to
  // do: what lies around the best, and where it is slow.
  void forget_some() {
    if (observed_.size() <= kMostObserved) return;
    std::vector<Evaluated> kept = history_.fastest(kMostObserved / 2);
    const double slowest = *kept.back().milliseconds;
    std::vector<Evaluated> others;
    for (const Evaluated& each : history_.all()) {
      if (each.milliseconds && *each.milliseconds > slowest) others.push_back(each);
    }
    for (size_t i = 0; i < others.size() && i < kMostObserved / 2; ++i) {
      std::swap(others[i], others[i + random_.below(others.size() - i)]);
      kept.push_back(others[i]);
    }
    observed_ = std::move(kept);
  }

  // What is predicted; without counters, what is generally known.
  double prior(size_t configuration, double trust) const {
    return prior_.empty() ? habit_weight_ * habits_.cost(configuration) : trust * prior_[configuration];
  }

  // What the process is to explain: the clamped logarithm over the best, less what the prediction explains. A scale of
  // 0 is to be found.
  std::vector<double> residuals(const std::vector<Evaluated>& observed, double trust, double& centre,
                                double& scale) const {
    const double best = *history_.best()->milliseconds;
    std::vector<double> values;
    for (const Evaluated& each : observed)
      values.push_back(std::min(std::log(*each.milliseconds / best), options_.clamp) -
                       prior(each.configuration, trust));
    centre = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double sum = 0;
    for (double& value : values) {
      value -= centre;
      sum += value * value;
    }
    if (scale <= 0) scale = std::max(std::sqrt(sum / static_cast<double>(values.size())), 0.03);
    for (double& value : values) value /= scale;
    return values;
  }

  bool time_to_refit(size_t observed) const {
    return observed >= 3 &&
           (refitted_at_ == 0 || observed >= refitted_at_ + std::clamp<size_t>(refitted_at_ / 5, 2, kMostObserved / 4));
  }

  // In which directions that may be wrong: the rates of the prediction, and how much of it all to believe; or what each
  // habit costs.
  std::vector<std::vector<float>> doubts(double trust, double scale) const {
    std::vector<std::vector<float>> columns;
    if (prior_.empty() && habit_weight_ > 0) {
      for (const Habit& each : habits_.list()) {
        std::vector<float>& column = columns.emplace_back(each.distance);
        for (float& value : column) value *= static_cast<float>(each.deviation * habit_weight_);
      }
    } else if (trust > 0) {
      columns = slopes_;
      std::vector<float>& belief = columns.emplace_back();
      for (const double each : prior_) belief.push_back(static_cast<float>(kDoubt * each));
    }
    for (std::vector<float>& column : columns) {
      for (float& each : column) each /= static_cast<float>(scale);
    }
    return columns;
  }

  void refit(const std::vector<Evaluated>& observed) {
    // The slow ones say little about the good ones: beyond a number, only the faster ones decide.
    std::vector<Evaluated> used = observed;
    if (used.size() > kMostFitted) used = history_.fastest(kMostFitted);
    std::vector<size_t> points;
    for (const Evaluated& each : used) points.push_back(each.configuration);
    const size_t iterations = refitted_at_ == 0 ? 40 : 15;
    const ProcessParameters start = process_->parameters();
    double centre = 0;
    scale_ = 0;
    habit_weight_ = GpuHabits::weight(observed.size());
    if (prior_.empty()) {
      const std::vector<double> values = residuals(used, 0, centre, scale_);
      process_->set_linear(doubts(0, scale_));
      process_->fit(points, values, iterations);
    } else {
      // Once with the prediction and once without it.
      for (Belief& belief : beliefs_) {
        belief.scale = 0;
        const std::vector<double> values = residuals(used, belief.trust, centre, belief.scale);
        process_->set_parameters(belief.parameters ? *belief.parameters : start);
        process_->set_linear(doubts(belief.trust, belief.scale));
        process_->fit(points, values, iterations);
        belief.parameters = process_->parameters();
        // In units of the values themselves, so that scales can be compared; trust is what we expect.
        belief.likelihood = process_->log_likelihood() - static_cast<double>(points.size()) * std::log(belief.scale) +
                            belief.trust * kExpected;
      }
      ++refits_;
      size_t chosen = beliefs_[1].likelihood > beliefs_[0].likelihood ? 1 : 0;
      // Where the prediction led to nothing better for a while, every second time without it.
      if (since_gain_ >= kPatience && refits_ % 2 == 0) chosen = 1;
      trust_ = beliefs_[chosen].trust;
      scale_ = beliefs_[chosen].scale;
      process_->set_parameters(*beliefs_[chosen].parameters);
      process_->set_linear(doubts(trust_, scale_));
    }
  }

  void learn() {
    observe_new();
    const auto failed = static_cast<size_t>(
        std::ranges::count_if(history_.all(), [](const Evaluated& each) { return !each.milliseconds; }));
    const size_t succeeded_so_far = history_.all().size() - failed;
    if (history_.all().size() >= learned_success_ + (failed > known_failures_ ? 1 : 8) && failed > 0) {
      std::vector<size_t> points;
      std::vector<bool> succeeded;
      for (const Evaluated& each : history_.all()) {
        points.push_back(each.configuration);
        succeeded.push_back(each.milliseconds.has_value());
      }
      success_.learn(points, succeeded);
      chances_.assign(process_->candidates().size(), -1);
      learned_success_ = history_.all().size();
      known_failures_ = failed;
    }
    if (observed_.size() < 2) return;
    if (time_to_refit(succeeded_so_far)) {
      if (space_.size() > options_.candidates) {
        choose_candidates();
        chances_.assign(process_->candidates().size(), -1);
      }
      refit_formula(observed_);
      refit(observed_);
      forget_some();
      refitted_at_ = succeeded_so_far;
    }
    for (size_t i = process_->observed(); i < observed_.size(); ++i) process_->observe(observed_[i].configuration);
    values_ = residuals(observed_, trust_, centre_, scale_);
    predict();
  }

  void predict() { prediction_ = process_->predict(values_); }

  double mean_at(size_t position) const {
    return prediction_.mean[position] * scale_ + centre_ + prior(process_->candidates()[position], trust_);
  }

  double chance(size_t position) {
    const double fitting = fits_.empty() || fits_[process_->candidates()[position]] ? 1 : kDoesNotFit;
    const double learned = learned_chance(position);
    return fitting * learned * learned;  // the best are often beside those that fail, and a failure teaches little
  }

  double learned_chance(size_t position) {
    if (!success_.anything_failed()) return 1;
    if (chances_[position] < 0)
      chances_[position] = static_cast<float>(success_.probability(process_->candidates()[position]));
    return chances_[position];
  }

  double merit(size_t position) {
    const double improvement = expected_improvement(0, mean_at(position), prediction_.deviation[position] * scale_);
    return improvement <= 0 ? 0 : improvement * chance(position);
  }

  // --- proposing
  size_t next(size_t pretended) {
    const size_t known = history_.all().size() + pretended;
    const size_t first = prior_.empty() ? options_.first : options_.first_predicted;
    Proposer by = Proposer::first;
    std::optional<size_t> pick;
    if (known >= first && values_.size() >= 2 && !checks_prediction(known)) {
      by = choose_proposer(known);
      if (by == Proposer::annealing) pick = anneal();
      if (by == Proposer::local) pick = best_neighbour();
      if (!pick) {
        by = Proposer::global;
        pick = best_candidate();
      }
    }
    if (!pick) {
      by = Proposer::first;
      pick = first_point(!promising_.empty() && known < first);
    }
    proposed_by_[*pick] = by;
    return *pick;
  }

  // Where the prediction is believed, nothing is learned about where it is wrong: now and then somewhere else.
  bool checks_prediction(size_t known) const { return !prior_.empty() && (known == 6 || known == 14 || known == 30); }

  Proposer choose_proposer(size_t known) {
    const Credit& annealed = credits_[static_cast<size_t>(Proposer::annealing)];
    const Credit& global = credits_[static_cast<size_t>(Proposer::global)];
    const double annealing_rate = (annealed.gains + 1) / (annealed.tries + 10);
    const double global_rate = (global.gains + 1) / (global.tries + 10);
    const double share = std::clamp(options_.annealing * annealing_rate / global_rate, options_.annealing / 3, 0.4);
    if (random_.uniform() < share) return Proposer::annealing;
    return known % 2 == 0 ? Proposer::local : Proposer::global;
  }

  std::optional<size_t> anneal() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const std::vector<size_t> pick = annealing_->propose(1);
      if (pick.empty()) return std::nullopt;
      if (!history_.known(pick[0])) return pick[0];
    }
    return std::nullopt;
  }

  std::optional<size_t> best_candidate() {
    std::optional<size_t> best;
    double most = 0;
    for (size_t position = 0; position < process_->candidates().size(); ++position) {
      if (history_.known(process_->candidates()[position])) continue;
      const double improvement = expected_improvement(0, mean_at(position), prediction_.deviation[position] * scale_);
      if (improvement <= most) continue;
      const double value = improvement * chance(position);
      if (value <= most) continue;
      most = value;
      best = process_->candidates()[position];
    }
    return best;
  }

  std::optional<size_t> best_neighbour() {
    std::optional<size_t> best;
    double most = -1;
    for (const Evaluated& each : history_.fastest(3)) {
      for (const size_t neighbour : space_.neighbours(each.configuration)) {
        if (history_.known(neighbour)) continue;
        const auto position = place(neighbour);
        if (!position) continue;
        const double value = merit(*position);
        if (value <= most) continue;
        most = value;
        best = neighbour;
      }
    }
    return best;
  }

  // Spread out, rather where GPUs are usually fast; with predictions, over the promising ones, and the most promising
  // one first.
  size_t first_point(bool believe) {
    size_t best = 0;
    double most = -1;
    for (int attempt = 0; attempt < kFirstAttempts; ++attempt) {
      const std::optional<size_t> pick =
          believe ? std::optional(promising_[attempt == 0 ? 0 : random_.below(promising_.size())])
                  : history_.any_unknown(random_);
      if (!pick || history_.known(*pick)) continue;
      double nearest = static_cast<double>(space_.width()) + 1;
      for (const auto& [other, by] : proposed_by_)
        nearest = std::min(nearest, static_cast<double>(space_.distance(*pick, other)));
      const double value = nearest * std::exp(-kHabitWeight * habits_.cost(*pick)) *
                           (believe ? std::exp(-kPredictionWeight * prior_[*pick]) : 1);
      if (value > most) {
        most = value;
        best = *pick;
      }
    }
    return most < 0 ? *history_.any_unknown(random_) : best;
  }

  void pretend(size_t pick) {
    const auto position = place(pick);
    if (!position || values_.size() < 2) return;
    process_->observe(pick);
    values_.push_back(prediction_.mean[*position]);
    ++pretended_;
    predict();
  }

  void stop_pretending() {
    process_->forget_last(pretended_);
    values_.resize(values_.size() - pretended_);
    pretended_ = 0;
  }

  static constexpr double kForget = 0.95;
  static constexpr size_t kMostFitted = 120;
  static constexpr size_t kMostObserved = 1000;
  static constexpr int kFirstAttempts = 40;
  static constexpr double kPredictionWeight = 4, kHabitWeight = 2;
  static constexpr double kDoesNotFit = 0.01;    // that it runs all the same
  static constexpr double kDoubt = 0.3;          // of the coefficient of the prediction, which should be 1
  static constexpr double kHangsTogether = 0.2;  // least correlation of neighbours
  static constexpr size_t kPatience = 8;         // evaluations
  static constexpr double kExpected = 1;         // log odds that the prediction is of use
  static constexpr size_t kMostForFormula = 60;  // evaluations; then rates are known

  const Space& space_;
  ModelOptions options_;
  size_t budget_;
  Random random_;
  History history_;
  Features features_;
  GpuHabits habits_;
  double habit_weight_ = 1;  // as of the last fit
  Features resources_;       // with products of sizes and what counters say that a block needs: that decides what fails
  SuccessForest success_;
  std::unique_ptr<Strategy> annealing_;
  std::unique_ptr<GaussianProcess> process_;
  std::unordered_map<size_t, size_t> place_;
  std::unordered_map<size_t, Proposer> proposed_by_;
  std::array<Credit, 4> credits_{};
  size_t since_gain_ = 0;

  std::vector<double> prior_;  // of each configuration: log of predicted over the least predicted; empty: none
  std::optional<FittedFormula> formula_;
  std::vector<std::vector<float>> slopes_;  // of the formula, by its rates
  std::vector<bool> fits_;                  // of each configuration, where counters say; empty: they do not
  std::vector<size_t> promising_;
  double trust_ = 0;
  std::array<Belief, 2> beliefs_{Belief{1.0}, Belief{0.0}};
  size_t refits_ = 0;

  std::vector<Evaluated> observed_;  // what the process knows; only those that ran
  size_t taken_ = 0;                 // how many evaluations were looked at for that
  size_t refitted_at_ = 0;           // how many had run then
  size_t learned_success_ = 0;
  size_t known_failures_ = 0;
  std::vector<float> chances_;
  std::vector<double> values_;
  double centre_ = 0, scale_ = 1;
  GaussianProcess::Prediction prediction_;
  size_t pretended_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_model_search(const Space& space, const StrategyOptions& options,
                                            const ModelOptions& model) {
  return std::make_unique<ModelSearch>(space, options, model);
}

}  // namespace assay::tune
