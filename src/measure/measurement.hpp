// SPDX-License-Identifier: MIT
// What was measured: per contender its samples, whether its results were right, and what the guards saw.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "judge/batch.hpp"
#include "judge/comparison.hpp"
#include "measure/contract.hpp"
#include "measure/guard.hpp"
#include "measure/provider.hpp"
#include "measure/roofline.hpp"
#include "measure/verifier.hpp"
#include "stats/interval.hpp"
#include "stats/summary.hpp"

namespace assay::measure {

// The samples of one request as the judgement takes them, without the lead-in, with the mean of their clocks.
judge::Batch as_batch(const SampleBatch& batch, size_t lead_in, size_t process);

// Why sampling may end now that everyone in `all` has run in so many processes and so many seconds have passed;
// nothing: it must go on. The first of them is compared with the others; those that are out are not in the list.
std::optional<std::string> reason_to_stop(const Sampling& sampling, size_t processes, double seconds,
                                          const std::vector<const judge::Batches*>& all,
                                          const judge::CompareOptions& compare);

struct ContenderResult {
  std::string name;
  std::string provider;
  std::string variant;  // what ran, in words
  std::map<std::string, std::string> versions;
  std::optional<Error> failure;  // why it was removed from the run
  Guards guards;
  Accuracy accuracy;               // the worst of the sets
  size_t verified_sets = 0;        // against float64
  size_t ungated = 0;              // samples that hold time to enqueue
  bool deterministic = true;       // the same bits for the same inputs
  judge::Batches batches;          // in order
  std::vector<double> throughput;  // us per call, back to back
  std::optional<stats::Summary> time_us;
  stats::Interval median_interval;
  std::vector<LaunchedKernel> kernels;     // of one call
  RequestCosts requests;                   // of all its processes
  std::optional<uint64_t> device_bytes{};  // that one call holds at most, if the provider says

  bool timed() const { return time_us.has_value(); }
  // Timed, right, and no guard objected.
  bool good() const { return timed() && !failure && guards.first_failure() == nullptr; }
  std::string objection() const;  // why it is not good, in one line
};

struct CaseMeasurement {
  std::string shape;
  Work work;
  Floor floor;
  Contract contract;
  uint64_t seed = 0;                                  // of the inputs
  uint64_t order_seed = 0;                            // of the order, the poison and the places in memory
  std::vector<ContenderResult> contenders;            // the candidate first
  std::string stopped_because;                        // why sampling ended
  double seconds = 0;                                 // of sampling
  std::vector<std::pair<std::string, double>> steps;  // what took how many seconds, in order

  const ContenderResult& candidate() const { return contenders.front(); }
  double tflops(double us) const { return us > 0 ? work.flops.value_or(0) / us * 1e-6 : 0; }
  double gb_per_s(double us) const { return us > 0 ? work.bytes.value_or(0) / us * 1e-3 : 0; }
};

}  // namespace assay::measure
