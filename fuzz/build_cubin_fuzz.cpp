// SPDX-License-Identifier: MIT
// Any bytes as a cubin, and as ptxas's account of one: an error, or figures that are none below zero.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "build/cubin.hpp"
#include "build/ptxas_output.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto kernels = build::read_cubin(bytes);
  if (!kernels.ok() && kernels.error().message.empty()) std::abort();
  for (const build::ResourceUsage& usage : build::read_ptxas_output(bytes)) {
    if (usage.registers.value_or(0) < 0 || usage.stack_bytes.value_or(0) < 0) std::abort();
  }
  return 0;
}
