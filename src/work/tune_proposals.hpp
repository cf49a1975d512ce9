// SPDX-License-Identifier: MIT
// What to evaluate next: a strategy on the space that it sees. A space that is too large to be listed is seen in parts:
// after a number of evaluations the strategy goes on in another part, with everything that was measured.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/tune.hpp"
#include "tune/strategy.hpp"
#include "work/tune_space.hpp"

namespace assay::work {

class TuneProposals {
 public:
  // The predicted time of each configuration of a space; empty: nothing is predicted.
  using Predictor = std::function<std::vector<double>(const KernelSpace&)>;

  static Result<std::unique_ptr<TuneProposals>> make(KernelSpaces spaces, const TuneRequest& request);

  const KernelSpaces& spaces() const { return spaces_; }
  const KernelSpace& space() const { return *space_; }  // what is seen now
  size_t budget() const { return budget_; }

  // Before the first proposal: spread out over the space, for whoever wants to look at some.
  Result<std::vector<spec::Configuration>> spread(size_t count) const;
  Result<void> expect(Predictor predictor);  // again whenever it knows more

  Result<bool> holds(const std::string& configuration) const;  // the whole space, not what is seen now
  // After more was measured than was proposed.
  Result<void> see_what_was_measured();

  // It needs to hear of everything that was proposed before it proposes again.
  bool wants_all_told() const { return !spaces_.listed() && since_ >= kOfOnePart; }
  // None: the space is exhausted.
  Result<std::vector<spec::Configuration>> propose(size_t count);
  void tell(const TunedConfiguration& result);

 private:
  TuneProposals(KernelSpaces spaces, const TuneRequest& request) : spaces_(std::move(spaces)), request_(request) {}
  Result<void> begin_part();

  static constexpr size_t kOfOnePart = 16;  // evaluations
  static constexpr size_t kLeaders = 5;     // whose neighbours are in the next part

  KernelSpaces spaces_;
  const TuneRequest& request_;
  size_t budget_ = 0;
  std::optional<KernelSpace> space_;
  std::unique_ptr<tune::Strategy> strategy_;
  Predictor predictor_;
  std::vector<std::pair<std::string, tune::Outcome>> told_;
  size_t since_ = 0;  // proposed in this part
  uint64_t round_ = 0;
};

}  // namespace assay::work
