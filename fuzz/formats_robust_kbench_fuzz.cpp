// SPDX-License-Identifier: MIT
// Any bytes as a folder of robust-kbench.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/robust_kbench.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_robust_kbench(fuzz::as_files(text, "config_forward.json")));
  return 0;
}
