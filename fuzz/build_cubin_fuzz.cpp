// SPDX-License-Identifier: MIT
// Any bytes as a cubin, and as ptxas's account of one: an error, or figures that are none below zero.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "build/cubin.hpp"
#include "build/ptxas_output.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto kernels = build::read_cubin(bytes);
  require(kernels.ok() || !kernels.error().message.empty());
  for (const build::ResourceUsage& usage : build::read_ptxas_output(bytes)) {
    require(usage.registers.value_or(0) >= 0 && usage.stack_bytes.value_or(0) >= 0);
  }
  return 0;
}
