// SPDX-License-Identifier: MIT
// Any bytes as a module of Python that is a task of KernelBench, and as its results.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/kernelbench.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_kernelbench(fuzz::as_files(text, "1_x.py")));
  fuzz::check(formats::read_kernelbench({{"x.json", std::string(text)}}));
  return 0;
}
