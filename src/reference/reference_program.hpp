// SPDX-License-Identifier: MIT
// The texts that turn a user's reference.cpp into a program of its own; inside the binary, so that one file suffices.
#pragma once

#include <string_view>

namespace assay::reference {

// include/assay/reference.h, letter by letter (a test compares them).
std::string_view public_header();

// The main function of the program: reads a request file, calls assay_reference, writes a response file.
// exchange.hpp describes the two files.
std::string_view program_main();

}  // namespace assay::reference
