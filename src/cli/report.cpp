// SPDX-License-Identifier: MIT
// assay report: what the ledger knows, as one HTML file or as Markdown.
#include "assay/report.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/open_page.hpp"

namespace assay::cli {
namespace {

std::optional<int64_t> attempt_number(const std::string& word) {
  int64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, problem] = std::from_chars(word.data(), end, number);
  return problem == std::errc() && stop == end && number > 0 ? std::optional(number) : std::nullopt;
}

class ReportCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("subject", words_, "a kernel, an attempt, or two attempts; nothing: all kernels", {0, 2});
    line.option("--since", request_.since, "30min, 12h, 3d, 2w, or a date: the report of a period");
    line.option("--out", request_.file, "where it goes; - for standard output");
    line.choice("--format", request_.format, "html or markdown", {"html", "markdown"});
    line.flag("--open", open_, "show it in the browser");
    line.option("--ledger", request_.ledger, "the file");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_CHECK(read_words());
    if (request_.file == "-") {
      if (open_ || json()) return Error{"--out - goes neither with --open nor with --json"};
      ASSAY_TRY(const std::string text, work::report_text(request_));
      print_document(text);
      return ExitCode::good;
    }
    ASSAY_TRY(const work::ReportReport report, work::report(request_, context));
    if (json()) {
      print_document(to_json(report));
    } else {
      print(fmt::format("{}\n{} of {} ({}, {} KB): {}\n", escape_terminal(report.verdict), report.subject,
                        escape_terminal(report.title), counted(report.attempts, "attempt"),
                        (report.bytes + 1023) / 1024, report.file));
    }
    if (open_) ASSAY_CHECK(open_page(report.file));
    return ExitCode::good;
  }

 private:
  // Numbers are attempts; anything else is a kernel.
  Result<void> read_words() {
    for (const std::string& word : words_) {
      if (const auto number = attempt_number(word)) {
        request_.attempts.push_back(*number);
      } else if (request_.kernel.empty()) {
        request_.kernel = word;
      } else {
        return Error{fmt::format("a report is about one kernel, not about '{}' and '{}'", request_.kernel, word),
                     {},
                     "assay report ID ID compares two attempts; without a kernel it is about all"};
      }
    }
    return {};
  }

  work::ReportRequest request_;
  std::vector<std::string> words_;
  bool open_ = false;
};

}  // namespace

CommandEntry report_command() {
  return {"report", "one HTML page, or Markdown, of what the ledger knows of a kernel, a run, a suite or a period",
          [] { return std::unique_ptr<Command>(new ReportCommand); }};
}

}  // namespace assay::cli
