// SPDX-License-Identifier: MIT
#include "reference/reference_program.hpp"

#include <algorithm>

namespace assay::reference {

std::string_view program_text(std::string_view name) {
  return std::ranges::find(program_files(), name, &EmbeddedFile::name)->text;
}

}  // namespace assay::reference
