// SPDX-License-Identifier: MIT
// Evaluates a specification before anything runs, so that a division by zero or an empty grid is found while loading.
#include "spec/enumerate.hpp"
#include "spec/launch.hpp"
#include "spec/reader/sections.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::spec {

static Result<void> check_pair(const KernelSpec& spec, const Configuration& configuration, const Shape& shape) {
  ASSAY_TRY(const std::string reason, why_not_applicable(spec, configuration, shape));
  if (!reason.empty()) return {};
  ASSAY_CHECK(resolve_arguments(spec, configuration, shape));
  ASSAY_CHECK(launch_geometry(spec, configuration, shape));
  ASSAY_CHECK(entry_name(spec, configuration, shape));
  ASSAY_CHECK(flops(spec, configuration, shape));
  ASSAY_CHECK(bytes_moved(spec, configuration, shape));
  return {};
}

Result<void> check_numbers(const KernelSpec& spec, size_t max_checked) {
  ASSAY_TRY(const Configuration usual, default_configuration(spec));
  ASSAY_TRY(const Shape first, first_shape(spec));

  size_t checked = 0;
  const auto check_configuration = [&](const Configuration& configuration) -> Result<bool> {
    ASSAY_CHECK(check_pair(spec, configuration, first));
    return ++checked < max_checked;
  };
  const auto check_shape = [&](const Shape& shape) -> Result<bool> {
    ASSAY_CHECK(check_pair(spec, usual, shape));
    return ++checked < max_checked;
  };
  ASSAY_CHECK(for_each_configuration(spec, check_configuration));
  checked = 0;
  for (const ShapeSet& set : spec.shapes.sets) ASSAY_CHECK(for_each_shape(spec, set, check_shape));
  return {};
}

}  // namespace assay::spec
