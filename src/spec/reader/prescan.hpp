// SPDX-License-Identifier: MIT
// What the TOML library cannot take, found before it sees the text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::spec {

// Version 3.3 of the library
//   - nests one table for each part of a dotted key, without a limit, and frees them recursively: a long key could
//     exhaust the stack;
//   - assumes that a name follows the '[' of a section;
//   - reaches code declared unreachable for characters beyond ASCII anywhere outside strings and comments.
// The first two are refused here. For the third the text comes back with a question mark for every such character in
// strings and comments, every place in it the same: what the library accepts of it, it reads the original of safely.
Result<std::string> prescan(std::string_view text, const std::string& file_name);

}  // namespace assay::spec
