// SPDX-License-Identifier: MIT
#include "work/tune_proposals.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace assay::work {

Result<std::unique_ptr<TuneProposals>> TuneProposals::make(KernelSpaces spaces, const TuneRequest& request) {
  std::unique_ptr<TuneProposals> made(new TuneProposals(std::move(spaces), request));
  if (request.strategy == "exhaustive" && !made->spaces_.listed())
    return Error{fmt::format("{:.3g} configurations cannot all be evaluated", made->spaces_.legal()),
                 {},
                 "choose some with --config, or another --strategy"};
  ASSAY_TRY(made->space_, made->spaces_.part({}, {}, 0));
  const size_t size = made->space_->space.size();
  made->budget_ = made->spaces_.listed() ? std::min(request.strategy == "exhaustive" ? size : request.budget, size)
                                         : request.budget;
  ASSAY_TRY(made->strategy_,
            tune::make_strategy(request.strategy, made->space_->space, {request.seed, made->budget_, {}, {}}));
  return made;
}

Result<std::vector<spec::Configuration>> TuneProposals::spread(size_t count) const {
  ASSAY_TRY(const std::unique_ptr<tune::Strategy> scout,
            tune::make_strategy("model", space_->space, {request_.seed ^ 0x5c007, budget_, {}, {}}));
  std::vector<spec::Configuration> list;
  for (const size_t pick : scout->propose(count)) list.push_back(space_->configuration(pick));
  return list;
}

Result<void> TuneProposals::expect(Predictor predictor) {
  predictor_ = std::move(predictor);
  strategy_->expect(predictor_(*space_));
  return {};
}

Result<bool> TuneProposals::holds(const std::string& configuration) const {
  return spaces_.listed() ? Result<bool>(space_->find(configuration).has_value()) : spaces_.legal(configuration);
}

Result<void> TuneProposals::see_what_was_measured() {
  return spaces_.listed() ? Result<void>() : begin_part();
}

Result<void> TuneProposals::begin_part() {
  ++round_;
  since_ = 0;
  std::vector<std::pair<double, std::string>> fastest;
  std::vector<std::string> evaluated;
  for (const auto& [configuration, outcome] : told_) {
    evaluated.push_back(configuration);
    if (outcome.milliseconds) fastest.emplace_back(*outcome.milliseconds, configuration);
  }
  std::ranges::sort(fastest);
  std::vector<std::string> best;
  for (size_t i = 0; i < fastest.size() && i < kLeaders; ++i) best.push_back(fastest[i].second);
  strategy_.reset();  // it looks at the space
  ASSAY_TRY(space_, spaces_.part(evaluated, best, round_));
  const std::vector<double> predicted = predictor_ ? predictor_(*space_) : std::vector<double>();
  ASSAY_TRY(strategy_,
            tune::make_strategy(request_.strategy, space_->space, {request_.seed + round_, budget_, predicted, {}}));
  for (const auto& [configuration, outcome] : told_) {
    if (const auto place = space_->find(configuration)) strategy_->tell(*place, outcome);
  }
  return {};
}

Result<std::vector<spec::Configuration>> TuneProposals::propose(size_t count) {
  if (wants_all_told()) {
    ASSAY_CHECK(begin_part());
  }
  std::vector<spec::Configuration> list;
  for (const size_t pick : strategy_->propose(count)) list.push_back(space_->configuration(pick));
  since_ += list.size();
  return list;
}

void TuneProposals::tell(const TunedConfiguration& result) {
  told_.emplace_back(result.configuration, tune::Outcome{result.value});
  if (const auto place = space_->find(result.configuration)) strategy_->tell(*place, told_.back().second);
}

}  // namespace assay::work
