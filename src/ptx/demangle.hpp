// SPDX-License-Identifier: MIT
// C++ names as people write them.
#pragma once

#include <string>

namespace assay::ptx {

// "_Z3addPKfi" -> "add(float const*, int)". The name itself if it is not a mangled C++ name, or one whose readable form
// could be far longer than any compiler's: a mangled name of 300 characters can stand for gigabytes.
std::string demangle(const std::string& name);

}  // namespace assay::ptx
