// SPDX-License-Identifier: MIT
#include "reference/reference_program.hpp"

#include <algorithm>

namespace assay::reference {
namespace {

std::string_view text_of(std::string_view name) {
  return std::ranges::find(program_files(), name, &EmbeddedFile::name)->text;
}

}  // namespace

std::string_view public_header() {
  return text_of("reference.h");
}

std::string_view program_main() {
  return text_of("main.cc");
}

}  // namespace assay::reference
