// SPDX-License-Identifier: MIT
#include "check/case_result.hpp"

#include <array>

namespace assay::check {
namespace {

struct OutcomeName {
  Outcome outcome;
  std::string_view name;
};

constexpr std::array kNames = {
    OutcomeName{Outcome::passed, "passed"},
    OutcomeName{Outcome::finding, "finding"},
    OutcomeName{Outcome::fault, "fault"},
    OutcomeName{Outcome::wrong_value, "wrong_value"},
    OutcomeName{Outcome::nan, "nan"},
    OutcomeName{Outcome::unwritten, "unwritten"},
    OutcomeName{Outcome::input_changed, "input_changed"},
    OutcomeName{Outcome::red_zone, "red_zone"},
    OutcomeName{Outcome::timed_out, "timed_out"},
    OutcomeName{Outcome::crashed, "crashed"},
    OutcomeName{Outcome::reference_failed, "reference_failed"},
    OutcomeName{Outcome::cannot_fail, "cannot_fail"},
    OutcomeName{Outcome::does_not_fit, "does_not_fit"},
    OutcomeName{Outcome::not_launched, "not_launched"},
    OutcomeName{Outcome::cannot_run, "cannot_run"},
};

}  // namespace

std::string_view name(Outcome outcome) {
  for (const OutcomeName& entry : kNames) {
    if (entry.outcome == outcome) return entry.name;
  }
  return "unknown";
}

std::optional<Outcome> outcome_from_name(std::string_view text) {
  for (const OutcomeName& entry : kNames) {
    if (entry.name == text) return entry.outcome;
  }
  return std::nullopt;
}

}  // namespace assay::check
