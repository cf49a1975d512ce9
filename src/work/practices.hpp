// SPDX-License-Identifier: MIT
// Cases of the hypotheses of learn/hypothesis.hpp, out of a ledger: what was done before what, and what came of it.
#pragma once

#include <string>
#include <vector>

#include "learn/hypothesis.hpp"
#include "learn/step.hpp"
#include "ledger/ledger.hpp"

namespace assay::work {

// One attempt, as far as it bears on a hypothesis.
struct Event {
  ledger::Kind kind = ledger::Kind::check;
  int64_t time_us = 0;
  std::string machine;
  std::string kernel;
  std::string device;
  int exit_code = 0;
  std::string source;                  // its hash
  std::vector<std::string> results{};  // measured cases: shape, configuration and contract
  std::vector<double> times_us{};      // beside them
  bool has_baseline = false;
  bool has_hypothesis = false;
  bool has_sources = false;
  bool asserts = false;       // a source holds static_assert
  bool is_template = false;   // a kernel is a template
  bool instantiates = false;  // by name
  size_t units = 0;           // source files that are compiled
};

// Pure: events with the oldest first.
std::vector<learn::Practice> practices_of(const std::vector<Event>& events);
// A step is one case, whatever number of shapes it was measured at.
std::vector<learn::Practice> practices_of(const std::vector<learn::Step>& steps);

Result<std::vector<Event>> read_events(ledger::Ledger& ledger, const ledger::Filter& wanted);
// The steps that were imported as attempts. What makes no sense is passed over.
Result<std::vector<learn::Step>> read_steps(ledger::Ledger& ledger, const ledger::Filter& wanted);

}  // namespace assay::work
