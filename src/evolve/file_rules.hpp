// SPDX-License-Identifier: MIT
// Which files of a kernel's folder a proposer may touch: its sources, and new ones beside them. What says whether a
// kernel is right (the specification, the reference, inputs, a launch function, ready code) is out of reach.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "evolve/diff.hpp"

namespace assay::evolve {

struct FileRules {
  std::set<std::string> may_change;  // paths in the kernel's folder
  std::set<std::string> there;       // all files of the folder: those that may not change stay as they are
  std::set<std::string> includes;    // of files outside of the folder, as the sources name them from the beginning
  std::set<std::string> words;       // of the preprocessor that the sources use from the beginning: "__FILE__"

  static const std::vector<std::string>& endings_of_new_files();  // ".cu", ...
};

// What the sources include from outside of the kernel's folder: "../primitives/tile.cuh".
std::set<std::string> outside_includes(const Files& sources);
// What the sources ask the preprocessor about the place and the time of their compilation: "__FILE__".
std::set<std::string> words_of_the_compilation(const Files& sources);
// An error names one that the sources did not use from the beginning.
Result<void> check_words(const FileRules& rules, const Files& sources);
// Paths in the folder at which a compiler looks for what `from` includes, and what those files include in turn; there
// or not.
std::set<std::string> inside_includes(const Files& files, const std::set<std::string>& from);

// An error names the first file that may not be touched, or include that may not be made, and why.
Result<void> check_files(const FileRules& rules, const Files& changed);

}  // namespace assay::evolve
