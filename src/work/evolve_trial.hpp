// SPDX-License-Identifier: MIT
// What the judging of proposals and that of the first kernel share: shapes, a look at a kernel, a check of its results.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/elapsed.hpp"
#include "work/evolve_judging.hpp"

namespace assay::work {

// Adds the time of its life to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += seconds_since(start_); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

RecordOptions nowhere();
Context quiet(const Context& context);  // progress of the parts would drown that of the whole

// Its results are cheap enough for a virtual GPU to verify.
bool verifiable(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape);
// The shapes of a race: the canonical ones; on a virtual GPU, those whose results it can verify.
Result<std::vector<spec::Shape>> race_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             bool on_gpu);
// Others near them, of sizes that nobody could know before.
Result<std::vector<spec::Shape>> drawn_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                              const std::vector<spec::Shape>& known, uint64_t seed);
// Counted and estimated on a virtual GPU.
Result<DiagnoseReport> look_at(const std::string& specification, const std::string& configuration,
                               const std::string& shape, const JudgingRequest& request, const Context& context);
evolve::Cell cell_of(const DiagnoseReport& looked, const evolve::PtxFacts& facts);
// By the names that hypotheses use; only what is not 0.
std::map<std::string, double> counters_of(const DiagnoseReport& looked);
// Right on the virtual GPU (and the GPU) with inputs and shapes of this seed; "" or what is wrong.
Result<std::string> why_incorrect(const std::string& specification, const std::string& configuration,
                                  const std::vector<std::string>& further_shapes, const JudgingRequest& request,
                                  JudgingCosts& costs, const Context& context);

}  // namespace assay::work
