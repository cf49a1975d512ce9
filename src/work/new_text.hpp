// SPDX-License-Identifier: MIT
// The kernel.toml and the reference of a kernel that is described for the first time.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "build/kernel_signature.hpp"

namespace assay::work {

// A stride that the kernel takes: the least that its tensors allow.
struct FoundStride {
  std::string name;    // as a dimension is called
  std::string packed;  // an expression of sizes and other strides
  int64_t unit = 1;    // what it grows by for a gap of one element
};

// Sizes, tensors and grid as running the kernel has shown them (describe/geometry.hpp).
struct FoundGeometry {
  std::vector<std::string> sizes;                             // that shapes and grid depend on
  std::map<std::string, std::vector<std::string>> shapes;     // by pointer; those that were found
  std::map<std::string, std::vector<std::string>> strides{};  // likewise, of their dimensions; those that are not dense
  std::set<std::string> border{};                             // pointers to tensors around which elements are left
  std::vector<FoundStride> values{};                          // of the strides that the kernel takes
  std::string gap{};                                          // dimension of the elements between rows; "": none
  int64_t gap_elements = 0;                                   // for which the kernel was tried
  std::array<std::string, 3> grid;                            // "": not found
  bool assumed = false;                                       // an axis covers a size because nothing else uses it
  int64_t multiple = 1;                                       // of the sizes
  bool complete = false;                                      // all shapes and all axes were found
};

// In a specification for trial runs the axes of the grid are sizes, and every tensor has room for so many elements.
inline constexpr std::array<const char*, 3> kAskedGrid{"GRID_X", "GRID_Y", "GRID_Z"};
inline constexpr int64_t kAskedRoom = int64_t{1} << 23;

struct NewText {
  std::string name;
  std::string source;  // file name in the kernel's folder
  std::vector<std::string> targets;
  std::vector<std::string> flags{};    // that the source needs
  bool python = false;                 // the reference's language
  std::string include_folder;          // where files lie that the source includes; empty: it includes none
  std::vector<int64_t> block{};        // as the source launches it; empty: it does not tell
  std::vector<int64_t> tried_block{};  // with which a trial ran, where the guessed one did not; empty: there was none
  std::map<std::string, int64_t> growth;  // by pointer: so many times the guessed size, as a trial showed
  bool asking = false;                    // for trial runs
  bool asking_strides = false;            // in which strides are sizes as well
  int64_t asked_number = 0;               // that every input holds in them
  std::optional<FoundGeometry> found{};   // by them
};

std::string specification_text(const build::KernelSignature& signature, const NewText& text);
std::string reference_text(const build::KernelSignature& signature, const NewText& text);
std::string reference_name(const NewText& text);

}  // namespace assay::work
