// SPDX-License-Identifier: MIT
// A library that looks like the CUDA driver of a machine with two H200: memory is the host's, kernels are the few
// functions below. With FAKE_OLD it lacks what came with CUDA 11.8.
//
// Images: a text with "BROKEN" is refused with a log, "NEWER" is too new, "OTHER" is for another GPU; kernels of one
// with "SLOWER" take a tenth longer. Environment: FAKE_CUDA_INIT is what cuInit answers; with FAKE_CUDA_WAITS a
// synchronisation lasts until the time that the events tell has really passed, and that varies a little.
// CUDA_VISIBLE_DEVICES: GPU-1234 or GPU-5678 alone, as the fake NVML calls them. FAKE_CUDA_AGED names a file: once it
// is there, everything takes a tenth longer on GPU-5678, whether slower or not.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device/cuda/driver_types.hpp"

using namespace assay::device::cuda;  // NOLINT: it is their world

namespace {

int retained = 0;
CUresult sticky = CUDA_SUCCESS;  // after a fault, every call answers with it
CUresult pending = CUDA_SUCCESS;
std::set<void*> allocations;
constexpr size_t kMemory = size_t{140} << 30;

// What this library was not written for has no answer here: a made-up one would make a test pass that tests nothing.
[[noreturn]] void never_asked(const std::string& what) {
  std::fprintf(stderr, "fake driver: %s is asked for, and this fake has no answer\n", what.c_str());
  std::abort();
}

// A clock that only work moves: a kernel takes 10 us, assay_spin a nanosecond for each cycle.
double now_ms = 0;

// What a graph holds. While a stream is captured, work goes there instead of being done.
struct FakeNode {
  CUgraphNodeType type;
  std::function<CUresult()> work;
};
using FakeGraph = std::vector<FakeNode>;
FakeGraph* capturing = nullptr;

std::string visible() {
  const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
  return text != nullptr ? text : "";
}

bool aged() {
  const char* file = std::getenv("FAKE_CUDA_AGED");
  return file != nullptr && visible() == "GPU-5678" && std::filesystem::exists(file);
}

double number_in(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atof(text) : otherwise;
}

// FAKE_CUDA_TRACE: a file that is told what the device does, in order.
void trace(const std::string& what) {
  static std::FILE* const kFile =
      std::getenv("FAKE_CUDA_TRACE") ? std::fopen(std::getenv("FAKE_CUDA_TRACE"), "a") : nullptr;
  if (kFile == nullptr) return;
  std::fprintf(kFile, "%s\n", what.c_str());
  std::fflush(kFile);
}

bool waits() {
  static const bool kWaits = std::getenv("FAKE_CUDA_WAITS") != nullptr;
  return kWaits;
}

// When the work began that is waited for next, by this clock and by the host's.
struct Beginning {
  double ms;
  std::chrono::steady_clock::time_point host;
};
std::optional<Beginning> beginning;

void wait_for_work() {
  if (waits() && beginning)
    std::this_thread::sleep_until(beginning->host + std::chrono::duration<double, std::milli>(now_ms - beginning->ms));
  beginning.reset();
}

CUresult enqueue(CUgraphNodeType type, std::function<CUresult()> work) {
  if (sticky != CUDA_SUCCESS) return sticky;
  if (!beginning) beginning = {now_ms, std::chrono::steady_clock::now()};
  if (capturing != nullptr) {
    capturing->push_back({type, std::move(work)});
  } else if (const CUresult result = work(); result != CUDA_SUCCESS) {
    pending = result;
  }
  return CUDA_SUCCESS;
}

struct FakeFunction {
  std::string name;
  const std::vector<float>* scale = nullptr;  // of its module
  int shared_limit = 48 << 10;
  double slowness = 1;
};
struct FakeModule {
  std::string image;
  std::map<std::string, FakeFunction> functions;
  std::vector<float> scale;  // the variable c_scale, which scale_f32 multiplies with
};

struct FakeArray {
  CUDA_ARRAY3D_DESCRIPTOR description;
  std::vector<char> bytes;
};
struct FakeObject {
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
};

FakeFunction* as_function(CUfunction function) {
  return reinterpret_cast<FakeFunction*>(function);
}
FakeModule* as_module(CUmodule module) {
  return reinterpret_cast<FakeModule*>(module);
}

CUresult answer(CUresult good = CUDA_SUCCESS) {
  return sticky != CUDA_SUCCESS ? sticky : good;
}

template <class T>
T value(void** parameters, int index) {
  T result;
  std::memcpy(&result, parameters[index], sizeof result);
  return result;
}

// copy_f32(x, y, n): some numbers of elements are special.
CUresult copy(void** parameters) {
  const auto n = value<uint32_t>(parameters, 2);
  if (n == 13) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (n == 21) {
    std::fprintf(stderr,
                 "copy.cu:12: void copy_f32(const float *, float *): block: [1,0,0], thread: [3,0,0] Assertion `n != "
                 "21` failed.\n");
    return CUDA_ERROR_ASSERT;
  }
  if (n == 5) std::printf("five from the GPU\n");
  std::memcpy(reinterpret_cast<void*>(value<uint64_t>(parameters, 1)),
              reinterpret_cast<void*>(value<uint64_t>(parameters, 0)), n * sizeof(float));
  // As a sum whose terms are added in the order in which threads happen to come: every third launch has another bit.
  static unsigned launches = 0;
  if (n == 17 && ++launches % 3 == 0) {
    auto* y = reinterpret_cast<float*>(value<uint64_t>(parameters, 1));
    y[3] = std::nextafter(y[3], 10.0f);
  }
  return CUDA_SUCCESS;
}

// accumulate_f32(x, y, n): y += x.
CUresult accumulate(void** parameters) {
  const auto* x = reinterpret_cast<const float*>(value<uint64_t>(parameters, 0));
  auto* y = reinterpret_cast<float*>(value<uint64_t>(parameters, 1));
  for (uint32_t i = 0; i < value<uint32_t>(parameters, 2); ++i) y[i] += x[i];
  return CUDA_SUCCESS;
}

// scale_f32(x, y, n): y = x * c_scale[0], a variable of the module.
CUresult scale(void** parameters, const std::vector<float>& factor) {
  const auto* x = reinterpret_cast<const float*>(value<uint64_t>(parameters, 0));
  auto* y = reinterpret_cast<float*>(value<uint64_t>(parameters, 1));
  for (uint32_t i = 0; i < value<uint32_t>(parameters, 2); ++i) y[i] = x[i] * factor[0];
  return CUDA_SUCCESS;
}

// row_sum_f32(x, y, columns) of kernels/reduction, with a block for each row.
CUresult sum_rows(void** parameters, unsigned rows) {
  const auto* x = reinterpret_cast<const float*>(value<uint64_t>(parameters, 0));
  auto* y = reinterpret_cast<float*>(value<uint64_t>(parameters, 1));
  const auto columns = value<uint32_t>(parameters, 2);
  for (unsigned row = 0; row < rows; ++row) {
    double sum = 0;
    for (uint32_t i = 0; i < columns; ++i) sum += static_cast<double>(x[size_t{row} * columns + i]);
    y[row] = static_cast<float>(sum);
  }
  return CUDA_SUCCESS;
}

// texture_copy_f32(texture, surface): all bytes of one array to the other.
CUresult copy_texture(void** parameters) {
  const auto array = [&](int index) {
    auto* const object = reinterpret_cast<FakeObject*>(value<uint64_t>(parameters, index));
    return reinterpret_cast<FakeArray*>(object->resource.res.array.hArray);
  };
  array(1)->bytes = array(0)->bytes;
  return CUDA_SUCCESS;
}

double kernel_ms() {
  static uint32_t count = 0;
  return waits() ? 0.01 * (1 + 0.002 * static_cast<double>(++count * 2654435761u >> 24) / 256) : 0.01;
}

// assay_fingerprint(data, bytes, slot), as docs/providers.md defines it.
CUresult fingerprint(void** parameters) {
  const auto* words = reinterpret_cast<const uint32_t*>(value<uint64_t>(parameters, 0));
  auto* slot = reinterpret_cast<uint64_t*>(value<uint64_t>(parameters, 2));
  for (uint64_t j = 0; j < value<uint64_t>(parameters, 1) / 4; ++j) *slot += words[j] * (2 * j + 1);
  return CUDA_SUCCESS;
}

const std::map<std::string, std::vector<size_t>> kParameters = {
    {"copy_f32", {8, 8, 4}},  {"accumulate_f32", {8, 8, 4}}, {"row_sum_f32", {8, 8, 4}},       {"idle_f32", {8, 8, 4}},
    {"scale_f32", {8, 8, 4}}, {"fault_f32", {8, 8, 4}},      {"assay_fingerprint", {8, 8, 8}}, {"assay_flush", {8, 8}},
    {"assay_spin", {8}},      {"texture_copy_f32", {8, 8}}};

CUresult run(const std::string& name, void** parameters, unsigned blocks, double slowness,
             const std::vector<float>& factor) {
  trace(name == "assay_spin"          ? "spin " + std::to_string(value<uint64_t>(parameters, 0))
        : name == "assay_flush"       ? "flush " + std::to_string(value<uint64_t>(parameters, 1))
        : name == "assay_fingerprint" ? "fingerprint"
                                      : "call");
  now_ms += name == "assay_spin" ? 1e-6 * static_cast<double>(value<uint64_t>(parameters, 0)) : kernel_ms() * slowness;
  if (name == "row_sum_f32") return sum_rows(parameters, blocks);
  if (name == "copy_f32") return copy(parameters);
  if (name == "texture_copy_f32") return copy_texture(parameters);
  if (name == "scale_f32") return scale(parameters, factor);
  if (name == "accumulate_f32") return accumulate(parameters);
  if (name == "assay_fingerprint") return fingerprint(parameters);
  if (name == "misaligned" || name == "fault_f32") return CUDA_ERROR_MISALIGNED_ADDRESS;
  if (name == "trap") return CUDA_ERROR_LAUNCH_FAILED;
  if (name == "timeout") return CUDA_ERROR_LAUNCH_TIMEOUT;
  if (name == "ecc") return CUDA_ERROR_ECC_UNCORRECTABLE;
  // These have no result: they take their time and are done.
  if (name == "idle_f32" || name == "assay_spin" || name == "assay_flush" || name == "large_block") return CUDA_SUCCESS;
  never_asked("the kernel " + name);
}

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
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 60 << 20;
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
  if (--retained == 0) {  // a context takes its memory along
    for (void* memory : allocations) std::free(memory);
    allocations.clear();
  }
  return answer();
}
CUresult cuCtxSetCurrent(CUcontext) {
  return answer();
}
CUresult cuCtxSynchronize() {
  wait_for_work();
  if (pending != CUDA_SUCCESS) sticky = pending;
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
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return *stream = reinterpret_cast<CUstream>(&pending), answer();
}
CUresult cuStreamDestroy_v2(CUstream) {
  return answer();
}
CUresult cuStreamSynchronize(CUstream) {
  return cuCtxSynchronize();
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = reinterpret_cast<CUevent>(new double(0)), answer();
}
CUresult cuEventDestroy_v2(CUevent event) {
  return delete reinterpret_cast<double*>(event), answer();
}
CUresult cuEventRecord(CUevent event, CUstream) {
  return enqueue(CU_GRAPH_NODE_TYPE_EVENT_RECORD, [event] {
    trace("record");
    *reinterpret_cast<double*>(event) = now_ms;
    return CUDA_SUCCESS;
  });
}
// The host takes FAKE_CUDA_ENQUEUE_US to enqueue what it waits for next: an event before that has passed by then.
CUresult cuEventQuery(CUevent event) {
  static const double kEnqueueUs = number_in("FAKE_CUDA_ENQUEUE_US", 50);
  const double us = beginning ? 1e3 * (*reinterpret_cast<double*>(event) - beginning->ms) : 0;
  return us > kEnqueueUs ? CUDA_ERROR_NOT_READY : answer();
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  const double taken = *reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(start);
  return *milliseconds = static_cast<float>(taken), answer();
}
CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
  capturing = new FakeGraph;
  return answer();
}
CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  *graph = reinterpret_cast<CUgraph>(std::exchange(capturing, nullptr));
  return answer();
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = reinterpret_cast<CUgraphExec>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
  return answer();
}
CUresult cuGraphUpload(CUgraphExec, CUstream) {
  return answer();
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  for (const FakeNode& node : *reinterpret_cast<FakeGraph*>(executable)) enqueue(node.type, node.work);
  return answer();
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return delete reinterpret_cast<FakeGraph*>(executable), answer();
}
CUresult cuGraphDestroy(CUgraph graph) {
  return delete reinterpret_cast<FakeGraph*>(graph), answer();
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  FakeGraph& all = *reinterpret_cast<FakeGraph*>(graph);
  *count = all.size();
  for (size_t i = 0; nodes != nullptr && i < all.size(); ++i) nodes[i] = reinterpret_cast<CUgraphNode>(&all[i]);
  return answer();
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return *type = reinterpret_cast<FakeNode*>(node)->type, answer();
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options, void** values) {
  const std::string text = static_cast<const char*>(image);
  if (text.find("OTHER") != std::string::npos) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (text.find("NEWER") != std::string::npos) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  if (text.find("BROKEN") != std::string::npos) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) std::strcpy(static_cast<char*>(values[i]), "line 3: no such opcode\n");
    }
    return CUDA_ERROR_INVALID_PTX;
  }
  auto* made = new FakeModule{text, {}, {1.0f}};
  for (const char* name :
       {"copy_f32", "scale_f32", "accumulate_f32", "row_sum_f32", "texture_copy_f32", "idle_f32", "fault_f32",
        "assay_fingerprint", "assay_spin", "assay_flush", "misaligned", "trap", "timeout", "ecc", "large_block"})
    made->functions[name] = {.name = name, .scale = &made->scale};
  if (text.find("SLOWER") != std::string::npos || aged()) {
    for (auto& [name, function] : made->functions) function.slowness = 1.1;
  }
  return *module = reinterpret_cast<CUmodule>(made), answer();
}
CUresult cuModuleUnload(CUmodule module) {
  return delete as_module(module), answer();
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const auto found = as_module(module)->functions.find(name);
  if (found == as_module(module)->functions.end()) return CUDA_ERROR_NOT_FOUND;
  return *function = reinterpret_cast<CUfunction>(&found->second), answer();
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  if (std::string(name) != "c_scale") return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(as_module(module)->scale.data());
  return *bytes = sizeof(float), answer();
}
// A block of 1,024 threads at a time on each multiprocessor.
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, size_t) {
  return *blocks = 1024 / threads, answer();
}
CUresult cuFuncGetAttribute(int* number, CUfunction_attribute which, CUfunction function) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *number = as_function(function)->name == "large_block" ? 256 : 1024;
      return answer();
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *number = 1024;
      return answer();
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *number = 0;
      return answer();
    default:
      never_asked("attribute " + std::to_string(which) + " of a function");
  }
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int number) {
  if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    as_function(function)->shared_limit = number;
  } else if (which != CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED &&
             which != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    never_asked("setting attribute " + std::to_string(which) + " of a function");
  }
  return answer();
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
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void**) {
  if (sticky != CUDA_SUCCESS) return sticky;
  if (static_cast<int>(config->sharedMemBytes) > as_function(function)->shared_limit) return CUDA_ERROR_INVALID_VALUE;
  // A captured launch keeps its own copy of the arguments.
  const std::string& name = as_function(function)->name;
  std::vector<std::string> arguments;
  if (const auto sizes = kParameters.find(name); sizes != kParameters.end()) {
    for (size_t i = 0; i < sizes->second.size(); ++i)
      arguments.emplace_back(static_cast<const char*>(parameters[i]), sizes->second[i]);
  }
  return enqueue(CU_GRAPH_NODE_TYPE_KERNEL,
                 [name, arguments, blocks = config->gridDimX, slowness = as_function(function)->slowness,
                  factor = as_function(function)->scale]() mutable {
                   std::vector<void*> places;
                   for (std::string& argument : arguments) places.push_back(argument.data());
                   return run(name, places.data(), blocks, slowness, *factor);
                 });
}
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
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  const auto sizes = kParameters.find(as_function(function)->name);
  if (sizes == kParameters.end() || index >= sizes->second.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *bytes = sizes->second[index];
  return answer();
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return *name = as_function(function)->name.c_str(), answer();
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  return *count = static_cast<unsigned>(as_module(module)->functions.size()), answer();
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned, CUmodule module) {
  for (auto& [name, function] : as_module(module)->functions) *functions++ = reinterpret_cast<CUfunction>(&function);
  return answer();
}
#endif
// What only tests call: a fresh machine.
void fake_reset() {
  sticky = pending = CUDA_SUCCESS;
}
size_t fake_allocations() {
  return allocations.size();
}
}
