// SPDX-License-Identifier: MIT
#include "check/oracle.hpp"

#include <algorithm>

#include "check/element.hpp"

namespace assay::check {

Result<Oracle> Oracle::open(const spec::KernelSpec& spec, const std::filesystem::path& cache_folder) {
  Oracle oracle;
  if (spec.problem.reference_is_file) {
    reference::CustomReferenceOptions options;
    options.cache_folder = cache_folder / "references";
    ASSAY_TRY(oracle.custom_, reference::CustomReference::compile(spec.reference_path(), options));
  } else {
    ASSAY_TRY(oracle.built_in_, reference::find_reference(spec.problem.reference));
  }
  return oracle;
}

bool Oracle::allows_infinities(const std::string& input) const {
  if (!built_in_) return false;
  const std::vector<std::string>& allowed = built_in_->infinities_in;
  return std::find(allowed.begin(), allowed.end(), input) != allowed.end();
}

Result<reference::Outputs> Oracle::expected(const spec::KernelSpec& spec, const spec::Shape& shape,
                                            const std::vector<spec::ResolvedArgument>& arguments,
                                            const InputValues& inputs, const reference::RowSample& sample) const {
  reference::Problem problem;
  problem.sample = sample;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (const spec::ResolvedScalar* scalar = argument.scalar())
      problem.scalars[argument.name] = decode_element(scalar->type, scalar->encoded.data());
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    if (const auto values = inputs.find(argument.name); values != inputs.end())
      problem.inputs[argument.name] = {argument.name, tensor->dims, values->second};
    if (tensor->role != spec::Role::input) problem.output_shapes[argument.name] = tensor->dims;
  }
  for (const auto& [name, option] : spec.problem.options) {
    if (const auto* whole = std::get_if<int64_t>(&option)) problem.scalars[name] = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&option)) problem.scalars[name] = *real;
    if (const auto* truth = std::get_if<bool>(&option)) problem.scalars[name] = *truth ? 1 : 0;
  }
  for (const auto& [name, value] : shape.values) {
    if (!value.is_dtype()) problem.variables[name] = value.as_double();
  }
  return custom_ ? custom_->evaluate(problem) : reference::evaluate(*built_in_, problem);
}

}  // namespace assay::check
