// SPDX-License-Identifier: MIT
// A file that holds an input tensor: NumPy's .npy, .safetensors, or the bytes alone. Only its head is read here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::spec {

struct InputFile {
  bool raw = false;   // any other ending: neither type nor shape is known
  std::string dtype;  // "f32", "bool", "c64", as in a specification
  std::vector<int64_t> shape;
  uint64_t offset = 0;  // of the first element, in bytes from the file's beginning
  uint64_t bytes = 0;   // of the elements
};

// The error says what is wrong with the file, without a place.
Result<InputFile> read_input_head(const std::filesystem::path& file, const std::string& tensor);

// That the file holds the tensor: the same type and shape; the first dimension may be larger, its first part is taken.
// Raw bytes must be enough, from fill.offset on. The error is one of the specification, where it names the file.
Result<InputFile> check_input_file(const std::filesystem::path& folder, const std::string& argument,
                                   const ResolvedTensor& tensor);

}  // namespace assay::spec
