// SPDX-License-Identifier: MIT
// The CUDA driver, opened at run time: a table of its functions under the vendor's names. Without a driver, load()
// says what is missing; nothing of Assay needs one to start.
//
//   ASSAY_TRY(const cuda::Driver* driver, cuda::Driver::load());
//   ASSAY_CHECK(driver->check(driver->cuMemAlloc(&address, bytes), "cuMemAlloc"));
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/cuda/driver_types.hpp"
#include "device/cuda/shared_library.hpp"

namespace assay::device::cuda {

// The functions, in the version that the comment names where there are several. Null only where it says "or null".
struct DriverTable {
  // the driver and its devices
  CUresult (*cuInit)(unsigned flags) = nullptr;
  CUresult (*cuDriverGetVersion)(int* version) = nullptr;  // 13000 for CUDA 13.0
  CUresult (*cuGetErrorName)(CUresult error, const char** text) = nullptr;
  CUresult (*cuGetErrorString)(CUresult error, const char** text) = nullptr;
  CUresult (*cuDeviceGetCount)(int* count) = nullptr;
  CUresult (*cuDeviceGet)(CUdevice* device, int ordinal) = nullptr;
  CUresult (*cuDeviceGetName)(char* name, int length, CUdevice device) = nullptr;
  CUresult (*cuDeviceGetPCIBusId)(char* text, int length, CUdevice device) = nullptr;
  CUresult (*cuDeviceTotalMem)(size_t* bytes, CUdevice device) = nullptr;  // _v2
  CUresult (*cuDeviceGetAttribute)(int* value, CUdevice_attribute attribute, CUdevice device) = nullptr;

