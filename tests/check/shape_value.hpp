// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "spec/shape.hpp"

namespace assay::check {

// The whole number that a dimension has.
inline int64_t get(const spec::Shape& shape, const std::string& name) {
  return shape.values.at(name).integer();
}

}  // namespace assay::check
