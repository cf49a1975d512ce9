// SPDX-License-Identifier: MIT
// Several modules of PTX, compiled apart (-rdc=true), as one: what a linker does to machine code, done to the text, so
// that the virtual GPU runs it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::build {

struct PtxPart {
  std::string file_name;  // for messages
  std::string text;
};

// Declarations give way to the definitions of other parts; of weak definitions the first stays. Files and debug strings
// are renumbered, so that every line keeps its source. A symbol that two parts define, or that none does though a part
// declares it, is an error that names them.
Result<std::string> link_ptx(const std::vector<PtxPart>& parts);

}  // namespace assay::build
