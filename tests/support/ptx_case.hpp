// SPDX-License-Identifier: MIT
// A test of the virtual GPU that is a PTX file: the program, the launch and the expected values stand together.
// Lines that begin with "//!" are for the test, in this order of the kernel's parameters:
//   //! launch KERNEL grid 1 block 32 [shared 0] [device l4]
//   //! in   TYPE values...       a buffer with these values
//   //! out  TYPE values...       a buffer whose content must be these values afterwards
//   //! out~N TYPE values...      the same, within N units in the last place (floating types)
//   //! inout TYPE values... -> values...
//   //! scalar TYPE value
//   //! map N TYPE dims 16,64 [pitch 256] box 8,64 [steps 1,1] [swizzle 128] [fill nan]
//                                 a parameter of 128 bytes: a tensor map over the buffer of parameter N (from 0, an
//                                 earlier one), which holds a dense tensor, or one of rows that begin `pitch` bytes
//                                 apart; the last dimension is the contiguous one
//   //! map N TYPE dims 2,4,4,8 lower -1,-1 upper -1,-1 channels 8 pixels 16 [steps 1,2,2,1] [swizzle 32] [fill nan]
//                                 the same of the im2col form; corners without images and channels
//   //! texture SHAPE TYPE dims 4,8 [channels 2] [filter linear] [address wrap] [coordinates normalised]
//               [read fraction] [border 0.5] values V...
//                                 a texture object; SHAPE is linear, 1d, 2d, 3d, a1d, a2d, cube or acube
//   //! surface SHAPE TYPE dims 4,8 [channels 2] values V... [-> V...]
//                                 a surface object, and what it must hold afterwards
//   //! fault KIND [text]         the launch must stop with this finding
//   //! error TEXT                the module must be refused with a message that contains this
//   //! printed TEXT              what printf must have written; \n is a newline
//   //! gpu skip REASON           a real GPU may give something else: tests/gpu/ptx_truth.cpp leaves this case out
// Values: numbers (1, -2, 0x1f, 1.5, inf, nan, -0.0); for floating types 0x... are the bits; a..b counts; v*n repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::test {

// A tensor map, as drivers want it: the contiguous dimension first.
struct CaseMap {
  size_t buffer = 0;              // index of the argument
  std::vector<uint64_t> dims;     // elements
  std::vector<uint64_t> strides;  // bytes
  uint64_t pitch = 0;             // bytes from one row to the next; 0: rows lie one behind the other
  std::vector<uint32_t> box;      // elements; im2col: channels, then all 1
  std::vector<int> lower;         // corners of im2col
  std::vector<int> upper;
  uint32_t pixels = 0;          // 0: tiled
  std::vector<uint32_t> steps;  // elements
  unsigned swizzle = 0;         // 0: none; 1, 2, 3: 32, 64, 128 bytes
  bool fill_nan = false;
};

struct CaseTexture {
  std::string shape;
  std::vector<uint32_t> dims;  // the contiguous one first
  uint32_t channels = 1;
  bool linear = false;
  bool normalised = false;
  bool fraction = false;  // integers are read as fractions of the largest one
  std::string address = "clamp";
  float border = 0;
};

struct CaseArgument {
  enum class Kind { in, out, inout, scalar, map, texture, surface };
  Kind kind = Kind::in;
  std::string type;                 // "u32", "f16", ...
  std::vector<std::byte> initial;   // of in, inout, scalar
  std::vector<std::byte> expected;  // of out, inout
  int ulp = 0;
  CaseMap map;          // of map
  CaseTexture texture;  // of texture and surface

  bool is_object() const { return kind == Kind::texture || kind == Kind::surface; }
  bool has_buffer() const { return kind != Kind::scalar && kind != Kind::map && !is_object(); }
};

struct PtxCase {
  std::string file;
  std::string text;  // all of the file
  std::string kernel = "main";
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {32, 1, 1};
  unsigned shared_bytes = 0;
  std::string device = "l4";
  std::vector<CaseArgument> arguments;
  std::string fault;
  std::string fault_text;
  std::string error;
  std::optional<std::string> printed;
  std::string gpu_skip;  // why not on a real GPU; "": it runs there too
};

Result<PtxCase> read_ptx_case(const std::string& path);

// "" if they agree, else the first `most` differences.
std::string compare_values(const CaseArgument& argument, const std::byte* got, int most = 1);

size_t element_bytes(const std::string& type);

}  // namespace assay::test
