// SPDX-License-Identifier: MIT
// What a tuning evaluated, in its order, with the best so far.
#pragma once

#include <string>

#include "page/landscape.hpp"

namespace assay::page {

std::string draw_order(const Landscape& landscape, double width);

}  // namespace assay::page
