// SPDX-License-Identifier: MIT
// The kernel's arguments with numbers in them: for one configuration and one shape.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "spec/shape.hpp"

namespace assay::spec {

struct ResolvedTensor {
  DType dtype = DType::f32;
  bool is_bool = false;          // written as "bool"; dtype is then u8, and every element 0 or 1
  bool is_complex = false;       // written as "c64" or "c128"; dtype is then f32 or f64, and the last dimension is 2
  std::vector<int64_t> dims;     // each at least 0
  std::vector<int64_t> strides;  // in elements; row-major and dense if the file gives none
  int64_t elements = 0;          // the product of dims
  int64_t span = 0;              // elements from the first to the last one, gaps included
  int64_t bytes = 0;             // of the buffer: span * size of the type; half of that, if they are packed
  Fill fill;
  Role role = Role::input;
};

struct ResolvedScalar {
  DType type = DType::i32;
  bool is_bool = false;          // written as "bool"; type is then u8
  Value value;                   // an integer that the type can hold, or a real number for f16, bf16, f32, f64
  std::vector<uint8_t> encoded;  // little-endian, size_bytes(type) of them
};

struct ResolvedIm2col {
  std::vector<int64_t> lower;
  std::vector<int64_t> upper;
  int64_t channels = 0;
  int64_t pixels = 0;
};

struct ResolvedTensorMap {
  size_t of = 0;  // the index of the tensor among the arguments
  std::vector<int64_t> box;
  std::optional<ResolvedIm2col> im2col;  // instead of a box
  std::vector<int64_t> element_strides;
  int swizzle = 0;
  int interleave = 0;
  int l2_promotion = 0;
  bool out_of_bounds_nan = false;
};

struct ResolvedTexture {
  size_t of = 0;  // the index of the tensor among the arguments
  bool surface = false;
  std::string shape;  // "linear", "1d", "2d", "3d", "a1d", "a2d", "cube", "acube", as PTX says; "pitch": 2d of a tensor
  int64_t width = 1;
  int64_t height = 1;
  int64_t slices = 1;  // depth, or layers, or six faces for each cube
  int64_t channels = 1;
  bool linear = false;
  bool normalised = false;
  bool fractions = false;
  std::vector<std::string> address;  // of x, y, z
  std::vector<double> border;        // of four channels
  bool srgb = false;
  std::vector<size_t> levels;  // the indices of the tensors of level 1, 2, ...; each is half as wide and high
  bool linear_levels = false;
  double level_bias = 0;
  double first_level = 0;
  double last_level = 0;
};

struct ResolvedView {
  size_t of = 0;  // the index of the tensor among the arguments
  int64_t offset_bytes = 0;
};

struct ResolvedPointers {
  std::vector<ResolvedView> to;
};

struct ResolvedArgument {
  std::string name;
  std::string structure;                   // the parameter that it is a field of; empty: a parameter of its own
  std::optional<int64_t> at;               // where in the structure
  std::optional<int64_t> structure_bytes;  // of the whole structure
  std::string global;                      // the variable of the module that it is
  bool passed = true;                      // false: the kernel has no parameter for it
  std::variant<ResolvedTensor, ResolvedScalar, ResolvedTensorMap, ResolvedView, ResolvedPointers, ResolvedTexture> kind;

  const ResolvedTensor* tensor() const { return std::get_if<ResolvedTensor>(&kind); }
  const ResolvedScalar* scalar() const { return std::get_if<ResolvedScalar>(&kind); }
  const ResolvedTensorMap* tensor_map() const { return std::get_if<ResolvedTensorMap>(&kind); }
  const ResolvedView* view() const { return std::get_if<ResolvedView>(&kind); }
  const ResolvedPointers* pointers() const { return std::get_if<ResolvedPointers>(&kind); }
  const ResolvedTexture* texture() const { return std::get_if<ResolvedTexture>(&kind); }
};

Result<std::vector<ResolvedArgument>> resolve_arguments(const KernelSpec& spec, const Configuration& configuration,
                                                        const Shape& shape);

}  // namespace assay::spec
