// SPDX-License-Identifier: MIT
#include "work/findings.hpp"

namespace assay::work {

Finding public_finding(const gpu::Finding& finding, const std::string& shape) {
  Finding shown;
  shown.kind = to_string(finding.kind);
  shown.message = finding.message;
  shown.kernel = finding.kernel;
  if (const gpu::SourceLine* line = gpu::user_line(finding)) {
    shown.file = line->file;
    shown.line = line->line;
    shown.column = line->column;
  }
  shown.instruction = finding.instruction;
  shown.space = to_string(finding.space);
  shown.access = to_string(finding.access);
  shown.address = finding.address;
  shown.bytes = finding.bytes;
  shown.block = {finding.block.x, finding.block.y, finding.block.z};
  shown.thread = {finding.thread.x, finding.thread.y, finding.thread.z};
  shown.occurrences = finding.count;
  shown.shape = shape;
  return shown;
}

}  // namespace assay::work
