// SPDX-License-Identifier: MIT
// T1, the input format of the auto-tuning community: a kernel with its arguments, launch and space of configurations.
// Values and expressions are text of Python, which our own grammar reads.
#pragma once

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

Result<Imported> read_t1(const TextFiles& files);

}  // namespace assay::formats
