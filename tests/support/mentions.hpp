// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace assay {

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace assay
