// SPDX-License-Identifier: MIT
#include "check/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check/element.hpp"

namespace assay::check {
namespace {

Result<reference::Reference> named_reference(const spec::KernelSpec& spec) {
  auto found = reference::find_reference(spec.problem.reference);
  if (found) return found;
  Error error = found.error();
  error.place = spec.problem.reference_place;
  return error;
}

// An option that it does not read would change nothing, in silence.
Result<void> check_options(const spec::KernelSpec& spec, const reference::Reference& reference) {
  std::vector<std::string> known = reference.parameters;
  known.emplace_back("nonfinite");
  for (const auto& [name, option] : spec.problem.options) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return Error{fmt::format("the reference '{}' has no option \"{}\"; expected one of {}", reference.name, name,
                             fmt::join(known, ", ")),
                 spec.problem.reference_place,
                 "remove it from the options of [problem], or write a reference of yours"};
  }
  return {};
}

// The reference and the specification must mean the same tensors, before anything runs.
Result<void> check_tensors(const spec::KernelSpec& spec, const reference::Reference& reference) {
  const auto complain = [&](const std::string& what, const std::string& name) {
    return Error{fmt::format("the reference '{}' {} '{}', which is no such argument", reference.name, what, name),
                 spec.problem.reference_place, "rename the [[argument]], or choose another reference"};
  };
  for (const std::string& name : reference.inputs) {
    const spec::ArgumentSpec* argument = spec.find_argument(name);
    if (argument == nullptr || argument->tensor() == nullptr || !spec::is_filled(argument->tensor()->role))
      return complain("takes an input tensor", name);
  }
  const spec::ArgumentSpec* output = spec.find_argument(reference.output);
  if (output == nullptr || output->tensor() == nullptr || !spec::is_result(output->tensor()->role))
    return complain("gives an output tensor", reference.output);
  return {};
}

void keep_large(int64_t integer, const std::string& name, std::map<std::string, int64_t>& large) {
  if (std::abs(static_cast<double>(integer)) >= reference::kFirstInexact) large[name] = integer;
}

reference::Tensor tensor_of(const std::string& name, const spec::ResolvedTensor& tensor,
                            const reference::Numbers& numbers) {
  return {name, tensor.dims, numbers.values, numbers.words, integers_of(tensor.dtype)};
}

// A result has the integers of its output: those of another type count as far as they are the same numbers.
void take_type(reference::Tensor& result, spec::DType type) {
  const reference::Integers integers = integers_of(type);
  const auto differs = [](uint64_t word) { return static_cast<int64_t>(word) < 0; };
  if (integers == reference::Integers::none ||
      (integers != result.integers && std::ranges::any_of(result.words, differs)))
    result.words.clear();
  result.integers = integers;
}

}  // namespace

reference::UserProgramOptions program_options(const spec::KernelSpec& spec, const std::filesystem::path& cache_folder) {
  reference::UserProgramOptions options;
  options.cache_folder = cache_folder / "references";
  options.run_time_limit = std::chrono::milliseconds(static_cast<int64_t>(1e3 * spec.limits.reference_seconds));
  options.memory_limit_bytes = static_cast<size_t>(spec.limits.reference_gib * 0x1p30);
  return options;
}

Result<Oracle> Oracle::open(const spec::KernelSpec& spec, const std::filesystem::path& cache_folder) {
  Oracle oracle;
  const reference::UserProgramOptions options = program_options(spec, cache_folder);
  if (spec.problem.reference_is_file) {
    ASSAY_TRY(oracle.custom_, reference::CustomReference::compile(spec.reference_path(), options));
  } else if (!spec.problem.reference.empty()) {
    ASSAY_TRY(oracle.built_in_, named_reference(spec));
    ASSAY_CHECK(check_tensors(spec, *oracle.built_in_));
    ASSAY_CHECK(check_options(spec, *oracle.built_in_));
  }
  if (!spec.problem.compare.empty()) {
    ASSAY_TRY(oracle.compare_, reference::CustomReference::compile(spec.folder / spec.problem.compare, options,
                                                                   reference::ProgramRole::compare));
  }
  return oracle;
}

