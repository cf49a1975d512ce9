// SPDX-License-Identifier: MIT
// Evaluates a specification before anything runs, so that a division by zero or an empty grid is found while loading.
#include <set>

#include "spec/enumerate.hpp"
#include "spec/input_file.hpp"
#include "spec/launch.hpp"
#include "spec/reader/sections.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::spec {

static void check_files_of(const KernelSpec& spec, const std::vector<ResolvedArgument>& arguments, Mistakes& mistakes) {
  for (const ResolvedArgument& argument : arguments) {
    const ResolvedTensor* const tensor = argument.tensor();
    if (tensor != nullptr && tensor->fill.kind == FillKind::file && is_filled(tensor->role))
      mistakes.take(check_input_file(spec.folder, argument.name, *tensor));
  }
}

static void check_pair(const KernelSpec& spec, const Configuration& configuration, const Shape& shape, bool check_files,
                       Mistakes& mistakes) {
  const auto reason = mistakes.take(why_not_applicable(spec, configuration, shape));
  if (!reason || !reason->empty()) return;
  const auto arguments = mistakes.take(resolve_arguments(spec, configuration, shape));
  if (arguments && check_files) check_files_of(spec, *arguments, mistakes);
  for (const StageSpec& stage : spec.stages) {
    mistakes.take(launch_geometry(spec, stage, configuration, shape));
    mistakes.take(entry_name(spec, stage, configuration, shape));
  }
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

void check_numbers(const KernelSpec& spec, size_t max_checked, bool check_files, Mistakes& mistakes) {
  constexpr size_t kEnough = 100;  // mistakes; further shapes would say the same
  const auto usual = mistakes.take(default_configuration(spec));
  const auto first = mistakes.take(first_shape(spec));
  if (!usual || !first) return;

  Mistakes found;
  size_t checked = 0;
  const auto go_on = [&] { return ++checked < max_checked && found.count() < kEnough; };
  const auto check_configuration = [&](const Configuration& configuration) -> Result<bool> {
    check_pair(spec, configuration, *first, check_files, found);
    return go_on();
  };
  const auto check_shape = [&](const Shape& shape) -> Result<bool> {
    check_pair(spec, *usual, shape, check_files, found);
    return go_on();
  };
  found.take(for_each_configuration(spec, check_configuration));
  checked = 0;
  for (const ShapeSet& set : spec.shapes.sets) found.take(for_each_shape(spec, set, check_shape));
  keep_first_of_each_line(found, mistakes);
}

}  // namespace assay::spec
