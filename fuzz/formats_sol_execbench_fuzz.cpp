// SPDX-License-Identifier: MIT
// Any bytes as files of SOL-ExecBench.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/sol_execbench.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_sol_execbench(fuzz::as_files(text, "x.jsonl")));
  return 0;
}
