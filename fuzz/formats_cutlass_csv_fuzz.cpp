// SPDX-License-Identifier: MIT
// Any bytes as the CSV of CUTLASS's profiler.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/cutlass_csv.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::parse_cutlass_csv(text, "x.csv"));
  return 0;
}
