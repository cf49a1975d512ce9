// SPDX-License-Identifier: MIT
// The expected values of a kernel's outputs, in float64: from a built-in reference or from the user's own.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "reference/custom_reference.hpp"
#include "reference/reference.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

namespace assay::check {

using InputValues = std::map<std::string, reference::Numbers>;  // by tensor, row-major, as the kernel sees them

// The numbers of a problem: scalar arguments, options and the shape; without tensors.
reference::Problem numbers_of(const spec::KernelSpec& spec, const spec::Shape& shape,
                              const std::vector<spec::ResolvedArgument>& arguments);
// How the functions of a specification's files are compiled and run.
reference::UserProgramOptions program_options(const spec::KernelSpec& spec, const std::filesystem::path& cache_folder);

class Oracle {
 public:
  // The user's reference is compiled into the cache folder; it runs in a process of its own.
  static Result<Oracle> open(const spec::KernelSpec& spec, const std::filesystem::path& cache_folder);

  Result<reference::Outputs> expected(const spec::KernelSpec& spec, const spec::Shape& shape,
                                      const std::vector<spec::ResolvedArgument>& arguments, const InputValues& inputs,
                                      const reference::RowSample& sample = {}) const;
  // Whether a function of the user's judges the outputs. expected() then gives the inputs beside the outputs.
  bool judges() const { return compare_.has_value(); }
  // What that function says: why the outputs are wrong, or nothing. `known` is what expected() gave.
  Result<std::optional<std::string>> judge(const spec::KernelSpec& spec, const spec::Shape& shape,
                                           const std::vector<spec::ResolvedArgument>& arguments,
                                           const reference::Outputs& known, const InputValues& outputs) const;
  // Whether the reference can compute a sample of the rows; otherwise it computes all of them.
  bool samples() const { return built_in_ && built_in_->samples && !compare_; }
  // Whether single infinities in this input leave enough of the output defined.
  bool allows_infinities(const std::string& input) const;

 private:
  std::optional<reference::Reference> built_in_;
  std::optional<reference::CustomReference> custom_;
  std::optional<reference::CustomReference> compare_;
};

}  // namespace assay::check
