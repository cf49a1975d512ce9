// SPDX-License-Identifier: MIT
// A reference is trusted only as far as it goes: it must say something, of every output; NaN and infinities must be
// expected; and what it says must be something that a kernel can write. Otherwise every kernel is right, or none is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/inputs.hpp"
#include "reference/problem.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {

struct WantedOutput {
  const std::string& name;
  const spec::ResolvedTensor& tensor;
};

// What is wrong with the reference, by what it gave; nothing if that can be compared with.
std::optional<Error> mistake_of_reference(const spec::KernelSpec& spec, const std::vector<WantedOutput>& outputs,
                                          const reference::Outputs& given, Distribution distribution);

}  // namespace assay::check
