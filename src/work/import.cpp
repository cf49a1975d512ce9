// SPDX-License-Identifier: MIT
#include "assay/import.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "formats/read_foreign.hpp"
#include "formats/result_json.hpp"
#include "formats/t1.hpp"
#include "spec/open_points.hpp"
#include "work/document.hpp"
#include "work/import_folder.hpp"
#include "work/recording.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<NotCarriedOver> public_lost(const std::vector<formats::Lost>& lost) {
  std::vector<NotCarriedOver> list;
  for (const formats::Lost& each : lost) list.push_back({each.where, each.why});
  return list;
}

Result<void> write_folder(const TaskFolder& task, const fs::path& folder, std::vector<std::string>& files) {
  for (const formats::TextFile& file : task.files) {
    const fs::path path = folder / file.path;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed)
      return Error{fmt::format("cannot be made: {}", failed.message()), Place{path.parent_path().string()}, "",
                   ExitCode::environment};
    ASSAY_CHECK(write_file_atomically(path, file.content));
    files.push_back(path.string());
  }
  return {};
}

std::string name_of(const formats::Task& task, const std::string& path) {
  if (!task.name.empty()) return task.name;
  const fs::path source = fs::path(path).lexically_normal();
  return (source.has_filename() ? source.filename() : source.parent_path().filename()).stem().string();
}

Result<ImportedTask> import_task(const formats::Task& task, const TaskFolder& made, const fs::path& folder) {
  ImportedTask report;
  report.name = task.name;
  report.folder = folder.string();
  report.lost = public_lost(made.lost);
  ASSAY_CHECK(write_folder(made, folder, report.files));
  const auto spec = spec::load(folder);
  if (!spec) {
    report.problem = to_string(spec.error());
    return report;
  }
  for (const spec::Open& point : spec::open_points(*spec))
    report.open.push_back({point.place.file, point.place.line, point.text});
  return report;
}

// All of them, or none: nothing is written before every name is known to be free.
Result<void> import_tasks(std::vector<formats::Task>& tasks, const ImportRequest& request, const Context& context,
                          ImportReport& report) {
  std::vector<TaskFolder> folders;
  std::set<std::string> names;
  for (formats::Task& task : tasks) {
    task.name = name_of(task, request.path);
    TaskFolder made = task_folder(task, fmt::format("a task of {}", report.format));
    const fs::path folder = fs::path(request.to) / made.name;
    std::error_code ignored;
    if (fs::exists(folder, ignored))
      return Error{"this is there already", Place{folder.string()}, "--to names another folder"};
    if (!names.insert(made.name).second)
      return Error{fmt::format("two tasks would become the folder '{}'", made.name), Place{request.path},
                   "import them one by one, with --to"};
    folders.push_back(std::move(made));
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    ASSAY_CHECK(check_cancelled(context));
    ASSAY_TRY(ImportedTask one, import_task(tasks[i], folders[i], fs::path(request.to) / folders[i].name));
    report.tasks.push_back(std::move(one));
  }
  return {};
}

