// SPDX-License-Identifier: MIT
// Resolved tensors for the tests in few words.
#pragma once

#include <utility>
#include <vector>

#include "spec/resolved_argument.hpp"

namespace assay::check {

inline spec::ResolvedTensor strided_tensor(spec::DType type, std::vector<int64_t> dims, std::vector<int64_t> strides) {
  spec::ResolvedTensor tensor;
  tensor.dtype = type;
  tensor.elements = 1;
  tensor.span = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    tensor.elements *= dims[i];
    tensor.span += (dims[i] - 1) * strides[i];
  }
  tensor.dims = std::move(dims);
  tensor.strides = std::move(strides);
  tensor.bytes = tensor.span * spec::size_bytes(type);
  return tensor;
}

inline spec::ResolvedTensor dense_tensor(spec::DType type, std::vector<int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strided_tensor(type, std::move(dims), std::move(strides));
}

}  // namespace assay::check
