// SPDX-License-Identifier: MIT
// The error of a specification: what, where, and the name that was probably meant.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace assay::spec {

Error mistake(const Place& place, const std::string& message, std::string hint = {});

// "did you mean ...?" if one of `known` is near, else the list under `title`, if it is short enough to help.
std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& title);

}  // namespace assay::spec
