// SPDX-License-Identifier: MIT
#include "spec/reader/mistakes.hpp"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <tuple>

#include "base/text.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

void Mistakes::add(Error mistake) {
  const bool known = std::ranges::any_of(
      all_, [&](const Error& other) { return other.place == mistake.place && other.message == mistake.message; });
  if (!known) all_.push_back(std::move(mistake));
}

void Mistakes::add(const Place& place, const std::string& message, std::string hint) {
  add(mistake(place, message, std::move(hint)));
}

Error Mistakes::together() const {
  constexpr size_t kMostShown = 20;
  assert(!all_.empty());
  std::vector<Error> sorted = all_;
  std::ranges::stable_sort(sorted, [](const Error& a, const Error& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  if (sorted.size() == 1) return sorted.front();
  Error error = sorted.front();
  if (!error.hint.empty()) error.message += "\n  hint: " + error.hint;
  const size_t shown = std::min(sorted.size(), kMostShown);
  for (size_t i = 1; i < shown; ++i) error.message += "\n" + to_string(sorted[i]);
  error.message += "\n" + counted(sorted.size(), "mistake");
  if (shown < sorted.size()) error.message += fmt::format("; the first {} are shown", shown);
  error.hint.clear();
  return error;
}

}  // namespace assay::spec
