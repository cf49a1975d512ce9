// SPDX-License-Identifier: MIT
// The few functions of the CUDA driver that the test programs need, opened at run time: no toolkit is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <string>

namespace assay::test {

using CuResult = int;
using CuDevice = int;
using CuPointer = unsigned long long;
struct CuContextState;
struct CuModuleState;
struct CuFunctionState;
using CuContext = CuContextState*;
using CuModule = CuModuleState*;
using CuFunction = CuFunctionState*;

inline constexpr int kCapabilityMajor = 75;  // device attributes
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kErrorLogBuffer = 5;  // options of cuModuleLoadDataEx
inline constexpr int kErrorLogBytes = 6;

class CudaDriver {
 public:
  // "" if the driver could be opened and has all functions, else what is missing.
  std::string open() {
    library_ = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return std::string("no CUDA driver: ") + ::dlerror();
    bool all = true;
    all &= find("cuInit", init);
    all &= find("cuDriverGetVersion", driver_version);
    all &= find("cuDeviceGet", device);
    all &= find("cuDeviceGetName", device_name);
    all &= find("cuDeviceGetAttribute", device_attribute);
    all &= find("cuDevicePrimaryCtxRetain", retain_context);
    all &= find("cuCtxSetCurrent", set_context);
    all &= find("cuCtxSynchronize", synchronize);
    all &= find("cuModuleLoadDataEx", load_module);
    all &= find("cuModuleUnload", unload_module);
    all &= find("cuModuleGetFunction", function);
    all &= find("cuMemAlloc_v2", allocate);
    all &= find("cuMemFree_v2", free);
    all &= find("cuMemcpyHtoD_v2", copy_to_device);
    all &= find("cuMemcpyDtoH_v2", copy_to_host);
    all &= find("cuLaunchKernel", launch);
    all &= find("cuGetErrorName", error_name);
    find("cuTensorMapEncodeTiled", encode_tensor_map);  // drivers before CUDA 12 lack it
    find("cuTensorMapEncodeIm2col", encode_im2col_map);
    return all ? "" : "the CUDA driver lacks a function";
  }

  std::string name_of(CuResult result) const {
    const char* name = nullptr;
    if (error_name(result, &name) != 0 || name == nullptr) return "error " + std::to_string(result);
    return name;
  }

  CuResult (*init)(unsigned) = nullptr;
  CuResult (*driver_version)(int*) = nullptr;
  CuResult (*device)(CuDevice*, int) = nullptr;
  CuResult (*device_name)(char*, int, CuDevice) = nullptr;
  CuResult (*device_attribute)(int*, int, CuDevice) = nullptr;
  CuResult (*retain_context)(CuContext*, CuDevice) = nullptr;
  CuResult (*set_context)(CuContext) = nullptr;
  CuResult (*synchronize)() = nullptr;
  CuResult (*load_module)(CuModule*, const void*, unsigned, int*, void**) = nullptr;
  CuResult (*unload_module)(CuModule) = nullptr;
  CuResult (*function)(CuFunction*, CuModule, const char*) = nullptr;
  CuResult (*allocate)(CuPointer*, size_t) = nullptr;
  CuResult (*free)(CuPointer) = nullptr;
  CuResult (*copy_to_device)(CuPointer, const void*, size_t) = nullptr;
  CuResult (*copy_to_host)(void*, CuPointer, size_t) = nullptr;
  CuResult (*launch)(CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                     void**) = nullptr;
  CuResult (*error_name)(CuResult, const char**) = nullptr;
  // Map, type, rank, address, dims, strides, box, steps, interleave, swizzle, promotion to L2, fill.
  CuResult (*encode_tensor_map)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const uint32_t*,
                                const uint32_t*, int, int, int, int) = nullptr;
  // The same with the lower and upper corner, channels and pixels instead of the box.
  CuResult (*encode_im2col_map)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const int*, const int*,
                                uint32_t, uint32_t, const uint32_t*, int, int, int, int) = nullptr;

 private:
  template <class F>
  bool find(const char* name, F*& into) {
    into = reinterpret_cast<F*>(::dlsym(library_, name));
    return into != nullptr;
  }
  void* library_ = nullptr;
};

}  // namespace assay::test
