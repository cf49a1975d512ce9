// SPDX-License-Identifier: MIT
// Any bytes as a file that holds an input: .npy and .safetensors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/file.hpp"
#include "base/scratch_folder.hpp"
#include "require.hpp"
#include "spec/input_file.hpp"

using namespace assay;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto folder = ScratchFolder::make();
  require(folder.ok());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* const name : {"x.npy", "x.safetensors"}) {
    const auto file = folder->path() / name;
    require(write_file_atomically(file, text).ok());
    for (const char* const tensor : {"", "x"}) {
      const auto head = spec::read_input_head(file, tensor);
      if (!head.ok()) {
        require(!head.error().message.empty());
        continue;
      }
      require(!head->raw && head->offset <= size && head->bytes <= size - head->offset);
      for (const int64_t each : head->shape) require(each >= 0);
    }
  }
  return 0;
}
