// SPDX-License-Identifier: MIT
// Which kernel a specification means: by its name in the PTX, by its C++ name, or by a pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::build {

// The one of `names` (as in the PTX) that `wanted` stands for. In this order: the name itself; the C++ name with its
// template arguments ("layernorm<float, 256>"), with or without namespaces, return type and parameters; the C++ name
// alone; a pattern with * (any text) and ? (one character). The first of these that fits anything must fit exactly one;
// the error lists what is there. `place` is where it was written, `source` what the kernels are in.
Result<std::string> find_entry_name(std::string_view wanted, const std::vector<std::string>& names, const Place& place,
                                    const std::string& source);

// "ns::scale<float, 4>" of "void ns::scale<float, 4>(float*, int)", or the name itself if it is no mangled one.
std::string readable_entry(const std::string& name);

}  // namespace assay::build
