// SPDX-License-Identifier: MIT
// Why a kernel is not faster: findings from exact counts, each with its evidence and its cap, the most that mending it
// can bring. One rule a row (rules.cpp). A cap is what the estimate says without the finding's cost, in the proportion
// of the time that is known, and never more than the time above the floor.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/estimate.hpp"
#include "gpu/finding.hpp"
#include "gpu/gpu_model.hpp"
#include "gpu/launch_work.hpp"
#include "gpu/rates.hpp"

namespace assay::diagnosis {

// An axis of the problem that the launch might go along: a variable of the shape.
struct Axis {
  std::string name;
  double extent = 1;
  bool in_grid = false;  // the grid's formula has it
};

struct Case {
  gpu::LaunchWork work;
  estimate::Estimate estimate;
  const gpu::GpuModel* model = nullptr;
  int blocks_per_sm = 1;  // that fit
  int kernels = 1;        // of the call: this is one of so many
  double time_us = 0;     // measured if it was, else estimated
  bool measured = false;
  double flops = 0;           // of the problem; 0: not known
  double bytes = 0;           // likewise
  double argument_bytes = 0;  // device memory of a call: all its tensors
  double given_bytes = 0;     // of them, inputs and outputs
  double baseline_bytes = 0;  // of a call of the baseline, as it says; 0: there is none, or it does not say
  std::string baseline{};     // its name
  std::vector<Axis> axes;
  int64_t spill_bytes = 0;  // loads and stores, by the compiler
  int64_t stack_bytes = 0;
  bool debug_build = false;    // -G
  std::string unoptimised{};   // the flag by which ptxas does not optimise; "": it does
  bool narrow_inputs = false;  // of 16 bits or less, as tensor cores take them
  bool float64 = false;        // inputs or outputs of the problem are
  double other_flops = 0;      // that other kernels of the call execute
  std::string stage{};         // of a call with several kernels: the name of this one
  // Measured on such a GPU, in place of the model's: those that times follow, and the best of both, for the floor.
  std::shared_ptr<const gpu::Rates> measured_rates{};
  std::shared_ptr<const gpu::Rates> best_rates{};

  const gpu::Rates& rates() const { return measured_rates ? *measured_rates : gpu::rates_of(*model); }
  const gpu::Rates& floor_rates() const { return best_rates ? *best_rates : gpu::rates_of(*model); }
};

// What could not be undercut by any kernel that computes this problem with the kind of instruction in use.
struct Floor {
  double time_us = 0;
  std::string by;  // "bytes that must move", "FMA", "wgmma", "launch"
  // What each would take alone at its peak, the longest first. Special functions are as the kernel executes them:
  // others may do with fewer, so that they are no part of the floor.
  std::vector<std::pair<std::string, double>> alone{};
};
Floor floor_of(const Case& about);
// Of the problem's bytes, those that no kernel can do without: what this one touches may be more, or less.
double must_move(const Case& about);
// The different bytes that a launch touches, of which no more count than its lanes ask for: a sector that is fetched
// for one of its words need not move as a whole.
double touched_bytes(const estimate::Estimate& estimate, const gpu::LaunchWork& work);
// At most so many operations are executed, if every instruction of the FMA and FP64 pipes is a fused one.
double executed_flops(const gpu::LaunchWork& work);

struct Evidence {
  std::vector<std::string> facts;       // "12,582,912 sectors, 1,572,864 would do (8.0 times)"
  std::optional<gpu::SourceLine> line;  // where most of it happens
  double line_share = 0;                // of it
  bool changes_results = false;         // mending it gives up accuracy: whatever does not comes first
  double unseen_us = 0;                 // what it takes beside what was estimated: nothing that was counted shows it
  bool worth_saying = false;            // whatever its cap: time is not all that it costs
};

struct Advice {
  std::string rule;   // "uncoalesced"
  std::string title;  // "Accesses to global memory are not coalesced"
  Evidence evidence;
  double cap_us = 0;
  std::string remedy;
  std::string stage{};  // of a call with several kernels
};

struct Rule {
  std::string_view name;
  std::string_view title;
  // What was seen, if the rule applies.
  std::optional<Evidence> (*seen)(const Case& about);
  // Takes its cost away, for the cap: what is estimated then is the best that mending it can bring.
  void (*mended)(Case& about);
  std::string_view remedy;
  bool general = false;  // what a special rule explains nearly as well, that one is said first
  bool outside = false;  // mended outside this kernel: what brings something inside it is said first
};
std::span<const Rule> rules();

struct Diagnosis {
  Floor floor;
  double time_us = 0;
  bool measured = false;
  std::vector<Advice> advice;  // the largest cap first; what changes results last
};
Diagnosis diagnose(const Case& about);
// Of a call with several kernels, one after the other: `whole` has the time and the floor of all, and each of `stages`
// its own work and its own part of the time. A finding is one of a stage.
Diagnosis diagnose(const Case& whole, std::span<const Case> stages);

}  // namespace assay::diagnosis
