// SPDX-License-Identifier: MIT
// Lists of whole numbers as Python makes them: [32 * i for i in range(1, 9)].
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/python_expression.hpp"

namespace assay::formats {

// What a list of whole numbers comes to that is made by range(), list(), + or [... for NAME in ...].
std::optional<std::vector<int64_t>> python_listed(const PythonNode& node, const PythonNames& names);

}  // namespace assay::formats
