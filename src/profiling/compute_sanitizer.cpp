// SPDX-License-Identifier: MIT
#include "profiling/compute_sanitizer.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/repository.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "check/worker.hpp"
#include "profiling/sanitizer_records.hpp"
#include "profiling/tool.hpp"

namespace assay::profiling {
namespace {

namespace fs = std::filesystem;

// "========= Error: ...", "========= Internal Sanitizer Error: ...": the tool itself did not work.
std::string complaint(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("=========")) continue;
    const std::string_view words = trim(line.substr(9));
    if (words.starts_with("Error:") || words.starts_with("Internal") || words.find("not supported") != words.npos)
      return std::string(words);
  }
  return "";
}

void place_sources(std::vector<gpu::Finding>& findings, const SanitizerRun& run) {
  const SourceNames names(run.source_folder);
  for (gpu::Finding& finding : findings) {
    if (finding.kernel.empty()) finding.kernel = run.kernel;
    for (gpu::SourceLine& line : finding.source) line.file = names.shown(line.file);
  }
}

}  // namespace

const std::vector<std::string>& sanitizer_tools() {
  static const std::vector<std::string> tools{"memcheck", "racecheck", "initcheck", "synccheck"};
  return tools;
}

Result<check::CaseResult> run_compute_sanitizer(const SanitizerRun& run) {
  ASSAY_TRY(const fs::path program, find_tool(kComputeSanitizer));
  std::error_code failed;
  const fs::path self = fs::canonical(run.program, failed);
  if (failed)
    return Error{"the program that runs kernels is not there: " + run.program.string(), {}, "", ExitCode::environment};
  ASSAY_TRY(const ScratchFolder folder, ScratchFolder::make());
  const fs::path records_file = folder.path() / "records.xml";
  Command command;
  command.arguments = {program.string(),      "--tool",        run.tool, "--xml",       "--save",
                       records_file.string(), "--print-limit", "10000",  self.string(), check::kWorkerCommand};
  command.input = check::worker_script(run.setup, run.test);
  command.time_limit = run.time_limit;
  ASSAY_TRY(const ProcessOutcome outcome, assay::run(command));
  const auto answer = check::worker_answer(outcome.output, run.test);
  check::CaseResult result;
  if (answer) result = *answer;
  result.test = run.test;
  const Result<std::string> xml = read_file(records_file, size_t{256} << 20);
  auto records = xml ? read_sanitizer_records(*xml) : Result<SanitizerRecords>(xml.error());
  if (!records || (records->findings.empty() && !answer)) {
    // The tool or the kernel: a limit of time does not tell which.
    if (outcome.timed_out)
      return Error{fmt::format("it did not end within {:g} s under {}",
                               std::chrono::duration<double>(run.time_limit).count(), run.tool),
                   {},
                   "raise --time-limit",
                   ExitCode::environment};
    const std::string words = complaint(outcome.output + outcome.errors);
    if (!words.empty()) return Error{fmt::format("compute-sanitizer: {}", words), {}, "", ExitCode::environment};
    if (!answer && outcome.signal != 0)
      return Error{fmt::format("compute-sanitizer {}", describe_end(outcome)), {}, "", ExitCode::environment};
    if (!answer) return answer.error();
    return std::move(records).error();
  }
  if (records->findings.empty()) return result;
  result.findings = std::move(records->findings);
  result.finding_occurrences = records->occurrences;
  place_sources(result.findings, run);
  result.outcome = check::Outcome::finding;
  result.message = result.findings.front().message;
  result.hint.clear();
  return result;
}

}  // namespace assay::profiling