// What others measured is never verified here: `correct` stays empty, and no leaderboard takes it.
ledger::Attempt attempt_of(const formats::ForeignResult& result, const Recording& recording, const std::string& format,
                           const std::string& file, const std::string& hash) {
  ledger::Attempt attempt = recording.draft();
  attempt.kernel = result.task;
  attempt.configuration = result.configuration;
  attempt.shape = result.shape;
  attempt.device = result.device;
  attempt.verdict = fmt::format("imported: {}", name(result.status));
  attempt.comparable = "imported " + format;
  attempt.source_hash = hash;
  attempt.p50_us = result.time.median;
  attempt.contract =
      json{{"imported.format", format}, {"imported.file", file}, {"imported.protocol", result.protocol}}.dump(
          -1, ' ', false, json::error_handler_t::replace);
  attempt.details = json{{"imported", {{"format", format}, {"file", file}, {"result", json(to_json(result))}}}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
  return attempt;
}

std::vector<ledger::Samples> samples_of(const formats::ForeignResult& result) {
  std::vector<ledger::Samples> list;
  const auto add = [&](const formats::Statistics& statistics, ledger::Role role, const std::string& name) {
    ledger::Samples samples;
    samples.contender = name;
    samples.role = role;
    samples.configuration = result.configuration;
    samples.shape = result.shape;
    samples.protocol = "imported: " + result.protocol;
    samples.times_us = statistics.samples;
    if (statistics.clocks_mhz.size() == statistics.samples.size()) samples.clocks_mhz = statistics.clocks_mhz;
    if (!samples.times_us.empty() && validate(samples)) list.push_back(std::move(samples));
  };
  add(result.time, ledger::Role::candidate, result.contender);
  add(result.baseline, ledger::Role::baseline, result.baseline_name);
  return list;
}

Result<void> record(const formats::Imported& imported, const ImportRequest& request, const Context& context,
                    ImportReport& report) {
  if (imported.results.empty()) return {};
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context, {ledger::Kind::imported, nullptr, "", "", 0}));
  if (recording.ledger() == nullptr) return {};
  report.ledger = recording.ledger()->file().string();
  std::set<std::string> known;
  ledger::Filter filter;
  filter.kind = ledger::Kind::imported;
  ASSAY_CHECK(recording.ledger()->for_each_attempt(filter, [&](const ledger::Attempt& attempt) -> Result<void> {
    known.insert(attempt.source_hash);
    return {};
  }));
  const std::string file = fs::path(request.path).filename().string();
  Progress progress(context, "importing", imported.results.size());
  for (const formats::ForeignResult& result : imported.results) {
    ASSAY_CHECK(check_cancelled(context));
    Hasher hasher;
    hasher.add(imported.format).add(to_json(result).dump(-1, ' ', false, json::error_handler_t::replace));
    for (const double sample : result.time.samples) hasher.add(fmt::format("{}", sample));
    const std::string hash = hasher.hex();
    if (known.insert(hash).second) {
      const std::vector<ledger::Samples> samples = samples_of(result);
      ASSAY_TRY(const auto id, recording.write(attempt_of(result, recording, imported.format, file, hash), samples));
      if (id) ++report.recorded;
    } else {
      ++report.known;
    }
    progress.advance(result.task);
  }
  return {};
}

json lost_document(const std::vector<NotCarriedOver>& lost) {
  json list = json::array();
  for (const NotCarriedOver& each : lost) list.push_back({{"where", each.where}, {"why", each.why}});
  return list;
}

// A T1 that is given as a file brings the files that it names and that lie beside it or below.
Result<void> add_named_files(const fs::path& path, formats::TextFiles& files) {
  std::error_code failed;
  if (files.size() != 1 || fs::is_directory(path, failed)) return {};
  for (const std::string& name : formats::files_named_by_t1(files.front().content)) {
    const fs::path named(name);
    const fs::path file = path.parent_path() / named;
    if (named.is_absolute() || std::ranges::find(named, fs::path("..")) != named.end() ||
        formats::find_file(files, name) != nullptr || fs::is_symlink(file, failed) ||
        !fs::is_regular_file(file, failed))
      continue;
    ASSAY_TRY(std::string content, read_file(file));
    files.push_back({name, std::move(content)});
  }
  return {};
}

}  // namespace

Result<ImportReport> import_files(const ImportRequest& request, const Context& context) {
  ASSAY_TRY(formats::TextFiles files, formats::read_text_files(request.path));
  ASSAY_CHECK(add_named_files(request.path, files));
  auto imported = formats::read_foreign(files, request.format);
  if (!imported) {
    Error error = imported.error();
    // Readers know files by their names in the folder.
    if (!error.place.known()) error.place.file = request.path;
    return error;
  }
  ImportReport report;
  report.format = imported->format;
  report.repaired = imported->repaired;
  report.results = imported->results.size();
  report.lost = public_lost(imported->lost);
  ASSAY_CHECK(import_tasks(imported->tasks, request, context, report));
  ASSAY_CHECK(record(*imported, request, context, report));
  return report;
}

std::string to_json(const ImportReport& report) {
  json document = document_head("import");
  document["format"] = report.format;
  document["repaired"] = report.repaired;
  document["tasks"] = json::array();
  for (const ImportedTask& task : report.tasks) {
    json open = json::array();
    for (const OpenPoint& point : task.open)
      open.push_back({{"file", point.file}, {"line", point.line}, {"text", point.text}});
    json entry = {{"name", task.name},
                  {"folder", task.folder},
                  {"files", task.files},
                  {"open", open},
                  {"not_carried_over", lost_document(task.lost)}};
    if (!task.problem.empty()) entry["problem"] = task.problem;
    document["tasks"].push_back(std::move(entry));
  }
  document["results"] = {{"found", report.results}, {"recorded", report.recorded}, {"known", report.known}};
  if (!report.ledger.empty()) document["ledger"] = report.ledger;
  document["not_carried_over"] = lost_document(report.lost);
  return document_text(document);
}

}  // namespace assay::work
