// SPDX-License-Identifier: MIT
// assay compare: is A faster than B?
#include "judge/compare.hpp"

#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "cli/measuring.hpp"
#include "cli/stored_measurement.hpp"
#include "judge/comparison_json.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  line.words("operands", options.measure.operands, "A and B: two kernel folders, or two attempts of the ledger",
             {2, 2});
  add_device(line, options);
  add_configuration(line, options);
  add_measuring(line, options);
  line.flag("--force", options.measure.force, "compare attempts of different contracts");
  add_seed(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

std::optional<int64_t> attempt_number(const std::string& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

ExitCode exit_code(judge::Verdict verdict) {
  switch (verdict) {
    case judge::Verdict::faster:
    case judge::Verdict::same:
      return ExitCode::good;
    case judge::Verdict::slower:
      return ExitCode::regression;
    case judge::Verdict::inconclusive:
    case judge::Verdict::throttled:
      break;
  }
  return ExitCode::inconclusive;
}

ExitCode worse(ExitCode one, ExitCode other) {
  return static_cast<int>(one) > static_cast<int>(other) ? one : other;
}

std::string comparison_text(const std::string& what, const judge::Comparison& comparison) {
  std::string text = fmt::format(
      "{}: {}  {}\n  {}\n", what, to_string(comparison.verdict),
      judge::describe_difference(comparison.ratio, comparison.interval, comparison.options.alpha), comparison.reason);
  text += fmt::format(
      "  measured: {:.2f} us against {:.2f} us (medians), p {:.2g}, Cliff's delta {:.2f}, smallest "
      "difference that this run would find {:.1f} %\n",
      comparison.candidate.time_us.p50, comparison.baseline.time_us.p50, comparison.p, comparison.cliff_delta,
      100 * comparison.minimum_detectable_effect);
  for (const std::string& warning : comparison.warnings) text += fmt::format("  note: {}\n", warning);
  return text;
}

Result<ExitCode> compare_attempts(int64_t first, int64_t second, const Options& options) {
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::compare));
  if (recording.ledger() == nullptr)
    return Error{"there is no ledger to take attempts from", {}, "give one with --ledger FILE", ExitCode::environment};
  ASSAY_TRY(const StoredMeasurement candidate, load_measurement(*recording.ledger(), first));
  ASSAY_TRY(const StoredMeasurement baseline, load_measurement(*recording.ledger(), second));
  ASSAY_CHECK(check_contracts(candidate.contract, baseline.contract, options.measure.force));
  judge::CompareOptions compare = compare_options(options);
  compare.interleaved = false;
  ASSAY_TRY(const judge::Comparison comparison, judge::compare(candidate.batches, baseline.batches, compare));
  nlohmann::json document = {{"assay", kVersion},
                             {"command", "compare"},
                             {"candidate", first},
                             {"baseline", second},
                             {"verdict", to_string(comparison.verdict)},
                             {"comparison", judge::to_json(comparison)}};
  ledger::Attempt attempt = recording.draft();
  attempt.kernel = candidate.attempt.kernel;
  attempt.shape = candidate.attempt.shape;
  attempt.verdict = to_string(comparison.verdict);
  attempt.exit_code = static_cast<int>(exit_code(comparison.verdict));
  ASSAY_CHECK(recording.write(std::move(attempt), document));
  if (options.json) {
    print_document(document);
  } else {
    fmt::print("{}", comparison_text(fmt::format("attempt {} beside attempt {}", first, second), comparison));
  }
  return exit_code(comparison.verdict);
}

Result<ExitCode> compare_kernels(const Options& options) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(options.measure.operands[0]));
  ASSAY_TRY(const spec::KernelSpec other, spec::load(options.measure.operands[1]));
  Options wanted = options;
  wanted.measure.baselines = {other.file.string()};
  if (const auto gpu = measured_device(options, "compare"); !gpu) return gpu.error();
  ASSAY_TRY(Recording recording, Recording::open(wanted, ledger::Kind::compare, spec));
  auto prepared = prepare_bench(spec, wanted);
  if (!prepared) return recording.close(prepared.error());
  ExitCode code = ExitCode::good;
  nlohmann::json cases = nlohmann::json::array();
  const auto on_case = [&](const report::BenchCase& bench, std::optional<int64_t> attempt) -> Result<void> {
    const auto& comparison = bench.comparisons.at(1);
    const bool good = bench.measured.contenders[0].good() && bench.measured.contenders[1].good() && comparison;
    code = worse(code, good ? exit_code(comparison->verdict) : ExitCode::incorrect);
    nlohmann::json document = report::bench_case_document(bench, true);
    if (attempt) document["attempt"] = *attempt;
    cases.push_back(std::move(document));
    if (options.json) return {};
    if (good) {
      fmt::print("{}", comparison_text(bench.measured.shape, *comparison));
    } else {
      fmt::print("{}", report::bench_case_text(bench, report::Terminal()));
    }
    std::fflush(stdout);
    return {};
  };
  const auto done = run_bench(*prepared, compare_options(wanted, *prepared, recording), recording, on_case);
  if (!done) return recording.close(done.error());
  if (options.json) {
    nlohmann::json document = document_head("compare", spec, prepared->request.configuration, options);
    document["baseline"] = other.file.string();
    document["cases"] = std::move(cases);
    print_document(document);
  }
  return code;
}

Result<ExitCode> run(const Options& options) {
  const auto first = attempt_number(options.measure.operands[0]);
  const auto second = attempt_number(options.measure.operands[1]);
  if (first.has_value() != second.has_value())
    return Error{
        "an attempt cannot be compared with a folder", {}, "give two numbers of assay log, or two kernel folders"};
  return first ? compare_attempts(*first, *second, options) : compare_kernels(options);
}

}  // namespace

Command compare_command() {
  return {"compare", "faster, slower, same or inconclusive, with interval and effect size", add_options, run};
}

}  // namespace assay::cli
