// SPDX-License-Identifier: MIT
#include "assay/evidence.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/report.hpp"
#include "base/escape.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "evidence/archive.hpp"
#include "evidence/sha256.hpp"
#include "evidence/source_layout.hpp"
#include "evidence/unified_diff.hpp"
#include "ledger/location.hpp"
#include "ledger/time_text.hpp"
#include "page/content.hpp"
#include "report/attempt_document.hpp"
#include "work/document.hpp"
#include "work/evidence_text.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using evidence::PackedFile;
using nlohmann::json;

constexpr size_t kLookedAt = 2000;  // attempts before this one, in search of other sources
constexpr const char* kSources = "sources";

Result<EvidenceSubject> read_subject(ledger::Ledger& ledger, int64_t id) {
  EvidenceSubject subject;
  ASSAY_TRY(subject.attempt, ledger.attempt(id));
  ASSAY_TRY(subject.samples, ledger.samples(id));
  ASSAY_TRY(subject.sources, ledger.sources(id));
  ASSAY_TRY(std::vector<ledger::Note> notes, ledger.notes());
  for (ledger::Note& note : notes) {
    const bool of_kernel = !note.attempt && note.kernel == subject.attempt.kernel;
    if (note.attempt == id || of_kernel) subject.notes.push_back(std::move(note));
  }
  ASSAY_TRY(const std::vector<ledger::Machine> machines, ledger.machines());
  for (const ledger::Machine& machine : machines) {
    if (machine.id == subject.attempt.machine) subject.machine = machine.description;
  }
  return subject;
}

// The last attempt of this kernel before it whose sources were others.
Result<std::optional<int64_t>> find_predecessor(ledger::Ledger& ledger, const EvidenceSubject& subject) {
  std::optional<int64_t> found;
  size_t looked_at = 0;
  ledger::Filter filter;
  filter.kernel = subject.attempt.kernel;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    if (found || attempt.id >= subject.attempt.id || attempt.kernel != subject.attempt.kernel) return {};
    if (++looked_at > kLookedAt) return {};
    const auto sources = ledger.sources(attempt.id);
    if (sources && !sources->empty() && *sources != subject.sources) found = attempt.id;
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit));
  return found;
}

// A run and a suite name the attempts that they made; others name none.
std::vector<int64_t> attempts_of(const ledger::Attempt& attempt) {
  std::vector<int64_t> ids;
  const json details = json::parse(attempt.details.empty() ? "null" : attempt.details, nullptr, false);
  if (!details.is_object() || !details.contains("attempts") || !details["attempts"].is_structured()) return ids;
  for (const json& each : details["attempts"]) {
    if (each.is_number_integer() && ids.size() < 1000) ids.push_back(each.get<int64_t>());
  }
  return ids;
}

json attempt_json(const EvidenceSubject& subject) {
  json document = report::attempt_document(subject.attempt);
  document["notes"] = json::array();
  for (const ledger::Note& note : subject.notes)
    document["notes"].push_back(
        {{"kind", to_string(note.kind)}, {"time", ledger::iso_time(note.time_us)}, {"text", note.text}});
  document["samples"] = json::array();
  for (const ledger::Samples& each : subject.samples)
    document["samples"].push_back(report::samples_document(each, false));
  return document;
}

std::string samples_text(const EvidenceSubject& subject) {
  std::string text = report::samples_csv_header();
  for (const ledger::Samples& each : subject.samples) text += report::samples_csv(subject.attempt, each);
  return text;
}

// Where the machine is called what is its owner's business.
std::string machine_json(const std::string& description) {
  json machine = json::parse(description.empty() ? "{}" : description, nullptr, false);
  if (machine.is_object()) machine.erase("host");
  return document_text(machine) + "\n";
}

std::vector<ledger::SourceFile> as_sources(const std::vector<PackedFile>& files) {
  std::vector<ledger::SourceFile> sources;
  for (const PackedFile& file : files) sources.push_back({file.path, file.content});
  return sources;
}

