// SPDX-License-Identifier: MIT
// What an input holds, wherever it comes from: a distribution (inputs.hpp), a file, or a function of the user's.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "check/inputs.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

namespace assay::check {

class InputMaker {
 public:
  // Functions are compiled into the cache folder, once each.
  InputMaker(const spec::KernelSpec& spec, std::filesystem::path cache_folder)
      : spec_(&spec), cache_folder_(std::move(cache_folder)) {}

  // The tensor's elements, row-major. The arguments are those of the shape.
  Result<reference::Numbers> make(const spec::Shape& shape, const std::vector<spec::ResolvedArgument>& arguments,
                                  const spec::ResolvedArgument& argument, const InputOptions& options) const;

 private:
  Result<reference::Numbers> from_file(const spec::ResolvedArgument& argument) const;
  Result<reference::Numbers> from_function(const spec::Shape& shape,
                                           const std::vector<spec::ResolvedArgument>& arguments,
                                           const spec::ResolvedArgument& argument, const InputOptions& options) const;

  const spec::KernelSpec* spec_;
  std::filesystem::path cache_folder_;
};

}  // namespace assay::check
