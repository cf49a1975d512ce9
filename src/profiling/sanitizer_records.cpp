// SPDX-License-Identifier: MIT
#include "profiling/sanitizer_records.hpp"

#include <charconv>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <string>

#include "base/text.hpp"
#include "gpu/finding_list.hpp"

namespace assay::profiling {
namespace {

using gpu::Finding;
using gpu::FindingKind;

std::string_view name_of(pugi::xml_node element) {
  return element.name();
}

// "where/line"; "" if there is none.
std::string_view text_of(pugi::xml_node element, const std::string& path) {
  return trim(element.first_element_by_path(path.c_str()).text().get());
}

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

gpu::Dim3 dim_of(pugi::xml_node record, const std::string& path) {
  return {number<uint32_t>(text_of(record, path + "/x")), number<uint32_t>(text_of(record, path + "/y")),
          number<uint32_t>(text_of(record, path + "/z"))};
}

void add_place(pugi::xml_node where, Finding& finding) {
  if (finding.kernel.empty()) finding.kernel = text_of(where, "func");
  const std::string_view file = text_of(where, "path");
  if (file.empty()) return;
  finding.source.push_back(
      {std::string(file), number<int>(text_of(where, "line")), 0, std::string(text_of(where, "func"))});
}

// The places of a record, innermost first: inlined calls stand behind one another.
void add_places(pugi::xml_node record, Finding& finding) {
  for (pugi::xml_node element : record.children()) {
    if (name_of(element) == "where") add_place(element, finding);
    if (name_of(element) != "deviceStack") continue;
    for (pugi::xml_node frame : element.children()) add_place(frame, finding);
  }
  // The outermost function is the kernel.
  if (!finding.source.empty()) finding.kernel = finding.source.back().function;
}

std::string side_text(pugi::xml_node side) {
  return fmt::format("{} at {}:{}", text_of(side, "direction"), text_of(side, "where/path"),
                     text_of(side, "where/line"));
}

Finding race_of(pugi::xml_node what) {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.space = gpu::Space::shared;
  const pugi::xml_node source = what.child("source");
  const pugi::xml_node destination = what.child("destination");
  if (const pugi::xml_node where = source.child("where")) {
    add_place(where, finding);
    finding.access = access_of(text_of(source, "direction"));
  }
  if (destination) finding.count = std::max<uint64_t>(1, number<uint64_t>(text_of(destination, "count")));
  finding.message = "threads race for shared memory";
  if (source && destination)
    finding.message +=
        fmt::format(": {} and {} have no barrier between them", side_text(source), side_text(destination));
  return finding;
}

Finding finding_of(pugi::xml_node record, pugi::xml_node what) {
  if (what.child("source")) return race_of(what);
  const std::string_view text = text_of(what, "text");
  Finding finding;
  finding.space = space_of(what.child("space") ? text_of(what, "space") : text);
  finding.access = access_of(text_of(what, "direction"));
  if (finding.access == gpu::AccessKind::none) finding.access = access_of(text);
  finding.bytes = number<uint32_t>(text_of(what, "size"));
  finding.address = number<uint64_t>(text_of(what, "address"), 16);
  const bool is_access = what.child("address") && finding.access != gpu::AccessKind::none;
  finding.kind = kind_of(text, text_of(what, "error"), finding.address, is_access);
  if (!is_access) finding.access = gpu::AccessKind::none;
  finding.message = text;
  if (const std::string_view type = text_of(what, "type"); !type.empty()) finding.message += fmt::format(": {}", type);
  finding.block = dim_of(record, "who/blockIdx");
  finding.thread = dim_of(record, "who/threadIdx");
  add_places(record, finding);
  return finding;
}

}  // namespace

Result<SanitizerRecords> read_sanitizer_records(std::string_view xml) {
  pugi::xml_document document;
  // A file that ends early (the tool was ended) gives what was complete until then.
  document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_trim_pcdata);
  const pugi::xml_node root = document.document_element();
  if (!root) return Error{"there is no XML element"};
  if (name_of(root) != "ComputeSanitizerOutput")
    return Error{fmt::format("the file begins with <{}>, which compute-sanitizer does not write", name_of(root))};
  SanitizerRecords records;
  gpu::FindingList folded;
  for (pugi::xml_node record : root.children()) {
    const pugi::xml_node what = record.child("what");
    if (name_of(record) != "record" || !what) continue;
    const bool in_kernel = record.child("who") || record.child("where") || what.child("source");
    if (in_kernel) {
      folded.add(finding_of(record, what));
    } else {
      ++records.other_records;
    }
  }
  records.findings = folded.findings();
  records.occurrences = folded.occurrences();
  return records;
}

}  // namespace assay::profiling
