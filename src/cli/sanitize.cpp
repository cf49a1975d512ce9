// SPDX-License-Identifier: MIT
// assay sanitize: memory checks.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/sanitizer.hpp"
#include "cli/command.hpp"
#include "cli/verdict_text.hpp"
#include "report/documents.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

void add_options(CLI::App& app, Options& options) {
  add_kernel(app, options);
  add_device(app, options);
  add_configuration(app, options);
  app.add_option("--shape", options.shape, "NAME=value,...: only this shape");
  add_seed(app, options);
  add_limits(app, options);
  add_json(app, options);
}

Result<ExitCode> run(const Options& options) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(options.kernel));
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
  if (options.json) {
    nlohmann::json document = document_head("sanitize", spec, configuration, options);
    document.update(report::sanitize_document(report));
    print_document(document);
  } else {
    fmt::print("{}", sanitize_text(spec, report, options));
  }
  return report.clean() ? ExitCode::good : ExitCode::incorrect;
}

}  // namespace

Command sanitize_command() {
  return {"sanitize", "find bad memory accesses, down to the source line and thread", add_options, run};
}

}  // namespace assay::cli
