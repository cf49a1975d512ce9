// SPDX-License-Identifier: MIT
// The texture and surface objects of a GPU, and the arrays behind them. An array is a copy of a tensor: it is filled
// before launches and, if a surface is over it, drained afterwards.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace assay::device::cuda {

class TextureStore {
 public:
  explicit TextureStore(const Driver& driver) : driver_(driver) {}
  ~TextureStore() { clear(); }
  TextureStore(const TextureStore&) = delete;
  TextureStore& operator=(const TextureStore&) = delete;

  Result<uint64_t> object(const TextureRequest& request);
  // An allocation, and its end: objects over it go with it.
  void allocated(uint64_t address, uint64_t bytes) { allocations_.push_back({address, bytes}); }
  void release(uint64_t address);
  void clear();

  bool empty() const { return arrays_.empty(); }
  // Of the tensors at these addresses; all, if none are given. Does not wait.
  CUresult fill(CUstream stream, const std::vector<uint64_t>& tensors = {}) const;
  CUresult drain(CUstream stream, const std::vector<uint64_t>& tensors = {}) const;

 private:
  struct Array {
    uint64_t tensor = 0;
    uint64_t row_bytes = 0;
    uint64_t rows = 1;
    uint64_t slices = 1;
    CUDA_ARRAY3D_DESCRIPTOR description{};
    CUarray array = nullptr;
    bool written = false;
    CUmipmappedArray mipmap = nullptr;  // which it is a level of, and goes with
  };
  struct Mipmap {
    std::vector<uint64_t> tensors;  // level 0, 1, ...
    CUDA_ARRAY3D_DESCRIPTOR description{};
    CUmipmappedArray levels = nullptr;
  };
  struct Object {
    TextureRequest request;
    unsigned long long object = 0;
  };
  struct Allocation {
    uint64_t address = 0;
    uint64_t bytes = 0;
  };

  Result<CUDA_RESOURCE_DESC> resource(const TextureRequest& request);
  Result<CUarray> array_for(const TextureRequest& request);
  Result<CUmipmappedArray> mipmap_for(const TextureRequest& request);
  CUresult copy(const Array& array, bool in, CUstream stream) const;
  void destroy(const Object& object) const;

  const Driver& driver_;
  std::vector<Array> arrays_;
  std::vector<Mipmap> mipmaps_;
  std::vector<Object> objects_;
  std::vector<Allocation> allocations_;
};

}  // namespace assay::device::cuda
