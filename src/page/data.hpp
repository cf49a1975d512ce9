// SPDX-License-Identifier: MIT
// What the page's script works with: points, samples and counters as JSON that can stand inside a script element.
#pragma once

#include <string>
#include <vector>

#include "page/content.hpp"
#include "page/listings.hpp"

namespace assay::page {

std::string script_data(const Content& content, const Listings& listings);

std::string base64(const std::vector<double>& values);  // as float32, little-endian

}  // namespace assay::page
