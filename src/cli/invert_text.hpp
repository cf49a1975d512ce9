// SPDX-License-Identifier: MIT
// What experiments found, for a person.
#pragma once

#include <string>

#include "assay/invert.hpp"

namespace assay::cli {

std::string invert_text(const work::InvertReport& report, bool all_experiments);
std::string catalogue_text();
std::string catalogue_json();

}  // namespace assay::cli
