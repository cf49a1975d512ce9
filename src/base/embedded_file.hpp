// SPDX-License-Identifier: MIT
// A text file that is embedded in this program (cmake/EmbeddedFiles.cmake).
#pragma once

#include <string_view>

namespace assay {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace assay
