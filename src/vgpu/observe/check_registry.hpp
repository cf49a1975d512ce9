// SPDX-License-Identifier: MIT
// Every check by its name, and the known classes of defects that none of them looks for. Commands, reports and the
// engine all take their lists from here.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "gpu/check_set.hpp"

namespace assay::vgpu {

class Check;
class UnwrittenMemory;

struct CheckRow {
  std::string_view name;   // as in --checks
  std::string_view finds;  // the class of defects, as reports name it
  // `global` is what nothing has written of global memory, for the check that follows it.
  std::unique_ptr<Check> (*make)(UnwrittenMemory& global);
};

std::span<const CheckRow> check_registry();                 // in the order in which they watch
std::span<const std::string_view> defects_without_check();  // classes of defects that are known and not looked for

gpu::CheckSet all_checks();
// "memcheck,initcheck" or "all"; an unknown name is an error that lists those there are.
Result<gpu::CheckSet> parse_checks(std::string_view list);
gpu::Coverage coverage_of(const gpu::CheckSet& checks);

}  // namespace assay::vgpu
