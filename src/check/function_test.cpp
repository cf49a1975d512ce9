// SPDX-License-Identifier: MIT
// Can a comparison of the user's fail? It gets what the kernel wrote, with mistakes in it, and rubbish.
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check/case_run.hpp"
#include "check/element.hpp"

namespace assay::check {

Result<void> CaseRunner::test_function(const std::vector<spec::ResolvedArgument>& arguments, SelfTest& made) {
  made.by_function = true;
  ASSAY_TRY(const Run run, launch(made.test, arguments, false));
  ASSAY_TRY(const reference::Outputs known, expected(made.test, arguments, run));
  InputValues right;
  InputValues wrong;
  for (const Buffer& buffer : run.buffers) {
    if (!buffer.is_output()) continue;
    right[buffer.name] = decode(buffer.tensor, buffer.tensor_after());
    wrong[buffer.name] = rubbish(buffer.tensor);
  }
  // One that crashes has not taken the outputs for right.
  const auto caught = [&](const InputValues& outputs) {
    const auto verdict = oracle_->judge(spec_, made.test.shape, arguments, known, outputs);
    return !verdict || verdict->has_value();
  };
  for (const Buffer& buffer : run.buffers) {
    if (!buffer.is_output()) continue;
    for (WrongCopy& copy : wrong_copies(buffer.name, buffer.tensor, right[buffer.name])) {
      InputValues outputs = right;
      outputs[buffer.name] = std::move(copy.values);
      copy.trial.caught = caught(outputs);
      if (!copy.trial.caught && copy.trial.perturbation == Perturbation::nan)
        made.suspicions.push_back(fmt::format("{} takes NaN for right, in {}[{}]", spec_.problem.compare, buffer.name,
                                              fmt::join(copy.trial.index, ", ")));
      made.trials.push_back(std::move(copy.trial));
    }
  }
  if (made.trials.empty()) return {};
  PerturbationTrial all{Perturbation::everything, made.trials.front().tensor, made.trials.front().index,
                        made.trials.front().expected};
  all.planted = wrong[all.tensor].values.front();
  all.caught = caught(wrong);
  made.trials.push_back(std::move(all));
  return {};
}

}  // namespace assay::check
