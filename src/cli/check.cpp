// SPDX-License-Identifier: MIT
// assay check: correctness against a float64 reference.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "check/checker.hpp"
#include "check/inputs.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/recording.hpp"
#include "cli/verdict_text.hpp"
#include "report/documents.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  add_kernel(line, options);
  add_device(line, options);
  add_configuration(line, options);
  line.option("--shape", options.shape, "NAME=value,...: only this shape");
  line.option("--distribution", options.distribution, "of the inputs, with --shape");
  line.option("--fuzz", options.fuzz, "random shapes after the specified ones");
  line.option("--fmad", options.fmad, "on, off or both: fuse products and sums that ptxas may contract");
  line.flag("--no-memory-check", options.no_memory_check,
            "guard bytes around buffers instead of checking every access");
  add_seed(line, options);
  add_limits(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

Result<std::optional<check::Case>> single_case(const spec::KernelSpec& spec, const Options& options) {
  if (options.shape.empty()) {
    if (!options.distribution.empty()) return Error{"--distribution needs --shape"};
    return std::optional<check::Case>();
  }
  check::Case test;
  ASSAY_TRY(test.shape, spec::parse_shape(spec, options.shape));
  test.seed = options.seed;
  if (!options.distribution.empty()) {
    const auto distribution = check::distribution_from_name(options.distribution);
    if (!distribution) {
      std::string known;
      for (const check::Distribution each : check::all_distributions())
        known += (known.empty() ? "" : ", ") + std::string(check::name(each));
      return Error{fmt::format("there is no distribution '{}'", options.distribution), {}, "choose one of " + known};
    }
    test.distribution = *distribution;
  }
  return std::optional<check::Case>(test);
}

Result<check::Fmad> fmad_named(const std::string& name) {
  if (name == "off") return check::Fmad::off;
  if (name == "on") return check::Fmad::on;
  if (name == "both") return check::Fmad::both;
  return Error{fmt::format("--fmad takes on, off or both, not '{}'", name)};
}

struct Checked {
  Runnable runnable;
  check::CheckReport report;
};

Result<Checked> check_one(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                          const Options& options) {
  ASSAY_TRY(Runnable runnable, make_runnable(spec, configuration, options));
  runnable.worker.setup.check_memory = !options.no_memory_check;
  check::CheckOptions check_options;
  check_options.cases.seed = options.seed;
  check_options.cases.fuzz_cases = options.fuzz;
  check_options.quiet = options.json;
  ASSAY_TRY(check_options.fmad, fmad_named(options.fmad));
  ASSAY_TRY(check_options.only, single_case(spec, options));
  ASSAY_TRY(check::CheckReport report, check::check(spec, configuration, runnable.worker, check_options));
  return Checked{std::move(runnable), std::move(report)};
}

Result<ExitCode> check_all(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  std::vector<spec::Configuration> configurations;
  if (options.configuration == "all") {
    ASSAY_TRY(configurations, spec::configurations(spec));
  } else {
    ASSAY_TRY(spec::Configuration configuration, chosen_configuration(spec, options));
    configurations.push_back(std::move(configuration));
  }
  bool all_passed = true;
  nlohmann::json documents = nlohmann::json::array();
  for (const spec::Configuration& configuration : configurations) {
    ASSAY_TRY(const Checked checked, check_one(spec, configuration, options));
    const check::CheckReport& report = checked.report;
    all_passed &= report.passed();
    nlohmann::json document = document_head("check", spec, configuration, options);
    document.update(report::check_document(report));
    ASSAY_CHECK(recording.write(check_attempt(recording, checked.runnable, report), document));
    if (options.json) {
      documents.push_back(std::move(document));
    } else {
      fmt::print("{}", check_text(spec, configuration, report, options));
    }
  }
  if (options.json) {
    print_document(documents.size() == 1 ? documents[0]
                                         : nlohmann::json{{"assay", kVersion},
                                                          {"command", "check"},
                                                          {"verdict", all_passed ? "correct" : "incorrect"},
                                                          {"configurations", documents}});
  }
  return all_passed ? ExitCode::good : ExitCode::incorrect;
}

Result<ExitCode> run(const Options& given) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(given.kernel));
  const Options options = on_suitable_device(spec, given);
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::check, spec));
  return recording.close(check_all(spec, options, recording));
}

}  // namespace

Command check_command() {
  return {"check", "correctness against float64: specified shapes, then fuzzing, failures shrunk", add_options, run};
}

}  // namespace assay::cli
