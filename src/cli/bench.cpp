// SPDX-License-Identifier: MIT
// assay bench: how fast, beside the real alternatives.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "cli/measuring.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  line.needs("kernel", options.kernel, "a folder with a kernel.toml, the file, or a folder of such folders");
  add_device(line, options);
  add_configuration(line, options);
  line.option("--baseline", options.measure.baselines,
              "NAME of the specification, sdpa[:BACKEND], torch_compile, a kernel folder");
  line.option("--candidate", options.measure.candidate, "a [baseline.NAME] that takes the kernel's place");
  add_measuring(line, options);
  line.option("--save", options.measure.save, "keep the measurement under this name, for gate and compare");
  line.choice("--format", options.measure.format, "csv or markdown", {"csv", "markdown"});
  add_seed(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

struct Outcome {
  std::vector<report::BenchCase> cases;
  nlohmann::json document;
};

Result<Outcome> bench_one(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  ASSAY_TRY(Bench bench, prepare_bench(spec, options));
  const report::Terminal terminal;
  const bool as_text = !options.json && options.measure.format.empty();
  if (as_text) {
    fmt::print("{}  {}  on {} ({})  {} {}  seed {}\n", terminal.paint(report::Colour::bold, spec.kernel.name),
               bench.request.configuration.id(), bench.request.model.name, device_name(options),
               options.measure.protocol, options.measure.cache, options.seed);
  }
  Outcome outcome;
  nlohmann::json cases = nlohmann::json::array();
  const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) -> Result<void> {
    nlohmann::json document = report::bench_case_document(measured, true);
    if (attempt) document["attempt"] = *attempt;
    cases.push_back(std::move(document));
    if (as_text) fmt::print("{}", report::bench_case_text(measured, terminal)), std::fflush(stdout);
    if (attempt && !options.measure.save.empty() && recording.ledger() != nullptr)
      ASSAY_CHECK(recording.ledger()->set_baseline(
          fmt::format("{}/{}/{}", options.measure.save, spec.kernel.name, measured.measured.shape), *attempt));
    return {};
  };
  ASSAY_TRY(outcome.cases, run_bench(bench, compare_options(options, bench, recording), recording, on_case));
  outcome.document = document_head("bench", spec, bench.request.configuration, options);
  outcome.document["gpu"] = std::string(bench.request.model.name);
  outcome.document["seed"] = options.seed;
  outcome.document["cases"] = std::move(cases);
  return outcome;
}

Result<ExitCode> run(const Options& options) {
  ASSAY_TRY(const std::vector<spec::KernelSpec> specs, load_kernels(options.kernel));
  if (const auto gpu = measured_device(options, "bench"); !gpu) return gpu.error();
  bool all_good = true;
  nlohmann::json documents = nlohmann::json::array();
  std::vector<report::BenchCase> cases;
  for (const spec::KernelSpec& spec : specs) {
    ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::measure, spec));
    auto outcome = bench_one(spec, options, recording);
    if (!outcome) return recording.close(outcome.error());
    for (const report::BenchCase& each : outcome->cases) all_good &= each.measured.candidate().good();
    documents.push_back(std::move(outcome->document));
    for (report::BenchCase& each : outcome->cases) cases.push_back(std::move(each));
  }
  if (options.json) {
    print_document(documents.size() == 1
                       ? documents[0]
                       : nlohmann::json{{"assay", kVersion}, {"command", "bench"}, {"kernels", documents}});
  } else if (!options.measure.format.empty()) {
    const report::BenchTable table = report::bench_table(cases);
    fmt::print("{}", options.measure.format == "csv" ? report::to_csv(table) : report::to_markdown(table));
  }
  return all_good ? ExitCode::good : ExitCode::incorrect;
}

}  // namespace

Command bench_command() {
  return {"bench", "timing with statistics, beside the baselines, in one run", add_options, run};
}

}  // namespace assay::cli
