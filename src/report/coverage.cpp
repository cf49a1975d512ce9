// SPDX-License-Identifier: MIT
#include "report/coverage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace assay::report {

std::string coverage_text(const gpu::Coverage& coverage) {
  std::string text;
  if (!coverage.checked.empty()) text += fmt::format("checked: {}\n", join(coverage.checked, ", "));
  if (!coverage.not_checked.empty()) text += fmt::format("not checked: {}\n", join(coverage.not_checked, ", "));
  return text;
}

nlohmann::json coverage_document(const gpu::Coverage& coverage) {
  return {{"checks", coverage.checks}, {"checked", coverage.checked}, {"not_checked", coverage.not_checked}};
}

}  // namespace assay::report
