// SPDX-License-Identifier: MIT
#include "report/finding_text.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "check/result_json.hpp"

namespace assay::report {
namespace {

using gpu::Finding;
using gpu::FindingKind;

struct Group {
  std::vector<const Finding*> members;
  uint64_t occurrences = 0;
};

bool together(const Finding& a, const Finding& b) {
  if (a.kind != b.kind || a.space != b.space || a.access != b.access || a.bytes != b.bytes) return false;
  const gpu::SourceLine* line_a = user_line(a);
  const gpu::SourceLine* line_b = user_line(b);
  if (line_a == nullptr || line_b == nullptr) return a.ptx_line == b.ptx_line;
  return line_a->file == line_b->file && line_a->line == line_b->line;
}

std::vector<Group> group(const std::vector<Finding>& findings) {
  std::vector<Group> groups;
  for (const Finding& finding : findings) {
    auto found = groups.begin();
    while (found != groups.end() && !together(*found->members.front(), finding)) ++found;
    if (found == groups.end()) found = groups.insert(groups.end(), Group{});
    found->members.push_back(&finding);
    found->occurrences += finding.count;
  }
  return groups;
}

std::string source_text(const gpu::SourceLine& line) {
  // The name comes from the PTX: it may be that of a pipe or a terminal, which would keep us waiting.
  std::error_code ignored;
  if (line.line <= 0 || !std::filesystem::is_regular_file(line.file, ignored)) return "";
  const auto content = read_file(line.file, size_t{16} << 20);
  if (!content) return "";
  const auto lines = split(*content, '\n');
  return static_cast<size_t>(line.line) <= lines.size() ? std::string(trim(lines[static_cast<size_t>(line.line) - 1]))
                                                        : "";
}

std::string advice(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::misaligned:
      return fmt::format(
          "an access of {0} bytes needs an address that is a multiple of {0}: make every row a multiple of {0} bytes "
          "long (pad by {0} bytes, or swizzle), or use a narrower access",
          finding.bytes);
    case FindingKind::out_of_bounds:
      return "compare the index with the size at this line; guard the ragged last tile";
    case FindingKind::null_pointer:
      return "a pointer argument is null, or an address was computed from one";
    case FindingKind::use_after_free:
      return "the memory was freed before this access";
    case FindingKind::deadlock:
      if (finding.space == gpu::Space::shared)
        return "compare what completes the mbarrier's phase with what it was told: the count of mbarrier.init with the "
               "arrivals, the bytes of expect_tx with those that the copies bring";
      return "every thread that a barrier counts must reach it: no barrier inside a branch that some threads skip";
    case FindingKind::instruction_limit:
      return "look at the loop around this line; raise --instruction-limit if it is really that long";
    default:
      return "";
  }
}

std::string dim(const gpu::Dim3& d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

bool is_access(const Finding& finding) {
  return finding.access != gpu::AccessKind::none;
}

std::string group_text(const Terminal& terminal, const Group& group, size_t most_threads) {
  const Finding& first = *group.members.front();
  std::string text;
  if (!check::place_known(first))
    return fmt::format("{} in kernel {}\n  {}\n", terminal.paint(Colour::red, fmt::format("{}", to_string(first.kind))),
                       first.kernel, first.message);
  const gpu::SourceLine* line = user_line(first);
  const std::string where =
      line == nullptr ? fmt::format("PTX line {}", first.ptx_line) : fmt::format("{}:{}", line->file, line->line);
  text += terminal.paint(Colour::red, fmt::format("{}", to_string(first.kind))) + " " +
          terminal.paint(Colour::bold, where) + "\n";
  text += fmt::format("  {}\n", first.message);
  if (line != nullptr) {
    if (const std::string code = source_text(*line); !code.empty()) text += fmt::format("  > {}\n", code);
    for (size_t i = 0; i < first.source.size(); ++i) {
      const gpu::SourceLine& step = first.source[i];
      text += fmt::format("  {} {}:{}{}\n", i == 0 ? "in" : "   inlined at", step.file, step.line,
                          step.function.empty() ? "" : " (" + step.function + ")");
    }
  }
  text += fmt::format("  {}   [kernel {}]\n", terminal.paint(Colour::dim, first.instruction), first.kernel);
  for (size_t i = 0; i < group.members.size() && i < most_threads; ++i) {
    const Finding& member = *group.members[i];
    text += fmt::format("  block {} thread {}", dim(member.block), dim(member.thread));
    if (is_access(member)) text += fmt::format("  address 0x{:x}, {}", member.address, member.allocation);
    if (member.count > 1) text += fmt::format("  ({} times)", member.count);
    text += "\n";
  }
  if (group.members.size() > most_threads)
    text += fmt::format("  and {} more threads\n", group.members.size() - most_threads);
  if (group.occurrences > group.members.size()) text += fmt::format("  {} occurrences in all\n", group.occurrences);
  if (const std::string what = advice(first); !what.empty())
    text += fmt::format("  {} {}\n", terminal.paint(Colour::yellow, "fix:"), what);
  return text;
}

}  // namespace

std::string findings_text(const Terminal& terminal, const std::vector<Finding>& findings, size_t most_threads) {
  std::string text;
  for (const Group& member : group(findings))
    text += (text.empty() ? "" : "\n") + group_text(terminal, member, most_threads);
  return text;
}

}  // namespace assay::report
