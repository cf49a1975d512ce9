// SPDX-License-Identifier: MIT
#include "report/sarif.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "report/coverage.hpp"
#include "report/finding_text.hpp"
#include "report/source_text.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;
using gpu::Finding;
using nlohmann::json;

struct Artifact {
  std::string uri;
  bool inside = false;  // of the repository
};

Artifact artifact_of(const fs::path& name, const fs::path& root) {
  const fs::path file = name.lexically_normal();
  const fs::path relative = file.is_absolute() ? file.lexically_relative(root) : file;
  const bool inside = !relative.empty() && *relative.begin() != "..";
  if (inside) return {escape_uri_path(relative.generic_string()), true};
  return {(file.is_absolute() ? "file://" : "") + escape_uri_path(file.generic_string()), false};
}

json location_of(const gpu::SourceLine& line, const fs::path& root) {
  const Artifact artifact = artifact_of(line.file, root);
  json region = {{"startLine", std::max(1, line.line)}};
  if (line.column > 0) region["startColumn"] = line.column;
  json place = {{"uri", artifact.uri}};
  if (artifact.inside) place["uriBaseId"] = "SRCROOT";
  json location = {{"physicalLocation", {{"artifactLocation", std::move(place)}, {"region", std::move(region)}}}};
  if (!line.function.empty()) location["logicalLocations"] = json::array({{{"fullyQualifiedName", line.function}}});
  return location;
}

std::string message_of(const Finding& finding) {
  std::string text = fmt::format("{}: {} [kernel {}, block {}, thread {}", to_string(finding.kind), finding.message,
                                 finding.kernel, dim_text(finding.block), dim_text(finding.thread));
  if (finding.access != gpu::AccessKind::none)
    text += fmt::format(", {} of {} bytes of {} memory at 0x{:x}", to_string(finding.access), finding.bytes,
                        to_string(finding.space), finding.address);
  text += "]";
  if (!finding.allocation.empty()) text += "; " + finding.allocation;
  if (finding.thread_count > 1) text += fmt::format("; {} threads", finding.thread_count);
  if (finding.count > 1) text += fmt::format("; {} times", finding.count);
  for (const std::string& note : finding.notes) text += "\n" + note;
  return text;
}

// The same for the same mistake after edits elsewhere in the file: the line's text stands for its number.
std::string fingerprint(const Finding& finding, const gpu::SourceLine& place, const SarifRun& run) {
  const std::string text = source_text(place, run.root);
  Hasher hasher;
  hasher.add(to_string(finding.kind)).add(to_string(finding.access)).add(finding.kernel).add(place.function);
  hasher.add(artifact_of(place.file, run.root).uri);
  hasher.add(text.empty() ? fmt::format("{}:{}", place.line, finding.ptx_line) : text);
  return hasher.hex();
}

json result_of(const Finding& finding, const SarifRun& run) {
  const gpu::SourceLine* line = user_line(finding);
  const gpu::SourceLine place = line != nullptr ? *line : gpu::SourceLine{run.source.string(), 1, 0, ""};
  json result = {{"ruleId", to_string(finding.kind)},
                 {"ruleIndex", static_cast<size_t>(finding.kind)},
                 {"level", "error"},
                 {"message", {{"text", message_of(finding)}}},
                 {"locations", json::array({location_of(place, run.root)})},
                 {"partialFingerprints", {{"assayFinding/v1", fingerprint(finding, place, run)}}},
                 {"occurrenceCount", finding.count},
                 {"properties", {{"threads", finding.thread_count}}}};
  if (finding.source.size() > 1) {
    json frames = json::array();
    for (const gpu::SourceLine& step : finding.source) frames.push_back({{"location", location_of(step, run.root)}});
    result["stacks"] = json::array({{{"message", {{"text", "inlined calls, innermost first"}}}, {"frames", frames}}});
  }
  return result;
}

json rule_of(const gpu::FindingKindInfo& kind) {
  const std::string help = replace_all(std::string(kind.hint), "{bytes}", "N");
  return {{"id", kind.name},
          {"shortDescription", {{"text", kind.summary}}},
          {"fullDescription", {{"text", fmt::format("{}. {}", kind.summary, kind.meaning)}}},
          {"help",
           {{"text", fmt::format("{} Fix: {}.", kind.meaning, help)},
            {"markdown", fmt::format("{}\n\n**Fix:** {}.", kind.meaning, help)}}},
          {"defaultConfiguration", {{"level", "error"}}},
          {"properties", {{"tags", {"correctness", "cuda"}}, {"precision", "very-high"}}}};
}

}  // namespace

json sarif_document(const SarifRun& run) {
  json rules = json::array();
  for (const gpu::FindingKindInfo& kind : gpu::finding_kinds()) rules.push_back(rule_of(kind));
  json results = json::array();
  for (const Finding& finding : run.findings) results.push_back(result_of(finding, run));
  const json tool = {{"driver", {{"name", "assay"}, {"semanticVersion", run.version}, {"rules", std::move(rules)}}}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", json::array({{{"tool", tool},
                                 {"invocations", json::array({{{"executionSuccessful", true},
                                                               {"properties", coverage_document(run.coverage)}}})},
                                 {"columnKind", "utf16CodeUnits"},
                                 {"results", std::move(results)}}})}};
}

}  // namespace assay::report
