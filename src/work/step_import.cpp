// SPDX-License-Identifier: MIT
#include "work/step_import.hpp"

#include <map>
#include <set>

#include "base/hash.hpp"
#include "ledger/time_text.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

std::string identity(const json& origin, const json& step) {
  return content_hash(origin.dump() + step.dump());
}

Result<std::set<std::string>> known_steps(ledger::Ledger& ledger) {
  std::set<std::string> known;
  ledger::Filter filter;
  filter.kind = ledger::Kind::measure;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    const json details = json::parse(attempt.details.empty() ? "null" : attempt.details, nullptr, false);
    if (details.is_object() && details.contains("step") && details.contains("origin"))
      known.insert(identity(details["origin"], details["step"]));
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit));
  return known;
}

// An attempt, with what was changed, expected and found as its notes.
Result<void> append_step(ledger::Ledger& ledger, const json& origin, const json& entry, int64_t time_us) {
  ASSAY_TRY(const learn::Step step, learn::step_of(origin, entry));
  ledger::Attempt attempt;
  attempt.kind = ledger::Kind::measure;
  attempt.time_us = time_us;
  attempt.machine = "elsewhere";
  attempt.kernel = step.kernel;
  attempt.device = step.device;
  attempt.configuration = step.name;
  attempt.verdict = step.kept ? "kept" : "dropped";
  attempt.details = json{{"origin", origin}, {"step", entry}}.dump();
  ASSAY_TRY(const int64_t id, ledger.append(attempt));
  using NoteKind = ledger::Note::Kind;
  for (const auto& [kind, said] :
       {std::pair(NoteKind::remark, step.change), std::pair(NoteKind::hypothesis, step.expected),
        std::pair(NoteKind::remark, step.came)}) {
    if (said.empty()) continue;
    const auto note = ledger.add_note({.time_us = time_us, .attempt = id, .kernel = {}, .kind = kind, .text = said});
    if (!note) return note.error();
  }
  return {};
}

}  // namespace

bool holds_steps(const std::string& text) {
  const json document = json::parse(text, nullptr, false);
  return document.is_object() && document.contains("assay_steps");
}

Result<size_t> import_steps(ledger::Ledger& ledger, const learn::StepFile& read, const std::string& file) {
  const auto time = ledger::parse_since(read.origin["date"].get<std::string>(), ledger::now_us());
  if (!time) return Error{"the date cannot be read: " + time.error().message, {file, 1, 1}, "2026-11-15"};
  ASSAY_TRY(std::set<std::string> known, known_steps(ledger));
  size_t added = 0;
  for (const json& entry : read.steps) {
    if (!known.insert(identity(read.origin, entry)).second) continue;
    ASSAY_CHECK(append_step(ledger, read.origin, entry, *time));
    ++added;
  }
  return added;
}

Result<std::vector<learn::StepFile>> shared_steps(const std::string& text, const std::string& file) {
  std::vector<learn::StepFile> files;
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("steps")) return files;
  if (!document["steps"].is_array()) return Error{"the steps of this file are no list", {file, 1, 1}};
  for (const json& entry : document["steps"]) {
    ASSAY_TRY(learn::StepFile read, learn::read_steps(entry.dump(), file));
    files.push_back(std::move(read));
  }
  return files;
}

Result<json> steps_to_share(ledger::Ledger& ledger, const ledger::Filter& wanted) {
  std::map<std::string, json> files;
  ledger::Filter filter = wanted;
  filter.kind = ledger::Kind::measure;
  filter.oldest_first = true;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    const json details = json::parse(attempt.details.empty() ? "null" : attempt.details, nullptr, false);
    if (!details.is_object() || !details.contains("step") || !details.contains("origin")) return {};
    if (!details["origin"].is_object()) return {};
    json& file = files[details["origin"].dump()];
    if (file.is_null()) {
      file = details["origin"];
      file["assay_steps"] = 1;
      file["steps"] = json::array();
    }
    file["steps"].push_back(details["step"]);
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit));
  json all = json::array();
  for (auto& [origin, file] : files) all.push_back(std::move(file));
  return all;
}

}  // namespace assay::work
