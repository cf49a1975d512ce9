// SPDX-License-Identifier: MIT
// Any bytes as a kernel.toml: read, enumerated and evaluated, within bounds that keep one input fast.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.hpp"
#include "spec/configuration.hpp"
#include "spec/launch.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

using namespace assay;
using fuzz::require;
using namespace assay::spec;

namespace {

constexpr size_t kMaxWalked = 2'000;  // combinations; larger spaces are read but not listed

size_t combinations(const std::vector<Tunable>& tunables) {
  size_t count = 1;
  for (const Tunable& tunable : tunables) count *= tunable.values.size();  // the reader bounds the product
  return count;
}

size_t count(const ShapesSection& shapes) {
  size_t total = 0;
  for (const ShapeSet& set : shapes.sets) {
    size_t product = set.is_grid ? 1 : set.list.size();
    for (const ShapeAxis& axis : set.axes) product *= axis.values.size();
    total += product;
  }
  return total;
}

void evaluate(const KernelSpec& spec, const Configuration& configuration, const Shape& shape) {
  const auto arguments = resolve_arguments(spec, configuration, shape);
  if (arguments.ok()) require(arguments->size() == spec.arguments.size());
  for (const StageSpec& stage : spec.stages) {
    (void)launch_geometry(spec, stage, configuration, shape).ok();
    (void)entry_name(spec, stage, configuration, shape).ok();
  }
  (void)flops(spec, configuration, shape).ok();
  (void)bytes_moved(spec, configuration, shape).ok();
}

void walk(const KernelSpec& spec) {
  const auto usual = default_configuration(spec);
  const auto first = first_shape(spec);
  require(usual.ok() && first.ok());
  require(parse_shape(spec, first->text()).ok());
  require(parse_configuration(spec, usual->values.empty() ? "" : usual->id()).ok());
  (void)defines(*usual);
  evaluate(spec, *usual, *first);
  if (combinations(spec.tunable.tunables) <= kMaxWalked) {
    const auto all = configurations(spec);
    if (all.ok()) {
      require(!all->empty());
      evaluate(spec, all->back(), *first);
    }
  }
  if (count(spec.shapes) <= kMaxWalked) {
    const auto all = all_shapes(spec);
    if (all.ok()) {
      require(!all->empty());
      evaluate(spec, *usual, all->back());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ParseOptions options{.check_files = false, .max_checked = 20};
  const auto spec = parse(text, "kernel.toml", ".", options);
  if (spec.ok()) {
    walk(*spec);
  } else {
    require(!spec.error().message.empty() && spec.error().exit_code == ExitCode::usage);
  }
  // The same bytes as an expression.
  const auto expression = Expression::parse(text.substr(0, 200), Place{"e", 1, 1});
  if (expression.ok()) (void)expression->evaluate({{"S", 5}, {"D", 64}}).ok();
  return 0;
}