bool Oracle::allows_infinities(const std::string& input) const {
  if (!built_in_) return false;
  const std::vector<std::string>& allowed = built_in_->infinities_in;
  return std::find(allowed.begin(), allowed.end(), input) != allowed.end();
}

reference::Problem numbers_of(const spec::KernelSpec& spec, const spec::Shape& shape,
                              const std::vector<spec::ResolvedArgument>& arguments) {
  reference::Problem problem;
  for (const spec::ResolvedArgument& argument : arguments) {
    const spec::ResolvedScalar* scalar = argument.scalar();
    if (scalar == nullptr) continue;
    problem.scalars[argument.name] = decode_element(scalar->type, scalar->encoded.data());
    if (scalar->value.is_integer()) keep_large(scalar->value.integer(), argument.name, problem.large_scalars);
  }
  for (const auto& [name, option] : spec.problem.options) {
    if (problem.scalars.contains(name)) continue;  // what the kernel gets counts
    if (const auto* whole = std::get_if<int64_t>(&option)) {
      problem.scalars[name] = static_cast<double>(*whole);
      keep_large(*whole, name, problem.large_scalars);
    }
    if (const auto* real = std::get_if<double>(&option)) problem.scalars[name] = *real;
    if (const auto* truth = std::get_if<bool>(&option)) problem.scalars[name] = *truth ? 1 : 0;
  }
  for (const auto& [name, value] : shape.values) {
    if (value.is_number()) problem.variables[name] = value.as_double();
    if (value.is_integer()) keep_large(value.integer(), name, problem.large_variables);
  }
  return problem;
}

Result<reference::Outputs> Oracle::expected(const spec::KernelSpec& spec, const spec::Shape& shape,
                                            const std::vector<spec::ResolvedArgument>& arguments,
                                            const InputValues& inputs, const reference::RowSample& sample) const {
  reference::Problem problem = numbers_of(spec, shape, arguments);
  problem.sample = sample;
  for (const spec::ResolvedArgument& argument : arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    if (const auto values = inputs.find(argument.name); values != inputs.end())
      problem.inputs[argument.name] = tensor_of(argument.name, *tensor, values->second);
    if (!spec::is_result(tensor->role)) continue;
    problem.output_shapes[argument.name] = tensor->dims;
    problem.output_integers[argument.name] = integers_of(tensor->dtype);
  }
  reference::Outputs outputs;
  if (custom_) {
    ASSAY_TRY(outputs, custom_->evaluate(problem));
  } else if (built_in_) {
    ASSAY_TRY(outputs, reference::evaluate(*built_in_, problem));
  }
  for (const spec::ResolvedArgument& argument : arguments) {
    const auto result = outputs.find(argument.name);
    if (result != outputs.end() && argument.tensor() != nullptr) take_type(result->second, argument.tensor()->dtype);
  }
  if (compare_) {
    for (auto& [name, tensor] : problem.inputs) outputs.emplace(name, std::move(tensor));
  }
  return outputs;
}

Result<std::optional<std::string>> Oracle::judge(const spec::KernelSpec& spec, const spec::Shape& shape,
                                                 const std::vector<spec::ResolvedArgument>& arguments,
                                                 const reference::Outputs& known, const InputValues& outputs) const {
  reference::Problem problem = numbers_of(spec, shape, arguments);
  for (const auto& [name, tensor] : known) {
    const std::string under = outputs.contains(name) ? "expected_" + name : name;
    problem.inputs[under] = tensor;
    problem.inputs[under].name = under;
  }
  for (const spec::ResolvedArgument& argument : arguments) {
    const auto values = outputs.find(argument.name);
    if (values != outputs.end())
      problem.inputs[argument.name] = tensor_of(argument.name, *argument.tensor(), values->second);
  }
  return compare_->judge(problem);
}

}  // namespace assay::check
