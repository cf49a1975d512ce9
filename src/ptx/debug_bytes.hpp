// SPDX-License-Identifier: MIT
// A debug section of a module as bytes. PTX writes it as lists of integers, in which names stand for places elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/syntax.hpp"

namespace assay::ptx {

// ".b32 $L__info_string0+4": zeros in the bytes until somebody knows where the name lies.
struct DebugReference {
  size_t at = 0;  // in the bytes
  int width = 0;
  std::string name;
  int64_t addend = 0;
};

struct DebugBytes {
  std::string bytes;
  std::map<std::string, size_t> labels;
  std::vector<DebugReference> references;
};

// All sections of that name, one behind the other. Data that is not a list of integers and names ends a section: debug
// information is an aid, not worth an error.
DebugBytes debug_bytes(const Module& module, std::string_view section);

}  // namespace assay::ptx
