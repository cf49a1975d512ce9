// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <set>

#include "invert/editor.hpp"
#include "invert/mutation.hpp"

namespace assay::invert {
namespace {

bool leaves(const Line& line) {
  const ptx::Instruction* instruction = line.instruction();
  return instruction != nullptr && (instruction->opcode == "ret" || instruction->opcode == "exit");
}

// The first line that does something.
size_t first_instruction(const std::vector<Line>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].instruction() != nullptr || lines[i].label() != nullptr || lines[i].kind == Line::Kind::open) return i;
  }
  return lines.size();
}

// ptxas unrolls loops that are small, and so one mutant more than another: then they differ in more than was changed.
void keep_loops(KernelText& text) {
  std::set<size_t> heads;
  for (const Loop& loop : loops_of(text.lines)) heads.insert(loop.first);
  std::vector<Line> lines;
  for (size_t i = 0; i < text.lines.size(); ++i) {
    const SourcePlace place = text.lines[i].place;
    lines.push_back(std::move(text.lines[i]));
    if (!heads.contains(i)) continue;
    for (Line& added : lines_of(".pragma \"nounroll\";", -1, place)) lines.push_back(std::move(added));
  }
  text.lines = std::move(lines);
}

}  // namespace

std::string dummy(int number) {
  return fmt::format("%assay_d{}", number % kDummies);
}

Result<KernelText> prepare(std::string_view ptx, const std::string& file_name, const std::string& entry) {
  ASSAY_TRY(KernelText text, KernelText::parse(ptx, file_name, entry));
  // The host could write constant memory, so ptxas must load it; nobody does, so all of it is zero.
  text.declare_variable("const .align 16 .b32 assay_unknown[8]");
  text.declare_variable("global .align 16 .b32 assay_sink[4]");
  text.declare("b32", kUnknown);
  text.declare("b64", kUnknownWide);
  text.declare("pred", kNever);
  std::string begin = fmt::format("ld.const.b32 {}, [assay_unknown];\n", kUnknown);
  begin += fmt::format("ld.const.b64 {}, [assay_unknown+8];\n", kUnknownWide);
  begin += fmt::format("setp.ne.b32 {}, {}, 0;\n", kNever, kUnknown);
  std::string kept;
  for (int i = 0; i < kDummies; ++i) {
    text.declare("b32", dummy(i));
    begin += fmt::format("ld.const.b32 {}, [assay_unknown+{}];\n", dummy(i), 16 + 4 * i);
    kept += fmt::format("{}{}", i == 0 ? "" : ", ", dummy(i));
  }
  const std::string end = fmt::format("@{} st.global.v4.b32 [assay_sink], {{{}}};", kNever, kept);
  std::vector<Line> lines;
  const size_t first = first_instruction(text.lines);
  for (size_t i = 0; i < text.lines.size(); ++i) {
    Line& line = text.lines[i];
    if (i == first) {
      for (Line& added : lines_of(begin, -1, line.place)) lines.push_back(std::move(added));
    }
    if (leaves(line)) {
      for (Line& added : lines_of(end, -1, line.place)) lines.push_back(std::move(added));
    }
    lines.push_back(std::move(line));
  }
  text.lines = std::move(lines);
  keep_loops(text);
  text.number();
  return text;
}

}  // namespace assay::invert
