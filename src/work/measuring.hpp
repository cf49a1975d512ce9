// SPDX-License-Identifier: MIT
// The way from a request to measurements, shared by everything that measures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "device/device.hpp"
#include "ledger/ledger.hpp"
#include "measure/bench.hpp"
#include "report/bench_report.hpp"
#include "work/kernel.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"

namespace assay::work {

// The ordinal of a "cuda:N" device; an error for a virtual one, on which time cannot be measured. `device` may be
// empty: the default one.
struct MeasuredDevice {
  std::string name;
  int ordinal = 0;
};
Result<MeasuredDevice> measured_device(const std::string& device, const char* command);

// Who is measured, and how.
struct MeasureRequest {
  std::string configuration;
  std::string device;
  std::vector<std::string> baselines;
  std::string candidate;
  Measuring measuring;
  uint64_t seed = 1;
};

// Everything that is ready before the first sample: the kernel built, providers installed, the machine described.
struct Bench {
  measure::BenchRequest request;
  build::BuildResult built;
  std::unique_ptr<device::Device> device;
};
Result<Bench> prepare_bench(const spec::KernelSpec& spec, const MeasureRequest& wanted, const Context& context);

// The shapes that are asked for and that this configuration can run; at least one.
Result<std::vector<spec::Shape>> chosen_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                               const Measuring& wanted);

judge::CompareOptions compare_options(uint64_t seed);
// The same for contenders of one run: intervals know what this machine was found to be like.
judge::CompareOptions compare_options(uint64_t seed, const Bench& bench, Recording& recording);

// A measured case as an attempt, with the samples of every contender.
ledger::Attempt measure_attempt(const Recording& recording, const Bench& bench, const report::BenchCase& measured);
// What was measured, in an attempt that knows its build.
void describe_case(ledger::Attempt& attempt, const report::BenchCase& measured);
std::vector<ledger::Samples> samples_of(const measure::CaseMeasurement& measured);
// Back to batches, as they were taken: so many samples each, so many of each process (0: all of one).
judge::Batches batches_of(const ledger::Samples& samples, size_t batch, size_t batches_per_process);

// Measures all shapes; each case is in the ledger before on_case hears of it.
using OnCase = std::function<Result<void>(const report::BenchCase&, std::optional<int64_t> attempt)>;
Result<void> run_bench(Bench& bench, const judge::CompareOptions& compare, Recording& recording, const OnCase& on_case,
                       Resumption* resumption = nullptr);

// A hash of all that the measurements of a bench depend on.
Result<std::string> bench_work(const Bench& bench);

}  // namespace assay::work
