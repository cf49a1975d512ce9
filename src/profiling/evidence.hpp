// SPDX-License-Identifier: MIT
// How a figure is known. Every figure that Assay shows carries one of these words.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::profiling {

enum class Evidence : uint8_t {
  counted,    // exact: counted by the virtual GPU or the compiler
  estimated,  // from a stated model
  measured,   // on a GPU
};

constexpr std::string_view to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::counted:
      return "counted";
    case Evidence::estimated:
      return "estimated";
    case Evidence::measured:
      return "measured";
  }
  return "unknown";
}

}  // namespace assay::profiling
