// SPDX-License-Identifier: MIT
// The shapes of assay diagnose --sweep: one variable of a shape doubles from first to last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "spec/shape.hpp"

namespace assay::work {

struct Sweep {
  std::string name;
  int64_t first = 0;
  int64_t last = 0;
};

Result<Sweep> parse_sweep(const std::string& text);  // "S=128..16384"
Result<std::vector<spec::Shape>> sweep_shapes(const spec::KernelSpec& spec, const spec::Shape& base,
                                              const Sweep& sweep);

}  // namespace assay::work
