// SPDX-License-Identifier: MIT
// JSON that is stored as text: checked when it comes in and again when it comes back from a file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::ledger {

// The same object with sorted keys and no spaces, so that equal content is equal text. `what` is for the error.
Result<std::string> sorted_object(std::string_view what, std::string_view text);

// Whether it is one JSON object of bearable size and depth.
bool is_object(std::string_view text);

}  // namespace assay::ledger
