// SPDX-License-Identifier: MIT
// The texts that turn a user's reference.cpp into a program of its own; inside the binary, so that one file suffices.
#pragma once

#include <span>
#include <string_view>

#include "base/embedded_file.hpp"

namespace assay::reference {

// include/assay/reference.h
std::string_view public_header();

// program/main.cc: reads a request file, calls assay_reference, writes a response file; exchange.hpp describes the two.
std::string_view program_main();

std::span<const EmbeddedFile> program_files();  // both, by name; made by cmake/EmbeddedFiles.cmake

}  // namespace assay::reference
