// SPDX-License-Identifier: MIT
#include "spec/mistake.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::spec {

Error mistake(const Place& place, const std::string& message, std::string hint) {
  Error error;
  error.message = escape_terminal(message);  // it quotes the file
  error.place = place;
  error.hint = std::move(hint);
  return error;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& title) {
  constexpr size_t kShortList = 24;
  const std::string near = nearest(word, known);
  if (!near.empty()) return fmt::format("did you mean \"{}\"?", near);
  if (known.empty() || known.size() > kShortList) return {};
  return fmt::format("{}: {}", title, join(known, ", "));
}

}  // namespace assay::spec
