// SPDX-License-Identifier: MIT
// Files that this program carries inside: the providers in Python (providers/) and the instruments (instruments.ptx).
#pragma once

#include <span>
#include <string_view>

namespace assay::measure {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

std::span<const EmbeddedFile> provider_files();

}  // namespace assay::measure
