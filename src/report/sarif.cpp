// SPDX-License-Identifier: MIT
#include "report/sarif.hpp"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::report {
namespace {

using gpu::Finding;
using gpu::FindingKind;
using nlohmann::json;

struct Rule {
  FindingKind kind;
  const char* text;
};

constexpr std::array kRules = {
    Rule{FindingKind::out_of_bounds, "An access outside of an allocation or variable"},
    Rule{FindingKind::misaligned, "An access whose address is not a multiple of its size"},
    Rule{FindingKind::null_pointer, "An access through a null pointer"},
    Rule{FindingKind::use_after_free, "An access to memory that was freed"},
    Rule{FindingKind::illegal_address, "An access to an address in no memory space"},
    Rule{FindingKind::trap, "The kernel stopped itself"},
    Rule{FindingKind::assertion, "An assertion failed"},
    Rule{FindingKind::deadlock, "Threads wait for others that never come"},
    Rule{FindingKind::instruction_limit, "The kernel ran for longer than allowed"},
    Rule{FindingKind::invalid_free, "A free of what was not allocated"},
    Rule{FindingKind::illegal_instruction, "An operand that the instruction does not allow"},
    Rule{FindingKind::uninitialised, "A read of memory that nobody wrote"},
    Rule{FindingKind::race, "Accesses of two threads with nothing to order them"},
    Rule{FindingKind::barrier, "A barrier that is used against its rules"},
};

size_t rule_index(FindingKind kind) {
  for (size_t i = 0; i < kRules.size(); ++i) {
    if (kRules[i].kind == kind) return i;
  }
  return 0;
}

json location_of(const gpu::SourceLine& line, const std::filesystem::path& root) {
  const std::filesystem::path file = std::filesystem::path(line.file).lexically_normal();
  const std::filesystem::path relative = file.is_absolute() ? file.lexically_relative(root) : file;
  const bool inside = !relative.empty() && *relative.begin() != "..";
  json region = {{"startLine", std::max(1, line.line)}};
  if (line.column > 0) region["startColumn"] = line.column;
  json artifact = {{"uri", (inside ? relative : file).generic_string()}};
  if (inside) artifact["uriBaseId"] = "SRCROOT";
  json location = {{"physicalLocation", {{"artifactLocation", std::move(artifact)}, {"region", std::move(region)}}}};
  if (!line.function.empty()) location["logicalLocations"] = json::array({{{"fullyQualifiedName", line.function}}});
  return location;
}

std::string dim(const gpu::Dim3& d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string message_of(const Finding& finding) {
  std::string text = fmt::format("{}: {} [kernel {}, block {}, thread {}", to_string(finding.kind), finding.message,
                                 finding.kernel, dim(finding.block), dim(finding.thread));
  if (finding.access != gpu::AccessKind::none)
    text += fmt::format(", {} of {} bytes of {} memory at 0x{:x}", to_string(finding.access), finding.bytes,
                        to_string(finding.space), finding.address);
  text += "]";
  if (!finding.allocation.empty()) text += "; " + finding.allocation;
  if (finding.count > 1) text += fmt::format("; {} times", finding.count);
  return text;
}

json result_of(const Finding& finding, const std::filesystem::path& root) {
  json locations = json::array();
  if (const gpu::SourceLine* line = user_line(finding)) locations.push_back(location_of(*line, root));
  json result = {{"ruleId", to_string(finding.kind)},
                 {"ruleIndex", rule_index(finding.kind)},
                 {"level", "error"},
                 {"message", {{"text", message_of(finding)}}},
                 {"locations", std::move(locations)},
                 {"occurrenceCount", finding.count}};
  if (finding.source.size() > 1) {
    json frames = json::array();
    for (const gpu::SourceLine& line : finding.source) frames.push_back({{"location", location_of(line, root)}});
    result["stacks"] = json::array({{{"message", {{"text", "inlined calls, innermost first"}}}, {"frames", frames}}});
  }
  return result;
}

}  // namespace

json sarif_document(const std::vector<Finding>& findings, const std::string& version,
                    const std::filesystem::path& root) {
  json rules = json::array();
  for (const Rule& rule : kRules) {
    rules.push_back({{"id", to_string(rule.kind)},
                     {"shortDescription", {{"text", rule.text}}},
                     {"defaultConfiguration", {{"level", "error"}}}});
  }
  json results = json::array();
  for (const Finding& finding : findings) results.push_back(result_of(finding, root));
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs",
           json::array(
               {{{"tool", {{"driver", {{"name", "assay"}, {"semanticVersion", version}, {"rules", std::move(rules)}}}}},
                 {"columnKind", "utf16CodeUnits"},
                 {"results", std::move(results)}}})}};
}

}  // namespace assay::report
