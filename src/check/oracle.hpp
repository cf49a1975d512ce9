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

using InputValues = std::map<std::string, std::vector<double>>;  // by tensor, row-major, as the kernel sees them

class Oracle {
 public:
  // The user's reference is compiled into the cache folder; it runs in a process of its own.
  static Result<Oracle> open(const spec::KernelSpec& spec, const std::filesystem::path& cache_folder);

  Result<reference::Outputs> expected(const spec::KernelSpec& spec, const spec::Shape& shape,
                                      const std::vector<spec::ResolvedArgument>& arguments, const InputValues& inputs,
                                      const reference::RowSample& sample = {}) const;
  // Whether the reference can compute a sample of the rows; otherwise it computes all of them.
  bool samples() const { return built_in_ && built_in_->samples; }
  // Whether single infinities in this input leave enough of the output defined.
  bool allows_infinities(const std::string& input) const;

 private:
  std::optional<reference::Reference> built_in_;
  std::optional<reference::CustomReference> custom_;
};

}  // namespace assay::check
