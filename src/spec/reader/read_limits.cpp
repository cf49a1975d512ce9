// SPDX-License-Identifier: MIT
// [limits]
#include <fmt/format.h>

#include "spec/reader/sections.hpp"

namespace assay::spec {
namespace {

constexpr double kMostSeconds = 24.0 * 3600;
constexpr double kMostGib = 1 << 20;

std::optional<double> read_limit(const TableReader& limits, const char* key, double most) {
  const std::optional<double> value = limits.number(key);
  if (!value || (*value > 0 && *value <= most)) return value;
  limits.mistakes().add(
      limits.node().find(key)->place,
      fmt::format("\"{}\" in [limits] is {}; expected a number above 0, at most {}", key, *value, most));
  return std::nullopt;
}

}  // namespace

void read_limits(const TableReader& file, KernelSpec& spec) {
  const Node* const section = file.find("limits", Node::Kind::table);
  if (section == nullptr) return;
  TableReader limits(*section, "[limits]", file.mistakes());
  limits.check_keys({"reference_seconds", "reference_gib", "provider_seconds", "provider_gib"});
  spec.limits.reference_seconds =
      read_limit(limits, "reference_seconds", kMostSeconds).value_or(spec.limits.reference_seconds);
  spec.limits.reference_gib = read_limit(limits, "reference_gib", kMostGib).value_or(spec.limits.reference_gib);
  spec.limits.provider_seconds = read_limit(limits, "provider_seconds", kMostSeconds);
  spec.limits.provider_gib = read_limit(limits, "provider_gib", kMostGib);
}

}  // namespace assay::spec