  // contexts
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice device) = nullptr;
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice device) = nullptr;  // _v2
  CUresult (*cuCtxSetCurrent)(CUcontext context) = nullptr;
  CUresult (*cuCtxSynchronize)() = nullptr;
  CUresult (*cuCtxSetLimit)(CUlimit limit, size_t value) = nullptr;
  CUresult (*cuCtxResetPersistingL2Cache)() = nullptr;

  // memory
  CUresult (*cuMemGetInfo)(size_t* free, size_t* total) = nullptr;  // _v2, as all below
  CUresult (*cuMemAlloc)(CUdeviceptr* address, size_t bytes) = nullptr;
  CUresult (*cuMemFree)(CUdeviceptr address) = nullptr;
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void* from, size_t bytes) = nullptr;
  CUresult (*cuMemcpyDtoH)(void* to, CUdeviceptr from, size_t bytes) = nullptr;
  CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) = nullptr;
  CUresult (*cuMemsetD8Async)(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) = nullptr;

  // textures and surfaces
  CUresult (*cuArray3DCreate)(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* description) = nullptr;  // _v2
  CUresult (*cuArrayDestroy)(CUarray array) = nullptr;
  CUresult (*cuMipmappedArrayCreate)(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* description,
                                     unsigned levels) = nullptr;
  CUresult (*cuMipmappedArrayGetLevel)(CUarray* level, CUmipmappedArray array, unsigned index) = nullptr;
  CUresult (*cuMipmappedArrayDestroy)(CUmipmappedArray array) = nullptr;
  CUresult (*cuMemcpy3DAsync)(const CUDA_MEMCPY3D* copy, CUstream stream) = nullptr;  // _v2
  CUresult (*cuTexObjectCreate)(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                                const CUDA_TEXTURE_DESC* texture, const void* view) = nullptr;
  CUresult (*cuTexObjectDestroy)(CUtexObject object) = nullptr;
  CUresult (*cuSurfObjectCreate)(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) = nullptr;
  CUresult (*cuSurfObjectDestroy)(CUsurfObject object) = nullptr;

  // streams and events
  CUresult (*cuStreamCreate)(CUstream* stream, unsigned flags) = nullptr;
  CUresult (*cuStreamDestroy)(CUstream stream) = nullptr;  // _v2
  CUresult (*cuStreamSynchronize)(CUstream stream) = nullptr;
  CUresult (*cuEventCreate)(CUevent* event, unsigned flags) = nullptr;
  CUresult (*cuEventDestroy)(CUevent event) = nullptr;  // _v2
  CUresult (*cuEventRecordWithFlags)(CUevent event, CUstream stream, unsigned flags) = nullptr;
  CUresult (*cuEventQuery)(CUevent event) = nullptr;
  CUresult (*cuEventElapsedTime)(float* milliseconds, CUevent start, CUevent end) = nullptr;

  // graphs
  CUresult (*cuStreamBeginCapture)(CUstream stream, CUstreamCaptureMode mode) = nullptr;  // _v2
  CUresult (*cuStreamEndCapture)(CUstream stream, CUgraph* graph) = nullptr;
  CUresult (*cuGraphInstantiate)(CUgraphExec* executable, CUgraph graph, unsigned long long flags) = nullptr;
  CUresult (*cuGraphUpload)(CUgraphExec executable, CUstream stream) = nullptr;
  CUresult (*cuGraphLaunch)(CUgraphExec executable, CUstream stream) = nullptr;
  CUresult (*cuGraphExecDestroy)(CUgraphExec executable) = nullptr;
  CUresult (*cuGraphDestroy)(CUgraph graph) = nullptr;
  CUresult (*cuGraphGetNodes)(CUgraph graph, CUgraphNode* nodes, size_t* count) = nullptr;
  CUresult (*cuGraphNodeGetType)(CUgraphNode node, CUgraphNodeType* type) = nullptr;

  // modules, functions, launches
  CUresult (*cuModuleLoadDataEx)(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                                 void** values) = nullptr;
  CUresult (*cuModuleUnload)(CUmodule module) = nullptr;
  CUresult (*cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) = nullptr;
  CUresult (*cuModuleGetGlobal)(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) = nullptr;
  CUresult (*cuFuncGetAttribute)(int* value, CUfunction_attribute attribute, CUfunction function) = nullptr;
  CUresult (*cuFuncSetAttribute)(CUfunction function, CUfunction_attribute attribute, int value) = nullptr;
  CUresult (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CUfunction function, int block_size,
                                                          size_t dynamic_shared_bytes) = nullptr;
  CUresult (*cuLaunchKernelEx)(const CUlaunchConfig* config, CUfunction function, void** parameters,
                               void** extra) = nullptr;

  // of newer drivers: each of these, or null
  CUresult (*cuTensorMapEncodeTiled)(CUtensorMap* map, CUtensorMapDataType type, uint32_t rank, void* address,
                                     const uint64_t* dims, const uint64_t* strides, const uint32_t* box,
                                     const uint32_t* element_strides, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                                     CUtensorMapFloatOOBfill fill) = nullptr;  // CUDA 12.0
  CUresult (*cuTensorMapEncodeIm2col)(CUtensorMap* map, CUtensorMapDataType type, uint32_t rank, void* address,
                                      const uint64_t* dims, const uint64_t* strides, const int* lower, const int* upper,
                                      uint32_t channels, uint32_t pixels, const uint32_t* element_strides,
                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                      CUtensorMapL2promotion l2_promotion,
                                      CUtensorMapFloatOOBfill fill) = nullptr;  // CUDA 12.0
  CUresult (*cuFuncGetParamInfo)(CUfunction function, size_t index, size_t* offset, size_t* bytes) = nullptr;  // 12.4
  CUresult (*cuFuncGetName)(const char** name, CUfunction function) = nullptr;                                 // 12.3
  CUresult (*cuModuleGetFunctionCount)(unsigned* count, CUmodule module) = nullptr;                            // 12.4
  CUresult (*cuModuleEnumerateFunctions)(CUfunction* functions, unsigned count, CUmodule module) = nullptr;    // 12.4
};

class Driver : public DriverTable {
 public:
  // The machine's driver, initialised (cuInit), once for the process; an error is remembered as well. The environment
  // variable ASSAY_CUDA_DRIVER names another library, or "none" for a machine without one.
  static Result<const Driver*> load();
  // A driver from this library alone, for tests; initialised.
  static Result<std::unique_ptr<Driver>> open(const std::string& library);

  // Nothing, or an error such as "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  Result<void> check(CUresult code, std::string_view what) const;
  Error error(CUresult code, std::string_view what) const;
  std::string describe(CUresult code) const;  // "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"

  int version() const { return version_; }                         // the newest CUDA that it supports: 13000 for 13.0
  int attribute(CUdevice_attribute which, CUdevice device) const;  // 0 if the driver does not know it
  const std::string& library_path() const { return library_.path(); }

 private:
  explicit Driver(SharedLibrary library) : library_(std::move(library)) {}
  Result<void> bind();

  SharedLibrary library_;
  int version_ = 0;
};

// How many GPUs the driver offers to this process; 0 without a driver.
int device_count();

// After such an error the context is of no more use, and no call on it will work again.
bool loses_context(CUresult code);

}  // namespace assay::device::cuda
