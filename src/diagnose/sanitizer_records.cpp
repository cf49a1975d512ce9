// SPDX-License-Identifier: MIT
#include "diagnose/sanitizer_records.hpp"

#include <charconv>
#include <fmt/format.h>
#include <string>

#include "diagnose/xml_element.hpp"
#include "gpu/finding_list.hpp"

namespace assay::diagnose {
namespace {

using gpu::Finding;
using gpu::FindingKind;

// 0 if it is no number: the tool's text is not ours to rely on.
template <class T>
T number(std::string_view text, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  T value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return problem == std::errc() ? value : T{0};
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

gpu::Space space_of(std::string_view text) {
  using gpu::Space;
  if (holds(text, "global")) return Space::global;
  if (holds(text, "shared")) return Space::shared;
  if (holds(text, "local")) return Space::local;
  if (holds(text, "const")) return Space::constant;
  return Space::generic;
}

gpu::AccessKind access_of(std::string_view direction) {
  if (holds(direction, "tomic")) return gpu::AccessKind::atomic;
  if (holds(direction, "rite")) return gpu::AccessKind::store;
  if (holds(direction, "ead")) return gpu::AccessKind::load;
  return gpu::AccessKind::none;
}

FindingKind kind_of(std::string_view text, std::string_view error, uint64_t address, bool is_access) {
  constexpr uint64_t kFirstPage = 4096;
  if (holds(text, "Uninitialized")) return FindingKind::uninitialised;
  if (holds(text, "Race") || holds(text, "hazard")) return FindingKind::race;
  if (holds(text, "Barrier") || holds(text, "barrier")) return FindingKind::barrier;
  if (holds(error, "misaligned") || holds(text, "misaligned")) return FindingKind::misaligned;
  if (is_access && space_of(text) == gpu::Space::global && address < kFirstPage) return FindingKind::null_pointer;
  if (holds(text, "freed")) return FindingKind::use_after_free;
  if (is_access) return FindingKind::out_of_bounds;
  return FindingKind::illegal_instruction;
}

gpu::Dim3 dim_of(const XmlElement& record, const std::string& path) {
  return {number<uint32_t>(record.text_of(path + "/x")), number<uint32_t>(record.text_of(path + "/y")),
          number<uint32_t>(record.text_of(path + "/z"))};
}

void add_place(const XmlElement& where, Finding& finding) {
  if (finding.kernel.empty()) finding.kernel = where.text_of("func");
  const std::string_view file = where.text_of("path");
  if (file.empty()) return;
  finding.source.push_back(
      {std::string(file), number<int>(where.text_of("line")), 0, std::string(where.text_of("func"))});
}

// The places of a record, innermost first: inlined calls stand behind one another.
void add_places(const XmlElement& record, Finding& finding) {
  for (const XmlElement& element : record.children) {
    if (element.name == "where") add_place(element, finding);
    if (element.name != "deviceStack") continue;
    for (const XmlElement& frame : element.children) add_place(frame, finding);
  }
  // The outermost function is the kernel.
  if (!finding.source.empty()) finding.kernel = finding.source.back().function;
}

std::string side_text(const XmlElement& side) {
  return fmt::format("{} at {}:{}", side.text_of("direction"), side.text_of("where/path"), side.text_of("where/line"));
}

Finding race_of(const XmlElement& what) {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.space = gpu::Space::shared;
  const XmlElement* source = what.child("source");
  const XmlElement* destination = what.child("destination");
  if (source != nullptr && source->child("where") != nullptr) {
    add_place(*source->child("where"), finding);
    finding.access = access_of(source->text_of("direction"));
  }
  if (destination != nullptr) finding.count = std::max<uint64_t>(1, number<uint64_t>(destination->text_of("count")));
  finding.message = "threads race for shared memory";
  if (source != nullptr && destination != nullptr)
    finding.message +=
        fmt::format(": {} and {} have no barrier between them", side_text(*source), side_text(*destination));
  return finding;
}

Finding finding_of(const XmlElement& record, const XmlElement& what) {
  if (what.child("source") != nullptr) return race_of(what);
  const std::string_view text = what.text_of("text");
  Finding finding;
  finding.space = space_of(what.child("space") != nullptr ? what.text_of("space") : text);
  finding.access = access_of(what.text_of("direction"));
  if (finding.access == gpu::AccessKind::none) finding.access = access_of(text);
  finding.bytes = number<uint32_t>(what.text_of("size"));
  finding.address = number<uint64_t>(what.text_of("address"), 16);
  const bool is_access = what.child("address") != nullptr && finding.access != gpu::AccessKind::none;
  finding.kind = kind_of(text, what.text_of("error"), finding.address, is_access);
  if (!is_access) finding.access = gpu::AccessKind::none;
  finding.message = text;
  if (const std::string_view type = what.text_of("type"); !type.empty()) finding.message += fmt::format(": {}", type);
  finding.block = dim_of(record, "who/blockIdx");
  finding.thread = dim_of(record, "who/threadIdx");
  add_places(record, finding);
  return finding;
}

}  // namespace

Result<SanitizerRecords> read_sanitizer_records(std::string_view xml) {
  ASSAY_TRY(const XmlElement root, parse_xml(xml));
  if (root.name != "ComputeSanitizerOutput")
    return Error{fmt::format("the file begins with <{}>, which compute-sanitizer does not write", root.name)};
  SanitizerRecords records;
  gpu::FindingList folded;
  for (const XmlElement& record : root.children) {
    const XmlElement* what = record.child("what");
    if (record.name != "record" || what == nullptr) continue;
    const bool in_kernel =
        record.child("who") != nullptr || record.child("where") != nullptr || what->child("source") != nullptr;
    if (in_kernel) {
      folded.add(finding_of(record, *what));
    } else {
      ++records.other_records;
    }
  }
  records.findings = folded.findings();
  records.occurrences = folded.occurrences();
  return records;
}

}  // namespace assay::diagnose
