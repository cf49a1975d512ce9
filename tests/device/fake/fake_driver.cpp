// SPDX-License-Identifier: MIT
// A library that looks like the CUDA driver of a machine with two H200: memory is the host's, kernels are a few
// functions of fake_driver_launches.cpp. With FAKE_OLD it lacks what came with CUDA 11.8.
//
// Images: a text with "BROKEN" is refused with a log, "NEWER" is too new, "OTHER" is for another GPU; kernels of one
// with "SLOWER" take a tenth longer. Environment: FAKE_CUDA_INIT is what cuInit answers; with FAKE_CUDA_WAITS a
// synchronisation lasts until the time that the events tell has really passed, and that varies a little.
// CUDA_VISIBLE_DEVICES: GPU-1234 or GPU-5678 alone, as the fake NVML calls them. FAKE_CUDA_AGED names a file: once it
// is there, everything takes a tenth longer on GPU-5678, whether slower or not. FAKE_CUDA_RATES: how many times as fast
// as an H200 the kernels are that measure rates.
//
// Here: the machine itself, its devices and contexts. Beside it: memory and textures (fake_driver_memory.cpp), streams,
// events and graphs (fake_driver_streams.cpp), modules and launches (fake_driver_launches.cpp).
#include "fake_driver.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace fake {

CUresult sticky = CUDA_SUCCESS;

CUresult answer() {
  return sticky;
}

[[noreturn]] void never_asked(const std::string& what) {
  std::fprintf(stderr, "fake driver: %s is asked for, and this fake has no answer\n", what.c_str());
  std::abort();
}

std::string visible() {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  return text != nullptr ? text : "";
}

void trace(const std::string& what) {
  static std::FILE* const kFile =
      std::getenv("FAKE_CUDA_TRACE") ? std::fopen(std::getenv("FAKE_CUDA_TRACE"), "a") : nullptr;
  if (kFile == nullptr) return;
  std::fprintf(kFile, "%s\n", what.c_str());
  std::fflush(kFile);
}

}  // namespace fake

using namespace fake;  // NOLINT

namespace {

int retained = 0;

int device_attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 132;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 48 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 227 << 10;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: {
      const char* wanted = std::getenv("FAKE_CUDA_L2_BYTES");  // a small one makes small shapes fit for timing
      return wanted != nullptr ? std::atoi(wanted) : 60 << 20;
    }
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
      return 1;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      return 1;
    // An old driver, which does not tell.
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 0;
    default:
      never_asked("attribute " + std::to_string(which) + " of a device");
  }
}

}  // namespace

extern "C" {
CUresult cuInit(unsigned) {
  const char* wanted = std::getenv("FAKE_CUDA_INIT");
  return wanted != nullptr ? static_cast<CUresult>(std::atoi(wanted)) : CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  return *version = 12040, CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult code, const char** text) {
  static const std::map<int, const char*> kNames = {
      {2, "CUDA_ERROR_OUT_OF_MEMORY"},        {100, "CUDA_ERROR_NO_DEVICE"},
      {101, "CUDA_ERROR_INVALID_DEVICE"},     {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},        {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},    {710, "CUDA_ERROR_ASSERT"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = kNames.find(code);
  *text = found != kNames.end() ? found->second : nullptr;
  return found != kNames.end() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  return *text = "as the fake says", CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  return *count = visible().size() > 0 ? 1 : 2, CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  return std::snprintf(name, static_cast<size_t>(length), "NVIDIA H200"), CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  const int place = visible() == "GPU-5678" ? 11 : 10 + device;
  return std::snprintf(text, static_cast<size_t>(length), "0000:%02d:00.0", place), CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  return *bytes = kMemory, CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* number, CUdevice_attribute which, CUdevice) {
  // What a driver that is older than the question answers.
  if (which == CU_DEVICE_ATTRIBUTE_WARP_SIZE) return CUDA_ERROR_INVALID_VALUE;
  return *number = device_attribute(which), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  ++retained;
  return *context = reinterpret_cast<CUcontext>(&sticky), answer();
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  if (--retained == 0) free_everything();  // a context takes its memory along
  return answer();
}
CUresult cuCtxSetCurrent(CUcontext) {
  return answer();
}
CUresult cuCtxSetLimit(CUlimit which, size_t bytes) {
  if (which != CU_LIMIT_PERSISTING_L2_CACHE_SIZE || bytes != 0) never_asked("a limit of the context");
  return answer();
}
CUresult cuCtxResetPersistingL2Cache() {
  trace("reset");
  return answer();
}
}
