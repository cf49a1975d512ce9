// SPDX-License-Identifier: MIT
// The pages of docs/cli, compiled into the program.
#pragma once

#include <string_view>

namespace assay::cli {

std::string_view help_text(std::string_view topic);  // "" if there is no such page

}  // namespace assay::cli
