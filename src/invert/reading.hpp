// SPDX-License-Identifier: MIT
// From experiments to what they mean: for each resource the gain if it were free, the cost of more of it, the slack,
// and the verdict; then which resource comes first. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "invert/mutation.hpp"

namespace assay::invert {

// What became of one row with one dose.
enum class State {
  ranked,          // proved; its time counts
  confounded,      // its time is shown and does not count: something else changed as well
  not_proved,      // counts or machine code are not what the row says
  failed,          // it did not run clean on the virtual GPU, or not on the GPU
  not_applicable,  // there is nothing to change in this kernel
  not_timed,       // proved, but nothing timed it: no GPU for a row that needs one, or no time left
  not_tried,       // no time was left to prove it
};
std::string_view to_string(State state);
std::optional<State> state_named(std::string_view name);

struct Effect {
  std::string row;
  int dose = 1;
  State state = State::not_applicable;
  std::string why;              // of all states but `ranked`
  std::optional<double> ratio;  // time of the mutant over that of its control
  double low = 0;               // 95 % interval of the ratio, if it was measured
  double high = 0;
};

enum class Verdict { bottleneck, hidden, slack, latency, not_known };
std::string_view to_string(Verdict verdict);

struct ResourceReading {
  std::string resource;
  Verdict verdict = Verdict::not_known;
  std::optional<double> gain;  // share of the time that goes if it is free; of ranked ablations
  double gain_low = 0;         // interval
  double gain_high = 0;
  std::string gain_by;                  // the row
  std::optional<double> cost_per_dose;  // share of the time that dose 1 adds
  std::string cost_by;
  std::optional<int> slack;  // the largest dose that still costs nothing; 0: the first one costs
  std::string remedy;
  std::vector<std::string> rules;  // of `diagnose` that say the same
  bool ranked = true;              // false: it splits the time, and nobody can mend it
};

struct Reading {
  std::vector<ResourceReading> resources;  // what gains most first
  std::string first;                       // "" if nothing stands out: a resource, or "latency"
  std::string sentence;                    // what the experiments say together
  bool latency = false;
};

// `noise`: what a control differs from itself; differences below it are none.
Reading read(const std::vector<Effect>& effects, double noise);

// Whether an experiment on the resource tells of what the rule of `diagnose` says.
bool concerns(std::string_view resource, std::string_view rule);

// Whether the first finding of `diagnose` says the same as the first resource.
bool agrees(const Reading& reading, std::string_view rule);

}  // namespace assay::invert
