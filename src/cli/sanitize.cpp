// SPDX-License-Identifier: MIT
// assay sanitize: memory checks.
#include "assay/sanitize.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/repository.hpp"
#include "base/version.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/verdict_text.hpp"
#include "cli/words.hpp"
#include "report/sarif.hpp"
#include "report/source_text.hpp"
#include "work/document.hpp"
#include "work/sanitize_details.hpp"

namespace assay::cli {
namespace {

class SanitizeCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--shape", request_.shape, "NAME=value,...: only this shape");
    line.option("--checks", request_.checks, "only these, separated by commas");
    line.choice("--with", with_, "run it on a GPU as well", {"compute-sanitizer"});
    line.choice("--tool", tool_, "of compute-sanitizer", {"memcheck", "racecheck", "initcheck", "synccheck"});
    line.option("--sarif", sarif_, "write the findings to this file, as SARIF 2.1.0");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (with_.empty() && !tool_.empty()) return Error{"--tool needs --with compute-sanitizer"};
    if (!with_.empty()) request_.compute_sanitizer = tool_.empty() ? "memcheck" : tool_;
    ASSAY_TRY(request_.record, record_.read());
    ASSAY_TRY(const ExitCode code,
              kernels_.each("sanitize", json(), [&](const std::string& kernel) { return sanitize(kernel, context); }));
    if (!sarif_.empty()) ASSAY_CHECK(write_sarif());
    return code;
  }

 private:
  Result<KernelWords::Outcome> sanitize(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::SanitizeReport report, work::sanitize(request_, context));
    const spec::KernelSpec& spec = report.details->spec;
    run_.version = kVersion;
    run_.root = report::source_root(spec.folder);
    run_.source = SourceNames(spec.folder).shown(spec.kernel.source);
    run_.coverage = report.details->report.coverage;
    const auto keep = [&](const std::vector<gpu::Finding>& findings) {
      run_.findings.insert(run_.findings.end(), findings.begin(), findings.end());
    };
    keep(report.details->report.findings);
    if (report.details->second) keep(report.details->second->result.findings);
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(sanitize_text(report));
    return KernelWords::Outcome{report.exit_code};
  }

  // The findings of all kernels and tools, for those who read them elsewhere.
  Result<void> write_sarif() const {
    return write_file_atomically(sarif_, work::document_text(report::sarif_document(run_)) + "\n");
  }

  work::SanitizeRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string with_;
  std::string tool_;
  std::string sarif_;
  report::SarifRun run_;
};

}  // namespace

CommandEntry sanitize_command() {
  return {"sanitize",
          "find bad accesses, races, broken barriers and uses of what nothing has written, down to the source line",
          [] { return std::unique_ptr<Command>(new SanitizeCommand); }};
}

}  // namespace assay::cli
