// SPDX-License-Identifier: MIT
// Measures a kernel beside its baselines, shape after shape, in one run.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "assay/context.hpp"
#include "base/result.hpp"
#include "measure/session.hpp"

namespace assay::measure {

struct BenchRequest {
  const spec::KernelSpec* spec = nullptr;
  spec::Configuration configuration;
  std::vector<spec::Shape> shapes;
  std::vector<Contender> contenders;  // the candidate first
  Protocol protocol;
  Sampling sampling;
  uint64_t seed = 1;
  std::optional<uint64_t> order_seed = {};  // as a report gives it; the system's randomness otherwise
  judge::CompareOptions compare;            // tells when enough is known
  int device = 0;
  gpu::GpuModel model;
  std::filesystem::path cache_folder;
  std::filesystem::path instruments;
  Contract contract;  // what is known before: device, compiler, hashes
  Context context{};
  // For work that was interrupted: what an earlier run has measured of this shape. It goes to on_case like the others.
  std::function<std::optional<CaseMeasurement>(const std::string& shape)> recall = {};
  // Gets each case as soon as it is finished; an error ends the run.
  std::function<Result<void>(CaseMeasurement)> on_case = {};
  // Asked before each further shape: true ends the run, without an error.
  std::function<bool()> enough = {};
};

// Twice the cache is flushed, so that nothing of it stays whatever its replacement does.
TimingFiles timing_of(const BenchRequest& request);

// Of a case before it is measured: all but the seeds and the versions that contenders tell.
Contract case_contract(const BenchRequest& request, const spec::Shape& shape);

// How many processes of each contender may be there at once on a host of so many cores.
size_t processes_at_once(const BenchRequest& request, uint64_t case_bytes, size_t sets, size_t cores);

Result<void> bench(const BenchRequest& request);

}  // namespace assay::measure
