// SPDX-License-Identifier: MIT
// The checks that there are, and what a verdict looked at.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "gpu/check_set.hpp"

namespace assay::check {

gpu::CheckSet all_checks();
// "memcheck,initcheck" or "all"; an unknown name is an error that lists those there are.
Result<gpu::CheckSet> parse_checks(std::string_view list);
// What a run with these checks looks at. They are those of virtual GPUs; on any other device nothing is looked at.
gpu::Coverage coverage(const std::string& device, const gpu::CheckSet& checks);

}  // namespace assay::check
