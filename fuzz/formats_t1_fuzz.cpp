// SPDX-License-Identifier: MIT
// Any bytes as T1.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/t1.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_t1(fuzz::as_files(text, "x.json")));
  return 0;
}
