// SPDX-License-Identifier: MIT
#include "spec/fill.hpp"

#include <algorithm>

namespace assay::spec {

const std::vector<std::string>& fill_names() {
  // In the order of FillKind.
  static const std::vector<std::string> names{
      "normal",       "uniform",   "zeros",       "ones",    "constant", "iota",   "one_hot", "large",   "tiny",
      "signed_zeros", "denormals", "permutation", "offsets", "sorted",   "sparse", "file",    "function"};
  return names;
}

std::string_view name(FillKind kind) {
  return fill_names()[static_cast<size_t>(kind)];
}

std::optional<FillKind> fill_from_name(std::string_view text) {
  const auto found = std::find(fill_names().begin(), fill_names().end(), text);
  if (found == fill_names().end()) return std::nullopt;
  return static_cast<FillKind>(found - fill_names().begin());
}

}  // namespace assay::spec