// All files but README.md, which describes them.
struct Pack {
  std::vector<PackedFile> files;
  std::vector<std::string> left_out;

  void add(std::string path, std::string content) { files.push_back({std::move(path), std::move(content)}); }
};

// Folders of this machine, by their names in the archive; a report writes them as its medium wants it.
using Folders = std::vector<std::pair<std::string, std::string>>;

std::string without_folders(std::string text, const Folders& folders) {
  for (const auto& [from, to] : folders) {
    if (from.size() < 2) continue;
    text = replace_all(std::move(text), escape_markdown(from), escape_markdown(to));
    text = replace_all(std::move(text), escape_html(from), escape_html(to));
    text = replace_all(std::move(text), replace_all(escape_html(from), "/", "/<wbr>"), escape_html(to));
    const std::string json_text = json(from).dump();
    text = replace_all(std::move(text), json_text.substr(1, json_text.size() - 2), to);
    // Inside a code element of Markdown, without the element's own tags.
    constexpr size_t kOpening = 6, kClosing = 7;  // <code> and </code>
    const std::string inner = escape_markdown(from);
    if (inner.size() > kOpening + kClosing)
      text = replace_all(std::move(text), inner.substr(kOpening, inner.size() - kOpening - kClosing), to);
    text = replace_all(std::move(text), from, to);
  }
  return text;
}

Result<void> add_reports(Pack& pack, const EvidenceRequest& request, const std::optional<int64_t>& predecessor,
                         const Folders& folders) {
  ReportRequest wanted;
  wanted.ledger = request.ledger;
  wanted.attempts = {request.attempt};
  // Two attempts of different kinds have no common report.
  if (const auto html = report_text(wanted)) pack.add("report.html", without_folders(*html, folders));
  wanted.format = "markdown";
  if (const auto text = report_text(wanted)) pack.add("report.md", without_folders(*text, folders));
  if (!predecessor) return {};
  wanted.attempts.push_back(*predecessor);
  if (const auto text = report_text(wanted)) pack.add("comparison.md", without_folders(*text, folders));
  return {};
}

Result<void> add_sources(Pack& pack, EvidenceSubject& subject, const std::optional<EvidenceSubject>& before) {
  size_t depth = evidence::folders_above(subject.sources);
  if (before) depth = std::max(depth, evidence::folders_above(before->sources));
  evidence::SourceLayout layout = evidence::lay_out(subject.sources, subject.attempt.specification, depth);
  subject.kernel_folder = fmt::format("{}/{}", kSources, layout.kernel_folder);
  // From here on the specification is the one in the archive: what its owner's folders are called is left out.
  const std::string name = fs::path(subject.attempt.specification).filename().string();
  subject.attempt.specification =
      subject.sources.empty() ? "" : fmt::format("{}/{}", subject.kernel_folder, name.empty() ? "kernel.toml" : name);
  for (PackedFile& file : layout.files) pack.add(fmt::format("{}/{}", kSources, file.path), file.content);
  pack.left_out = layout.left_out;
  if (!before) return {};
  const evidence::SourceLayout earlier =
      evidence::lay_out(before->sources, fs::path(layout.kernel_folder) / "kernel.toml", depth);
  const std::string diff = evidence::unified_diff(as_sources(earlier.files), as_sources(layout.files));
  if (!diff.empty()) pack.add("changes.diff", diff);
  return {};
}

Result<void> add_parts(Pack& pack, ledger::Ledger& ledger, const ledger::Attempt& attempt) {
  for (const int64_t id : attempts_of(attempt)) {
    if (id == attempt.id) continue;
    auto part = read_subject(ledger, id);
    if (!part) continue;  // of another ledger, or of none
    part->attempt.specification.clear();
    pack.add(fmt::format("attempts/{}.json", id), document_text(attempt_json(*part)) + "\n");
    if (!part->samples.empty()) pack.add(fmt::format("attempts/{}.csv", id), samples_text(*part));
  }
  return {};
}

