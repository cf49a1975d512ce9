// SPDX-License-Identifier: MIT
// Where the sources of an attempt go in an archive. The ledger has their paths relative to the kernel's folder
// ("softmax.cu", "../primitives/row.cuh"); they lie such that the kernel finds them again, and none lies elsewhere.
#pragma once

#include <string>
#include <vector>

#include "evidence/archive.hpp"
#include "ledger/source_file.hpp"

namespace assay::evidence {

struct SourceLayout {
  std::string kernel_folder;          // "kernels/softmax"
  std::vector<PackedFile> files;      // below a folder of their own
  std::vector<std::string> left_out;  // paths that lead elsewhere
};

// Folders above the kernel's that its sources lie in.
size_t folders_above(const std::vector<ledger::SourceFile>& sources);

// `specification` is the path of the kernel.toml as it was: its last folders, `depth` of them and at least one, give
// theirs their names.
SourceLayout lay_out(const std::vector<ledger::SourceFile>& sources, const std::string& specification, size_t depth);

}  // namespace assay::evidence
