// SPDX-License-Identifier: MIT
#include "device/cuda/driver.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <vector>

namespace assay::device::cuda {
namespace {

constexpr const char* kNoDriverHint = "install the NVIDIA driver, or use a virtual GPU: --device vgpu:h200";

// Opens what ASSAY_CUDA_DRIVER names, or the machine's driver.
Result<std::unique_ptr<Driver>> open_configured_driver() {
  const char* name = std::getenv("ASSAY_CUDA_DRIVER");
  if (name != nullptr && std::string_view(name) == "none")
    return Error{"ASSAY_CUDA_DRIVER=none hides the CUDA driver", {}, kNoDriverHint, ExitCode::environment};
  return Driver::open(name != nullptr && *name != '\0' ? name : "libcuda.so.1");
}

}  // namespace

Result<std::unique_ptr<Driver>> Driver::open(const std::string& library) {
  Result<SharedLibrary> opened = SharedLibrary::open({library});
  if (!opened) {
    Error error = std::move(opened).error();
    error.hint = kNoDriverHint;
    return error;
  }
  std::unique_ptr<Driver> driver(new Driver(std::move(*opened)));
  ASSAY_CHECK(driver->bind());
  if (const CUresult code = driver->cuInit(0); code != CUDA_SUCCESS) {
    Error error = driver->error(code, "the CUDA driver does not start");
    if (code == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
      error.hint = "the driver's library and the kernel module differ: reboot, or install both in one version";
    if (code == CUDA_ERROR_STUB_LIBRARY) error.hint = "this libcuda is the toolkit's stub: install the NVIDIA driver";
    if (code == CUDA_ERROR_NO_DEVICE) error.hint = "see nvidia-smi and CUDA_VISIBLE_DEVICES, or use a virtual GPU";
    return error;
  }
  ASSAY_CHECK(driver->check(driver->cuDriverGetVersion(&driver->version_), "cuDriverGetVersion"));
  return driver;
}

Result<const Driver*> Driver::load() {
  static const Result<std::unique_ptr<Driver>> loaded = open_configured_driver();
  if (!loaded) return loaded.error();
  return static_cast<const Driver*>(loaded->get());
}

Result<void> Driver::bind() {
  std::string missing;
  const auto need = [&](auto& slot, const char* name) {
    if (!bind_symbol(library_, slot, name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  need(cuInit, "cuInit");
  need(cuDriverGetVersion, "cuDriverGetVersion");
  need(cuGetErrorName, "cuGetErrorName");
  need(cuGetErrorString, "cuGetErrorString");
  need(cuDeviceGetCount, "cuDeviceGetCount");
  need(cuDeviceGet, "cuDeviceGet");
  need(cuDeviceGetName, "cuDeviceGetName");
  need(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId");
  need(cuDeviceTotalMem, "cuDeviceTotalMem_v2");
  need(cuDeviceGetAttribute, "cuDeviceGetAttribute");
  need(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  need(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  need(cuCtxSetCurrent, "cuCtxSetCurrent");
  need(cuCtxSynchronize, "cuCtxSynchronize");
  need(cuCtxSetLimit, "cuCtxSetLimit");
  need(cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache");
  need(cuMemGetInfo, "cuMemGetInfo_v2");
  need(cuMemAlloc, "cuMemAlloc_v2");
  need(cuMemFree, "cuMemFree_v2");
  need(cuMemcpyHtoD, "cuMemcpyHtoD_v2");
  need(cuMemcpyDtoH, "cuMemcpyDtoH_v2");
  need(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
  need(cuMemsetD8Async, "cuMemsetD8Async");
  need(cuArray3DCreate, "cuArray3DCreate_v2");
  need(cuMipmappedArrayCreate, "cuMipmappedArrayCreate");
  need(cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel");
  need(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy");
  need(cuArrayDestroy, "cuArrayDestroy");
  need(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2");
  need(cuTexObjectCreate, "cuTexObjectCreate");
  need(cuTexObjectDestroy, "cuTexObjectDestroy");
  need(cuSurfObjectCreate, "cuSurfObjectCreate");
  need(cuSurfObjectDestroy, "cuSurfObjectDestroy");
  need(cuStreamCreate, "cuStreamCreate");
  need(cuStreamDestroy, "cuStreamDestroy_v2");
  need(cuStreamSynchronize, "cuStreamSynchronize");
  need(cuEventCreate, "cuEventCreate");
  need(cuEventDestroy, "cuEventDestroy_v2");
  need(cuEventRecordWithFlags, "cuEventRecordWithFlags");
  need(cuEventQuery, "cuEventQuery");
  need(cuEventElapsedTime, "cuEventElapsedTime");
  need(cuStreamBeginCapture, "cuStreamBeginCapture_v2");
  need(cuStreamEndCapture, "cuStreamEndCapture");
  need(cuGraphInstantiate, "cuGraphInstantiateWithFlags");
  need(cuGraphUpload, "cuGraphUpload");
  need(cuGraphLaunch, "cuGraphLaunch");
  need(cuGraphExecDestroy, "cuGraphExecDestroy");
  need(cuGraphDestroy, "cuGraphDestroy");
  need(cuGraphGetNodes, "cuGraphGetNodes");
  need(cuGraphNodeGetType, "cuGraphNodeGetType");
  need(cuModuleLoadDataEx, "cuModuleLoadDataEx");
  need(cuModuleUnload, "cuModuleUnload");
  need(cuModuleGetFunction, "cuModuleGetFunction");
  need(cuModuleGetGlobal, "cuModuleGetGlobal_v2");
  need(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  need(cuFuncGetAttribute, "cuFuncGetAttribute");
  need(cuFuncSetAttribute, "cuFuncSetAttribute");
  need(cuLaunchKernelEx, "cuLaunchKernelEx");
  bind_symbol(library_, cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  bind_symbol(library_, cuTensorMapEncodeIm2col, "cuTensorMapEncodeIm2col");
  bind_symbol(library_, cuFuncGetParamInfo, "cuFuncGetParamInfo");
  bind_symbol(library_, cuFuncGetName, "cuFuncGetName");
  bind_symbol(library_, cuModuleGetFunctionCount, "cuModuleGetFunctionCount");
  bind_symbol(library_, cuModuleEnumerateFunctions, "cuModuleEnumerateFunctions");
  if (missing.empty()) return {};
  return Error{fmt::format("the CUDA driver {} lacks {}", library_.path(), missing),
               {},
               "Assay needs the driver of CUDA 11.8 or newer (R520)",
               ExitCode::environment};
}

std::string Driver::describe(CUresult code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr)
    return fmt::format("CUDA error {}", static_cast<int>(code));
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return fmt::format("{} ({})", name, text);
}

Error Driver::error(CUresult code, std::string_view what) const {
  return Error{fmt::format("{}: {}", what, describe(code)), {}, "", ExitCode::environment};
}

Result<void> Driver::check(CUresult code, std::string_view what) const {
  if (code == CUDA_SUCCESS) return {};
  return error(code, what);
}

int Driver::attribute(CUdevice_attribute which, CUdevice device) const {
  int value = 0;
  return cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

int device_count() {
  const Result<const Driver*> driver = Driver::load();
  int count = 0;
  if (!driver || (*driver)->cuDeviceGetCount(&count) != CUDA_SUCCESS) return 0;
  return count;
}

bool loses_context(CUresult code) {
  switch (code) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

}  // namespace assay::device::cuda
