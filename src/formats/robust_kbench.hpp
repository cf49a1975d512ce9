// SPDX-License-Identifier: MIT
// robust-kbench: a folder with func_forward.py and config_forward.json; results lie in eval_results.
#pragma once

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

Result<Imported> read_robust_kbench(const TextFiles& files);

}  // namespace assay::formats
