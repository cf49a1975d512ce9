// SPDX-License-Identifier: MIT
#include "report/finding_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "check/result_json.hpp"
#include "report/source_text.hpp"

namespace assay::report {
namespace {

using gpu::Finding;

std::string hint(const Finding& finding) {
  return replace_all(std::string(info(finding.kind).hint), "{bytes}", std::to_string(finding.bytes));
}

std::string threads_text(const Finding& finding, size_t most_threads) {
  std::vector<gpu::FindingThread> threads = finding.threads;
  if (threads.empty())
    threads.push_back({finding.block, finding.thread, finding.address, finding.allocation, finding.count});
  std::string text;
  for (size_t i = 0; i < threads.size() && i < most_threads; ++i) {
    const gpu::FindingThread& thread = threads[i];
    text += fmt::format("  block {} thread {}", dim_text(thread.block), dim_text(thread.thread));
    if (finding.access != gpu::AccessKind::none)
      text +=
          fmt::format("  address 0x{:x}{}{}", thread.address, thread.allocation.empty() ? "" : ", ", thread.allocation);
    if (thread.count > 1) text += fmt::format("  ({} times)", thread.count);
    text += "\n";
  }
  const uint64_t shown = std::min(threads.size(), most_threads);
  if (finding.thread_count > shown) text += fmt::format("  and {} more threads\n", finding.thread_count - shown);
  if (finding.count > finding.thread_count) text += fmt::format("  {} occurrences in all\n", finding.count);
  return text;
}

std::string finding_text(const Terminal& terminal, const Finding& finding, const std::filesystem::path& root,
                         size_t most_threads) {
  const std::string kind = terminal.paint(Colour::red, std::string(to_string(finding.kind)));
  if (!check::place_known(finding))
    return fmt::format("{} in kernel {}\n  {}\n", kind, finding.kernel, finding.message);
  std::string text =
      fmt::format("{} {}: {}\n", terminal.paint(Colour::bold, place_text(finding) + ":"), kind, finding.message);
  if (const gpu::SourceLine* line = user_line(finding)) {
    if (const std::string code = source_text(*line, root); !code.empty()) text += fmt::format("  > {}\n", code);
  }
  for (size_t i = 0; i < finding.source.size(); ++i) {
    const gpu::SourceLine& step = finding.source[i];
    text += fmt::format("  {} {}:{}{}\n", i == 0 ? "in" : "   inlined at", step.file, step.line,
                        step.function.empty() ? "" : " (" + step.function + ")");
  }
  text += fmt::format("  {}   [kernel {}]\n", terminal.paint(Colour::dim, finding.instruction), finding.kernel);
  for (const std::string& note : finding.notes) text += fmt::format("  {}\n", note);
  text += threads_text(finding, most_threads);
  return text + fmt::format("  {} {}\n", terminal.paint(Colour::yellow, "fix:"), hint(finding));
}

}  // namespace

std::string dim_text(const gpu::Dim3& d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string place_text(const Finding& finding) {
  const gpu::SourceLine* line = user_line(finding);
  if (line == nullptr) return fmt::format("line {} of the PTX", finding.ptx_line);
  return line->column > 0 ? fmt::format("{}:{}:{}", line->file, line->line, line->column)
                          : fmt::format("{}:{}", line->file, line->line);
}

std::string findings_text(const Terminal& terminal, const std::vector<Finding>& findings,
                          const std::filesystem::path& root, size_t most_threads) {
  std::string text;
  for (const Finding& finding : findings)
    text += (text.empty() ? "" : "\n") + finding_text(terminal, finding, root, most_threads);
  return text;
}

std::string findings_count(const std::vector<Finding>& findings, uint64_t occurrences) {
  uint64_t threads = 0;
  for (const Finding& finding : findings) threads += finding.thread_count;
  return fmt::format("{} ({}, {})", counted(findings.size(), "finding"), counted(threads, "thread"),
                     counted(occurrences, "occurrence"));
}

}  // namespace assay::report
