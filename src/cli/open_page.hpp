// SPDX-License-Identifier: MIT
// Shows a file in the user's browser.
#pragma once

#include <string>

#include "base/result.hpp"

namespace assay::cli {

// With $BROWSER, else with xdg-open; does not wait for it. An error if there is neither.
Result<void> open_page(const std::string& file);

}  // namespace assay::cli
