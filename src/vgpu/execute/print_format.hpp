// SPDX-License-Identifier: MIT
// printf of a kernel: the format and the arguments lie in the kernel's memory and are not to be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::vgpu {

class ByteReader {
 public:
  virtual ~ByteReader() = default;
  virtual bool read(uint64_t address, void* into, size_t bytes) const = 0;
};

std::string read_string(const ByteReader& reader, uint64_t address);  // up to its end or a limit

struct PrintResult {
  std::string text;
  int arguments = 0;  // that the format consumed, or -1 if it could not be read
};

// `buffer` holds the arguments one after the other, each aligned to its size.
PrintResult print_format(const ByteReader& reader, uint64_t format, uint64_t buffer);

}  // namespace assay::vgpu
