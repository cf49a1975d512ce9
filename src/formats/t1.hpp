// SPDX-License-Identifier: MIT
// T1, the input format of the auto-tuning community: a kernel with its arguments, launch and space of configurations.
// Values and expressions are text of Python, which our own grammar reads.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

// The files that a T1 names, as it writes them: a source, and data of arguments. Nothing of another text.
std::vector<std::string> files_named_by_t1(const std::string& text);

Result<Imported> read_t1(const TextFiles& files);

}  // namespace assay::formats