bool is_archive(const std::string& out) {
  return out.ends_with(".tar.gz") || out.ends_with(".tgz");
}

Result<void> write_pack(const Pack& pack, const fs::path& out, const ledger::Attempt& attempt) {
  if (!is_archive(out.string())) return evidence::write_folder(pack.files, out);
  ASSAY_TRY(const std::string tar,
            evidence::tar_of(pack.files, fmt::format("evidence-{}", attempt.id), attempt.time_us / 1'000'000));
  ASSAY_TRY(const std::string packed, evidence::gzip_of(tar));
  auto written = write_file_atomically(out, packed);
  if (written) return {};
  Error error = written.error();
  error.exit_code = ExitCode::environment;
  return error;
}

}  // namespace

Result<EvidenceReport> evidence(const EvidenceRequest& request) {
  const ledger::Location location = ledger::find_ledger(request.ledger, {});
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to take an attempt from", {}, "name one with --ledger FILE"};
  ASSAY_TRY(ledger::Ledger ledger, ledger::Ledger::open(location.file, ledger::Ledger::Mode::read));
  ASSAY_TRY(EvidenceSubject subject, read_subject(ledger, request.attempt));
  std::optional<int64_t> predecessor = request.against;
  if (!predecessor && !subject.sources.empty()) {
    ASSAY_TRY(predecessor, find_predecessor(ledger, subject));
  }
  std::optional<EvidenceSubject> before;
  if (predecessor) {
    ASSAY_TRY(before, read_subject(ledger, *predecessor));
    subject.predecessor = before->attempt;
  }
  Pack pack;
  Folders folders;
  const std::string folder = fs::path(subject.attempt.specification).parent_path().string();
  const std::string folder_before =
      before ? fs::path(before->attempt.specification).parent_path().string() : std::string();
  ASSAY_CHECK(add_sources(pack, subject, before));
  folders.emplace_back(folder, subject.kernel_folder);
  if (folder_before != folder) folders.emplace_back(folder_before, subject.kernel_folder);
  pack.add("attempt.json", without_folders(document_text(attempt_json(subject)) + "\n", folders));
  if (!subject.samples.empty()) pack.add("samples.csv", samples_text(subject));
  if (before) {
    before->attempt.specification.clear();
    pack.add("predecessor.json", without_folders(document_text(attempt_json(*before)) + "\n", folders));
    if (!before->samples.empty()) pack.add("predecessor.csv", samples_text(*before));
  }
  pack.add("machine.json", machine_json(subject.machine));
  ASSAY_CHECK(add_parts(pack, ledger, subject.attempt));
  ASSAY_CHECK(add_reports(pack, request, predecessor, folders));
  std::ranges::sort(pack.files, {}, &PackedFile::path);
  pack.files.insert(pack.files.begin(), {"README.md", evidence_readme(subject, pack.files, pack.left_out)});

  std::string sums;
  for (const PackedFile& file : pack.files) sums += fmt::format("{}  {}\n", evidence::sha256(file.content), file.path);
  pack.add("SHA256SUMS", sums);

  EvidenceReport report;
  report.out = request.out.empty() ? fmt::format("evidence-{}.tar.gz", request.attempt) : request.out;
  report.attempt = request.attempt;
  report.kernel = subject.attempt.kernel;
  report.predecessor = predecessor;
  report.left_out = pack.left_out;
  for (const PackedFile& file : pack.files) {
    report.files.push_back(file.path);
    report.bytes += file.content.size();
  }
  ASSAY_CHECK(write_pack(pack, report.out, subject.attempt));
  return report;
}

std::string to_json(const EvidenceReport& report) {
  json document = document_head("evidence");
  document.update({{"out", report.out},
                   {"attempt", report.attempt},
                   {"kernel", report.kernel},
                   {"predecessor", report.predecessor ? json(*report.predecessor) : json(nullptr)},
                   {"files", report.files},
                   {"left_out", report.left_out},
                   {"bytes", report.bytes}});
  return document_text(document);
}

}  // namespace assay::work
