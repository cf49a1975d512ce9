// SPDX-License-Identifier: MIT
// The calling thread's last failure: a code for the caller's program and a text for its user.
#pragma once

namespace assay::attention::library {

// Notes the text (printf's rules, cut at 511 characters) and returns the code.
[[gnu::format(printf, 2, 3)]] int fail(int status, const char* format, ...);

// "" before the first failure.
const char* last_failure();

}  // namespace assay::attention::library
