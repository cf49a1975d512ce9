// SPDX-License-Identifier: MIT
#include "device/cuda/cuda_model.hpp"

#include <array>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <string>

namespace assay::device::cuda {
namespace {

// The name holds `part` and does not hold `without`: the variants of a product differ in clocks and memory.
struct Product {
  std::string_view part;
  std::string_view without;
  std::string_view id;
};

constexpr std::array<Product, 6> kProducts = {{
    {"H200", "NVL", "h200"},
    {"H100 80GB HBM3", "NVL", "h100"},
    {"H100 SXM", "NVL", "h100"},
    {"A100-SXM4-80GB", "-", "a100"},
    {"NVIDIA L4", "NVIDIA L40", "l4"},
    {"RTX 4090", "4090 D", "rtx4090"},
}};

// Operations per clock of one multiprocessor: dense f16 products with f32 sums on tensor cores, and f32. From the
// tables of arithmetic throughput in the CUDA programming guide. Upper bounds: GeForce cards have half of the former.
struct Rates {
  int capability;
  int tensor_f16;
  int f32;
};

constexpr std::array<Rates, 6> kRates = {{
    {75, 1024, 128},
    {80, 2048, 128},
    {86, 1024, 256},
    {87, 1024, 256},
    {89, 1024, 256},
    {90, 4096, 256},
}};

const Rates* rates_of(int capability) {
  for (const Rates& rates : kRates) {
    if (rates.capability == capability) return &rates;
  }
  return nullptr;
}

// Granularities and the like are those of another product of the same capability.
gpu::GpuModel start_model(int capability) {
  for (const gpu::GpuModel& model : gpu::all_models()) {
    if (model.compute_capability() == capability) return model;
  }
  return {};
}

gpu::TensorArch tensor_arch(int major, int minor) {
  if (major >= 9) return gpu::TensorArch::hopper;
  return major == 8 && minor == 9 ? gpu::TensorArch::ada : gpu::TensorArch::ampere;
}

// A model names its strings without owning them, and reports keep models when their device is closed. A machine has few
// different GPUs, so that their names are kept until the program ends.
std::string_view kept_forever(std::string text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::lock_guard lock(mutex);
  return *texts.insert(std::move(text)).first;
}

}  // namespace

const gpu::GpuModel* product_named(std::string_view name) {
  for (const Product& product : kProducts) {
    if (name.find(product.part) == std::string_view::npos) continue;
    if (product.without != "-" && name.find(product.without) != std::string_view::npos) continue;
    if (name.find("MIG") != std::string_view::npos || name.find("Laptop") != std::string_view::npos) continue;
    return gpu::find_model(product.id);
  }
  return nullptr;
}

CudaModel::CudaModel(const Driver& driver, CUdevice device) {
  std::array<char, 256> text{};
  if (driver.cuDeviceGetName(text.data(), static_cast<int>(text.size() - 1), device) != CUDA_SUCCESS) text.fill('\0');
  const auto attribute = [&](CUdevice_attribute which) { return driver.attribute(which, device); };
  const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const gpu::GpuModel* product = product_named(text.data());
  known_ = product != nullptr && product->compute_capability() == 10 * major + minor;
  model_ = known_ ? *product : start_model(10 * major + minor);
  if (!known_) model_.id = kept_forever(fmt::format("sm_{}{}", major, minor));
  model_.name = kept_forever(text.data());
  model_.compute_major = major;
  model_.compute_minor = minor;
  model_.tensor_arch = tensor_arch(major, minor);
  // What the driver tells replaces what the table says, where it tells anything.
  const auto take = [&](auto& field, CUdevice_attribute which) {
    if (const int value = attribute(which); value > 0) field = value;
  };
  take(model_.sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  take(model_.max_threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  take(model_.max_blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  take(model_.max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  take(model_.registers_per_sm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  take(model_.shared_bytes_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  take(model_.shared_bytes_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  take(model_.shared_bytes_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  take(model_.shared_bytes_reserved_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  take(model_.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  model_.max_warps_per_sm = model_.max_threads_per_sm / 32;
  size_t memory = 0;
  if (driver.cuDeviceTotalMem(&memory, device) == CUDA_SUCCESS) model_.memory_bytes = static_cast<int64_t>(memory);
  if (known_) return;

  const double clock_mhz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e3;
  const double memory_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  const double bus_bytes = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
  const Rates* rates = rates_of(10 * major + minor);
  const double per_clock = clock_mhz * 1e6 * model_.sm_count / 1e12;
  model_.boost_clock_mhz = clock_mhz;
  model_.memory_bandwidth_gb_per_s = 2 * memory_khz * 1e3 * bus_bytes / 1e9;  // two transfers a clock
  model_.tensor_f16_tflops = rates != nullptr ? rates->tensor_f16 * per_clock : 0;
  model_.f32_tflops = rates != nullptr ? rates->f32 * per_clock : 0;
}

}  // namespace assay::device::cuda
