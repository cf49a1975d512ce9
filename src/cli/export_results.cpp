// SPDX-License-Identifier: MIT
// assay export --format: results of the ledger in other tools' formats.
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/export.hpp"
#include "base/escape.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/export_mode.hpp"
#include "cli/lost_text.hpp"
#include "work/document.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

class ExportResults final : public ExportMode {
 public:
  void declare(CommandLine& line) override {
    line.choice(
        "--format", request_.format, "results of the ledger in this format",
        {"flashinfer", "solexec", "t4", "nvbench", "google-benchmark", "bencher", "openmetrics", "trace-events"});
    line.flag("--imported", request_.imported, "what was imported, instead of our own measurements");
    line.option("--kernel", request_.attempts.kernel, "only this kernel; * stands for any text");
    line.option("--device", request_.attempts.device, "only this device; * stands for any text");
    line.option("--since", request_.attempts.since, "30min, 12h, 3d, 2w, or a date");
    line.option("--limit", limit_, "the newest that many attempts; 0: all");
    line.option("--ledger", request_.attempts.ledger, "the file");
  }

  bool chosen() const override { return !request_.format.empty(); }
  const char* option() const override { return "--format"; }

  Result<ExitCode> run(const std::string& out, const Context& context, bool json) override {
    static_cast<void>(context);
    if (json && out.empty()) return Error{"--json tells what was written, and that needs a file", {}, "--out FILE"};
    request_.attempts.limit = limit_.value_or(0);
    const fs::path file = out;
    if (!out.empty()) request_.samples_folder = file.stem().string() + "-samples";
    ASSAY_TRY(work::ExportReport report, work::export_results(request_));
    if (out.empty()) {
      for (const work::ExportedFile& each : report.files)
        report.lost.push_back({each.path, "samples lie in files beside the text: --out FILE writes them"});
      print_document(std::string_view(report.text).substr(0, report.text.size() - 1));
    } else {
      ASSAY_CHECK(write(file, report));
    }
    for (const std::string& each : report.damaged)
      print_to_errors(fmt::format("assay: warning: {}\n", escape_terminal(each)));
    if (json) {
      print_document(document(report, file));
      return ExitCode::good;
    }
    const std::string lost = lost_text(report.lost, "");
    if (!lost.empty()) print_to_errors(lost);
    if (!out.empty())
      print(
          fmt::format("{}: {} results of {}\n", escape_terminal(out), report.results, escape_terminal(report.ledger)));
    return ExitCode::good;
  }

 private:
  static Result<void> write(const fs::path& file, const work::ExportReport& report) {
    for (const work::ExportedFile& each : report.files) {
      const fs::path path = file.parent_path() / each.path;
      std::error_code failed;
      fs::create_directories(path.parent_path(), failed);
      if (failed)
        return Error{fmt::format("cannot be made: {}", failed.message()), Place{path.parent_path().string()}, "",
                     ExitCode::environment};
      ASSAY_CHECK(write_file_atomically(path, each.content));
    }
    return write_file_atomically(file, report.text);
  }

  static std::string document(const work::ExportReport& report, const fs::path& file) {
    nlohmann::json document = work::document_head("export");
    document["format"] = report.format;
    document["ledger"] = report.ledger;
    document["file"] = file.string();
    document["results"] = report.results;
    document["files"] = nlohmann::json::array();
    for (const work::ExportedFile& each : report.files) document["files"].push_back(each.path);
    document["not_carried_over"] = nlohmann::json::array();
    for (const work::NotCarriedOver& each : report.lost)
      document["not_carried_over"].push_back({{"where", each.where}, {"why", each.why}});
    document["damaged"] = report.damaged;
    return work::document_text(document);
  }

  work::ExportRequest request_;
  std::optional<size_t> limit_;
};

}  // namespace

std::unique_ptr<ExportMode> export_results_mode() {
  return std::make_unique<ExportResults>();
}

}  // namespace assay::cli
