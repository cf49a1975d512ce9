// SPDX-License-Identifier: MIT
// The fake driver's modules, the few kernels that they hold, and launches of these.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "fake_driver.hpp"

using namespace fake;  // NOLINT

namespace {

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

FakeFunction* as_function(CUfunction function) {
  return reinterpret_cast<FakeFunction*>(function);
}
FakeModule* as_module(CUmodule module) {
  return reinterpret_cast<FakeModule*>(module);
}

bool aged() {
  const char* file = std::getenv("FAKE_CUDA_AGED");
  return file != nullptr && visible() == "GPU-5678" && std::filesystem::exists(file);
}

// FAKE_CUDA_SLOW, as "GPU-5678=1.7 GPU-5678/256=1.2": how many times as long kernels take on this GPU, and those of so
// many threads a block.
double slowness_here(unsigned threads) {
  const char* all = std::getenv("FAKE_CUDA_SLOW");
  double factor = 1;
  std::istringstream words(all != nullptr ? all : "");
  for (std::string word; words >> word;) {
    const std::string whom = word.substr(0, word.find('='));
    if (whom == visible() || whom == visible() + "/" + std::to_string(threads))
      factor *= std::atof(word.c_str() + whom.size() + 1);
  }
  return factor;
}

// FAKE_CUDA_LOST: when this file is there, GPU-5678 has fallen off the bus.
bool lost() {
  const char* file = std::getenv("FAKE_CUDA_LOST");
  return file != nullptr && visible() == "GPU-5678" && std::filesystem::exists(file);
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

// texture_copy_f32(texture, surface): all bytes of one array to the other; of a mipmap, those of level 1.
CUresult copy_texture(void** parameters) {
  const auto array = [&](int index) {
    auto* const object = reinterpret_cast<FakeObject*>(value<uint64_t>(parameters, index));
    const CUDA_RESOURCE_DESC& resource = object->resource;
    if (resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
      return &reinterpret_cast<std::vector<FakeArray>*>(resource.res.mipmap.hMipmappedArray)->at(1);
    return reinterpret_cast<FakeArray*>(resource.res.array.hArray);
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

// rate_*(data, bytes, rounds, cycles) of measure/rate_probes.cu: they take the time of an H200, at a clock of 1.98 GHz.
// FAKE_CUDA_RATES is how many times as fast this GPU is; 0: they take no time and count no cycles.
const std::map<std::string, double> kNsOfRound = {{"rate_launch", 390},  {"rate_fma", 1035},    {"rate_special", 4140},
                                                  {"rate_shared", 1035}, {"rate_mma_f16", 394}, {"rate_atomics", 3020}};

double probe_ns(const std::string& name, void** parameters) {
  const char* faster = std::getenv("FAKE_CUDA_RATES");
  const double factor = faster != nullptr ? std::atof(faster) : 1;
  if (factor <= 0) return 0;
  const auto bytes = static_cast<double>(value<uint64_t>(parameters, 1));
  const double rounds = value<uint32_t>(parameters, 2);
  if (name == "rate_dram_copy") return bytes / 4100 / factor;
  if (name == "rate_l2_read") return rounds * bytes / 6900 / factor;
  return (name == "rate_launch" ? 1 : rounds) * kNsOfRound.at(name) / factor;
}

CUresult probe_rate(const std::string& name, void** parameters, unsigned blocks) {
  const double ns = probe_ns(name, parameters);
  now_ms += 1e-6 * ns;
  auto* const cycles = reinterpret_cast<uint64_t*>(value<uint64_t>(parameters, 3));
  // Cycles do not depend on how fast the clock is, unless there is none.
  const double all = name == "rate_launch" || name == "rate_dram_copy" || name == "rate_l2_read" || ns <= 0
                         ? 0
                         : 1.98 * value<uint32_t>(parameters, 2) * kNsOfRound.at(name);
  for (unsigned i = 0; i < blocks && cycles != nullptr; ++i) cycles[i] = static_cast<uint64_t>(all);
  return CUDA_SUCCESS;
}

const std::map<std::string, std::vector<size_t>> kParameters = {
    {"copy_f32", {8, 8, 4}},          {"accumulate_f32", {8, 8, 4}},  {"row_sum_f32", {8, 8, 4}},
    {"idle_f32", {8, 8, 4}},          {"scale_f32", {8, 8, 4}},       {"fault_f32", {8, 8, 4}},
    {"assay_fingerprint", {8, 8, 8}}, {"assay_flush", {8, 8}},        {"assay_spin", {8}},
    {"texture_copy_f32", {8, 8}},     {"rate_launch", {8, 8, 4, 8}},  {"rate_dram_copy", {8, 8, 4, 8}},
    {"rate_l2_read", {8, 8, 4, 8}},   {"rate_fma", {8, 8, 4, 8}},     {"rate_special", {8, 8, 4, 8}},
    {"rate_shared", {8, 8, 4, 8}},    {"rate_mma_f16", {8, 8, 4, 8}}, {"rate_atomics", {8, 8, 4, 8}}};

CUresult run(const std::string& name, void** parameters, unsigned blocks, double slowness,
             const std::vector<float>& factor) {
  if (name.starts_with("rate_")) return probe_rate(name, parameters, blocks);
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

}  // namespace

extern "C" {
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
  for (const char* name : {"copy_f32",    "scale_f32",      "accumulate_f32",    "row_sum_f32", "texture_copy_f32",
                           "idle_f32",    "fault_f32",      "assay_fingerprint", "assay_spin",  "assay_flush",
                           "misaligned",  "trap",           "timeout",           "ecc",         "large_block",
                           "rate_launch", "rate_dram_copy", "rate_l2_read",      "rate_fma",    "rate_special",
                           "rate_shared", "rate_mma_f16",   "rate_atomics"})
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
  const auto holds = [&](const char* end) {
    return as_module(module)->image.find(std::string(" ") + name + end) != std::string::npos;
  };
  const bool declared = holds(";") || holds("[4];");
  if (std::string(name) != "c_scale" && !declared) return CUDA_ERROR_NOT_FOUND;
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
#ifndef FAKE_OLD
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void**) {
  if (lost()) sticky = CUDA_ERROR_ECC_UNCORRECTABLE;
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
                 [name, arguments, blocks = config->gridDimX,
                  slowness = as_function(function)->slowness * slowness_here(config->blockDimX),
                  factor = as_function(function)->scale]() mutable {
                   std::vector<void*> places;
                   for (std::string& argument : arguments) places.push_back(argument.data());
                   return run(name, places.data(), blocks, slowness, *factor);
                 });
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
}
