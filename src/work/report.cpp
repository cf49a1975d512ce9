// SPDX-License-Identifier: MIT
#include "assay/report.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "judge/compare.hpp"
#include "ledger/location.hpp"
#include "ledger/time_text.hpp"
#include "page/gather.hpp"
#include "page/page.hpp"
#include "spec/kernel_spec.hpp"
#include "work/document.hpp"
#include "work/page_file.hpp"
#include "work/stored_measurement.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

// A folder, a file, or a name that the ledger has.
Result<std::string> kernel_name(const std::string& word) {
  std::error_code ignored;
  if (word.empty() || (!fs::is_directory(word, ignored) && !fs::is_regular_file(word, ignored))) return word;
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(word));
  return spec.kernel.name;
}

Result<ledger::Ledger> open_ledger(const ReportRequest& request) {
  std::error_code ignored;
  const bool is_path = fs::exists(request.kernel, ignored);
  const ledger::Location location =
      ledger::find_ledger(request.ledger, is_path ? fs::path(request.kernel) : fs::path());
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to report on", {}, "name one with --ledger FILE"};
  return ledger::Ledger::open(location.file, ledger::Ledger::Mode::read);
}

Result<page::Subject> subject_of(const ReportRequest& request) {
  page::Subject subject;
  if (request.attempts.size() > 2)
    return Error{"a report compares two attempts, not more", {}, "name one or two of them"};
  if (!request.attempts.empty() && !(request.kernel.empty() && request.since.empty()))
    return Error{"attempts by number are the whole subject of a report", {}, "leave out the kernel and --since"};
  ASSAY_TRY(subject.kernel, kernel_name(request.kernel));
  subject.attempts = request.attempts;
  if (!request.since.empty()) {
    ASSAY_TRY(subject.since_us, ledger::parse_since(request.since, ledger::now_us()));
    subject.since = request.since;
  }
  return subject;
}

// The times of two measurements, where one contract binds both.
Result<void> compare_times(ledger::Ledger& ledger, page::Content& content) {
  if (!content.contrast) return {};
  page::Contrast& contrast = *content.contrast;
  const auto candidate = load_measurement(ledger, contrast.candidate);
  const auto baseline = load_measurement(ledger, contrast.baseline);
  if (!candidate || !baseline) return {};  // not both are measurements
  contrast.differences = measure::differences(candidate->contract, baseline->contract);
  if (!contrast.differences.empty()) return {};
  judge::CompareOptions options;
  options.interleaved = false;
  ASSAY_TRY(const judge::Comparison comparison, judge::compare(candidate->batches, baseline->batches, options));
  contrast.time = {std::string(to_string(comparison.verdict)), comparison.ratio, comparison.interval,
                   comparison.reason};
  return {};
}

Result<page::Content> content_of(ledger::Ledger& ledger, const page::Subject& subject) {
  ASSAY_TRY(page::Content content, page::gather(ledger, subject));
  ASSAY_CHECK(compare_times(ledger, content));
  return content;
}

// A name that is safe as a file's, whatever the kernel is called.
std::string file_name(const page::Content& content, std::string_view extension) {
  std::string name;
  for (const char c : content.title) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (plain && name.size() < 80) name += c;
    if (!plain && !name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = "report";
  if (content.kind == page::SubjectKind::suite) name = "suite-" + name;
  if (content.kind == page::SubjectKind::period) name = "period-" + name;
  if (content.kind == page::SubjectKind::attempt)
    name += fmt::format("-{}", content.attempts.empty() ? 0 : content.attempts.front().id);
  return name + std::string(extension);
}

Result<fs::path> beside_ledger(const ledger::Ledger& ledger, const std::string& name) {
  const fs::path folder = ledger.file().parent_path() / "reports";
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    return Error{fmt::format("cannot make the folder {}: {}", folder.string(), problem.message()),
                 {},
                 "name a file with --out",
                 ExitCode::environment};
  return folder / name;
}

std::string subject_word(page::SubjectKind kind) {
  switch (kind) {
    case page::SubjectKind::kernel:
      return "kernel";
    case page::SubjectKind::run:
      return "run";
    case page::SubjectKind::suite:
      return "suite";
    case page::SubjectKind::attempt:
      return "attempt";
    case page::SubjectKind::pair:
      return "comparison";
    case page::SubjectKind::period:
      break;
  }
  return "period";
}

}  // namespace

Result<ReportReport> report(const ReportRequest& request, const Context& context) {
  static_cast<void>(context);
  const bool as_html = request.format != "markdown";
  ASSAY_TRY(ledger::Ledger ledger, open_ledger(request));
  ASSAY_TRY(const page::Subject subject, subject_of(request));
  ASSAY_TRY(const page::Content content, content_of(ledger, subject));
  const std::string text = as_html ? page::html_page(content) : page::markdown_page(content);
  fs::path file = request.file;
  if (file.empty()) {
    ASSAY_TRY(file, beside_ledger(ledger, file_name(content, as_html ? ".html" : ".md")));
  }
  if (const auto written = write_file_atomically(file, text); !written) {
    Error error = written.error();
    error.exit_code = ExitCode::environment;
    return error;
  }
  return ReportReport{file.string(),           subject_word(content.kind),
                      content.title,           page::verdict_line(content),
                      content.attempts.size(), text.size()};
}

Result<std::string> report_text(const ReportRequest& request) {
  ASSAY_TRY(ledger::Ledger ledger, open_ledger(request));
  ASSAY_TRY(const page::Subject subject, subject_of(request));
  ASSAY_TRY(const page::Content content, content_of(ledger, subject));
  return request.format == "markdown" ? page::markdown_page(content) : page::html_page(content);
}

std::string to_json(const ReportReport& report) {
  nlohmann::json document = document_head("report");
  document.update({{"file", report.file},
                   {"subject", report.subject},
                   {"title", report.title},
                   {"verdict", report.verdict},
                   {"attempts", report.attempts},
                   {"bytes", report.bytes}});
  return document_text(document);
}

std::optional<std::string> write_page(ledger::Ledger& ledger, int64_t attempt, const Context& context) {
  const auto write = [&]() -> Result<std::string> {
    page::Subject subject;
    subject.attempts = {attempt};
    ASSAY_TRY(const page::Content content, page::gather(ledger, subject));
    ASSAY_TRY(const fs::path file, beside_ledger(ledger, file_name(content, ".html")));
    ASSAY_CHECK(write_file_atomically(file, page::html_page(content)));
    return file.string();
  };
  auto written = write();
  if (written) return *written;
  if (context.listener != nullptr) context.listener->warn("no page: " + to_string(written.error()));
  return std::nullopt;
}

}  // namespace assay::work
