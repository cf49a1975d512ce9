// SPDX-License-Identifier: MIT
#include "learn/pattern.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>

#include "stats/quantile.hpp"

namespace assay::learn {
namespace {

constexpr size_t kHashShown = 8;

struct OneStep {
  std::string kernel;
  std::string device;
  std::string action;
  auto operator<=>(const OneStep&) const = default;
};

struct Pairs {
  std::vector<double> ratios;
  double seconds = 0;
  double cost = 0;
};

// The name of the only tunable in which two configurations differ.
std::optional<std::string> only_difference(const Values& a, const Values& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::optional<std::string> found;
  for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right) {
    if (left->first != right->first) return std::nullopt;
    if (left->second == right->second) continue;
    if (found) return std::nullopt;
    found = left->first;
  }
  return found;
}

// Numbers by size, other words by their letters.
bool comes_first(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// The k-th smallest and the k-th largest of n values hold the median with 95 %; k = 1 where n is too small for that.
size_t rank_of_interval(size_t n) {
  size_t k = 1;
  const boost::math::binomial_distribution<double> heads(static_cast<double>(n), 0.5);
  while (k + 1 <= n / 2 && boost::math::cdf(heads, static_cast<double>(k)) <= 0.025) ++k;
  return k;
}

void add(std::map<OneStep, Pairs>& found, const OneStep& step, const Trial& before, const Trial& after) {
  Pairs& pairs = found[step];
  pairs.ratios.push_back(before.time_us / after.time_us);
  pairs.seconds += after.seconds;
  pairs.cost += after.cost;
}

void add_steps_of_tunables(const std::vector<const Trial*>& trials, std::map<OneStep, Pairs>& found) {
  for (size_t i = 0; i < trials.size(); ++i) {
    for (size_t k = i + 1; k < trials.size(); ++k) {
      const Trial *before = trials[i], *after = trials[k];
      if (before->source != after->source) continue;
      const std::optional<std::string> name = only_difference(before->values, after->values);
      if (!name) continue;
      if (!comes_first(before->values.at(*name), after->values.at(*name))) std::swap(before, after);
      add(found,
          {before->kernel, before->device,
           fmt::format("{} {} -> {}", *name, before->values.at(*name), after->values.at(*name))},
          *before, *after);
    }
  }
}

// The only finding that one of the two has and the other has not, put as what was done about it.
std::string change_of_findings(const Trial& before, const Trial& after) {
  if (!before.findings || !after.findings) return "";
  std::vector<std::string> gone, come;
  std::ranges::set_difference(*before.findings, *after.findings, std::back_inserter(gone));
  std::ranges::set_difference(*after.findings, *before.findings, std::back_inserter(come));
  if (gone.size() + come.size() != 1) return "";
  return gone.empty() ? fmt::format("finding {} brought in", come[0]) : fmt::format("finding {} mended", gone[0]);
}

void add_steps_of_sources(const std::vector<const Trial*>& trials, std::map<OneStep, Pairs>& found) {
  std::map<std::string, const Trial*> last;  // of each configuration
  for (const Trial* trial : trials) {        // the oldest first
    const Trial*& before = last[to_text(trial->values)];
    if (before != nullptr && before->source != trial->source) {
      add(found,
          {trial->kernel, trial->device,
           fmt::format("source {} -> {}", before->source.substr(0, kHashShown), trial->source.substr(0, kHashShown))},
          *before, *trial);
      if (const std::string change = change_of_findings(*before, *trial); !change.empty())
        add(found, {trial->kernel, trial->device, change}, *before, *trial);
    }
    before = trial;
  }
}

// The same step the other way round.
std::string reversed(const std::string& action) {
  const size_t space = action.find(' ');
  const size_t arrow = action.find(" -> ");
  return fmt::format("{} {} -> {}", action.substr(0, space), action.substr(arrow + 4),
                     action.substr(space + 1, arrow - space - 1));
}

}  // namespace

Outcomes summarize(std::vector<double> ratios) {
  Outcomes outcomes;
  if (ratios.empty()) return outcomes;
  std::sort(ratios.begin(), ratios.end());
  double logarithms = 0;
  for (const double ratio : ratios) {
    if (ratio > 1 + kMargin) ++outcomes.wins;
    if (ratio < 1 / (1 + kMargin)) ++outcomes.losses;
    logarithms += std::log(ratio);
  }
  outcomes.ties = ratios.size() - outcomes.wins - outcomes.losses;
  outcomes.median = stats::median(ratios);
  const size_t rank = rank_of_interval(ratios.size());
  outcomes.interval = {ratios[rank - 1], ratios[ratios.size() - rank]};
  outcomes.expected = std::exp(logarithms / (static_cast<double>(ratios.size()) + kPrior));
  return outcomes;
}

std::vector<Pattern> mine(const std::vector<Trial>& trials, size_t least) {
  std::map<std::string, std::vector<const Trial*>> places;
  for (const Trial& trial : trials) {
    if (trial.time_us > 0 && std::isfinite(trial.time_us)) places[trial.place()].push_back(&trial);
  }
  std::map<OneStep, Pairs> found;
  for (const auto& [place, there] : places) {
    add_steps_of_tunables(there, found);
    add_steps_of_sources(there, found);
  }
  std::vector<Pattern> patterns;
  for (auto& [step, pairs] : found) {
    if (pairs.ratios.size() < least) continue;
    Pattern pattern{step.kernel, step.device, step.action, summarize(pairs.ratios)};
    const bool one_way = step.action.starts_with("source ") || step.action.starts_with("finding ");
    if (pattern.outcomes.expected < 1 && !one_way) {
      for (double& ratio : pairs.ratios) ratio = 1 / ratio;
      pattern.outcomes = summarize(pairs.ratios);
      pattern.action = reversed(step.action);
    }
    pattern.outcomes.seconds = pairs.seconds;
    pattern.outcomes.cost = pairs.cost;
    patterns.push_back(std::move(pattern));
  }
  std::ranges::stable_sort(patterns, std::greater(), [](const Pattern& each) { return each.outcomes.expected; });
  return patterns;
}

}  // namespace assay::learn
