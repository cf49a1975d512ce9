// SPDX-License-Identifier: MIT
// Any bytes as a task of GPU MODE (YAML) and as the output of an evaluation.
#include <cstddef>
#include <cstdint>

#include "foreign_check.hpp"
#include "formats/gpu_mode.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::check(formats::read_gpu_mode(fuzz::as_files(text, "task.yml")));
  fuzz::check(formats::read_gpu_mode({{"out.txt", std::string(text)}}));
  return 0;
}
