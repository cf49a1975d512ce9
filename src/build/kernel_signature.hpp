// SPDX-License-Identifier: MIT
// What can be known about a kernel from its PTX and its source: parameters with their names and types, which pointers
// are read and written, and what the launch must look like. For `assay new`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::build {

// A pointer or a number that a kernel takes: a parameter, or a member of a structure that is one.
struct SignatureValue {
  std::string name;   // as the source declares it; "p0" if the source does not tell
  std::string type;   // as C++ writes it: "float const*", "int"
  size_t offset = 0;  // in the parameter, in bytes
  size_t bytes = 0;
  bool pointer = false;
  bool constant = false;     // what it points to is const
  std::string dtype;         // of the element, or of the number: "f32"; empty if it is none of ours
  size_t vector = 1;         // elements of ours in one of the type: 4 for float4
  bool enumeration = false;  // a number that names a choice
  bool read = false;         // the kernel reads through it
  bool written = false;
  bool atomic = false;
  // Of a texture or surface object, which PTX tells by its use alone; `read` and `written` are then of its texels.
  std::string object;    // "texture", "surface"; empty: it is none
  std::string geometry;  // "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"; "linear" for tex1Dfetch
};

struct SignatureParameter {
  std::string name;
  size_t bytes = 0;
  bool structure = false;  // passed by value; `values` are its members, as far as they are known
  std::vector<SignatureValue> values;
  std::vector<std::string> notes;  // members that are none of these, and stay zero
};

// A __constant__ variable that a kernel reads and that the source does not initialise: the host sets it.
struct SignatureConstant {
  std::string name;   // in the PTX
  std::string plain;  // as the source declares it, without its namespace
  size_t bytes = 0;
  std::string dtype;  // of its elements; empty if it is none of ours
  size_t element_bytes = 0;
};

struct KernelSignature {
  std::string entry;     // its name in the PTX
  std::string readable;  // as in C++, with template arguments
  std::vector<SignatureParameter> parameters;
  bool block_index[3] = {false, false, false};   // reads %ctaid.x, .y, .z
  bool thread_index[3] = {false, false, false};  // reads %tid.x, .y, .z
  bool block_size = false;                       // reads %ntid.x: the grid is cut into blocks of any size
  bool grid_size = false;                        // reads %nctaid: a loop over the grid's size, or a barrier of it
  bool dynamic_shared = false;
  bool grid_barrier = false;              // waits for all blocks: a cooperative launch
  int max_threads = 0;                    // of a block: __launch_bounds__; 0: not given
  std::vector<int64_t> required_threads;  // exactly these, if given
  std::vector<int64_t> cluster;           // blocks of a cluster that it was compiled for
  std::vector<SignatureConstant> constants;
  bool from_debug_information = false;  // every parameter is as the compiler describes it
  std::vector<std::string> missing;     // what debug information did not tell, and the source's text had to
};

// Of every kernel, in the order of the text. `source` is the C++ text, or empty. Names and types are those of the debug
// information in `debug_ptx`, the same source compiled with -G, or in `ptx` itself; where that says nothing, they are
// read from the mangled name and the source's text.
Result<std::vector<KernelSignature>> kernel_signatures(std::string_view ptx, const std::string& file_name,
                                                       std::string_view source, std::string_view debug_ptx = {});

// The second argument of a launch of that kernel in the source, <<<grid, 256>>> or <<<grid, dim3(32, 8)>>>: numbers, or
// constants that the source defines, along each axis. Empty if the source does not tell.
std::vector<int64_t> launched_block(std::string_view source, std::string_view kernel);

}  // namespace assay::build
