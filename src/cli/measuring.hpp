// SPDX-License-Identifier: MIT
// The way from options to measurements, shared by the commands that measure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/recording.hpp"
#include "measure/bench.hpp"
#include "report/bench_report.hpp"

namespace assay::cli {

void add_measuring(CommandLine& line, Options& options);  // protocol, cache, sets, samples, budget

// The kernel of a folder, or all kernels in its subfolders: a ladder is measured as a whole.
Result<std::vector<spec::KernelSpec>> load_kernels(const std::string& folder_or_file);

// The ordinal of a "cuda:N" device; an error for a virtual one, on which time cannot be measured.
Result<int> measured_device(const Options& options, const char* command);

// Everything but shapes: the kernel built, providers installed, the machine described.
struct Bench {
  measure::BenchRequest request;
  build::BuildResult built;
  std::unique_ptr<device::Device> device;  // request.model names strings of it
};
Result<Bench> prepare_bench(const spec::KernelSpec& spec, const Options& options);

// The shapes that options name and this configuration can run; at least one.
Result<std::vector<spec::Shape>> chosen_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                               const Options& options);

judge::CompareOptions compare_options(const Options& options);
// The same for contenders of one run: intervals know what this machine was found to be like.
judge::CompareOptions compare_options(const Options& options, const Bench& bench, Recording& recording);

// A measured case as an attempt, with the samples of every contender.
ledger::Attempt measure_attempt(const Recording& recording, const Bench& bench, const report::BenchCase& measured);
std::vector<ledger::Samples> samples_of(const measure::CaseMeasurement& measured);
// Back to batches, as they were taken: so many samples each, so many of each process (0: all of one).
judge::Batches batches_of(const ledger::Samples& samples, size_t batch, size_t batches_per_process);

// Measures all shapes; each case is in the ledger before on_case hears of it.
using OnCase = std::function<Result<void>(const report::BenchCase&, std::optional<int64_t> attempt)>;
Result<std::vector<report::BenchCase>> run_bench(Bench& bench, const judge::CompareOptions& compare,
                                                 Recording& recording, const OnCase& on_case);

}  // namespace assay::cli
