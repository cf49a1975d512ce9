// SPDX-License-Identifier: MIT
#include "work/verdict.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace assay::work {

ExitCode exit_code(check::Outcome outcome) {
  using check::Outcome;
  switch (outcome) {
    case Outcome::passed:
      return ExitCode::good;
    case Outcome::not_launched:
    case Outcome::reference_failed:
    case Outcome::cannot_fail:
      return ExitCode::usage;
    case Outcome::timed_out:
      return ExitCode::inconclusive;
    case Outcome::cannot_run:
      return ExitCode::environment;
    case Outcome::crashed:
      return ExitCode::internal;
    case Outcome::finding:
    case Outcome::fault:
    case Outcome::wrong_value:
    case Outcome::nan:
    case Outcome::unwritten:
    case Outcome::input_changed:
    case Outcome::red_zone:
    case Outcome::does_not_fit:
      break;
  }
  return ExitCode::incorrect;
}

std::optional<Error> no_verdict(const spec::KernelSpec& spec, const check::CaseResult& result) {
  const ExitCode code = exit_code(result.outcome);
  if (code == ExitCode::good || code == ExitCode::incorrect || code == ExitCode::inconclusive) return std::nullopt;
  const bool by_function = spec.problem.reference.empty();
  std::string what;
  if (code == ExitCode::environment) what = "cannot judge here: ";
  if (result.outcome == check::Outcome::reference_failed)
    what = by_function ? fmt::format("the comparison '{}' is to blame, not the kernel: ", spec.problem.compare)
                       : fmt::format("the reference '{}' is to blame, not the kernel: ", spec.problem.reference);
  if (result.outcome == check::Outcome::cannot_fail) what = "no verdict, this check cannot fail: ";
  const bool placed = what.empty() && result.message.starts_with(spec.file.string());  // it says itself where it is
  const Place place = result.outcome == check::Outcome::reference_failed
                          ? (by_function ? spec.problem.compare_place : spec.problem.reference_place)
                      : placed ? Place{}
                               : Place{spec.file.string()};
  return Error{fmt::format("{}{} (shape {})", what, result.message, result.test.shape.text()), place, result.hint,
               code};
}

ExitCode worse(ExitCode one, ExitCode other) {
  constexpr std::array kWorstFirst = {ExitCode::internal,   ExitCode::usage,        ExitCode::incorrect,
                                      ExitCode::regression, ExitCode::inconclusive, ExitCode::environment,
                                      ExitCode::good};
  const auto rank = [&](ExitCode code) { return std::find(kWorstFirst.begin(), kWorstFirst.end(), code); };
  return rank(one) <= rank(other) ? one : other;
}

}  // namespace assay::work
