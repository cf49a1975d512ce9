// SPDX-License-Identifier: MIT
// assay sanitize: memory checks.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "check/sanitizer.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/recording.hpp"
#include "cli/second_opinion.hpp"
#include "cli/verdict_text.hpp"
#include "diagnose/compute_sanitizer.hpp"
#include "report/documents.hpp"
#include "report/sarif.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  add_kernel(line, options);
  add_device(line, options);
  add_configuration(line, options);
  line.option("--shape", options.shape, "NAME=value,...: only this shape");
  line.option("--with", options.with, "compute-sanitizer: run it on a GPU as well");
  line.option("--tool", options.tool, "of compute-sanitizer: memcheck, racecheck, initcheck, synccheck");
  line.option("--sarif", options.sarif, "write the findings to this file, as SARIF 2.1.0");
  add_seed(line, options);
  add_limits(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

Result<void> check_options(const Options& options) {
  if (!options.with.empty() && options.with != "compute-sanitizer")
    return Error{fmt::format("there is no tool '{}'", options.with), {}, "--with compute-sanitizer"};
  if (options.with.empty() && !options.tool.empty()) return Error{"--tool needs --with compute-sanitizer"};
  const std::vector<std::string>& tools = diagnose::sanitizer_tools();
  if (!options.tool.empty() && std::find(tools.begin(), tools.end(), options.tool) == tools.end())
    return Error{
        fmt::format("compute-sanitizer has no tool '{}'", options.tool), {}, "choose one of " + join(tools, ", ")};
  return {};
}

// The findings of both, for those who read them elsewhere.
Result<void> write_sarif(const check::SanitizeReport& report, const SecondOpinion* second, const Options& options) {
  std::vector<gpu::Finding> findings = report.findings;
  if (second != nullptr)
    findings.insert(findings.end(), second->result.findings.begin(), second->result.findings.end());
  std::error_code failed;
  const std::filesystem::path root = std::filesystem::current_path(failed);
  const nlohmann::json document = report::sarif_document(findings, kVersion, root);
  return write_file_atomically(options.sarif,
                               document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Result<ExitCode> sanitize(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, options));
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, options));
  check::SanitizeOptions sanitize_options;
  sanitize_options.seed = options.seed;
  sanitize_options.quiet = options.json;
  if (!options.shape.empty()) {
    ASSAY_TRY(sanitize_options.shape, spec::parse_shape(spec, options.shape));
  }
  ASSAY_TRY(const check::SanitizeReport report,
            check::sanitize(spec, configuration, runnable.worker, sanitize_options));
  std::optional<SecondOpinion> second;
  if (!options.with.empty()) second = ask_compute_sanitizer(spec, configuration, report, options);
  if (!options.sarif.empty()) ASSAY_CHECK(write_sarif(report, second ? &*second : nullptr, options));
  nlohmann::json document = document_head("sanitize", spec, configuration, options);
  document.update(report::sanitize_document(report));
  if (second) document["compute_sanitizer"] = second_opinion_json(*second);
  const bool clean = report.clean() && (!second || second->clean());
  ASSAY_CHECK(recording.write(sanitize_attempt(recording, runnable, report, clean), document));
  if (options.json) {
    print_document(document);
  } else {
    fmt::print("{}", sanitize_text(spec, report, options));
    if (second) fmt::print("{}", second_opinion_text(*second));
  }
  return clean ? ExitCode::good : ExitCode::incorrect;
}

Result<ExitCode> run(const Options& given) {
  ASSAY_CHECK(check_options(given));
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(given.kernel));
  ASSAY_TRY(const Options options, sanitizer_options(on_suitable_device(spec, given)));
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::sanitize, spec));
  return recording.close(sanitize(spec, options, recording));
}

}  // namespace

Command sanitize_command() {
  return {"sanitize",
          "find bad memory accesses and uses of what nothing has written, down to the source line and thread",
          add_options, run};
}

}  // namespace assay::cli
