// SPDX-License-Identifier: MIT
// Evaluates a specification before anything runs, so that a division by zero or an empty grid is found while loading.
#include <set>

#include "spec/enumerate.hpp"
#include "spec/launch.hpp"
#include "spec/reader/sections.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::spec {

static void check_pair(const KernelSpec& spec, const Configuration& configuration, const Shape& shape,
                       Mistakes& mistakes) {
  const auto reason = mistakes.take(why_not_applicable(spec, configuration, shape));
  if (!reason || !reason->empty()) return;
  mistakes.take(resolve_arguments(spec, configuration, shape));
  mistakes.take(launch_geometry(spec, configuration, shape));
  mistakes.take(entry_name(spec, configuration, shape));
  mistakes.take(flops(spec, configuration, shape));
  mistakes.take(bytes_moved(spec, configuration, shape));
}

// The same expression fails for many shapes, at one operation or another: once for each line is enough.
static void keep_first_of_each_line(const Mistakes& found, Mistakes& mistakes) {
  std::set<int> lines;
  for (const Error& error : found.all()) {
    if (lines.insert(error.place.line).second) mistakes.add(error);
  }
}

void check_numbers(const KernelSpec& spec, size_t max_checked, Mistakes& mistakes) {
  constexpr size_t kEnough = 100;  // mistakes; further shapes would say the same
  const auto usual = mistakes.take(default_configuration(spec));
  const auto first = mistakes.take(first_shape(spec));
  if (!usual || !first) return;

  Mistakes found;
  size_t checked = 0;
  const auto go_on = [&] { return ++checked < max_checked && found.count() < kEnough; };
  const auto check_configuration = [&](const Configuration& configuration) -> Result<bool> {
    check_pair(spec, configuration, *first, found);
    return go_on();
  };
  const auto check_shape = [&](const Shape& shape) -> Result<bool> {
    check_pair(spec, *usual, shape, found);
    return go_on();
  };
  found.take(for_each_configuration(spec, check_configuration));
  checked = 0;
  for (const ShapeSet& set : spec.shapes.sets) found.take(for_each_shape(spec, set, check_shape));
  keep_first_of_each_line(found, mistakes);
}

}  // namespace assay::spec
