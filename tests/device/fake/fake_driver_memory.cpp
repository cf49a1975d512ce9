// SPDX-License-Identifier: MIT
// The fake driver's memory, which is the host's; arrays, textures and surfaces; tensor maps.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "fake_driver.hpp"

using namespace fake;  // NOLINT

namespace {

std::set<void*> allocations;

}  // namespace

void fake::free_everything() {
  for (void* memory : allocations) std::free(memory);
  allocations.clear();
}

extern "C" {
CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return *free = kMemory / 2, *total = kMemory, answer();
}
CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  if (bytes > kMemory) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  allocations.insert(memory);
  return *address = reinterpret_cast<CUdeviceptr>(memory), answer();
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  if (allocations.erase(reinterpret_cast<void*>(address)) == 0) return CUDA_ERROR_INVALID_VALUE;
  std::free(reinterpret_cast<void*>(address));
  return answer();
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), answer();
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), answer();
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  return enqueue(CU_GRAPH_NODE_TYPE_MEMCPY, [=] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char byte, size_t bytes, CUstream) {
  return enqueue(CU_GRAPH_NODE_TYPE_MEMSET, [=] {
    std::memset(reinterpret_cast<void*>(address), byte, bytes);
    return CUDA_SUCCESS;
  });
}
// Arrays are rows of plain memory; an object is the address of what it was made of.
CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) {
  if (description->Width == 0) return CUDA_ERROR_INVALID_VALUE;
  const size_t rows = std::max<size_t>(1, description->Height) * std::max<size_t>(1, description->Depth);
  auto* const made = new FakeArray{*description, std::vector<char>(description->Width * 16 * rows)};
  return *array = reinterpret_cast<CUarray>(made), answer();
}
CUresult cuArrayDestroy(CUarray array) {
  delete reinterpret_cast<FakeArray*>(array);
  return answer();
}
// A mipmap is a row of arrays, which the caller must not destroy by themselves.
CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* description, unsigned levels) {
  if (description->Width == 0 || levels == 0) return CUDA_ERROR_INVALID_VALUE;
  auto* const made = new std::vector<FakeArray>;
  CUDA_ARRAY3D_DESCRIPTOR level = *description;
  for (unsigned i = 0; i < levels; ++i) {
    const size_t rows = std::max<size_t>(1, level.Height) * std::max<size_t>(1, level.Depth);
    made->push_back({level, std::vector<char>(level.Width * 16 * rows)});
    level.Width = std::max<size_t>(1, level.Width / 2);
    level.Height /= level.Height > 1 ? 2 : 1;
  }
  return *array = reinterpret_cast<CUmipmappedArray>(made), answer();
}
CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned index) {
  auto& levels = *reinterpret_cast<std::vector<FakeArray>*>(array);
  if (index >= levels.size()) return CUDA_ERROR_INVALID_VALUE;
  return *level = reinterpret_cast<CUarray>(&levels[index]), answer();
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  delete reinterpret_cast<std::vector<FakeArray>*>(array);
  return answer();
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* given, CUstream) {
  return enqueue(CU_GRAPH_NODE_TYPE_MEMCPY, [copy = *given] {
    const size_t bytes = copy.WidthInBytes * copy.Height * copy.Depth;
    trace(copy.dstMemoryType == CU_MEMORYTYPE_ARRAY ? "fill" : "drain");
    if (copy.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
      std::memcpy(reinterpret_cast<FakeArray*>(copy.dstArray)->bytes.data(), reinterpret_cast<void*>(copy.srcDevice),
                  bytes);
    } else {
      std::memcpy(reinterpret_cast<void*>(copy.dstDevice), reinterpret_cast<FakeArray*>(copy.srcArray)->bytes.data(),
                  bytes);
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
                           const void*) {
  if (texture->filterMode == CU_TR_FILTER_MODE_LINEAR && (texture->flags & CU_TRSF_READ_AS_INTEGER) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  *object = reinterpret_cast<uintptr_t>(new FakeObject{*resource, *texture});
  return answer();
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  delete reinterpret_cast<FakeObject*>(object);
  return answer();
}
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  if (resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
  *object = reinterpret_cast<uintptr_t>(new FakeObject{*resource, {}});
  return answer();
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  delete reinterpret_cast<FakeObject*>(object);
  return answer();
}
#ifndef FAKE_OLD
// The arguments themselves, so that a test can look at them.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, uint32_t rank, void* address,
                                const uint64_t* dims, const uint64_t* strides, const uint32_t* box, const uint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  map->opaque = {};
  map->opaque[0] = static_cast<uint64_t>(type);
  map->opaque[1] = reinterpret_cast<uint64_t>(address);
  for (uint32_t i = 0; i < rank; ++i) map->opaque[2 + i] = dims[i];
  for (uint32_t i = 0; i + 1 < rank; ++i) map->opaque[6 + i] = strides[i];
  for (uint32_t i = 0; i < rank; ++i) map->opaque[9 + i] = box[i];
  map->opaque[13] = static_cast<uint64_t>(swizzle);
  map->opaque[14] = static_cast<uint64_t>(promotion);
  map->opaque[15] = static_cast<uint64_t>(fill);
  return answer();
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, uint32_t rank, void* address,
                                 const uint64_t* dims, const uint64_t*, const int* lower, const int* upper,
                                 uint32_t channels, uint32_t pixels, const uint32_t* element_strides,
                                 CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill) {
  map->opaque = {};
  map->opaque[0] = static_cast<uint64_t>(type);
  map->opaque[1] = reinterpret_cast<uint64_t>(address);
  map->opaque[2] = channels;
  map->opaque[3] = pixels;
  for (uint32_t i = 0; i < rank; ++i) map->opaque[4 + i] = dims[i] * 10 + element_strides[i];
  for (uint32_t i = 0; i + 2 < rank; ++i) map->opaque[9 + i] = static_cast<uint64_t>(lower[i]);
  for (uint32_t i = 0; i + 2 < rank; ++i) map->opaque[12 + i] = static_cast<uint64_t>(upper[i]);
  map->opaque[15] = static_cast<uint64_t>(swizzle);
  return answer();
}
#endif
// What only tests call.
size_t fake_allocations() {
  return allocations.size();
}
}
