// SPDX-License-Identifier: MIT
// Any bytes as what a tuner recorded, as results.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/tuned_results.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::parse_tuned_results(text, "x.json"));
  return 0;
}
