// SPDX-License-Identifier: MIT
#include "assay/claims.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "claims/document.hpp"
#include "claims/results_file.hpp"
#include "report/attempt_document.hpp"
#include "work/document.hpp"
#include "work/log_reader.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMostBytes = size_t{16} << 20;  // of a document
constexpr std::string_view kAttempt = "attempt ";

// The help pages of a program are plain text that may be called .md; they show claims and make none.
bool is_help_page(const fs::path& path) {
  std::ifstream file(path);
  std::string beginning(512, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return beginning.find("\nusage: ") != std::string::npos;
}

// The files as they are, and of folders the Markdown in them; what tools keep for themselves is passed over.
Result<std::vector<fs::path>> documents_of(const std::vector<std::string>& words) {
  std::vector<fs::path> files;
  for (const std::string& word : words) {
    std::error_code problem;
    if (!fs::is_directory(word, problem)) {
      files.emplace_back(word);
      continue;
    }
    for (auto entry = fs::recursive_directory_iterator(word, fs::directory_options::skip_permission_denied, problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
      const std::string name = entry->path().filename().string();
      std::error_code ignored;
      if (entry->is_directory(ignored) &&
          (name.starts_with('.') || name.starts_with("build") || name == "node_modules"))
        entry.disable_recursion_pending();
      else if (entry->path().extension() == ".md" && entry->is_regular_file(ignored) && !is_help_page(entry->path()))
        files.push_back(entry->path());
    }
    if (problem) return Error{"cannot read this folder: " + problem.message(), {word}, "", ExitCode::environment};
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

// What claims are about: read once each.
class Sources {
 public:
  explicit Sources(std::string ledger) : ledger_(std::move(ledger)) {}

  Result<const json*> find(const std::string& name, const fs::path& document) {
    const bool attempt = name.starts_with(kAttempt);
    const fs::path file = (document.parent_path() / name).lexically_normal();
    const std::string key = attempt ? name : file.string();
    if (const auto known = read_.find(key); known != read_.end()) return &known->second;
    ASSAY_TRY(json content, attempt ? attempt_document(name) : claims::load_recorded(file));
    return &read_.emplace(key, std::move(content)).first->second;
  }

 private:
  // The attempt as assay log show --json prints it, with its samples beside its own members.
  Result<json> attempt_document(const std::string& name) {
    const std::string_view digits = std::string_view(name).substr(kAttempt.size());
    int64_t id = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (problem != std::errc() || end != digits.data() + digits.size())
      return Error{fmt::format("'{}' is not the number of an attempt", digits)};
    if (!reader_) {
      ASSAY_TRY(LogReader opened, LogReader::open(ledger_));
      reader_.emplace(std::move(opened));
    }
    ASSAY_TRY(const LogReader::Shown shown, reader_->show(id));
    json document = report::attempt_document(shown.attempt);
    document["samples"] = json::array();
    for (const ledger::Samples& each : shown.samples)
      document["samples"].push_back(report::samples_document(each, false));
    return document;
  }

  std::string ledger_;
  std::optional<LogReader> reader_;
  std::map<std::string, json> read_;
};

Error at(Error error, const fs::path& file, const claims::Claim& claim) {
  // An error of the source names its own place; which claim wants it is worth saying.
  if (error.place.known())
    error.hint += fmt::format("{}claimed at {}:{}", error.hint.empty() ? "" : "; ", file.string(), claim.line);
  else
    error.place = {file.string(), claim.line, 1};
  return error;
}

}  // namespace

Result<ClaimsReport> claims(const ClaimsRequest& request) {
  ASSAY_TRY(const std::vector<fs::path> files, documents_of(request.files));
  ClaimsReport report;
  Sources sources(request.ledger);
  for (const fs::path& file : files) {
    ASSAY_TRY(const std::string text, read_file(file, kMostBytes));
    ASSAY_TRY(const std::vector<claims::Claim> found, claims::find_claims(text, file.string()));
    ++report.files;
    if (!found.empty()) ++report.files_with_claims;
    for (const claims::Claim& claim : found) {
      const auto recorded = sources.find(claim.source, file);
      if (!recorded) return at(recorded.error(), file, claim);
      ASSAY_TRY(const claims::CheckedClaim checked, claims::check_claim(claim, **recorded, file.string()));
      ++report.claims;
      report.figures += checked.figures;
      for (const claims::Disagreement& each : checked.disagreements)
        report.wrong.push_back({file.string(), each.line, each.figure, each.recorded, claim.source});
    }
  }
  if (!report.wrong.empty()) report.exit_code = ExitCode::incorrect;
  return report;
}

std::string to_json(const ClaimsReport& report) {
  json document = document_head("claims");
  document["exit_code"] = static_cast<int>(report.exit_code);
  document["files"] = report.files;
  document["files_with_claims"] = report.files_with_claims;
  document["claims"] = report.claims;
  document["figures"] = report.figures;
  document["wrong"] = json::array();
  for (const WrongFigure& each : report.wrong)
    document["wrong"].push_back({{"file", each.file},
                                 {"line", each.line},
                                 {"figure", each.figure},
                                 {"recorded", each.recorded},
                                 {"source", each.source}});
  return document_text(document);
}

}  // namespace assay::work
