// SPDX-License-Identifier: MIT
// The value of "shapes" in a suite's [[kernel]].
#pragma once

#include <string>

#include "spec/reader/document.hpp"
#include "spec/reader/mistakes.hpp"
#include "suite/suite.hpp"

namespace assay::suite {

// `title` is how messages call the table that the key stands in.
ShapeChoice read_shapes(const spec::Node& node, const std::string& title, spec::Mistakes& mistakes);

}  // namespace assay::suite
