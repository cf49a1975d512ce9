// SPDX-License-Identifier: MIT
// Any bytes as files of any format.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/read_foreign.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_foreign(fuzz::as_files(text, "x"), ""));
  return 0;
}
