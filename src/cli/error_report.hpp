// SPDX-License-Identifier: MIT
// Errors as JSON, in the form that every command gives them.
#pragma once

#include <string>

#include "assay/error.hpp"

namespace assay::cli {

std::string error_document(const Error& error, const std::string& command);

}  // namespace assay::cli
