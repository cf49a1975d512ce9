// SPDX-License-Identifier: MIT
// Which values a dimension of the problem may take beyond those that the specification lists.
//
// A kernel is often written for a few values of one dimension (head sizes, element types) and for any value of another
// (lengths, batches). The specification shows which is which: a dimension is open if the file itself uses a value that
// is no multiple of 8, and if no name of a kernel or type is made from it. Closed dimensions keep to the values in the
// file.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "spec/shape.hpp"

namespace assay::check {

struct Domain {
  std::string name;
  bool open = false;                // any integer from 1 to `limit`
  int64_t limit = 1;                // the largest value in the file, if the dimension is open
  std::vector<spec::Value> values;  // in the file, each once, smallest first
};

// One for each dimension, in the file's order.
Result<std::vector<Domain>> domains(const spec::KernelSpec& spec);

}  // namespace assay::check
