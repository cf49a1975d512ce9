// SPDX-License-Identifier: MIT
#include "reference/arguments.hpp"

#include <fmt/format.h>
#include <limits>
#include <utility>

namespace assay::reference {

Result<const Tensor*> input(const Problem& problem, const std::string& name, size_t least_rank) {
  const auto found = problem.inputs.find(name);
  if (found == problem.inputs.end()) return Error{fmt::format("the input tensor '{}' is missing", name), {}, ""};
  const Tensor& tensor = found->second;
  if (tensor.shape.size() < least_rank) {
    return Error{fmt::format("tensor '{}' has shape {}, expected at least {} dimension{}", name,
                             to_string(tensor.shape), least_rank, least_rank == 1 ? "" : "s"),
                 {},
                 ""};
  }
  const auto count = element_count(tensor.shape);
  if (!count || static_cast<uint64_t>(*count) != tensor.values.size()) {
    return Error{
        fmt::format("tensor '{}' of shape {} holds {} values", name, to_string(tensor.shape), tensor.values.size()),
        {},
        ""};
  }
  return &tensor;
}

double parameter(const Problem& problem, const std::string& name, double otherwise) {
  if (const auto found = problem.scalars.find(name); found != problem.scalars.end()) return found->second;
  if (const auto found = problem.variables.find(name); found != problem.variables.end()) return found->second;
  return otherwise;
}

Result<Tensor> output(const Problem& problem, const std::string& name, const Shape& expected) {
  const auto found = problem.output_shapes.find(name);
  if (found == problem.output_shapes.end())
    return Error{fmt::format("the output tensor '{}' is missing", name), {}, ""};
  if (found->second != expected) {
    return Error{fmt::format("output '{}' has shape {}, but the inputs give {}", name, to_string(found->second),
                             to_string(expected)),
                 {},
                 ""};
  }
  const auto count = element_count(expected);
  if (!count) return Error{fmt::format("output '{}' has an impossible shape {}", name, to_string(expected)), {}, ""};
  return Tensor{name, expected,
                std::vector<double>(static_cast<size_t>(*count), std::numeric_limits<double>::quiet_NaN())};
}

Error mismatch(std::string_view reference, const std::string& what) {
  return Error{fmt::format("{}: {}", reference, what), {}, ""};
}

int64_t extent(const Shape& shape, size_t first, size_t last) {
  int64_t product = 1;
  for (size_t i = first; i < last; ++i) {
    if (__builtin_mul_overflow(product, shape[i], &product)) return 0;
  }
  return product;
}

Outputs single(Tensor tensor) {
  Outputs outputs;
  std::string name = tensor.name;
  outputs.emplace(std::move(name), std::move(tensor));
  return outputs;
}

}  // namespace assay::reference
