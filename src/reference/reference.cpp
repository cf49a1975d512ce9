// SPDX-License-Identifier: MIT
#include "reference/reference.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "reference/attention_forward.hpp"
#include "reference/copy.hpp"
#include "reference/gemm.hpp"
#include "reference/layer_norm.hpp"
#include "reference/row_reduction.hpp"
#include "reference/softmax.hpp"

namespace assay::reference {
namespace {

std::vector<std::string> input_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : problem.inputs) names.push_back(name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<void> check_tensor(const Tensor& tensor, const std::string& name) {
  const auto count = element_count(tensor.shape);
  if (!count)
    return Error{fmt::format("tensor '{}' has an impossible shape {}", name, to_string(tensor.shape)), {}, ""};
  if (static_cast<uint64_t>(*count) != tensor.values.size()) {
    return Error{fmt::format("tensor '{}' of shape {} needs {} values, found {}", name, to_string(tensor.shape), *count,
                             tensor.values.size()),
                 {},
                 ""};
  }
  return {};
}

// What a double does not hold would be another number for the reference than for the kernel.
Result<void> check_exactness(const Reference& reference, const Tensor& tensor) {
  const auto inexact = first_inexact(tensor.words, tensor.integers);
  if (reference.exact || !inexact) return {};
  return Error{
      fmt::format("the reference '{}' computes in float64, which does not hold {}, element {} of '{}'", reference.name,
                  digits_of(integer_of(tensor.words[*inexact], tensor.integers)), *inexact, tensor.name),
      {},
      "choose a fill with smaller numbers, or write a reference of your own: it gets and gives integers exactly"};
}

// A tensor that is read and written and that the reference has nothing to do with, as counts that a kernel sets back to
// zero, must be afterwards what it was before.
bool is_left_as_it_was(const Reference& reference, const Problem& problem, const std::string& name) {
  return problem.inputs.contains(name) && problem.output_shapes.contains(name) && name != reference.output &&
         !contains(reference.inputs, name) && !contains(reference.optional, name);
}

}  // namespace

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = {
      {"attention_forward",
       "o = softmax(scale * q k^T) v, causal or not, with grouped heads",
       {"q", "k", "v"},
       {},
       {"scale", "causal"},
       "o",
       {"k"},
       attention_forward,
       false,
       true},
      {"copy", "y = x", {"x"}, {}, {}, "y", {"x"}, copy, true},
      {"gemm", "c = alpha * a b + beta * c", {"a", "b"}, {"c"}, {"alpha", "beta"}, "c", {"a", "b"}, gemm, false, true},
      {"layer_norm",
       "y = (x - mean) / sqrt(variance + eps) * weight + bias over the last dimension",
       {"x"},
       {"weight", "bias"},
       {"eps"},
       "y",
       {"x"},
       layer_norm},
      {"row_reduction", "y = sum of x over the last dimension", {"x"}, {}, {}, "y", {"x"}, row_reduction, false, true},
      {"softmax", "y = softmax(x) over the last dimension", {"x"}, {}, {}, "y", {"x"}, softmax},
  };
  return all;
}

Result<Reference> find_reference(std::string_view name) {
  std::vector<std::string> names;
  for (const Reference& reference : references()) {
    if (reference.name == name) return reference;
    names.push_back(reference.name);
  }
  const std::string near = nearest(name, names);
  return Error{
      fmt::format("there is no built-in reference '{}'; expected one of {}, or a file that ends in .cpp or .py", name,
                  fmt::join(names, ", ")),
      {},
      near.empty() ? "" : fmt::format("did you mean '{}'?", near)};
}

Result<void> check_arguments(const Reference& reference, const Problem& problem) {
  for (const std::string& name : reference.inputs) {
    if (!problem.inputs.contains(name)) {
      return Error{
          fmt::format("the reference '{}' expects input tensors {}; '{}' is missing among the inputs ({})",
                      reference.name, fmt::join(reference.inputs, ", "), name, fmt::join(input_names(problem), ", ")),
          {},
          "name the kernel's arguments as the reference does, or write a reference of your own in C++"};
    }
  }
  for (const auto& [name, tensor] : problem.inputs) {
    if (is_left_as_it_was(reference, problem, name)) continue;
    if (!contains(reference.inputs, name) && !contains(reference.optional, name)) {
      return Error{
          fmt::format("the reference '{}' does not know the input tensor '{}'; it reads {}{}{}", reference.name, name,
                      fmt::join(reference.inputs, ", "), reference.optional.empty() ? "" : " and, if given, ",
                      fmt::join(reference.optional, ", ")),
          {},
          ""};
    }
    ASSAY_CHECK(check_tensor(tensor, name));
    ASSAY_CHECK(check_exactness(reference, tensor));
  }
  for (const auto& [name, shape] : problem.output_shapes) {
    if (name != reference.output && !is_left_as_it_was(reference, problem, name)) {
      return Error{fmt::format("the reference '{}' computes '{}' and has no output '{}'", reference.name,
                               reference.output, name),
                   {},
                   ""};
    }
  }
  if (!problem.output_shapes.contains(reference.output)) {
    return Error{fmt::format("the reference '{}' computes '{}', but no argument of that name is an output",
                             reference.name, reference.output),
                 {},
                 "mark the argument with output = true"};
  }
  return {};
}

Result<Outputs> evaluate(const Reference& reference, const Problem& problem) {
  ASSAY_CHECK(check_arguments(reference, problem));
  ASSAY_TRY(Outputs outputs, reference.evaluate(problem));
  for (const auto& [name, tensor] : problem.inputs) {
    if (is_left_as_it_was(reference, problem, name)) outputs.emplace(name, tensor);
  }
  return outputs;
}

}  // namespace assay::reference
