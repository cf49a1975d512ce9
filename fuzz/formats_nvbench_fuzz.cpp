// SPDX-License-Identifier: MIT
// Any bytes as NVBench's JSON and the files beside it.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/nvbench.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_nvbench(fuzz::as_files(text, "x.json")));
  return 0;
}
