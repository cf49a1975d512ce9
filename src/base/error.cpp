// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include "base/escape.hpp"

namespace assay {

std::string to_string(const Place& place) {
  std::string text = escape_terminal(place.file);
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  return text;
}

std::string to_string(const Error& error) {
  std::string text = error.place.known() ? to_string(error.place) + ": " + error.message : error.message;
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return text;
}

}  // namespace assay
